// Two runs in, one judged comparison out.
import type { Run } from '../report/run';
import type { Comparison, DimensionId, DimensionState, Finding } from './comparison';
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
import { comparedRun, identityNotes, NOISE_YARDSTICK, NOT_EXAMINED } from './identity';
import { compareMetrics } from './metrics';
import { loadLabel, sideOf } from './side';
import { matchStages } from './stages';
import { claimOf, verdictOf } from './verdict';

/** In the order a reader would ask; findings of one state keep it. */
export const DIMENSIONS: readonly Dimension[] = [
  loadModel,
  arrivalProcess,
  offeredLoad,
  clientLimit,
  warmupWindow,
  completeness,
  inputLength,
  outputLength,
  stopBehaviour,
  tokenSource,
  endpointMode,
  sampleSize,
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
  const bounds = claim.text === undefined ? [NOISE_YARDSTICK, NOT_EXAMINED] : [];
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
    notes: [...intentNotes(findings, intended), ...identityNotes(a, b), ...bounds],
  };
}

/** What follows from an intended change is part of it: it has no state of its own to turn. */
function declared(finding: Finding, intended: readonly DimensionId[]): Finding {
  if (finding.state !== 'confounds' || !intended.includes(finding.dimension)) return finding;
  return { ...finding, state: 'intended' };
}

function intentNotes(findings: readonly Finding[], intended: readonly DimensionId[]): string[] {
  const notes: string[] = [];
  const unchanged = findings.filter((finding) => intended.includes(finding.dimension) && finding.state === 'same');
  for (const finding of unchanged) {
    notes.push(`Nothing changed in ${finding.dimension}, though you meant to: ${finding.message}`);
  }
  const changed = findings.filter((finding) => finding.state === 'intended');
  if (changed.length > 1) {
    notes.push(
      `${changed.length} things changed (${changed.map((f) => f.dimension).join(', ')}): a difference cannot be given to one of them.`,
    );
  }
  return notes;
}
