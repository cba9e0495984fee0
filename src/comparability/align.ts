// Correct, then compare: both sides under one warm-up cut, one window, one treatment of failures, one token counter.
import { rounded } from '../figures';
import { dueSeconds, itlBasisOf, type CountSource } from '../metrics/request-metrics';
import type { RequestRecord } from '../metrics/record';
import { factsOfPart } from '../readers/stage-facts';
import type { DimensionId } from './comparison';
import type { WarmupCut } from './cut';
import { knownLimits } from './goodput';
import type { Counting } from './quantities';
import {
  factsOn,
  inputSourceOf,
  itlBasisOfRun,
  outputSourceOf,
  successesOf,
  type MeasuredStage,
  type Side,
} from './side';
import { matchStages, type Matching } from './stages';
import { suggestedCut, timeSeriesOf } from './warmup-detection';
import { own } from '../own';

/** Dimensions a recomputation can remove, in the order it does. */
export const ALIGNABLE = ['warmup-window', 'completeness', 'token-source'] as const satisfies readonly DimensionId[];
export type Alignable = (typeof ALIGNABLE)[number];

/** Both sides as they are computed: their windows and their counters. */
export interface Aligned {
  readonly a: Side;
  readonly b: Side;
  readonly matching: Matching;
  readonly countingA: Counting;
  readonly countingB: Counting;
}

export type AlignmentStep = { readonly dimension: Alignable; readonly words: string } &
  /** `cut`: requests were left out of a window. */
  (
    | { readonly ok: true; readonly result: Aligned; readonly cut?: boolean }
    /** `words` say what is missing and which file would have it. */
    | { readonly ok: false }
  );

/** As the runs counted themselves. */
export function asRecorded(a: Side, b: Side): Aligned {
  return { a, b, matching: matchStages(a, b), countingA: countingOf(a), countingB: countingOf(b) };
}

function countingOf(side: Side): Counting {
  const { run } = side;
  return {
    output: outputSourceOf(run),
    input: inputSourceOf(run),
    itl: itlBasisOfRun(run),
    limits: knownLimits(side) ?? {},
  };
}

/** One step after another, each on what the one before left; a step that cannot be done leaves things as they are. */
export function align(start: Aligned, asked: readonly Alignable[], cut?: WarmupCut): AlignmentStep[] {
  let current = start;
  return ALIGNABLE.filter((dimension) => asked.includes(dimension)).map((dimension) => {
    const step = STEPS[dimension](current, cut);
    if (step.ok) current = step.result;
    return step;
  });
}

const STEPS: Readonly<Record<Alignable, (from: Aligned, cut?: WarmupCut) => AlignmentStep>> = {
  'warmup-window': alignWindow,
  completeness: alignFailures,
  'token-source': alignCounters,
};

const NEEDS_RECORDS =
  'per-request records are missing on a side: copy its records.jsonl (isoperf run) into the folder, or run again with isoperf run';

function hasRecords({ a, b }: Aligned): boolean {
  return [...a.stages, ...b.stages].every((stage) => stage.records);
}

/** Windows whose lengths differ by less than this share are one: ramp and drain weigh alike in them. */
const SAME_LENGTH = 0.2;

/**
 * One warm-up cut (the larger of what a side declares and what the other's start suggests, for the side that declares none), then
 * one length: windows of one load are cut to the shorter.
 */
