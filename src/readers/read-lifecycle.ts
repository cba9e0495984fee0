// One `*_lifecycle_metrics.json` of ours -> LifecycleReport: what the file does not hold is null with a reason, never 0.
import type { LifecycleReport, Stat } from '../metrics/lifecycle';
import type { Problem, Result } from '../problem';
import { parseJson } from '../folder/json';
import { isObject } from '../own';

type Json = Record<string, unknown>;
type Throughput = LifecycleReport['successes']['throughput'];

const LATENCIES = [
  'request_latency',
  'normalized_time_per_output_token',
  'time_per_output_token',
  'time_to_first_token',
  'inter_token_latency',
] as const;

export function parseLifecycle(text: string, file: string): Result<LifecycleReport> {
  const parsed = parseJson(text, file);
  if (!parsed.ok) return parsed;
  const root = parsed.value;
  if (!isObject(root) || !isObject(root['load_summary']) || !isObject(root['successes'])) {
    return refuse(file, "it has no 'load_summary' and 'successes', so it is no lifecycle report of inference-perf");
  }
  const reader = new Reader(isObject(root['isoperf']) ? textsOf(root['isoperf']['not_measured']) : {});
  const load = root['load_summary'];
  const successes = root['successes'];
  const failures = isObject(root['failures']) ? root['failures'] : {};
  const count = numberOf(load['count']);
  const succeeded = numberOf(successes['count']);
  if (count === undefined || succeeded === undefined) return refuse(file, "it has no 'count' of requests");
  const report: LifecycleReport = {
    benchmark_time_seconds: numberOf(root['benchmark_time_seconds']) ?? 0,
    load_summary: {
      count,
      schedule_delay: reader.stat('load_summary.schedule_delay', load['schedule_delay']),
      ...optional(load, ['send_duration', 'requested_rate', 'achieved_rate', 'concurrency']),
    },
    successes: reader.successes(successes, succeeded),
    failures: {
      count: numberOf(failures['count']) ?? 0,
      request_latency: reader.stat('failures.request_latency', failures['request_latency'], true),
      prompt_tokens: reader.stat('failures.prompt_tokens', failures['prompt_tokens'], true),
      by_label: labelsOf(failures['by_label']),
    },
    isoperf: {
      not_measured: reader.notMeasured,
      ...differencesOf(root['isoperf']),
      ...extraStat(reader, root['isoperf'], 'chunk_gap'),
      ...extraStat(reader, root['isoperf'], 'time_to_first_content'),
    },
  };
  if (numberOf(root['benchmark_time_seconds']) === undefined) {
    reader.notMeasured['benchmark_time_seconds'] = 'not in the file';
  }
  return { ok: true, value: report, problems: [] };
}

class Reader {
  constructor(readonly notMeasured: Record<string, string>) {}

  successes(from: Json, count: number): LifecycleReport['successes'] {
    const latency = isObject(from['latency']) ? from['latency'] : {};
    const throughput = isObject(from['throughput']) ? from['throughput'] : {};
    const rate = (key: keyof Throughput): number | null => this.number(`successes.throughput.${key}`, throughput[key]);
    const goodput = numbersOf(from['goodput_metrics']);
    return {
      count,
      latency: Object.fromEntries(
        LATENCIES.map((key) => [key, this.stat(`successes.latency.${key}`, latency[key])]),
      ) as unknown as LifecycleReport['successes']['latency'],
      throughput: {
        input_tokens_per_sec: rate('input_tokens_per_sec'),
        output_tokens_per_sec: rate('output_tokens_per_sec'),
        total_tokens_per_sec: rate('total_tokens_per_sec'),
        requests_per_sec: rate('requests_per_sec') ?? 0,
      },
      request_size_bytes: this.stat('successes.request_size_bytes', from['request_size_bytes']),
      prompt_tokens: this.stat('successes.prompt_tokens', from['prompt_tokens']),
      output_len: this.stat('successes.output_len', from['output_len']),
      output_tokens: this.stat('successes.output_tokens', from['output_tokens']),
      token_count_mismatches: numberOf(from['token_count_mismatches']) ?? 0,
      ...(goodput ? { goodput_metrics: goodput } : {}),
    };
  }

  number(key: string, value: unknown): number | null {
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    this.notMeasured[key] ??= reasonOf(value);
    return null;
  }

  /** @param mayBeEmpty no reason is noted for null: there was nothing to measure (no failures). */
  stat(key: string, value: unknown, mayBeEmpty = false): Stat {
    if (!isObject(value)) {
      if (!mayBeEmpty) this.notMeasured[key] ??= reasonOf(value);
      return null;
    }
    const stat = numbersOf(value);
    return stat && Object.keys(stat).length > 0 ? stat : null;
  }
}

function reasonOf(value: unknown): string {
  if (typeof value === 'number') return `written as ${value}`;
  return value === null ? 'null in the file' : 'not in the file';
}

function refuse(file: string, why: string): Result<never> {
  const problem: Problem = {
    code: 'REP106',
    severity: 'error',
    path: [],
    message: `${file} was not read: ${why}`,
    file,
  };
  return { ok: false, problems: [problem] };
}

function labelsOf(value: unknown): LifecycleReport['failures']['by_label'] {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([label, entry]) => {
      if (!isObject(entry)) return [];
      const messages = Array.isArray(entry['messages']) ? entry['messages'] : [];
      return [
        [
          label,
          {
            count: numberOf(entry['count']) ?? 0,
            messages: messages.flatMap((item: unknown) =>
              isObject(item) && typeof item['message'] === 'string' ? [{ message: item['message'] }] : [],
            ),
          },
        ],
      ];
    }),
  );
}

function extraStat<K extends 'chunk_gap' | 'time_to_first_content'>(
  reader: Reader,
  value: unknown,
  key: K,
): Partial<Record<K, Stat>> {
  const stat = isObject(value) ? reader.stat(`isoperf.${key}`, value[key], true) : null;
  return stat ? ({ [key]: stat } as Partial<Record<K, Stat>>) : {};
}

function differencesOf(value: unknown): { differs_from_inference_perf?: Record<string, string> } {
  const texts = isObject(value) ? textsOf(value['differs_from_inference_perf']) : {};
  return Object.keys(texts).length > 0 ? { differs_from_inference_perf: texts } : {};
}

function textsOf(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])),
  );
}

function numbersOf(value: unknown): Record<string, number> | undefined {
  if (!isObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, number]) => {
      const finite = numberOf(number);
      return finite === undefined ? [] : [[key, finite]];
    }),
  );
}

function optional<K extends string>(from: Json, keys: readonly K[]): Partial<Record<K, number>> {
  const found: Partial<Record<K, number>> = {};
  for (const key of keys) {
    const value = numberOf(from[key]);
    if (value !== undefined) found[key] = value;
  }
  return found;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
