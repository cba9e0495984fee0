// Reader of llm-d's Benchmark Report 0.1, 0.2 and 0.2.1. Its names are the tool's that measured: that tool says what they mean.
// Source: reference peers.md section 4.9 and finding F2 (one column for two quantities).
import type { CanonicalReport, Definition, Measure, QuantityId, ReportScope, ScopeCounts } from '../canonical';
import type { Problem } from '../../problem';
import { harnessOf, type Harness } from './llm-d-harness';
import { scenarioOf } from './llm-d-scenario';
import type { ReportReader } from './reader';
import {
  at,
  compact,
  measure,
  numberAt,
  numberOf,
  shown,
  single,
  statisticsOf,
  textAt,
  textOf,
  type Json,
} from './values';
import { isObject, own } from '../../own';

const FACTORS: Readonly<Record<string, number>> = {
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  ns: 1e-9,
  's/token': 1,
  'ms/token': 1e-3,
  'us/token': 1e-6,
  count: 1,
  tokens: 1,
  'tokens/s': 1,
  'queries/s': 1,
  'requests/s': 1,
};

interface Parts {
  readonly version: string;
  readonly aggregate: unknown;
  readonly root: string;
  readonly time: unknown;
  readonly load: unknown;
}

function partsOf(value: unknown): Parts | undefined {
  if (!isObject(value)) return undefined;
  const version =
    textOf(value['version']) ?? (numberOf(value['version']) === undefined ? undefined : String(value['version']));
  const aggregate = at(value, 'results', 'request_performance', 'aggregate');
  if (isObject(aggregate) && isObject(value['run'])) {
    const load = at(value, 'scenario', 'load', 'standardized');
    return {
      version: version ?? '0.2',
      aggregate,
      root: 'results.request_performance.aggregate',
      time: at(value, 'run', 'time'),
      load,
    };
  }
  const metrics = value['metrics'];
  if (version !== undefined && isObject(metrics) && isObject(metrics['requests']) && isObject(metrics['latency'])) {
    return { version, aggregate: metrics, root: 'metrics', time: metrics['time'], load: at(value, 'scenario', 'load') };
  }
  return undefined;
}

function oneReport(value: Json, parts: Parts, file: string): CanonicalReport {
  const old = parts.root === 'metrics';
  const tool = textAt(parts.load, old ? 'name' : 'tool');
  const harness = harnessOf(tool);
  const problems: Problem[] = [];
  const unitless: string[] = [];
  const scope = scopeOf(parts, file, harness, problems, unitless);
  const version = textAt(parts.load, 'tool_version');
  return {
    tool: 'llm-d Benchmark Report',
    toolVersion: parts.version,
    versionClass: {
      name: `${parts.version}${tool === undefined ? '' : `, measured by ${tool}${version === undefined ? '' : ` ${version}`}`}`,
      evidence: [`version ${parts.version}`, `numbers under ${parts.root}`],
    },
    place: file,
    name: file,
    files: [file],
    ...compact<{ startedAt?: string; model?: string }>({ startedAt: startOf(parts.time), model: modelOf(value) }),
    scopes: [scope],
    assumptions: [
      ...(harness.known ? [`latency names mean what ${harness.tool} means by them`] : []),
      ...(old ? [] : ['failures are part of the total']),
      ...(unitless.length === 0
        ? []
        : [`${unitless.length} numbers have no unit: they are taken to be in s, s/token and tokens/s`]),
    ],
    notRecorded: [
      ...(harness.known
        ? []
        : [
            'the tool that measured, or one that is not known: its time per output token and inter token latency are not taken over',
          ]),
      'warm-up',
      'token source',
      'tokenizer',
      'ignore_eos',
      'sampling parameters',
      'seed',
      'streaming',
      'percentile method',
      'per-request records (no intervals, no recomputation)',
    ],
    facts: stackFacts(value, file),
    ...scenarioOf(value, file),
    problems,
  };
}

function scopeOf(parts: Parts, file: string, harness: Harness, problems: Problem[], unitless: string[]): ReportScope {
  const requests = at(parts.aggregate, 'requests');
  const total = numberAt(requests, 'total');
  const failed = numberAt(requests, 'failures');
  const stage = numberAt(parts.load, 'stage');
  const window = windowOf(parts.time);
  const block = (quantity: QuantityId, group: string, key: string, definition: Definition): readonly Measure[] => {
    const found = at(parts.aggregate, group, key);
    const name = `${parts.root}.${group}.${key}`;
    if (!isObject(found)) {
      return single(quantity, numberOf(found), { file, key: name, definition });
    }
    const units = textOf(found['units']);
    // Reports without any unit exist: seconds and tokens are what every writer of the format means.
    const factor = units === undefined ? 1 : Object.hasOwn(FACTORS, units) ? own(FACTORS, units) : undefined;
    if (units === undefined) unitless.push(name);
    if (factor === undefined) {
      problems.push(unknownUnit(file, name, units));
      return [];
    }
    return measure(quantity, statisticsOf(found, factor), { file, key: `${name}.*`, factor, definition });
  };
  return {
    id: stage === undefined ? 'run' : `stage ${stage}`,
    label: stage === undefined ? 'run' : `stage ${stage}`,
    kind: stage === undefined ? 'run' : 'stage',
    ...(stage === undefined ? {} : { stage }),
    file,
    load: loadOf(parts.load),
    counts: compact<ScopeCounts>({
      total,
      failed,
      cancelled: numberAt(requests, 'incomplete'),
      ok: total === undefined ? undefined : total - (failed ?? 0) - (numberAt(requests, 'incomplete') ?? 0),
    }),
    ...(window ? { windowSeconds: window } : {}),
    measures: [
      ...harness.latencies.flatMap(({ quantity, key, definition }) => block(quantity, 'latency', key, definition)),
      ...block('prompt_tokens', 'requests', 'input_length', {}),
      ...block('output_tokens', 'requests', 'output_length', {}),
      ...ratesOf(block, parts.root === 'metrics'),
    ],
  };
}

