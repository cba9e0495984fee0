// Circuit breakers: JMESPath expressions over every request's metric, and triggers that stop the run (reference 3.10).
// The only file that knows jmespath, the library of the AWS SDK: the language has a published test suite, and a subset of our own
// would refuse configs that run upstream. It is small, has no dependencies and has not changed for years.
import { search } from 'jmespath';
import type { RequestRecord } from '../metrics/record';
import type { Problem } from '../problem';

/** One entry of the config's `circuit_breakers`. */
export interface BreakerConfig {
  readonly name: string;
  readonly metrics: { readonly matches: readonly string[]; readonly rules: readonly string[] };
  readonly triggers: readonly TriggerConfig[];
}

type TriggerConfig =
  | { readonly type: 'consecutive'; readonly threshold: number }
  | {
      readonly type: 'rate_over_window';
      readonly window_sec: number;
      readonly threshold: number;
      readonly min_samples: number;
    };

interface Trigger {
  /** Takes one sample; true when the trigger has fired. */
  update(hit: boolean, atSeconds: number): boolean;
}

/** Errors: an expression that is no JMESPath (RUN041); upstream would fail at its start as well. */
export function breakerProblems(breakers: readonly BreakerConfig[]): Problem[] {
  const problems: Problem[] = [];
  for (const [index, { metrics }] of breakers.entries()) {
    for (const part of ['matches', 'rules'] as const) {
      for (const [at, expression] of metrics[part].entries()) {
        const wrong = syntaxError(expression);
        if (wrong === undefined) continue;
        problems.push({
          code: 'RUN041',
          severity: 'error',
          path: ['circuit_breakers', index, 'metrics', part, at],
          message: `Nothing was sent: '${expression}' is not a JMESPath expression: ${wrong}`,
          remedy: "Write a condition over the request’s metric, for example error.error_type == 'TimeoutError'.",
        });
      }
    }
  }
  return problems;
}

/** What is wrong with the expression itself; an error that only this empty metric causes (a type, an argument) is none. */
function syntaxError(expression: string): string | undefined {
  try {
    search({}, expression);
    return undefined;
  } catch (error) {
    const { name, message } = error as Error;
    // A comparison without its right side makes the parser itself stumble.
    // eslint-disable-next-line house/no-decision-on-prose -- the library has no other sign
    if (message.startsWith('Cannot read')) return 'it is incomplete';
    // eslint-disable-next-line house/no-decision-on-prose -- the library has no other sign
    return name === 'ParserError' || name === 'LexerError' || /unknown function/i.test(message) ? message : undefined;
  }
}

/** Watches the records of one run. */
export class CircuitBreakers {
  private readonly breakers: readonly { readonly config: BreakerConfig; readonly triggers: readonly Trigger[] }[];

  /** @param names `load.circuit_breakers`: upstream feeds all breakers, and stops for those that the load names */
  constructor(configs: readonly BreakerConfig[], names: readonly string[]) {
    this.breakers = configs
      .filter(({ name }) => names.includes(name))
      .map((config) => ({ config, triggers: config.triggers.map(createTrigger) }));
  }

  /** Why the run must stop, once a breaker has opened; an open one never closes. Cancelled and unsent requests have no metric. */
  feed(record: RequestRecord, atSeconds: number): string | undefined {
    if (record.outcome.kind !== 'ok' && record.outcome.kind !== 'failed') return undefined;
    const metric = metricOf(record);
    for (const { config, triggers } of this.breakers) {
      const { matches, rules } = config.metrics;
      if (!anyTrue(matches, metric)) continue;
      const hit = rules.length === 0 || anyTrue(rules, metric);
      // Every trigger takes every sample, also after one of them has fired.
      const fired = triggers.map((trigger) => trigger.update(hit, atSeconds));
      const index = fired.indexOf(true);
      if (index >= 0) return `circuit breaker '${config.name}' opened: ${inWords(config.triggers[index]!)}`;
    }
    return undefined;
  }
}

function inWords(trigger: TriggerConfig): string {
  if (trigger.type === 'consecutive') return `${trigger.threshold} hits in a row`;
  return `hits reached a share of ${trigger.threshold} within ${trigger.window_sec} s`;
}

function createTrigger(config: TriggerConfig): Trigger {
  if (config.type === 'consecutive') {
    let inARow = 0;
    return {
      update(hit) {
        inARow = hit ? inARow + 1 : 0;
        return inARow >= config.threshold;
      },
    };
  }
  const window: { readonly atSeconds: number; readonly hit: boolean }[] = [];
  let start = 0;
  let hits = 0;
  return {
    update(hit, atSeconds) {
      window.push({ atSeconds, hit });
      if (hit) hits++;
      for (; window[start]!.atSeconds < atSeconds - config.window_sec; start++) if (window[start]!.hit) hits--;
      if (start > 4096) window.splice(0, start);
      if (start > 4096) start = 0;
      const samples = window.length - start;
      return samples >= config.min_samples && hits / samples >= config.threshold;
    },
  };
}

/** OR over the expressions; one that fails on this metric is not true, as upstream. */
function anyTrue(expressions: readonly string[], metric: unknown): boolean {
  return expressions.some((expression) => {
    try {
      return isTrue(search(metric, expression));
    } catch {
      return false;
    }
  });
}

/** Python's truth: 0, empty text, empty list and empty object are false. */
function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/**
 * inference-perf's RequestLifecycleMetric as JSON without what is unset. Times are seconds of the run. Texts are left out, and
 * output tokens are the server's count or else the number of streamed events: the client's tokenizer counts after the run.
 */
export function metricOf(record: RequestRecord): unknown {
  const { outcome, usage, chunkSeconds } = record;
  const streamed = record.firstTokenSeconds !== undefined;
  const outputTokens = usage?.completionTokens ?? chunkSeconds.length;
  return {
    stage_id: record.stage,
    scheduled_time: record.scheduledSeconds,
    ...(record.sentSeconds === undefined ? {} : { start_time: record.sentSeconds }),
    ...(record.endSeconds === undefined ? {} : { end_time: record.endSeconds }),
    info: {
      request_metrics: { text: { input_tokens: usage?.promptTokens ?? record.askedPromptTokens ?? 0 } },
      ...(outcome.kind === 'ok'
        ? {
            response_metrics: {
              output_tokens: outputTokens,
              ...(streamed ? { chunk_times: chunkSeconds, output_token_times: chunkSeconds } : {}),
            },
          }
        : {}),
      input_tokens: usage?.promptTokens ?? record.askedPromptTokens ?? 0,
      ...(record.adapter === undefined ? {} : { lora_adapter: record.adapter }),
    },
    ...(outcome.kind === 'failed' ? { error: { error_type: outcome.errorType, error_msg: outcome.message } } : {}),
  };
}
