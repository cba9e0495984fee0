// What was asked of the server and what came back, as the length and stop dimensions need it: one counter for both sides.
import type { RequestRecord } from '../metrics/record';
import { endedAtLimit, inputTokens, outputTokens, type CountSource } from '../metrics/request-metrics';
import { distributionOf } from '../metrics/statistics';
import type { ConfigPath } from '../problem';
import { summaryOf as summaryScopeOf, type ReportScope, type TokenCounter } from '../readers/canonical';
import { reportOf } from '../readers/own';
import type { Distribution } from '../folder/manifest';
import { compareLengths, medianOf, nearlyAll, shareStatistic, type Lengths, type LengthComparison } from './lengths';
import type { Context } from './dimension';
import {
  configValue,
  factsOn,
  inputSourceOf,
  outputSourceOf,
  successesOf,
  type MeasuredStage,
  type Side,
} from './side';

const FACTS = new WeakMap<Context, Map<string, unknown>>();

/** Several dimensions ask the same of one comparison, each for its evidence and its judgement: it is worked out once. */
function remembered<T>(context: Context, key: string, find: () => T): T {
  const facts = FACTS.get(context) ?? new Map<string, unknown>();
  FACTS.set(context, facts);
  if (!facts.has(key)) facts.set(key, find());
  return facts.get(key) as T;
}

/** Stages of a side that are compared. */
export function comparedStages(side: Side, { matching }: Context): readonly MeasuredStage[] {
  const paired = new Set(matching.pairs.flatMap((pair) => [pair.a, pair.b]));
  return side.stages.filter((stage) => paired.has(stage));
}

export function comparedSuccesses(side: Side, context: Context): readonly RequestRecord[] | undefined {
  return successesOf(comparedStages(side, context));
}

/** Every planned request of the compared stages, however it ended. Undefined without records. */
export function comparedRecords(side: Side, context: Context): readonly RequestRecord[] | undefined {
  const stages = comparedStages(side, context);
  return stages.length > 0 && stages.every((stage) => stage.records)
    ? stages.flatMap((stage) => stage.records!)
    : undefined;
}

/** Planned lengths, of every request of the compared stages however it ended; else of the whole run's manifest. */
export function askedLengths(side: Side, context: Context, which: 'prompt' | 'output'): Lengths | undefined {
  return remembered(context, `asked ${side.name} ${which}`, () => findAsked(side, context, which));
}

function findAsked(side: Side, context: Context, which: 'prompt' | 'output'): Lengths | undefined {
  const stages = comparedStages(side, context);
  if (stages.length > 0 && stages.every((stage) => stage.records)) {
    const records = stages.flatMap((stage) => stage.records!);
    return nearlyAll(records, (record) => (which === 'prompt' ? record.askedPromptTokens : record.maxTokens));
  }
  const workload = side.run.manifest?.workload;
  return summaryLengths(which === 'prompt' ? workload?.askedPromptTokens : workload?.maxTokens);
}

function summaryLengths(distribution: Distribution | undefined): Lengths | undefined {
  return distribution && distribution.count > 0 ? { summary: distribution } : undefined;
}

/** One way of counting that both sides have; `fit` is how exactly it measures tokens. */
export interface CommonCount {
  readonly counter: string;
  readonly a: Lengths;
  readonly b: Lengths;
  readonly fit: 'tokens' | 'proxy';
  /** One counter counted both sides: what differs is no matter of counting. */
  readonly one: boolean;
}

type Counter = readonly [name: string, of: (record: RequestRecord) => number | undefined, fit: 'tokens' | 'proxy'];

const PROMPT_COUNTERS: readonly Counter[] = [
  ['server usage', (record) => inputTokens(record, 'server-usage'), 'tokens'],
  ['client tokenizer', (record) => inputTokens(record, 'client-tokenizer'), 'tokens'],
  ['length asked for', (record) => record.askedPromptTokens, 'tokens'],
  ['bytes of the request', (record) => record.requestBytes, 'proxy'],
];