function alignWindow(from: Aligned, asked?: WarmupCut): AlignmentStep {
  const dimension = 'warmup-window' as const;
  if (!hasRecords(from)) return { dimension, ok: false, words: NEEDS_RECORDS };
  const declared = [warmupRequests(from.a), warmupRequests(from.b)];
  const suggested = [openingCut(from.a), openingCut(from.b)];
  const anyone = Math.max(...declared) > 0;
  // Who declared a warm-up has left it out already; a rest of a cold start is cut on both sides.
  const rest = Math.max(...suggested.map((cut, i) => (anyone && declared[i] === 0 ? 0 : cut)));
  const cut = (i: 0 | 1): number => (anyone && declared[i] === 0 ? Math.max(...declared, suggested[i]!) : rest);
  const words: string[] = [];
  const sides = ([from.a, from.b] as const).map((side, i) => {
    const wanted = asked && asked.kind !== 'auto' ? askedCut(side, asked) : cut(i as 0 | 1);
    const requests = Math.min(wanted, Math.floor((side.stages[0]?.records?.length ?? 0) / 2));
    if (requests === 0) return side;
    words.push(`the first ${requests} requests of ${side.name}’s window are left out`);
    return withoutFirst(side, requests);
  });
  const isCut = words.length > 0;
  const [a, b] = equalWindows(sides[0]!, sides[1]!, words);
  if (words.length === 0) words.push('nothing had to be cut');
  return {
    dimension,
    ok: true,
    words: words.join('; '),
    cut: isCut,
    result: { ...from, a, b, matching: matchStages(a, b) },
  };
}

/** Of the window as it is: a warm-up that a side declares is out of it already. */
function askedCut({ stages }: Side, cut: Exclude<WarmupCut, { kind: 'auto' }>): number {
  if (cut.kind === 'requests') return cut.requests;
  const records = stages[0]?.records ?? [];
  const first = records[0]?.sentSeconds;
  if (first === undefined) return 0;
  const kept = records.findIndex(({ sentSeconds }) => sentSeconds === undefined || sentSeconds - first >= cut.seconds);
  return kept < 0 ? records.length : kept;
}

function warmupRequests(side: Side): number {
  return factsOn(side).warmupRequests.value ?? 0;
}

/** Requests of the opening stage that MSER-5 would cut, failures between them included. */
function openingCut(side: Side): number {
  const opening = side.stages[0];
  const successes = opening && successesOf([opening]);
  if (!successes || !opening.records) return 0;
  const series = timeSeriesOf(successes);
  const cut = suggestedCut(series)?.requests ?? 0;
  return cut === 0 ? 0 : opening.records.indexOf(series.records[cut]!);
}

function withoutFirst(side: Side, requests: number): Side {
  const [opening, ...rest] = side.stages;
  return { ...side, stages: [keeping(opening!, opening!.records!.slice(requests)), ...rest] };
}

function equalWindows(a: Side, b: Side, words: string[]): readonly [Side, Side] {
  const cuts = new Map<MeasuredStage, number>();
  for (const pair of matchStages(a, b).pairs) {
    if (!pair.sameLoad) continue;
    const [x, y] = [sendSeconds(pair.a), sendSeconds(pair.b)];
    const shorter = Math.min(x, y);
    if (!(shorter > 0) || Math.abs(x - y) <= SAME_LENGTH * Math.max(x, y)) continue;
    cuts.set(x > y ? pair.a : pair.b, shorter);
    words.push(`at ${pair.label} both windows are ${rounded(shorter, 3)} s of sending`);
  }
  const cut = (side: Side): Side => ({
    ...side,
    stages: side.stages.map((stage) => {
      const length = cuts.get(stage);
      if (length === undefined) return stage;
      const [opening] = stage.records!;
      const start = opening ? dueSeconds(opening) : 0;
      return keeping(
        stage,
        stage.records!.filter((record) => dueSeconds(record) - start <= length),
      );
    }),
  });
  return [cut(a), cut(b)];
}

function sendSeconds({ records }: MeasuredStage): number {
  const times = records?.flatMap(({ sentSeconds }) => (sentSeconds === undefined ? [] : [sentSeconds])) ?? [];
  return times.length < 2 ? 0 : times.at(-1)! - times[0]!;
}

/** Without the stage's report: that is of the whole. */
function keeping({ id, load, facts }: MeasuredStage, records: readonly RequestRecord[]): MeasuredStage {
  return { id, load, records, facts: factsOfPart(facts, records.length) };
}

