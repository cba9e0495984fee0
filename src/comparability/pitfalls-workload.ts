// Pitfalls between two runs that lie in what was sent and how it was counted: lengths, seeds, prompts, routes, sampling, tokens.
import { measureOf, type QuantityId } from '../readers/canonical';
import {
  apart,
  dataType,
  definitionOf,
  differs,
  isInferencePerf,
  readable,
  shown,
  text,
  value,
  versionBefore6,
  where,
  type Between,
  type Facts,
  type Path,
} from './pitfalls-pair';

const DISTRIBUTIONS: readonly Path[] = [
  ['data', 'input_distribution'],
  ['data', 'output_distribution'],
  ...['question_len', 'output_len', 'system_prompt_len', 'question_distribution', 'output_distribution'].map((key) => [
    'data',
    'shared_prefix',
    key,
  ]),
  ...['input_tokens_per_turn', 'output_tokens_per_turn'].map((key) => ['data', 'conversation_replay', key]),
];

/** Types of the distributions that the data type draws from. */
function lawsOfLength(facts: Facts): readonly string[] {
  const type = dataType(facts) ?? '';
  const own = type === 'random' || type === 'synthetic' ? 2 : 3;
  return DISTRIBUTIONS.filter((path) => path.length === own && (own === 2 || path[1] === type)).flatMap(
    (path) => text(facts, [...path, 'type']) ?? [],
  );
}

const presampled = (facts: Facts): boolean => ['random', 'synthetic'].includes(dataType(facts) ?? '');
const sampled = (facts: Facts): boolean => ['shared_prefix', 'conversation_replay'].includes(dataType(facts) ?? '');

const twoLaws: Between = (pair) => {
  const other = (presampled(pair.a) && sampled(pair.b)) || (sampled(pair.a) && presampled(pair.b));
  const laws = [...lawsOfLength(pair.a), ...lawsOfLength(pair.b)].filter(
    (law) => law === 'lognormal' || law === 'uniform',
  );
  if (!other || laws.length === 0) return undefined;
  return `${[...new Set(laws)].join(' and ')} mean other lengths for ${dataType(pair.a)!} (A) than for ${dataType(pair.b)!} (B)`;
};

const ignoredType: Between = (pair) => {
  const side = where(
    pair,
    (facts) => versionBefore6(facts) && presampled(facts) && lawsOfLength(facts).some((law) => law !== 'normal'),
  );
  return side && `${side} was made before v0.6.0, which drew a normal distribution whatever the config’s type says`;
};

const sameSeed: Between = (pair) => {
  const [x, y] = [value(pair.a, ['load', 'base_seed']), value(pair.b, ['load', 'base_seed'])];
  if (typeof x !== 'number' || x !== y) return undefined;
  const other = pair.context.matching.pairs.some((stages) => {
    const [left, right] = [stages.a.manifest?.scheduleHash, stages.b.manifest?.scheduleHash];
    if (left !== undefined && right !== undefined) return left !== right;
    const [sent, then] = [stages.a.report?.load_summary.send_duration, stages.b.report?.load_summary.send_duration];
    return stages.sameLoad && sent !== undefined && then !== undefined && Math.abs(sent - then) > 0.001 * sent;
  });
  return other ? `both sides have base_seed ${x}, and their requests were sent at other times all the same` : undefined;
};

/** Upstream's default is the time in milliseconds; no one writes such a number. */
const CLOCK_SEED = 1e12;

const clockSeed: Between = (pair) => {
  const seeds = [pair.a, pair.b].map((facts) => ({
    seed: facts.side.run.manifest?.workload.seed ?? value(facts, ['load', 'base_seed']),
    clock:
      facts.side.run.manifest === undefined
        ? Number(value(facts, ['load', 'base_seed']) ?? 0) > CLOCK_SEED
        : facts.side.run.manifest.workload.seedSource === 'clock',
  }));
  const own = where(pair, (facts) => seeds[facts === pair.a ? 0 : 1]!.clock);
  if (own === undefined || seeds[0]!.seed === seeds[1]!.seed) return undefined;
  return `the seed of ${own} is the clock (${seeds.map(({ seed }) => shown(seed)).join(' and ')}): the two sides drew other lengths and prompts`;
};

