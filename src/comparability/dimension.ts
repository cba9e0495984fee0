// The shape of a dimension: one question about two runs, its evidence on each side, and the judgement.
import type { DimensionId, DimensionState, Evidence, Finding, MetricName, MovedMetric, Statistic } from './comparison';
import type { Side } from './side';
import type { Matching } from './stages';

/** Both sides and what was matched: what a dimension may look at beyond its own evidence. */
export interface Context {
  readonly a: Side;
  readonly b: Side;
  readonly matching: Matching;
}

export interface SideEvidence {
  /** The side in a few words. */
  readonly summary: string;
  readonly evidence: readonly Evidence[];
}

export interface Judgement {
  /** `intended` is not a judgement: the user's declaration turns `confounds` into it. */
  readonly state: Extract<DimensionState, 'same' | 'confounds' | 'unknown'>;
  readonly message: string;
  /** Narrower than the dimension's `affects` where only part is moved. */
  readonly moves?: readonly MovedMetric[];
  readonly stages?: readonly number[];
  readonly follows?: DimensionId;
  readonly assumed?: string;
  readonly changes?: readonly string[];
  readonly note?: string;
  readonly remedy?: string;
  /** The pitfall that this difference is, where the dimension holds several. */
  readonly pitfall?: string;
}

export interface DimensionSpec<E extends SideEvidence> {
  readonly id: DimensionId;
  readonly title: string;
  readonly question: string;
  /** What counts as equal, and why. */
  readonly tolerance: string;
  /** Pitfall of the catalogue (`CMP` and inference-perf.md section 8's number). */
  readonly pitfall: string;
  readonly affects: readonly MovedMetric[];
  readonly remedy: string;
  readonly evidence: (side: Side, context: Context) => E;
  readonly judge: (a: E, b: E, context: Context) => Judgement;
}

export interface Dimension {
  readonly id: DimensionId;
  readonly title: string;
  readonly question: string;
  readonly affects: readonly MovedMetric[];
  readonly examine: (context: Context) => Finding;
}

/** Closes over the evidence's type, so that dimensions of different evidence sit in one list. */
export function dimension<E extends SideEvidence>(spec: DimensionSpec<E>): Dimension {
  const { id, title, question, affects } = spec;
  const examine = (context: Context): Finding => {
    const a = spec.evidence(context.a, context);
    const b = spec.evidence(context.b, context);
    const judgement = spec.judge(a, b, context);
    const differs = judgement.state !== 'same';
    return {
      dimension: id,
      title,
      question,
      state: judgement.follows ? 'follows' : judgement.state,
      message: judgement.message,
      tolerance: spec.tolerance,
      a: { summary: a.summary, evidence: a.evidence },
      b: { summary: b.summary, evidence: b.evidence },
      moves: judgement.moves ?? affects,
      ...(judgement.stages ? { stages: judgement.stages } : {}),
      ...(judgement.follows ? { follows: judgement.follows } : {}),
      ...(judgement.assumed === undefined ? {} : { assumed: judgement.assumed }),
      ...(judgement.changes ? { changes: judgement.changes } : {}),
      ...(judgement.note === undefined ? {} : { note: judgement.note }),
      pitfall: judgement.pitfall ?? spec.pitfall,
      ...(differs ? { remedy: judgement.remedy ?? spec.remedy } : {}),
    };
  };
  return { id, title, question, affects, examine };
}

/** Every quantity a comparison may show, in the order it shows them. */
const METRICS: readonly MetricName[] = [
  'ttft',
  'ttfc',
  'tpot',
  'itl',
  'ntpot',
  'request_latency',
  'requests_per_sec',
  'output_tokens_per_sec',
  'input_tokens_per_sec',
  'total_tokens_per_sec',
  'request_goodput',
  'error_rate',
  'schedule_delay',
];

export function moved(metrics: readonly MetricName[], statistics?: readonly Statistic[]): MovedMetric[] {
  return metrics.map((metric) => ({ metric, ...(statistics ? { statistics } : {}) }));
}

export const ALL: readonly MovedMetric[] = moved(METRICS);

export function same(message: string, more: Partial<Judgement> = {}): Judgement {
  return { state: 'same', message, ...more };
}

export function confounds(message: string, more: Partial<Judgement> = {}): Judgement {
  return { state: 'confounds', message, ...more };
}

/** @param sides evidence of A and B with whether each was recorded */
export function unknown(
  what: string,
  recordedA: boolean,
  recordedB: boolean,
  more: Partial<Judgement> = {},
): Judgement {
  if (recordedA && recordedB) {
    // Each side counted in a way the other cannot: there is evidence, but nothing to hold it against.
    return {
      state: 'unknown',
      message: `${what} was recorded by different counters on A and B, so it may differ.`,
      ...more,
    };
  }
  const where = !recordedA && !recordedB ? 'either side' : recordedA ? 'B' : 'A';
  const remedy = 'Measure that side with isoperf run, which records it; or make sure by other means that it was equal.';
  return { state: 'unknown', message: `${what} is not recorded on ${where}, so it may differ.`, remedy, ...more };
}

/**
 * Neither side records it and no run could: what a reader has to believe, instead of a reason to stop. Only where nothing that
 * is recorded speaks against it.
 */
export function assumption(message: string, assumed: string, more: Partial<Judgement> = {}): Judgement {
  return { state: 'unknown', message, assumed, ...more };
}