/** Failures count as slower than every answer, so that a side that loses its slowest requests does not look fast. */
function alignFailures(from: Aligned): AlignmentStep {
  const dimension = 'completeness' as const;
  if (!hasRecords(from)) return { dimension, ok: false, words: NEEDS_RECORDS };
  const stopped = [from.a, from.b].filter((side) => factsOn(side).complete.value === false);
  if (stopped.length > 0) {
    const names = stopped.map(({ name }) => name).join(' and ');
    return {
      dimension,
      ok: false,
      words: `${names} was stopped before its end: what was never sent cannot be computed; run it again`,
    };
  }
  const failuresAreSlow = true;
  const words = 'failed requests count as slower than every answer; means are withheld, percentiles include them';
  const result: Aligned = {
    ...from,
    countingA: { ...from.countingA, failuresAreSlow },
    countingB: { ...from.countingB, failuresAreSlow },
  };
  return { dimension, ok: true, words, result };
}

type Which = 'input' | 'output';
const NAMES: Readonly<Record<string, string>> = {
  'server-usage': 'the server’s usage',
  'client-tokenizer': 'the client’s tokenizer',
};

function alignCounters(from: Aligned): AlignmentStep {
  const dimension = 'token-source' as const;
  if (!hasRecords(from)) return { dimension, ok: false, words: NEEDS_RECORDS };
  const output = commonSource(from, 'output');
  const input = commonSource(from, 'input');
  if (typeof output !== 'string' || typeof input !== 'string') {
    const why = [output, input].flatMap((found) => (typeof found === 'string' ? [] : [found.why]));
    return { dimension, ok: false, words: [...new Set(why)].join('; ') };
  }
  const records = [from.a, from.b].flatMap((side) => successesOf(side.stages) ?? []);
  const itl = sameTokenizer(from, 'output') ? itlBasisOf(records) : 'chunks';
  const set = (counting: Counting): Counting => ({ ...counting, output, input, itl });
  return {
    dimension,
    ok: true,
    words: `output tokens by ${own(NAMES, output) ?? output} and input tokens by ${own(NAMES, input) ?? input} on both sides, ITL between ${itl}`,
    result: { ...from, countingA: set(from.countingA), countingB: set(from.countingB) },
  };
}

/** A counter that has counted nearly every answer of both sides; the server's first. */
function commonSource(from: Aligned, which: Which): CountSource | { readonly why: string } {
  const sides = [from.a, from.b];
  const all = (of: (record: RequestRecord) => number | undefined): boolean[] =>
    sides.map((side) => {
      const successes = successesOf(side.stages) ?? [];
      return successes.filter((record) => of(record) !== undefined).length >= 0.99 * successes.length;
    });
  const server = all(({ usage }) => (which === 'output' ? usage?.completionTokens : usage?.promptTokens));
  const client = all((record) => (which === 'output' ? record.clientOutputTokens : record.clientPromptTokens));
  if (server.every(Boolean)) return 'server-usage';
  if (client.every(Boolean)) {
    if (sameTokenizer(from, which)) return 'client-tokenizer';
    return {
      why: `${which} tokens: each side has another tokenizer.json; count both with one (run again with the same tokenizer)`,
    };
  }
  const lacking = sides.filter((_, i) => !client[i]).map(({ name }) => name);
  const silent = sides.filter((_, i) => !server[i]).map(({ name }) => name);
  return {
    why: `${which} tokens: no counter counted both sides: ${lacking.join(' and ')} has no client count and ${silent.join(' and ')} no server usage; run ${lacking.join(' and ')} with tokenizer.pretrained_model_name_or_path, or let the server of ${silent.join(' and ')} report usage`,
  };
}

function sameTokenizer({ a, b }: Aligned, which: Which): boolean {
  // The name that a report has of its tokenizer is no hash of it.
  const of = (side: Side): string | undefined => {
    const facts = factsOn(side);
    const counter = which === 'output' ? facts.outputCounter : facts.inputCounter;
    return side.run.manifest && counter.value?.tokenizer?.sha256;
  };
  return of(a) !== undefined && of(a) === of(b);
}
