// The answer of an experiment with its certainty: what was asked, what every block says, and what stands in the way.
import { mean } from '../metrics/statistics';
import { cacheObstacle, isMoved, type Evidence, type Obstacle } from './evidence';
import type { Progress } from './journal';
import { blocksOf, plannedBlocks, type Block } from './next';
import { marginIn, parseKey, type MetricKey } from './keys';
import type { Experiment, Primary } from './read';
import {
  blockDifferences,
  deviationOf,
  judgeLook,
  smallestSeen,
  spreadOf,
  intervalOf,
  type BlockDifferences,
  type Interval,
  type Judged,
} from './statistics';

/** Why an answer is what it is; nothing else may be read out of the words. */
export type WhyOpen =
  | 'confounded'
  | 'unknown'
  | 'not-measured'
  | 'too-few-blocks'
  | 'not-a-look'
  | 'drift'
  | 'aa-shows-a-difference'
  | 'aa-wider-than-the-margin'
  | 'chance';

export interface PrimaryAnswer {
  readonly metric: MetricKey;
  /** "8 rps". */
  readonly load: string;
  readonly margin?: string;
  readonly kind: Judged['kind'];
  readonly why?: WhyOpen;
  /** Means over runs, as they are kept. */
  readonly a?: number;
  readonly b?: number;
  readonly scale: BlockDifferences['scale'];
  /** (B - A) / A where the scale is a ratio, else B - A; one a block. */
  readonly blocks: readonly number[];
  readonly difference?: number;
  readonly interval?: Interval & { readonly level: number };
  readonly better?: 'a' | 'b';
  readonly beyondMargin?: boolean;
  readonly p?: number;
  readonly exact?: Judged['exact'];
  readonly furtherBlocks?: number;
  /** Smallest true difference that four of five such experiments see, in the scale. */
  readonly smallestSeen?: number;
}

export interface Calibration {
  readonly metric: MetricKey;
  readonly load: string;
  readonly interval: Interval;
  /** From slot to slot, a share of the mean. */
  readonly slotDeviation: number;
  /** Of the last half of a block against its first: what the place in a block does. */
  readonly placeEffect: number;
  readonly verdict: 'fine' | 'shows-a-difference' | 'wider-than-the-margin';
}

export interface ExperimentReport {
  readonly format: 'isoperf-experiment';
  readonly version: 1;
  readonly question: string;
  readonly hash: string;
  readonly state: 'running' | 'ended';
  /** Of the state: why it ended. */
  readonly ended?: NonNullable<Progress['closed']>;
  readonly answer: 'different' | 'equivalent' | 'inconclusive' | 'confounded';
  readonly exitCode: 0 | 3 | 4 | 5;
  readonly blocks: { readonly whole: number; readonly void: number; readonly planned: number };
  readonly looks: { readonly planned: readonly number[]; readonly done: readonly number[]; readonly alpha: number };
  readonly primary: readonly PrimaryAnswer[];
  /** Everything else that was measured, unadjusted; no claim rests on it. */
  readonly descriptive: readonly PrimaryAnswer[];
  readonly calibration: readonly Calibration[];
  readonly obstacles: readonly Obstacle[];
  readonly change?: Evidence['change'];
  readonly answers?: Evidence['answers'];
  readonly furtherBlocks?: number;
  readonly voids: readonly { readonly slot: string; readonly why: readonly string[] }[];
  /** Stages in their order. */
  readonly loads: readonly string[];
}

export interface Told {
  readonly experiment: Experiment;
  readonly hash: string;
  readonly progress: Progress;
  readonly evidence: Evidence;
}

/** Alpha of one look: split evenly between those that were planned. */
export function alphaOf({ alpha, looks, stein }: Experiment): number {
  return stein ? alpha : alpha / looks.length;
}

export function reportOf({ experiment, hash, progress, evidence }: Told): ExperimentReport {
  const { whole, voided } = blocksOf(experiment, 'block', progress);
  const cache = cacheObstacle(experiment, progress);
  const known = evidence.obstacles.filter(
    ({ dimension }) => dimension !== 'cache-state' || cache?.state !== 'confounds',
  );
  const obstacles = [...known, ...(cache ? [cache] : [])];
  const loads = whole[0]?.slots[0]?.result.stages.map(({ load }) => load) ?? [];
  const calibration = calibrationOf(experiment, progress);
  const asked = experiment.primary.flatMap((primary) => loads.map((load, stage) => ({ primary, load, stage })));
  const open = openLook(experiment, progress, whole.length);
  const primary = answersTo(experiment, asked, whole, obstacles, calibration, open);
  const answer = overall(primary, evidence);
  const further = primary.flatMap(({ furtherBlocks }) => (furtherBlocks === undefined ? [] : [furtherBlocks]));
  return {
    format: 'isoperf-experiment',
    version: 1,
    question: experiment.question,
    hash,
    state: progress.closed === undefined ? 'running' : 'ended',
    ...(progress.closed === undefined ? {} : { ended: progress.closed }),
    answer,
    exitCode: { different: 5, equivalent: 0, inconclusive: 4, confounded: 3 }[answer] as ExperimentReport['exitCode'],
    blocks: { whole: whole.length, void: voided, planned: plannedBlocks(experiment, progress) },
    looks: { planned: experiment.looks, done: progress.looks, alpha: alphaOf(experiment) },
    primary,
    descriptive: descriptiveOf(experiment, whole, loads),
    calibration,
    obstacles,
    ...(evidence.change ? { change: evidence.change } : {}),
    ...(evidence.answers ? { answers: evidence.answers } : {}),
    ...(further.length > 0 ? { furtherBlocks: Math.max(...further) } : {}),
    voids: [...progress.ended].flatMap(([slot, result]) => (result.void ? [{ slot, why: result.void }] : [])),
    loads,
  };
}