function ratesOf(
  block: (quantity: QuantityId, group: string, key: string, definition: Definition) => readonly Measure[],
  old: boolean,
): readonly Measure[] {
  const names = old
    ? ['requests_per_sec', 'input_tokens_per_sec', 'output_tokens_per_sec', 'total_tokens_per_sec']
    : ['request_rate', 'input_token_rate', 'output_token_rate', 'total_token_rate'];
  const ids = ['requests_per_sec', 'input_tokens_per_sec', 'output_tokens_per_sec', 'total_tokens_per_sec'] as const;
  return ids.flatMap((id, index) =>
    block(id, 'throughput', names[index]!, {}).map((found) => {
      const value = found.stats['value'] ?? found.stats['mean'];
      return value === undefined ? found : { ...found, stats: { value } };
    }),
  );
}

function loadOf(load: unknown): ReportScope['load'] {
  const rate = numberAt(load, 'rate_qps') ?? numberAt(load, 'args', 'qps_values');
  const level = numberAt(load, 'concurrency');
  if (rate !== undefined) {
    return {
      model: 'open',
      requestedRateRps: rate,
      words: `${rate} requests/s asked`,
      ...(level === undefined ? {} : { cap: { value: level, from: `concurrency ${level}` } }),
    };
  }
  if (level !== undefined) return { model: 'closed', concurrency: level, words: `${level} concurrent` };
  return { model: 'not recorded', words: 'not recorded' };
}

/** ISO 8601 as the report writes it (`PT49.97S`, `PT1H2M3S`), or a number of seconds; else from start and end. */
function windowOf(time: unknown): ReportScope['windowSeconds'] {
  const seconds = numberAt(time, 'duration') ?? isoSeconds(textAt(time, 'duration'));
  return seconds === undefined
    ? undefined
    : { value: seconds, from: 'time.duration (of the whole run, not of the measured part)' };
}

function isoSeconds(text: string | undefined): number | undefined {
  const match = /^P(?:(\d+)D)?T?(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?$/.exec(text ?? '');
  const parts: readonly (string | undefined)[] = match?.slice(1) ?? [];
  if (parts.every((part) => part === undefined)) return undefined;
  const [days, hours, minutes, seconds] = parts.map((part) => Number(part ?? 0));
  return days! * 86_400 + hours! * 3600 + minutes! * 60 + seconds!;
}

function startOf(time: unknown): string | undefined {
  const start = at(time, 'start');
  const epoch = numberOf(start);
  if (epoch !== undefined) return Math.abs(epoch) > 8e12 ? undefined : new Date(epoch * 1000).toISOString();
  return textOf(start);
}

function modelOf(value: Json): string | undefined {
  const old = textAt(value, 'scenario', 'model', 'name');
  if (old !== undefined) return old;
  const stack = at(value, 'scenario', 'stack');
  if (!Array.isArray(stack)) return undefined;
  return stack.map((part: unknown) => textAt(part, 'standardized', 'model', 'name')).find((name) => name !== undefined);
}

function stackFacts(value: Json, file: string): CanonicalReport['facts'] {
  const stack = at(value, 'scenario', 'stack');
  const parts = Array.isArray(stack) ? stack : [];
  return parts.slice(0, 10).flatMap((part: unknown, index) => {
    const standard = at(part, 'standardized');
    if (!isObject(standard)) return [];
    const words = ['kind', 'tool', 'tool_version', 'role', 'replicas']
      .flatMap((key) =>
        standard[key] === undefined || standard[key] === null ? [] : [`${key} ${shown(standard[key])}`],
      )
      .join(', ');
    const label = textAt(part, 'metadata', 'label') ?? `component ${index}`;
    return [{ label, value: words, source: `${file}: scenario.stack[${index}]` }];
  });
}

function unknownUnit(file: string, key: string, units: string | undefined): Problem {
  return {
    code: 'REP122',
    severity: 'warning',
    path: [],
    message: `${file}: '${key}' is in ${units === undefined ? 'no unit' : `'${units}', a unit that is not known`}: the number was left out`,
    file,
  };
}

export const llmdReader: ReportReader = {
  tool: 'llm-d Benchmark Report',
  recognise: ({ value }) => {
    const parts = partsOf(value);
    return parts ? { role: 'report', evidence: `version ${parts.version}, ${parts.root}` } : undefined;
  },
  read: ({ documents }) => ({
    reports: documents.flatMap(({ value, file }) => {
      const parts = partsOf(value);
      return parts && isObject(value) ? [oneReport(value, parts, file)] : [];
    }),
    problems: [],
  }),
};
