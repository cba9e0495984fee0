// Two runs in, one judged comparison out.
import type { Run } from '../report/run';
import type { Comparison, DimensionId, DimensionState, Finding, MetricComparison } from './comparison';
import type { Context, Dimension } from './dimension';
import { arrivalProcess } from './dimensions/arrival-process';
import { clientLimit } from './dimensions/client-limit';
import { completeness } from './dimensions/completeness';
import { endpointMode } from './dimensions/endpoint-mode';
import { inputLength } from './dimensions/input-length';
import { loadModel } from './dimensions/load-model';
import { offeredLoad } from './dimensions/offered-load';
import { outputLength } from './dimensions/output-length';
import { sampleSize } from './dimensions/sample-size';
import { stopBehaviour } from './dimensions/stop-behaviour';
import { tokenSource } from './dimensions/token-source';
import { warmupWindow } from './dimensions/warmup-window';
import { metricDefinition } from './dimensions/metric-definition';
import { promptIdentity } from './dimensions/prompt-identity';
import { sampling } from './dimensions/sampling';
import { cacheState } from './dimensions/cache-state';
import { server } from './dimensions/server';
import { topology } from './dimensions/topology';
import { networkPath } from './dimensions/network-path';
import { clientHost } from './dimensions/client-host';
import { goodputDefinition } from './dimensions/goodput-definition';
import { telemetry } from './dimensions/telemetry';
import { comparedRun, identityNotes, NOISE_YARDSTICK } from './identity';
import { compareMetrics } from './metrics';
import { loadLabel, round, sideOf } from './side';
import { matchStages } from './stages';
import { claimOf, verdictOf } from './verdict';

/** In the order a reader would ask; findings of one state keep it. */
export const DIMENSIONS: readonly Dimension[] = [
  metricDefinition,
  loadModel,
  arrivalProcess,
  offeredLoad,
  clientLimit,
  warmupWindow,
  completeness,
  inputLength,
  outputLength,
  stopBehaviour,
  promptIdentity,
  sampling,
  tokenSource,
  endpointMode,
  cacheState,
  server,
  topology,
  networkPath,
  clientHost,
  sampleSize,
  goodputDefinition,
  telemetry,
];

export interface CompareOptions {
  /** Dimensions the user declares as the change under test: a difference there confounds nothing. */
  readonly intended?: readonly DimensionId[];
  /** Of each side, for every interval; default 2,000. Fewer are faster and rougher. */
  readonly resamples?: number;
}

const WORST_FIRST: readonly DimensionState[] = ['confounds', 'unknown', 'intended', 'aligned', 'same'];

/** Deterministic: the same two runs give the same comparison, intervals included. */
export function compare(runA: Run, runB: Run, { intended = [], resamples }: CompareOptions = {}): Comparison {
  const a = sideOf('A', runA);
  const b = sideOf('B', runB);
  const matching = matchStages(a, b);
  const context: Context = { a, b, matching };
  const findings = DIMENSIONS.map((dimension) => declared(dimension.examine(context), intended)).sort(
    (x, y) => WORST_FIRST.indexOf(x.state) - WORST_FIRST.indexOf(y.state),
  );
  const stages = matching.pairs.map((pair) => ({ a: pair.a.id, b: pair.b.id, label: pair.label }));
  const metrics = compareMetrics(a, b, matching.pairs, findings, resamples);
  const verdict = verdictOf(findings, metrics, intended);
  const claim = claimOf(verdict, findings, metrics, stages, intended, a, b);
  // A claim carries its own bounds; without one, they are notes.
  const bounds = claim.text === undefined ? [NOISE_YARDSTICK] : [];
  const alone = (side: 'A' | 'B', stage: (typeof matching.unmatchedA)[number]): string =>
    `${side}’s stage ${stage.id} (${loadLabel(stage.load)}) has no counterpart and is not compared.`;
  return {
    format: 'isoperf-comparison',
    version: 1,
    a: comparedRun(a),
    b: comparedRun(b),
    intended,
    verdict,
    claim,
    findings,
    stages,
    unmatched: [
      ...matching.unmatchedA.map((stage) => alone('A', stage)),
      ...matching.unmatchedB.map((stage) => alone('B', stage)),
    ],
    metrics,
    notes: [
      ...intentNotes(findings, intended),
      ...unchangedNotes(metrics, stages),
      ...identityNotes(a, b),
      ...findingNotes(findings),
      ...bounds,
    ],
  };
}