/** Between two looks nothing is answered: every further glance would be a look that nobody planned. */
function openLook(experiment: Experiment, progress: Progress, blocks: number): WhyOpen | undefined {
  if (blocks < 2) return 'too-few-blocks';
  if (progress.closed !== undefined) return undefined;
  return progress.looks.includes(blocks) || (!experiment.stein && experiment.looks.includes(blocks))
    ? undefined
    : 'not-a-look';
}

/** Of one metric at one stage, block by block. */
export function valuesOf(blocks: readonly Block[], stage: number, key: string): { a: number[]; b: number[] }[] {
  return blocks.map(({ slots }) => {
    const of = (role: 'a' | 'b'): number[] =>
      slots.flatMap(({ slot, result }) => {
        const value = slot.role === role ? result.stages[stage]?.values[key] : undefined;
        return value === undefined ? [] : [value];
      });
    return { a: of('a'), b: of('b') };
  });
}

interface Asked {
  readonly primary: Primary;
  readonly load: string;
  readonly stage: number;
}

function answersTo(
  experiment: Experiment,
  asked: readonly Asked[],
  blocks: readonly Block[],
  obstacles: readonly Obstacle[],
  calibration: readonly Calibration[],
  open: WhyOpen | undefined,
): PrimaryAnswer[] {
  const data = asked.map(({ primary, stage }) => {
    const values = valuesOf(blocks, stage, primary.metric.key);
    const differences = blockDifferences(values);
    const all = (role: 'a' | 'b'): number | undefined => {
      const list = values.flatMap((block) => block[role]);
      return list.length === 0 ? undefined : mean(list);
    };
    const [a, b] = [all('a'), all('b')];
    const margin = primary.margin && a !== undefined ? marginIn(primary.margin, differences.scale, a) : undefined;
    return { differences, a, b, margin };
  });
  const judged = judgeLook(data, alphaOf(experiment), experiment.stein?.pilot);
  return asked.map(({ primary, load }, i) => {
    const { differences, a, b } = data[i]!;
    const own = judged[i];
    const base: PrimaryAnswer = {
      metric: primary.metric,
      load,
      ...(primary.margin ? { margin: primary.margin.text } : {}),
      kind: 'inconclusive',
      ...(a === undefined ? {} : { a }),
      ...(b === undefined ? {} : { b }),
      scale: differences.scale,
      blocks: differences.values.map((value) => asShown(value, differences.scale)),
    };
    if (a === undefined || b === undefined) return { ...base, why: 'not-measured' };
    if (!own || differences.values.length < 2) return { ...base, why: open ?? 'too-few-blocks' };
    const { interval, alpha, kind } = own;
    const figures: PrimaryAnswer = {
      ...base,
      difference: asShown(mean(differences.values), differences.scale),
      interval: {
        low: asShown(interval.low, differences.scale),
        high: asShown(interval.high, differences.scale),
        level: 1 - alpha,
      },
      p: own.p,
      ...(own.exact ? { exact: own.exact } : {}),
      ...(own.beyond ? { beyondMargin: true } : {}),
      smallestSeen: asShown(
        smallestSeen(deviationOf(differences.values), differences.values.length, alpha),
        differences.scale,
      ),
    };
    const why = whyNot(experiment, primary.metric, load, { obstacles, calibration, open, kind });
    if (why)
      return {
        ...figures,
        why,
        ...(own.furtherBlocks === undefined || why !== 'chance' ? {} : { furtherBlocks: own.furtherBlocks }),
      };
    if (kind !== 'different') return { ...figures, kind };
    return { ...figures, kind, ...betterOf(primary.metric, mean(differences.values)) };
  });
}

function asShown(value: number, scale: BlockDifferences['scale']): number {
  return scale === 'ratio' ? Math.expm1(value) : value;
}

function betterOf({ better }: MetricKey, difference: number): { readonly better?: 'a' | 'b' } {
  if (better === 'neither') return {};
  return { better: difference > 0 === (better === 'higher') ? 'b' : 'a' };
}

