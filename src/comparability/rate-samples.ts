// Rates of a pair of stages: their values, and resamples that carry what is chance in them and nothing else.
import { MINIMUM_REQUESTS, studentOverNormal, uniformIntegers } from '../metrics/bootstrap';
import { pairedNoise, rateNoise, relativeError, type Arrivals, type RateNoise } from '../metrics/rate-noise';
import { isSuccess } from '../metrics/request-metrics';
import { reportedRate, type Counting, type RateQuantity } from './quantities';
import { sameSchedule, type RequestPairs } from './request-pairs';
import { NO_RECORDS, sizeIn, tooFewForInterval, windowOf, type Draws, type Sample } from './samples';
import type { MeasuredStage } from './side';
import type { StagePair } from './stages';
import { own } from '../own';

interface Rate {
  readonly sample: Sample;
  readonly noise?: RateNoise;
}

/** Laws that send so many requests in so long by design: `filling` lets chance say where in that time. */
const DESIGNED: Readonly<Record<string, Arrivals>> = { even: 'fixed', 'exponential-gaps-rescaled': 'filling' };

export interface RatePair {
  readonly a: Sample;
  readonly b: Sample;
  /** How the interval came about. */
  readonly method: string;
}

const FROM_COUNT = 'delta method for count over span, in slices that hold many arrivals';

/**
 * Both sides' rate. Where they sent the very same schedule, arrivals are no chance; where requests are pairs as well, neither is what
 * they ask for.
 */
export function rateSamples(
  { a, b }: StagePair,
  quantity: RateQuantity,
  [countingA, countingB]: readonly [Counting, Counting],
  pairs: RequestPairs | undefined,
  draws: Draws,
): RatePair {
  const schedule = sameSchedule(a, b);
  const x = rateOf(a, quantity, countingA, schedule);
  const y = rateOf(b, quantity, countingB, schedule);
  const method = schedule ? `${FROM_COUNT}; both sides sent the same schedule` : FROM_COUNT;
  if (!x.noise || !y.noise) return { a: x.sample, b: y.sample, method };
  // Every request of both windows is one of a pair: what they ask for is the same.
  const whole = pairs !== undefined && pairs.a.length === x.noise.influence.length;
  const joint = whole ? pairedNoise(x.noise, y.noise) : undefined;
  const [valueA, valueB] = [x.sample.side.value!, y.sample.side.value!];
  const normal = normals(draws.seed);
  const own = (noise: RateNoise): Float64Array => {
    const { error, student } = sized(noise);
    return Float64Array.from({ length: draws.resamples }, () => error * student * normal());
  };
  const drawn = joint ? { a: undefined, b: own(joint) } : { a: own(x.noise), b: own(y.noise) };
  const around = (value: number, errors: Float64Array | undefined): Float64Array =>
    Float64Array.from({ length: draws.resamples }, (_, r) => value * (1 + (errors?.[r] ?? 0)));
  return {
    a: { ...x.sample, resampled: around(valueA, drawn.a) },
    b: { ...y.sample, resampled: around(valueB, drawn.b) },
    method: joint ? `${method}, request by request` : method,
  };
}

function sized(noise: RateNoise): { readonly error: number; readonly student: number } {
  const { error, freedom } = relativeError(noise);
  return { error, student: studentOverNormal(freedom) };
}

/** Sum of the weights of the successes over the window from first send to last end, as inference-perf counts. */
function rateOf(stage: MeasuredStage, quantity: RateQuantity, counting: Counting, schedule: boolean): Rate {
  if (!stage.records) {
    const value = stage.scope && reportedRate(stage.scope, quantity);
    const size = sizeIn(stage.scope, stage.scope?.counts.ok);
    if (value === undefined) {
      return { sample: { side: { ...size, missing: stage.scope ? 'not counted' : 'no report of this stage' } } };
    }
    return { sample: { side: { ...size, value }, noInterval: NO_RECORDS } };
  }
  const { scope, successes, spanSeconds: span } = windowOf(stage.records);
  const n = successes.length;
  if (n === 0) return { sample: { side: { n, missing: 'no request succeeded' } } };
  if (span <= 0) return { sample: { side: { n, missing: 'when the answers ended is not recorded' } } };
  let total = 0;
  let uncounted = 0;
  const requests = scope.map((record) => {
    const weight = isSuccess(record) ? quantity.weight(record, counting) : 0;
    if (weight === undefined) uncounted++;
    total += weight ?? 0;
    const sentSeconds = record.sentSeconds ?? record.attemptedSeconds ?? NaN;
    return { sentSeconds, endSeconds: record.endSeconds ?? sentSeconds, weight: weight ?? 0 };
  });
  if (uncounted > 0) {
    const missing = uncounted === n ? 'tokens were not counted' : `${uncounted} of ${n} answers were not counted`;
    return { sample: { side: { n, missing } } };
  }
  const side = { n, value: total / span };
  if (n < MINIMUM_REQUESTS) return { sample: { side, noInterval: tooFewForInterval(n) } };
  if (total === 0) return { sample: { side, noInterval: 'nothing happened that could be resampled' } };
  if (requests.some(({ sentSeconds }) => Number.isNaN(sentSeconds))) {
    return { sample: { side, noInterval: 'when requests were sent is not recorded' } };
  }
  requests.sort((x, y) => x.sentSeconds - y.sentSeconds);
  const law = own(DESIGNED, stage.facts.arrivalLaw.value ?? '') ?? 'drawn';
  const noise = rateNoise(requests, schedule ? 'fixed' : law, stage.load.kind === 'concurrency');
  return { sample: { side }, noise };
}

/** Standard normal values by Box and Muller (1958). */
function normals(seed: number): () => number {
  const whole = 2 ** 30;
  const draw = uniformIntegers(seed, whole);
  return () => Math.sqrt(-2 * Math.log((draw() + 0.5) / whole)) * Math.cos((2 * Math.PI * (draw() + 0.5)) / whole);
}
