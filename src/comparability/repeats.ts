// Several runs a side: are they repeats at all, in which order did they run, and how much do they differ by themselves?
import { rounded } from '../figures';
import { factsOf } from '../readers/facts-of';
import type { Run } from '../readers/run';
import { align, asRecorded, type Aligned, type Alignable } from './align';
import type { Comparison, DimensionId, Finding, MetricComparison } from './comparison';
import type { WarmupCut } from './cut';
import { DIMENSIONS } from './dimensions';
import { NOISE_YARDSTICK } from './known-noise';
import { balanceOf } from './run-fit';
import { factsOn, sideOf, type Side } from './side';
import { matchStages } from './stages';

export interface RepeatedSides {
  readonly a: readonly Side[];
  readonly b: readonly Side[];
}

/** Each further run as its side is seen: under the same alignments, against the other side's first run. */
export function repeatedSides(
  final: Aligned,
  repeatsA: readonly Run[],
  repeatsB: readonly Run[],
  { asked, cut }: { readonly asked: readonly Alignable[]; readonly cut: WarmupCut | undefined },
): RepeatedSides {
  const seen = (from: Aligned): Aligned => {
    const last = align(from, asked, cut).findLast((step) => step.ok);
    return last?.ok === true ? last.result : from;
  };
  return {
    a: repeatsA.map((run) => seen(asRecorded(sideOf('A', run), final.b)).a),
    b: repeatsB.map((run) => seen(asRecorded(final.a, sideOf('B', run))).b),
  };
}

/** What a run is like by itself, on one day: not what was asked of it. */
const OF_THE_DAY: readonly DimensionId[] = ['warmup-window', 'steady-state'];

/** Cold or drifting, as repeats may be: what repeats are there to show. That one leaves a warm-up out and the other none is no such thing. */
function isNoise({ dimension }: Finding, own: Side, other: Side): boolean {
  const [x, y] = [own, other].map((side) => factsOn(side).warmupRequests.value);
  return OF_THE_DAY.includes(dimension) && x === y;
}

/**
 * A run that differs from its own side's first in a dimension is no repeat of it; one that only had another day is, and its day is in
 * the noise from run to run.
 */
export function withRepeats(findings: readonly Finding[], final: Aligned, repeats: RepeatedSides): Finding[] {
  if (repeats.a.length + repeats.b.length === 0) return [...findings];
  const strays = new Map<string, string[]>();
  const days = new Map<string, string[]>();
  for (const [own, others] of [
    [final.a, repeats.a],
    [final.b, repeats.b],
  ] as const) {
    for (const other of others) {
      const context = { a: own, b: { ...other, name: 'B' as const }, matching: matchStages(own, other) };
      for (const dimension of DIMENSIONS) {
        const finding = dimension.examine({ ...context, a: { ...own, name: 'A' as const } });
        if (finding.state !== 'confounds') continue;
        const two = `${own.run.folder} and ${other.run.folder} as A and B`;
        const noise = isNoise(finding, own, other);
        const words = noise
          ? `Repeats differ (${two}): ${finding.message} That is in the noise from run to run.`
          : `${other.run.folder} is no repeat of ${own.run.folder} (there A and B are these two): ${finding.message}`;
        const list = noise ? days : strays;
        list.set(dimension.id, [...(list.get(dimension.id) ?? []), words]);
      }
    }
  }
  return findings.map((finding) => {
    const [words, day] = [strays.get(finding.dimension), days.get(finding.dimension)];
    const note = [finding.note, ...(day ?? [])].filter((part) => part !== undefined).join(' ');
    const noted = day ? { ...finding, note } : finding;
    if (!words || finding.state === 'confounds') return noted;
    const remedy = 'Compare only runs of one configuration as repeats of one side.';
    return { ...noted, state: 'confounds' as const, message: words.join(' '), remedy };
  });
}

/** Each run's place in the order all were started in, the first run of a side first; undefined where a start is not recorded. */
export function runPositions(
  a: readonly Run[],
  b: readonly Run[],
): { readonly a: readonly number[]; readonly b: readonly number[] } | undefined {
  const starts = [...a, ...b].map((run) => Date.parse(factsOf(run).startedAt.value ?? ''));
  if (starts.some(Number.isNaN) || new Set(starts).size < starts.length) return undefined;
  const sorted = [...starts].sort((x, y) => x - y);
  const places = starts.map((start) => sorted.indexOf(start));
  return { a: places.slice(0, a.length), b: places.slice(a.length) };
}

export function repeatFacts(a: readonly Run[], b: readonly Run[]): NonNullable<Comparison['repeats']> {
  const places = runPositions(a, b);
  const at = (of: readonly number[] | undefined) => (of ?? []).map((position) => ({ position }));
  const balance = places ? balanceOf(at(places.a), at(places.b)) : 'open';
  return { a: a.map((run) => run.folder), b: b.map((run) => run.folder), order: orderOf(places, balance), balance };
}

function orderOf(places: ReturnType<typeof runPositions>, balance: 'even' | 'leaning' | 'open'): string {
  if (!places) return 'not recorded';
  const sides = new Array<string>(places.a.length + places.b.length).fill('B');
  for (const place of places.a) sides[place] = 'A';
  const shown = sides.join(' ');
  if (balance !== 'open') return `alternating (${shown})`;
  const turns = sides.filter((side, i) => i > 0 && side !== sides[i - 1]).length;
  return turns === 1 ? `one side after the other (${shown})` : shown;
}

/** In which order the runs were started, what that leaves open, and what drifts. */
export function orderNotes(repeats: Comparison['repeats'], metrics: readonly MetricComparison[]): string[] {
  if (!repeats) return [];
  const { order, balance } = repeats;
  const drifting = metrics
    .filter(({ difference }) => difference?.driftPercentPerRun !== undefined)
    .sort((x, y) => Math.abs(y.difference!.driftPercentPerRun!) - Math.abs(x.difference!.driftPercentPerRun!));
  const [most] = drifting;
  const size = most && rounded(most.difference!.driftPercentPerRun!, 2);
  return [
    balance === 'open'
      ? `Order of the runs: ${order}. Drift of the server or the machine is not excluded: it would look like a difference. Let the sides take turns (A B B A).`
      : `Order of the runs: ${order}.`,
    ...(most
      ? [
          `${drifting.length} of ${metrics.length} numbers drift from run to run, whatever the side; most of all ${most.label}, by ${size} % of A a run.`,
        ]
      : []),
  ];
}

/** What is known of the noise from run to run. */
export function noiseWords(metrics: readonly MetricComparison[], { a, b }: RepeatedSides): string {
  const noisy = metrics.filter((metric) => metric.difference?.noise?.percentOfA !== undefined);
  if (a.length + b.length === 0 || noisy.length === 0) return NOISE_YARDSTICK;
  const last = Math.max(...noisy.map(({ stage }) => stage));
  const shown = ['ttft p95', 'tpot mean', 'output_tokens_per_sec value'].flatMap((key) => {
    const metric = noisy.find((entry) => entry.stage === last && `${entry.metric} ${entry.statistic}` === key);
    return metric ? [`${metric.label} ${rounded(metric.difference!.noise!.percentOfA!, 2)} %`] : [];
  });
  return `Run-to-run noise is in the intervals, learned from ${a.length + 1} and ${b.length + 1} runs (standard deviation, of A: ${shown.join(', ') || 'see the metrics'}).`;
}