const OUTPUT_COUNTERS: readonly Counter[] = [
  ['server usage', (record) => outputTokens(record, 'server-usage'), 'tokens'],
  ['client tokenizer', (record) => outputTokens(record, 'client-tokenizer'), 'tokens'],
];

/**
 * Realised lengths under one counter, so that a difference of counters is not taken for one of lengths. For answers that
 * nobody counted on a side, `finish_reason: length` says they reached max_tokens. Undefined: no common ground.
 */
export function commonLengths(context: Context, which: 'prompt' | 'output'): CommonCount | undefined {
  return remembered(context, `common ${which}`, () => findCommon(context, which));
}

function findCommon(context: Context, which: 'prompt' | 'output'): CommonCount | undefined {
  const a = comparedSuccesses(context.a, context);
  const b = comparedSuccesses(context.b, context);
  if (!a || !b) return commonSummaries(context, which);
  for (const [counter, of, fit] of which === 'prompt' ? PROMPT_COUNTERS : OUTPUT_COUNTERS) {
    const [x, y] = [nearlyAll(a, of), nearlyAll(b, of)];
    if (x && y) return { counter: counterWords(counter, context, which, a, b), a: x, b: y, fit, one: true };
  }
  if (which === 'prompt') return undefined;
  const x = anyOutput(a);
  const y = anyOutput(b);
  if (!x || !y || (!x.exact && !y.exact)) return undefined;
  return { counter: `${x.counter} on A, ${y.counter} on B`, a: x.lengths, b: y.lengths, fit: 'tokens', one: false };
}

/**
 * Whether one tokenizer finds both sides' answers equally long, though the server's counts of them differ: the text is alike, and
 * the count inflates. Where a server says that it reasons, what the client cannot see is work all the same.
 */
export function onlyTheServerCountsMore(context: Context): boolean {
  const sides = [context.a, context.b];
  const successes = sides.map((side) => comparedSuccesses(side, context) ?? []);
  const reasons = successes.some((all) => all.some(({ usage }) => (usage?.reasoningTokens ?? 0) > 0));
  const [x, y] = sides.map((side) => factsOn(side).outputCounter.value?.tokenizer?.sha256);
  const differ = (by: 'client-tokenizer' | 'server-usage'): boolean | undefined => {
    const [a, b] = successes.map((all) => nearlyAll(all, (record) => outputTokens(record, by)));
    return a && b && compareLengths(a, b, 0).differs;
  };
  return (
    !reasons && x !== undefined && x === y && differ('server-usage') === true && differ('client-tokenizer') === false
  );
}

const SOURCES: Readonly<Record<CountSource | TokenCounter, string>> = {
  'server-usage': 'server usage',
  'client-tokenizer': 'client tokenizer',
  'server-tokenizer': 'server’s own tokenizer',
  mixed: 'server usage, else the client',
  'not-counted': 'not counted',
  server: 'server usage',
  client: 'client tokenizer',
  asked: 'length asked for',
  'server-else-client': 'server usage, else the client',
  'server-else-asked': 'server usage, else the length asked for',
};

/** A tool that keeps one number per request, the server's or else its own, does not say whose it is: nor does its name here. */
function counterWords(
  counter: string,
  context: Context,
  which: 'prompt' | 'output',
  a: readonly RequestRecord[],
  b: readonly RequestRecord[],
): string {
  const source = which === 'prompt' ? inputSourceOf : outputSourceOf;
  if (counter === SOURCES['client-tokenizer']) {
    const nameOf = ({ run }: Side): string =>
      source(run) === 'server-tokenizer' ? SOURCES['server-tokenizer'] : counter;
    return together(nameOf(context.a), nameOf(context.b));
  }
  if (counter !== SOURCES['server-usage']) return counter;
  const name = ({ run }: Side, records: readonly RequestRecord[]): string => {
    const isOneNumber =
      !run.manifest &&
      source(run) === 'mixed' &&
      records.every(
        (record) => (which === 'prompt' ? record.clientPromptTokens : record.clientOutputTokens) === undefined,
      );
    return SOURCES[isOneNumber ? 'mixed' : 'server-usage'];
  };
  return together(name(context.a, a), name(context.b, b));
}