const prefixSeed: Between = (pair) => {
  const side = where(
    pair,
    (facts) =>
      facts.side.run.config !== undefined &&
      dataType(facts) === 'shared_prefix' &&
      value(facts, ['data', 'shared_prefix', 'seed']) === undefined &&
      (facts.side.run.manifest?.workload.seedSource ?? 'clock') === 'clock',
  );
  return side && `data.shared_prefix.seed is not set on ${side}: prompts, lengths and cache are drawn anew in each run`;
};

const commonBeginning: Between = (pair) => {
  const old = where(pair, (facts) => versionBefore6(facts) && presampled(facts));
  if (old === undefined || old === 'A and B') return undefined;
  return `${old} was made before v0.6.0: its ${dataType(old === 'A' ? pair.a : pair.b)!} prompts share their beginning, the other side’s do not`;
};

const beginToken: Between = (pair) => {
  const stats = [pair.a, pair.b].map(
    ({ report }) => report.scopes[0] && measureOf(report.scopes[0], 'prompt_tokens')?.stats,
  );
  const gaps = (['min', 'mean', 'max'] as const).map((key) => (stats[1]?.[key] ?? NaN) - (stats[0]?.[key] ?? NaN));
  if (!gaps.every((gap) => Math.abs(Math.abs(gap) - 1) < 0.05) || new Set(gaps.map(Math.sign)).size !== 1)
    return undefined;
  return `every prompt has one token ${gaps[0]! > 0 ? 'more on B than on A' : 'more on A than on B'}: a begin-of-sequence token that one side has`;
};

const prefixRoute: Between = (pair) => {
  const side = where(
    pair,
    (facts) =>
      isInferencePerf(facts) &&
      dataType(facts) === 'shared_prefix' &&
      text(facts, ['api', 'type']) === 'chat' &&
      value(facts, ['data', 'multimodal']) === undefined &&
      value(facts, ['data', 'shared_prefix', 'multimodal']) === undefined,
  );
  return side && `api.type says chat on ${side}, but shared_prefix goes to /v1/completions: no chat template was in it`;
};

const caps: Between = (pair) => {
  const type = dataType(pair.a);
  if (type !== dataType(pair.b) || (type !== 'otel_trace_replay' && type !== 'weka_trace_replay')) return undefined;
  const words = ['max_wait_ms', 'trace_idle_gap_cap_seconds'].flatMap(
    (key) => differs(pair, ['data', type, key]) ?? [],
  );
  return words.length === 0 ? undefined : `pauses of the trace are cut differently: ${words.join('; ')}`;
};

const liveAnswers: Between = (pair) => {
  const side = where(
    pair,
    (facts) =>
      dataType(facts) === 'otel_trace_replay' &&
      value(facts, ['data', 'otel_trace_replay', 'disable_output_substitution']) === false,
  );
  return side && `prompts of ${side} contain what the live model answered: the two sides did not send the same prompts`;
};

const SAMPLING = ['temperature', 'top_p', 'seed'];

const serverDefaults: Between = (pair) => {
  const served = apart(pair, 'server');
  // Declared as the change under test it is apart by the user's word; here a difference must have been seen.
  if (!served || (served.state === 'intended' && (served.changes ?? []).length === 0)) return undefined;
  const silent = (facts: Facts): boolean => {
    const parameters = facts.side.run.manifest?.workload.parameters;
    if (parameters) return !SAMPLING.some((name) => name in parameters);
    return isInferencePerf(facts);
  };
  return where(pair, silent) === 'A and B'
    ? 'no sampling parameter was sent on either side and the servers differ: each sampled by its own defaults'
    : undefined;
};

