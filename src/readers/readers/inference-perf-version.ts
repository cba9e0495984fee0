// Which inference-perf wrote a lifecycle report, by what is in it (reference inference-perf.md section 5.9), and what its numbers mean then.
import type { Definition, QuantityId, VersionClass } from '../canonical';
import { at, numberAt, type Json } from './values';
import { isObject } from '../../own';

/** Ordered; later generations have a larger number. */
export type Generation = 'v0.1.0' | 'v0.1.1' | 'v0.2-0.3' | 'v0.3' | 'v0.4' | 'v0.5' | 'v0.6.0' | 'v0.6.1' | 'main';

const NAMES: Readonly<Record<Generation, string>> = {
  'v0.1.0': 'v0.1.0',
  'v0.1.1': 'v0.1.1',
  'v0.2-0.3': 'v0.2.0 to v0.3.0',
  'v0.3': 'v0.3.0',
  'v0.4': 'v0.4.0',
  'v0.5': 'v0.5.0',
  'v0.6.0': 'v0.6.0',
  'v0.6.1': 'v0.6.1',
  main: 'v0.7.0 or main after 2026-08-13',
};

export interface Version {
  readonly generation: Generation;
  readonly versionClass: VersionClass;
}

/** @param reports lifecycle documents of one run @param config its config.yaml, when it is known to be its own */
export function versionOf(reports: readonly unknown[], config: Json | undefined): Version {
  const first = reports[0];
  const evidence: string[] = [];
  const say = (generation: Generation, ...reasons: string[]): Version => ({
    generation,
    versionClass: { name: NAMES[generation], evidence: [...reasons, ...evidence] },
  });
  const stat = firstStat(first);
  if (stat && Object.hasOwn(stat, 'p50') && !Object.hasOwn(stat, 'median')) {
    return reports.some((report) => at(report, 'load_summary', 'schedule_accuracy') !== undefined)
      ? say('v0.1.1', "percentiles are called 'p50'", 'load_summary.schedule_accuracy is there')
      : say('v0.1.0', "percentiles are called 'p50'", 'load_summary has no schedule_accuracy');
  }
  if (numberAt(first, 'benchmark_time_seconds') === undefined) return older(reports, stat, config, say);
  if (at(first, 'successes', 'request_size_bytes') === undefined) {
    return say('v0.5', 'benchmark_time_seconds is there', 'successes.request_size_bytes is not');
  }
  if (at(first, 'successes', 'prompt_len') === undefined) {
    const tokens = at(first, 'successes', 'prompt_tokens') === undefined ? [] : ['successes.prompt_tokens is there'];
    return say('main', ...tokens, 'successes.prompt_len is not there (upstream change 678)');
  }
  if (numberAt(first, 'successes', 'prompt_tokens', 'mean') !== undefined) {
    return say('v0.6.1', 'successes.prompt_len and a distribution in successes.prompt_tokens are both there');
  }
  const tokens = at(first, 'successes', 'prompt_tokens') === undefined ? 'is not there' : 'has no mean';
  return say(
    'v0.6.0',
    'successes.request_size_bytes and successes.prompt_len are there',
    `successes.prompt_tokens ${tokens}`,
  );
}

function older(
  reports: readonly unknown[],
  stat: Json | undefined,
  config: Json | undefined,
  say: (generation: Generation, ...reasons: string[]) => Version,
): Version {
  const keys = stat ? Object.keys(stat) : [];
  const hasMedian = keys.includes('median');
  const reasons = ['benchmark_time_seconds is not there', ...(hasMedian ? ["percentiles are called 'median'"] : [])];
  if (keys.includes('max') && hasMedian && keys.indexOf('max') < keys.indexOf('median')) {
    return say('v0.4', ...reasons, "'max' stands before the percentiles");
  }
  if (at(config, 'load', 'lora_traffic_split') !== undefined) {
    return say('v0.4', ...reasons, 'the config has load.lora_traffic_split');
  }
  if (reports.some((report) => at(report, 'load_summary', 'concurrency') !== undefined)) {
    return say('v0.3', ...reasons, 'load_summary.concurrency is there');
  }
  for (const key of ['trace', 'circuit_breakers', 'request_timeout']) {
    if (at(config, 'load', key) !== undefined) return say('v0.3', ...reasons, `the config has load.${key}`);
  }
  const doubled = reports.filter(hasDoubledStamps).length;
  const symptom = `in ${doubled} of ${reports.length} reports a quarter of the gaps is under 0.1 ms while another quarter is over 50 times that: two time stamps per token`;
  const maxLast = keys.includes('max') && hasMedian ? ["'max' stands after the percentiles"] : [];
  return say('v0.2-0.3', ...reasons, ...maxLast, ...(doubled > 0 ? [symptom] : []));
}

