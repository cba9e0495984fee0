// A load that only one side has, against what the other side's neighbouring loads suggest for it: asked for, labelled, never judged.
import type { Aligned } from './align';
import type { Finding, InterpolatedLoad, InterpolatedRow } from './comparison';
import { rowsOf, type Row } from './metric-rows';
import { percentOf } from './difference';
import { loadLabel, type MeasuredStage, type Side } from './side';

/** Measured and asked for of one kind; the amount is requests/s or how many at a time. */
interface Loaded {
  readonly stage: MeasuredStage;
  readonly amount: number;
}

function loadsOf({ stages }: Side, kind: 'rate' | 'concurrency'): Loaded[] {
  return stages
    .flatMap((stage): Loaded[] => {
      const { load } = stage;
      if (load.kind !== kind) return [];
      return [{ stage, amount: load.kind === 'rate' ? load.rps : load.level }];
    })
    .sort((x, y) => x.amount - y.amount);
}

/**
 * Linear in the load, between the two nearest loads of the other side; nothing outside them. Latency bends upwards near saturation, so
 * between two loads it lies under the line: what is shown there is too large rather than too small.
 */
export function interpolate(aligned: Aligned, findings: readonly Finding[]): InterpolatedLoad[] {
  const same = new Set(aligned.matching.pairs.flatMap((pair) => (pair.sameLoad ? [pair.a, pair.b] : [])));
  const found = (['A', 'B'] as const).flatMap((measured) => {
    const [own, other] = measured === 'A' ? [aligned.a, aligned.b] : [aligned.b, aligned.a];
    return (['rate', 'concurrency'] as const).flatMap((kind) =>
      loadsOf(own, kind)
        .filter(({ stage }) => !same.has(stage))
        .map((load) => oneLoad(aligned, measured, load, loadsOf(other, kind), findings)),
    );
  });
  return found.sort((x, y) => x.amount - y.amount).map(({ entry }) => entry);
}

function oneLoad(
  aligned: Aligned,
  measured: 'A' | 'B',
  { stage, amount }: Loaded,
  others: readonly Loaded[],
  findings: readonly Finding[],
): { readonly amount: number; readonly entry: InterpolatedLoad } {
  const other = measured === 'A' ? 'B' : 'A';
  const label = loadLabel(stage.load);
  const below = others.filter((load) => load.amount < amount).at(-1);
  const above = others.find((load) => load.amount > amount);
  if (!below || !above) {
    const reach = others.map((load) => loadLabel(load.stage.load)).join(', ');
    const words = `not interpolated: ${label} is outside what ${other} measured (${reach === '' ? 'nothing of this kind' : reach})`;
    return { amount, entry: { label, measured, stage: stage.id, words, rows: [] } };
  }
  const words = `${other} interpolated between its stages ${below.stage.id} (${loadLabel(below.stage.load)}) and ${above.stage.id} (${loadLabel(above.stage.load)})`;
  const share = (amount - below.amount) / (above.amount - below.amount);
  const [low, high] = [below, above].map((load) => rowsAt(aligned, measured, stage, load.stage));
  const rows = low!.flatMap((row) => rowOf(row, high!, { measured, share, findings }) ?? []);
  return {
    amount,
    entry: { label, measured, stage: stage.id, between: [below.stage.id, above.stage.id], words, rows },
  };
}

function rowsAt(
  { countingA, countingB }: Aligned,
  measured: 'A' | 'B',
  own: MeasuredStage,
  other: MeasuredStage,
): Row[] {
  const [a, b] = measured === 'A' ? [own, other] : [other, own];
  // Values alone: an interval would be of the line, not of the load.
  return rowsOf({ index: 0, a, b, sameLoad: false, label: '' }, countingA, countingB, 0);
}

function rowOf(
  row: Row,
  high: readonly Row[],
  {
    measured,
    share,
    findings,
  }: { readonly measured: 'A' | 'B'; readonly share: number; readonly findings: readonly Finding[] },
): InterpolatedRow | undefined {
  const twin = high.find((other) => other.metric === row.metric && other.statistic === row.statistic);
  const pick = measured === 'A' ? 'b' : 'a';
  const [own, low, top] = [row[measured === 'A' ? 'a' : 'b'], row[pick], twin?.[pick]].map(
    (sample) => sample?.side.value,
  );
  if (own === undefined || low === undefined || top === undefined || row.metric === 'schedule_delay') return undefined;
  const between = (low + share * (top - low)) * row.scale;
  const [a, b] = measured === 'A' ? [own * row.scale, between] : [between, own * row.scale];
  const because = findings.filter((finding) => moves(finding, row)).map(({ dimension }) => dimension);
  const percent = percentOf(b - a, a);
  return {
    metric: row.metric,
    statistic: row.statistic,
    label: row.label,
    unit: row.unit,
    a,
    b,
    ...(percent === undefined ? {} : { percentOfA: percent }),
    because,
  };
}

/** What else differs, besides the load that is interpolated away. */
function moves({ dimension, state, stages, moves: moved }: Finding, { metric, statistic }: Row): boolean {
  if (state !== 'confounds' || stages || dimension === 'offered-load') return false;
  return moved.some(
    (one) => one.metric === metric && (one.statistics === undefined || one.statistics.includes(statistic)),
  );
}