const oneStreams: Between = (pair) => differs(pair, ['api', 'streaming']);

const gapBasis: Between = (pair) => {
  const gaps = (facts: Facts) => definitionOf(facts, 'token_gap') ?? definitionOf(facts, 'chunk_gap');
  if (!gaps(pair.a) || !gaps(pair.b)) return undefined;
  const tokenizers = [pair.a, pair.b].map((facts) => value(facts, ['tokenizer']) !== undefined);
  if (!pair.a.side.run.config || !pair.b.side.run.config || tokenizers[0] === tokenizers[1]) return undefined;
  if (pair.a.side.run.tool.name !== pair.b.side.run.tool.name) return undefined;
  return `only ${tokenizers[0] ? 'A' : 'B'} has a tokenizer section: its ITL is between tokens, the other side’s between chunks`;
};

const inputCounter: Between = (pair) => {
  if (!readable(pair.a) || !readable(pair.b)) return undefined;
  const [x, y] = [
    definitionOf(pair.a, 'input_tokens_per_sec')?.tokens,
    definitionOf(pair.b, 'input_tokens_per_sec')?.tokens,
  ];
  if (x === undefined || y === undefined || x === y) return undefined;
  const who = (counter: string): string => (counter === 'client' ? 'the client’s' : 'the server’s where it sends one');
  return `input tokens are ${who(x)} count on A (${pair.a.report.versionClass.name}) and ${who(y)} on B (${pair.b.report.versionClass.name})`;
};

const meansOfTwo: Between = (pair) => {
  const has = (facts: Facts, ...ids: readonly QuantityId[]): boolean =>
    ids.some((id) => definitionOf(facts, id) !== undefined);
  const tpotOnly = (facts: Facts): boolean => has(facts, 'tpot') && !has(facts, 'token_gap', 'chunk_gap');
  const gapOnly = (facts: Facts): boolean => !has(facts, 'tpot') && has(facts, 'token_gap', 'chunk_gap');
  const [x, y] = [pair.a, pair.b];
  if (!(tpotOnly(x) && gapOnly(y)) && !(gapOnly(x) && tpotOnly(y))) return undefined;
  return `${tpotOnly(x) ? 'A' : 'B'} has a TPOT (a mean over requests) and no gaps, the other side gaps (a mean over gaps) and no TPOT: neither stands in for the other`;
};

function sloOf(facts: Facts): string {
  const headers = Object.entries((value(facts, ['api', 'headers']) ?? {}) as Record<string, unknown>);
  const names = ['slo_ttft_header', 'slo_tpot_header'].flatMap((key) => text(facts, ['api', key]) ?? []);
  const limits = headers
    .filter(([name]) => /^x-slo-/i.test(name) || names.includes(name))
    .map(([name, limit]) => `${name.toLowerCase()} ${shown(limit)}`)
    .sort();
  return [...limits, ...(limits.length > 0 ? [shown(value(facts, ['api', 'slo_unit']))] : [])].join(', ');
}

const sloHeaders: Between = (pair) => {
  const goodput = where(pair, (facts) => value(facts, ['report', 'goodput']) !== undefined);
  const [x, y] = [sloOf(pair.a), sloOf(pair.b)];
  if (goodput === undefined || x === y) return undefined;
  return `good requests are judged by SLO headers: ${x || 'none'} on A, ${y || 'none'} on B`;
};

/** By the number of the catalogue's entry. */
export const WORKLOAD_BETWEEN: readonly (readonly [number, Between])[] = [
  [26, twoLaws],
  [27, ignoredType],
  [28, sameSeed],
  [29, clockSeed],
  [30, prefixSeed],
  [32, commonBeginning],
  [39, beginToken],
  [43, prefixRoute],
  [46, caps],
  [47, liveAnswers],
  [51, serverDefaults],
  [53, oneStreams],
  [57, gapBasis],
  [59, inputCounter],
  [62, meansOfTwo],
  [68, sloHeaders],
];