function together(x: string, y: string): string {
  return x === y ? x : `${x} on A; ${y} on B`;
}

/** A side's own count, or what its finish reasons imply. `exact`: max_tokens, in the server's own tokens. */
function anyOutput(
  records: readonly RequestRecord[],
): { lengths: Lengths; counter: string; exact: boolean } | undefined {
  const implied = nearlyAll(records, ({ finishReason, maxTokens }) =>
    endedAtLimit(finishReason) ? maxTokens : undefined,
  );
  if (implied) return { lengths: implied, counter: 'finish_reason length at max_tokens', exact: true };
  for (const [counter, of] of OUTPUT_COUNTERS) {
    const lengths = nearlyAll(records, of);
    if (lengths) return { lengths, counter, exact: false };
  }
  return undefined;
}

/** What one side knows of its own lengths, when there is no counter that both have. */
export function ownLengths(side: Side, context: Context, which: 'prompt' | 'output'): Lengths | undefined {
  const successes = comparedSuccesses(side, context);
  if (!successes) return summaryOf(side, context, which);
  if (which === 'output') return anyOutput(successes)?.lengths;
  for (const [, of] of PROMPT_COUNTERS) {
    const lengths = nearlyAll(successes, of);
    if (lengths) return lengths;
  }
  return undefined;
}

function commonSummaries(context: Context, which: 'prompt' | 'output'): CommonCount | undefined {
  const a = summaryOf(context.a, context, which);
  const b = summaryOf(context.b, context, which);
  if (!a || !b || !shareStatistic(a, b)) return undefined;
  const source = which === 'prompt' ? inputSourceOf : outputSourceOf;
  const name = ({ run }: Side): string => SOURCES[run.lengths?.by[which] ?? source(run)];
  const [x, y] = [name(context.a), name(context.b)];
  return { counter: together(x, y), a, b, fit: x === y ? 'tokens' : 'proxy', one: x === y };
}

function summaryOf(side: Side, context: Context, which: 'prompt' | 'output'): Lengths | undefined {
  const successes = comparedSuccesses(side, context);
  if (successes) {
    const source = which === 'prompt' ? inputSourceOf(side.run) : outputSourceOf(side.run);
    return nearlyAll(successes, (record) => (which === 'prompt' ? inputTokens : outputTokens)(record, source));
  }
  const kept = side.run.lengths?.[which];
  const summary = kept && distributionOf(kept);
  if (kept && summary) return { values: kept, summary };
  const lengths = side.run.manifest?.lengths;
  return (
    summaryLengths(which === 'prompt' ? lengths?.prompt : lengths?.output) ?? reportedLengths(side, context, which)
  );
}

/** From a report's statistics: of the summary when every stage is compared and there is one, else of the stages that are. */
function reportedLengths(side: Side, context: Context, which: 'prompt' | 'output'): Lengths | undefined {
  const stages = comparedStages(side, context);
  const whole = stages.length === side.stages.length && (side.warmupStages ?? []).length === 0;
  const summary = whole && stages.length > 1 ? lengthsOfScope(summaryScopeOf(reportOf(side.run)), which) : undefined;
  return summary ?? pooled(stages.map(({ scope }) => lengthsOfScope(scope, which)));
}

/** Quantiles of several stages are no quantiles of them all; their means by count, and their extremes, are. */
function pooled(parts: readonly (Lengths | undefined)[]): Lengths | undefined {
  const [only] = parts;
  if (parts.length <= 1) return only;
  const known = parts.flatMap((part) => (part?.summary.mean === undefined ? [] : [part.summary]));
  if (known.length < parts.length || known.some(({ count }) => count === undefined)) return undefined;
  const count = known.reduce((sum, part) => sum + part.count!, 0);
  if (count === 0) return undefined;
  const mean = known.reduce((sum, part) => sum + part.mean! * part.count!, 0) / count;
  const [least, most] = [known.map(({ min }) => min), known.map(({ max }) => max)];
  return {
    summary: {
      mean,
      count,
      ...(least.includes(undefined) ? {} : { min: Math.min(...(least as number[])) }),
      ...(most.includes(undefined) ? {} : { max: Math.max(...(most as number[])) }),
    },
  };
}

