// May the two sides of an experiment be compared at all? Every block is asked what a comparison asks; the prefix cache must prove itself.
import { compare } from '../comparability/compare';
import type { DimensionId, Finding, MovedMetric } from '../comparability/comparison';
import { DIMENSIONS } from '../comparability/dimensions';
import { changesOf, INTENDABLE } from '../comparability/intendable';
import { flagsOf } from '../cluster/flags';
import { percent, whole } from '../figures';
import { own } from '../own';
import type { Run } from '../readers/run';
import type { StackRecord } from '../folder/stack';
import type { Progress } from './journal';
import { blocksOf } from './next';
import type { MetricKey } from './keys';
import type { Experiment } from './read';

/** What stands in the way of a claim, and which metrics it moves. */
export interface Obstacle {
  readonly state: 'confounds' | 'unknown';
  readonly dimension: DimensionId;
  readonly title: string;
  readonly message: string;
  readonly moves: readonly MovedMetric[];
  readonly remedy?: string;
}

export interface ComparedAnswers {
  readonly state: 'equal' | 'different' | 'not-comparable';
  readonly pairs: number;
  readonly equal: number;
  /** The same between runs of one side: what chance and batching flip without any change. */
  readonly own?: { readonly pairs: number; readonly equal: number };
  readonly words: string;
}

export interface Evidence {
  readonly obstacles: readonly Obstacle[];
  /** What the records show of the declared change: `shown`, `not-shown` (nobody recorded it), `absent` (both sides are the same), `more`. */
  readonly change?: { readonly state: 'shown' | 'not-shown' | 'absent' | 'more'; readonly words: string };
  readonly answers?: ComparedAnswers;
}

/** Runs of one whole block, in their order. */
export interface BlockRuns {
  readonly a: readonly Run[];
  readonly b: readonly Run[];
}

/** What a run is like by itself on one day: in one block it is noise, in most of them it is not. */
const OF_THE_DAY: readonly DimensionId[] = ['warmup-window', 'steady-state', 'client-limit', 'sample-size'];
/** Streams that are drawn anew for every slot by one law are no other workload. */
const OF_THE_STREAM: readonly DimensionId[] = ['prompt-identity', 'arrival-process', 'input-length', 'output-length'];
/** Intervals are of blocks: those of a comparison are not asked for. */
const RESAMPLES = 20;

export function evidenceOf(experiment: Experiment, blocks: readonly BlockRuns[]): Evidence {
  const { change } = experiment.file;
  const group = change && changesOf([change.dimension]);
  const intended = INTENDABLE.filter((id) => group?.some((name) => changesOf([id]).includes(name)));
  const comparisons = blocks
    .filter(({ a, b }) => a.length > 0 && b.length > 0)
    .map(({ a, b }) =>
      compare(a[0]!, b[0]!, { intended, resamples: RESAMPLES, repeatsA: a.slice(1), repeatsB: b.slice(1) }),
    );
  const found = new Map<string, { finding: Finding; blocks: number }>();
  for (const { findings } of comparisons) {
    for (const finding of findings) {
      if (finding.state !== 'confounds' && (finding.state !== 'unknown' || finding.assumed !== undefined)) continue;
      if (experiment.workload === 'new-per-slot' && OF_THE_STREAM.includes(finding.dimension)) continue;
      const key = `${finding.dimension} ${finding.state}`;
      found.set(key, { finding, blocks: (found.get(key)?.blocks ?? 0) + 1 });
    }
  }
  const obstacles = [...found.values()]
    .filter(({ finding, blocks: count }) => !OF_THE_DAY.includes(finding.dimension) || count > comparisons.length / 2)
    .map(({ finding, blocks: count }): Obstacle => {
      const { state, dimension, title, message, moves, remedy } = finding;
      return {
        state: state === 'confounds' ? 'confounds' : 'unknown',
        dimension,
        title,
        message: count < comparisons.length ? `In ${count} of ${comparisons.length} blocks: ${message}` : message,
        moves,
        ...(remedy === undefined ? {} : { remedy }),
      };
    })
    .sort((x, y) => Number(x.state === 'unknown') - Number(y.state === 'unknown'));
  const seen =
    change && comparisons.length > 0 ? changeSeen(change, intended, comparisons[0]!.findings, blocks[0]!) : undefined;
  const answers = answersOf(
    comparisons.map((comparison) => comparison.answers),
    blocks,
  );
  return { obstacles, ...(seen ? { change: seen } : {}), ...(answers ? { answers } : {}) };
}

type Change = NonNullable<Experiment['file']['change']>;

function changeSeen(
  change: Change,
  intended: readonly DimensionId[],
  findings: readonly Finding[],
  { a, b }: BlockRuns,
): NonNullable<Evidence['change']> {
  const own_ = findings.filter(({ dimension }) => intended.includes(dimension));
  const changes = own_.flatMap((finding) => finding.changes ?? []);
  const [x, y] = [stackOf(a[0]!), stackOf(b[0]!)];
  const names = x && y ? changedNames(x, y) : [];
  const declared = (change.key === undefined ? [] : [change.key].flat()).map(plain);
  const more = declared.length === 0 ? [] : names.filter((name) => !declared.includes(plain(name)));
  if (more.length > 0) {
    return { state: 'more', words: `${more.join(', ')} changed too, beside ${[change.key].flat().join(', ')}` };
  }
  if (changes.length > 0) return { state: 'shown', words: changes.join('; ') };
  if (own_.some(({ state }) => state === 'intended')) {
    return { state: 'not-shown', words: 'no record shows the declared change: give each side a stack record' };
  }
  return {
    state: 'absent',
    words: `nothing that is recorded differs in ${change.dimension}, though the file declares it`,
  };
}