function whyNot(
  { order }: Experiment,
  metric: MetricKey,
  load: string,
  {
    obstacles,
    calibration,
    open,
    kind,
  }: {
    readonly obstacles: readonly Obstacle[];
    readonly calibration: readonly Calibration[];
    readonly open: WhyOpen | undefined;
    readonly kind: Judged['kind'];
  },
): WhyOpen | undefined {
  const moving = obstacles.filter((obstacle) => isMoved(obstacle, metric));
  if (moving.some(({ state }) => state === 'confounds')) return 'confounded';
  if (moving.length > 0) return 'unknown';
  if (open) return open;
  const own = calibration.find((entry) => entry.metric.key === metric.key && entry.load === load);
  if (own?.verdict === 'shows-a-difference') return 'aa-shows-a-difference';
  if (own?.verdict === 'wider-than-the-margin' && kind !== 'different') return 'aa-wider-than-the-margin';
  if (order === 'a-then-b') return 'drift';
  return kind === 'inconclusive' ? 'chance' : undefined;
}

/** The worst that is open decides; a difference is an answer, and so is equivalence. */
function overall(primary: readonly PrimaryAnswer[], { change }: Evidence): ExperimentReport['answer'] {
  if (change?.state === 'more' || primary.some(({ why }) => why === 'confounded')) return 'confounded';
  if (change?.state === 'absent' || primary.length === 0) return 'inconclusive';
  if (primary.some(({ kind }) => kind === 'different')) return 'different';
  return primary.every(({ kind }) => kind === 'equivalent') ? 'equivalent' : 'inconclusive';
}

function descriptiveOf(experiment: Experiment, blocks: readonly Block[], loads: readonly string[]): PrimaryAnswer[] {
  const first = blocks[0]?.slots[0]?.result;
  if (!first) return [];
  return loads.flatMap((load, stage) =>
    Object.keys(first.stages[stage]?.values ?? {}).flatMap((key): PrimaryAnswer[] => {
      const metric = experimentKey(key);
      if (!metric || experiment.primary.some((primary) => primary.metric.key === key)) return [];
      const values = valuesOf(blocks, stage, key);
      const differences = blockDifferences(values);
      const spread = spreadOf(differences.values);
      const [a, b] = [values.flatMap((block) => block.a), values.flatMap((block) => block.b)];
      if (!spread || a.length === 0 || b.length === 0) return [];
      const interval = intervalOf(spread, 0.05);
      return [
        {
          metric,
          load,
          kind: 'inconclusive',
          a: mean(a),
          b: mean(b),
          scale: differences.scale,
          blocks: differences.values.map((value) => asShown(value, differences.scale)),
          difference: asShown(spread.mean, differences.scale),
          interval: {
            low: asShown(interval.low, differences.scale),
            high: asShown(interval.high, differences.scale),
            level: 0.95,
          },
        },
      ];
    }),
  );
}

function experimentKey(key: string): MetricKey | undefined {
  const parsed = parseKey(key);
  return typeof parsed === 'string' ? undefined : parsed;
}

/** A against A: its spread is told, not subtracted; what it shows beyond chance voids a claim. */
function calibrationOf(experiment: Experiment, progress: Progress): Calibration[] {
  const { whole } = blocksOf(experiment, 'aa', progress);
  const loads = whole[0]?.slots[0]?.result.stages.map(({ load }) => load) ?? [];
  if (whole.length < 2) return [];
  const tests = experiment.primary.length * loads.length;
  return experiment.primary.flatMap(({ metric, margin }) =>
    loads.flatMap((load, stage): Calibration[] => {
      const values = valuesOf(whole, stage, metric.key);
      const { values: differences, scale } = blockDifferences(values);
      const spread = spreadOf(differences);
      if (!spread) return [];
      const all = values.flatMap(({ a, b }) => [...a, ...b]);
      const interval = intervalOf(spread, experiment.alpha / tests);
      const bounds = margin && marginIn(margin, scale, mean(all));
      const apart = interval.low > 0 || interval.high < 0;
      // Whether equivalence could be shown at all: by the interval that shows it.
      const inner = intervalOf(spread, 2 * experiment.alpha);
      const wide = bounds !== undefined && (inner.low < bounds.low || inner.high > bounds.high);
      const middle = mean(all);
      // A B B A: the second and third place against the first and last would be the sides; the halves are the place.
      const halves = whole.map(({ slots }) =>
        slots.map(({ result }) => result.stages[stage]?.values[metric.key] ?? NaN),
      );
      const place = mean(halves.map((own) => (mean(own.slice(2)) - mean(own.slice(0, 2))) / middle));
      return [
        {
          metric,
          load,
          interval: { low: asShown(interval.low, scale), high: asShown(interval.high, scale) },
          slotDeviation: middle === 0 ? 0 : deviationOf(all) / Math.abs(middle),
          placeEffect: Number.isFinite(place) ? place : 0,
          verdict: apart ? 'shows-a-difference' : wide ? 'wider-than-the-margin' : 'fine',
        },
      ];
    }),
  );
}