function lengthsOfScope(scope: ReportScope | undefined, which: 'prompt' | 'output'): Lengths | undefined {
  const quantity = which === 'prompt' ? 'prompt_tokens' : 'output_tokens';
  const measures = scope?.measures.filter((measure) => measure.quantity === quantity) ?? [];
  // The counts of a report are the server's where it has both; of two, the one that says more.
  const [found] = measures
    .filter(({ stats }) => stats['mean'] !== undefined || stats['p50'] !== undefined)
    .sort((a, b) => Number(a.definition.tokens === 'client') - Number(b.definition.tokens === 'client'))
    .sort((a, b) => Number(b.stats['p50'] !== undefined) - Number(a.stats['p50'] !== undefined));
  if (!scope || !found) return undefined;
  const count = found.count ?? scope.counts.ok;
  const known = LENGTH_STATISTICS.flatMap((key) => {
    const value = found.stats[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return { summary: { ...Object.fromEntries(known), ...(count === undefined ? {} : { count }) } };
}

const LENGTH_STATISTICS = ['mean', 'stdDev', 'min', 'p5', 'p25', 'p50', 'p75', 'p95', 'p99', 'max'] as const;

/** Undefined when one side does not record what was asked for. */
export function compareAsked(context: Context, which: 'prompt' | 'output'): LengthComparison | undefined {
  return remembered(context, `compared ${which}`, () => findAskedDifference(context, which));
}

function findAskedDifference(context: Context, which: 'prompt' | 'output'): LengthComparison | undefined {
  const a = askedLengths(context.a, context, which);
  const b = askedLengths(context.b, context, which);
  // What was asked for is exact: no template or special token may blur it.
  return a && b ? compareLengths(a, b, 0) : undefined;
}

/**
 * Equality of what the two configs ask for at these paths, as far as both say it; undefined when there is nothing that both say.
 * A key that one config leaves out has its tool's default there, which may be what the other wrote down.
 */
export function sameConfigured({ a, b }: Context, paths: readonly ConfigPath[]): boolean | undefined {
  const found = paths.map((path) => sameValue(configValue(a.run, path), configValue(b.run, path)));
  if (found.includes(false)) return false;
  return found.includes(true) ? true : undefined;
}

/** How many are drawn follows from the duration, and changes no length. */
const OF_THE_SAMPLE: readonly string[] = ['total_count'];

function sameValue(left: unknown, right: unknown): boolean | undefined {
  if (left === undefined || right === undefined) return undefined;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) {
    return left === right ? (left === null ? undefined : true) : false;
  }
  const [x, y] = [left as Readonly<Record<string, unknown>>, right as Readonly<Record<string, unknown>>];
  const found = Object.keys(x).flatMap((key) => (OF_THE_SAMPLE.includes(key) ? [] : [sameValue(x[key], y[key])]));
  if (found.includes(false)) return false;
  return found.includes(true) ? true : undefined;
}

/** What the server adds around a prompt (chat template): its count minus the client's, median over requests. */
export function templateTokens(side: Side, context: Context): number | undefined {
  return remembered(context, `template ${side.name}`, () => findTemplate(side, context));
}

function findTemplate(side: Side, context: Context): number | undefined {
  const successes = comparedSuccesses(side, context) ?? [];
  const extra = new Float64Array(successes.length);
  let n = 0;
  for (const { usage, clientPromptTokens } of successes) {
    if (usage?.promptTokens === undefined || clientPromptTokens === undefined) continue;
    extra[n++] = usage.promptTokens - clientPromptTokens;
  }
  return medianOf(extra.subarray(0, n));
}