function plain(name: string): string {
  return name.replace(/^-+/, '').replaceAll('_', '-').toLowerCase();
}

function stackOf(run: Run): StackRecord | undefined {
  return run.manifest?.stack;
}

/** Flags and keys that both records have and that differ. */
export function changedNames(a: StackRecord, b: StackRecord): string[] {
  const flags = [flagsOf(a.args ?? []).values, flagsOf(b.args ?? []).values] as const;
  const changed = [...new Set(flags.flatMap((side) => [...side.keys()]))].filter(
    (name) => flags[0].get(name) !== flags[1].get(name),
  );
  const fields = (
    [
      'model',
      'revision',
      'quantization',
      'engine',
      'engineVersion',
      'image',
      'accelerator',
      'replicas',
      'parallelism',
      'route',
    ] as const
  ).filter((key) => a[key] !== undefined && b[key] !== undefined && String(a[key]) !== String(b[key]));
  const env = [...new Set([...Object.keys(a.env ?? {}), ...Object.keys(b.env ?? {})])].filter(
    (name) => a.env && b.env && own(a.env, name) !== own(b.env, name),
  );
  return [...changed, ...fields, ...env];
}

/** Over all blocks: pairs across sides, and pairs of runs of one side beside them. */
function answersOf(
  across: readonly ReturnType<typeof compare>['answers'][],
  blocks: readonly BlockRuns[],
): ComparedAnswers | undefined {
  const known = across.flatMap((answers) => (answers === undefined ? [] : [answers]));
  const [first] = known;
  if (!first) return undefined;
  const counted = known.filter(({ state }) => state !== 'not-comparable');
  if (counted.length === 0) return { state: 'not-comparable', pairs: 0, equal: 0, words: first.words };
  const sum = (list: typeof counted) => ({
    pairs: list.reduce((total, { pairs }) => total + pairs, 0),
    equal: list.reduce((total, { equal = 0 }) => total + equal, 0),
  });
  const total = sum(counted);
  if (total.equal === total.pairs) {
    return {
      state: 'equal',
      ...total,
      words: `Answers: all ${whole(total.pairs)} that both sides gave to the same request are the same text.`,
    };
  }
  const twice = blocks.find(({ a }) => a.length > 1);
  const alone = twice && compare(twice.a[0]!, twice.a[1]!, { resamples: RESAMPLES }).answers;
  const self = alone && alone.state !== 'not-comparable' ? sum([alone]) : undefined;
  const noise = self ? ` Two runs of A agree in ${percent(self.equal / self.pairs)}.` : '';
  return {
    state: 'different',
    ...total,
    ...(self ? { own: self } : {}),
    words: `Answers: ${whole(total.equal)} of ${whole(total.pairs)} (${percent(total.equal / total.pairs)}) are the same text on both sides.${noise} The change alters what the model says: a quality evaluation is due beside the speed.`,
  };
}

/** Shares within a block that differ by no more are one state. */
const CACHE_POINTS = 0.01;

/**
 * Slots of one side in one block sent the same stream: what they found in the prefix cache must be the same, or the first of them met a
 * colder server. Undefined where that is shown; a fresh server or a reset that was answered needs no counter.
 */
export function cacheObstacle(experiment: Experiment, progress: Progress): Obstacle | undefined {
  const { cache, workload, sides, file } = experiment;
  const cacheState = DIMENSIONS.find(({ id }) => id === 'cache-state')!;
  const say = (state: Obstacle['state'], message: string): Obstacle => ({
    state,
    dimension: 'cache-state',
    title: cacheState.title,
    message,
    moves: cacheState.affects,
    remedy: 'Let the server report hits (usage or /metrics), or write cache: restart, or workload: new-per-slot.',
  });
  if (workload === 'new-per-slot') return undefined;
  let isUnknown = false;
  for (const { number, slots } of blocksOf(experiment, 'block', progress).whole) {
    for (const role of ['a', 'b'] as const) {
      const shares = slots.filter(({ slot }) => slot.role === role).map(({ result }) => result.cachedShare);
      const known = shares.filter((share) => share !== undefined);
      const [low, high] = [Math.min(...known), Math.max(...known)];
      if (known.length > 1 && high - low > CACHE_POINTS) {
        return say(
          'confounds',
          `Block ${number}: runs of ${role.toUpperCase()} found ${percent(low)} and ${percent(high)} of the same prompts in the prefix cache; cache: ${cache} did not keep them apart.`,
        );
      }
      const fresh = sides[role].simulator !== undefined || cache === 'restart';
      const reset = cache === 'reset' && slots.every(({ result }) => result.preparation.reset?.ok === true);
      isUnknown ||= known.length < shares.length && !fresh && !reset;
    }
  }
  if (!isUnknown || file.change?.dimension === 'cache-state') return undefined;
  return say(
    'unknown',
    `Nobody says what was found in the prefix cache: the slots of a block sent the same prompts, and cache: ${cache} is not shown to have kept them apart.`,
  );
}

export function isMoved({ moves }: Obstacle, { metric, statistic }: MetricKey): boolean {
  return moves.some(
    (move) => move.metric === metric && (move.statistics === undefined || move.statistics.includes(statistic)),
  );
}