/**
 * What follows from an intended change is part of it: it has no state of its own to turn. What was declared may differ, so that
 * nobody recorded it holds nothing up either; that the record does not show it is said.
 */
function declared(finding: Finding, intended: readonly DimensionId[]): Finding {
  if (!intended.includes(finding.dimension)) return finding;
  if (finding.state === 'confounds') return { ...finding, state: 'intended' };
  if (finding.state !== 'unknown') return finding;
  const { assumed, ...rest } = finding;
  const not = assumed === undefined ? '' : 'Nothing that is recorded shows the change you meant to make. ';
  return {
    ...rest,
    state: 'intended',
    note: `${not}${finding.dimension} is the intended change, but no record shows it: ${finding.message}`,
  };
}

/** Between identical runs, means were seen to spread by this much (design/comparability.md): the public yardstick. */
const YARDSTICK_MEAN_PERCENT = 8.5;

/** Where there are no intervals, the yardstick is all there is to say that nothing moved. */
function unchangedNotes(metrics: readonly MetricComparison[], stages: readonly { readonly label: string }[]): string[] {
  const judged = metrics.filter(
    (row) =>
      (row.statistic === 'mean' || row.statistic === 'value') &&
      row.better !== 'neither' &&
      row.difference?.percentOfA !== undefined,
  );
  const highest = judged.filter((row) => row.stage === stages.length - 1);
  if (highest.length < 5 || judged.some((row) => row.difference?.interval)) return [];
  const size = (row: MetricComparison): number => Math.abs(row.difference!.percentOfA!);
  const largest = (rows: readonly MetricComparison[]) => rows.reduce((x, y) => (size(y) > size(x) ? y : x));
  const figure = (row: MetricComparison): string => `${round(Number(size(row).toPrecision(2)))} % of A (${row.label})`;
  if (size(largest(highest)) > YARDSTICK_MEAN_PERCENT) return [];
  const outside = judged.filter((row) => size(row) > YARDSTICK_MEAN_PERCENT);
  const rest = outside.map(
    (row) =>
      `${row.label} at ${stages[row.stage]?.label ?? 'another load'} by ${round(Number(size(row).toPrecision(2)))} %`,
  );
  return [
    `Nothing measurable changed at ${stages.at(-1)!.label}: of ${highest.length} means and rates the largest difference is ${figure(largest(highest))}, and identical runs were seen to differ by ${YARDSTICK_MEAN_PERCENT} %.${stages.length > 1 ? ` Over all ${stages.length} loads, ${judged.length - outside.length} of ${judged.length} are within that${rest.length > 0 ? `; outside: ${rest.slice(0, 3).join(', ')}` : ''}.` : ''}`,
  ];
}

function findingNotes(findings: readonly Finding[]): string[] {
  return findings.flatMap((finding) => (finding.note === undefined ? [] : [finding.note]));
}

function intentNotes(findings: readonly Finding[], intended: readonly DimensionId[]): string[] {
  const notes: string[] = [];
  const unchanged = findings.filter((finding) => intended.includes(finding.dimension) && finding.state === 'same');
  for (const finding of unchanged) {
    notes.push(`Nothing changed in ${finding.dimension}, though you meant to: ${finding.message}`);
  }
  const changed = findings.filter((finding) => finding.state === 'intended');
  const [only] = changed;
  if (only && changed.length === 1 && only.changes && only.changes.length > 1) {
    notes.push(
      `${only.changes.length} things changed in ${only.dimension} (${only.changes.join('; ')}): a difference belongs to all of them together, not to one.`,
    );
  }
  if (changed.length > 1) {
    notes.push(
      `${changed.length} things changed (${changed.map((f) => f.dimension).join(', ')}): a difference cannot be given to one of them.`,
    );
  }
  return notes;
}