/** Reference 5.9: the halved-TPOT heuristic. */
export function hasDoubledStamps(report: unknown): boolean {
  const p25 = numberAt(report, 'successes', 'latency', 'inter_token_latency', 'p25');
  const p75 = numberAt(report, 'successes', 'latency', 'inter_token_latency', 'p75');
  return p25 !== undefined && p75 !== undefined && p25 < 1e-4 && p75 > 50 * p25;
}

function firstStat(report: unknown): Json | undefined {
  const latency = at(report, 'successes', 'latency');
  if (!isObject(latency)) return undefined;
  return Object.values(latency).find(isObject);
}

export interface Meaning {
  readonly gap: Extract<QuantityId, 'token_gap' | 'chunk_gap'>;
  readonly gapNote: string;
  readonly tpotNote?: string;
  /** Whose count TPOT, NTPOT and output tokens/s use. */
  readonly output: NonNullable<Definition['tokens']>;
  readonly input: NonNullable<Definition['tokens']>;
  readonly assumptions: readonly string[];
}

/** What the numbers of a generation count (reference 5.4). @param config the run's own, when known */
export function meaningOf(generation: Generation, config: Json | undefined, streamed: boolean): Meaning {
  const serverOutput = at(config, 'report', 'request_lifecycle', 'use_server_output_tokens') === true;
  const output = serverOutput ? 'server' : 'client';
  const assumptions: string[] = [];
  if (config === undefined) {
    assumptions.push(
      'the client counted the output tokens (use_server_output_tokens off, its default): no config says so',
    );
  }
  switch (generation) {
    case 'v0.1.0':
    case 'v0.1.1':
    case 'v0.2-0.3':
      return {
        gap: 'chunk_gap',
        gapNote: 'up to v0.2 every line of the stream is stamped, about two stamps per token; in v0.3 every event',
        tpotNote: 'up to v0.2 divided by stamps, not tokens: about half of the real decode time',
        output,
        input: 'client',
        assumptions,
      };
    case 'v0.3':
    case 'v0.4':
      return { gap: 'chunk_gap', gapNote: 'every event is stamped, [DONE] too', output, input: 'client', assumptions };
    case 'v0.5':
      return {
        gap: 'token_gap',
        gapNote: 'chunks are tokenized with their begin token: about twice too many tokens, gaps about half',
        tpotNote: 'with a tokenizer section the count has a begin token per chunk',
        output,
        input: 'client',
        assumptions,
      };
    case 'v0.6.0':
    case 'v0.6.1':
    case 'main':
      return recent(generation, config, streamed, output, assumptions);
  }
}

function recent(
  generation: Generation,
  config: Json | undefined,
  streamed: boolean,
  output: Meaning['output'],
  assumptions: string[],
): Meaning {
  const input = generation === 'main' ? 'server-else-client' : 'client';
  if (config === undefined) {
    if (streamed) {
      assumptions.push(
        'inter_token_latency is between tokens (a tokenizer section in the config); without one it would be between chunks: no config says so',
      );
    }
    return { gap: 'token_gap', gapNote: 'chunks re-tokenized, 0 inside a chunk', output, input, assumptions };
  }
  return isObject(config['tokenizer'])
    ? { gap: 'token_gap', gapNote: 'chunks re-tokenized, 0 inside a chunk', output, input, assumptions }
    : {
        gap: 'chunk_gap',
        gapNote: 'the config has no tokenizer section: gaps are between chunks',
        output,
        input,
        assumptions,
      };
}
