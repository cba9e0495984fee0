// Several runs a side: are they repeats at all, in which order did they run, and how much do they differ by themselves?
import type { Run } from '../readers/run';
import { align, asRecorded, type Aligned, type Alignable } from './align';
import type { Comparison, Finding, MetricComparison } from './comparison';
import type { WarmupCut } from './cut';
import { DIMENSIONS } from './dimensions';
import { NOISE_YARDSTICK } from './identity';
import { round, sideOf, type Side } from './side';
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

/** A run that differs from its own side's first in a dimension is no repeat of it. */
export function withRepeats(findings: readonly Finding[], final: Aligned, repeats: RepeatedSides): Finding[] {
  if (repeats.a.length + repeats.b.length === 0) return [...findings];
  const strays = new Map<string, string[]>();
  for (const [own, others] of [
    [final.a, repeats.a],
    [final.b, repeats.b],
  ] as const) {
    for (const other of others) {
      const context = { a: own, b: { ...other, name: 'B' as const }, matching: matchStages(own, other) };
      for (const dimension of DIMENSIONS) {
        const finding = dimension.examine({ ...context, a: { ...own, name: 'A' as const } });
        if (finding.state !== 'confounds') continue;
        const words = `${other.run.folder} is no repeat of ${own.run.folder} (there A and B are these two): ${finding.message}`;
        strays.set(dimension.id, [...(strays.get(dimension.id) ?? []), words]);
      }
    }
  }
  return findings.map((finding) => {
    const words = strays.get(finding.dimension);
    if (!words || finding.state === 'confounds') return finding;
    const remedy = 'Compare only runs of one configuration as repeats of one side.';
    return { ...finding, state: 'confounds' as const, message: words.join(' '), remedy };
  });
}

export function repeatFacts(a: readonly Run[], b: readonly Run[]): NonNullable<Comparison['repeats']> {
  return { a: a.map((run) => run.folder), b: b.map((run) => run.folder), order: orderOf(a, b) };
}

/** Drift of the server or the machine hides in a difference unless the sides take turns. */
function orderOf(a: readonly Run[], b: readonly Run[]): string {
  const starts = [...a.map((run) => ({ run, side: 'A' })), ...b.map((run) => ({ run, side: 'B' }))].map(
    ({ run, side }) => ({
      at: run.manifest?.clock.startedAt,
      side,
    }),
  );
  if (starts.some(({ at }) => at === undefined)) return 'not recorded';
  const sides = starts.sort((x, y) => (x.at! < y.at! ? -1 : x.at! > y.at! ? 1 : 0)).map(({ side }) => side);
  const turns = sides.filter((side, i) => i > 0 && side !== sides[i - 1]).length;
  if (turns >= 2 * Math.min(a.length, b.length) - 1 && turns > 1) return `alternating (${sides.join(' ')})`;
  return turns === 1 ? `one side after the other (${sides.join(' ')})` : sides.join(' ');
}

/** What is known of the noise from run to run. */
export function noiseWords(metrics: readonly MetricComparison[], { a, b }: RepeatedSides): string {
  const noisy = metrics.filter((metric) => metric.difference?.noise?.percentOfA !== undefined);
  if (a.length + b.length === 0 || noisy.length === 0) return NOISE_YARDSTICK;
  const last = Math.max(...noisy.map(({ stage }) => stage));
  const shown = ['ttft p95', 'tpot mean', 'output_tokens_per_sec value'].flatMap((key) => {
    const metric = noisy.find((entry) => entry.stage === last && `${entry.metric} ${entry.statistic}` === key);
    return metric ? [`${metric.label} ${round(Number(metric.difference!.noise!.percentOfA!.toPrecision(2)))} %`] : [];
  });
  return `Run-to-run noise is in the intervals, learned from ${a.length + 1} and ${b.length + 1} runs (standard deviation, of A: ${shown.join(', ') || 'see the metrics'}).`;
}
