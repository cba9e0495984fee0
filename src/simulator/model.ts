// The truth of a simulated server, as pure functions: what it answers and when each token is due. Tests and benches
// compare measurements with what is written here.
import { createHash } from 'node:crypto';
import { integerBelow, standardExponential, stream, uniform01 } from '../datagen/random';
import type { FaultKind, SimulatorOptions } from './options';
import { WORDS } from './vocabulary';

/** What a request asks of the model, whatever its route. */
export interface GenerationRequest {
  readonly maxTokens: number;
  readonly minTokens: number;
  readonly ignoreEos: boolean;
}

/** Everything about an answer but its times. */
export interface AnswerPlan {
  readonly words: readonly string[];
  /** `length`: cut at max_tokens. `stop`: the model ended it; the end costs one more step, without a token. */
  readonly finishReason: 'length' | 'stop';
  readonly fault?: FaultKind;
}

type Truth = Pick<
  SimulatorOptions,
  | 'seed'
  | 'ttftSeconds'
  | 'prefillSecondsPerToken'
  | 'tokenSeconds'
  | 'jitter'
  | 'ignoreEos'
  | 'eosMean'
  | 'tokensPerChunk'
  | 'faultRate'
  | 'faultKinds'
>;

/** A request with the fault `slow` takes so many times as long. */
export const SLOW_FACTOR = 10;

/** What stands for a request's body in the functions below; the same body has the same key. */
export function bodyKey(body: string): string {
  return createHash('sha256').update(body).digest('base64');
}

/**
 * The answer to a request: a function of the seed and the request's body alone, so that neither the load nor the order of
 * arrival changes it.
 */
export function planAnswer(truth: Truth, key: string, request: GenerationRequest): AnswerPlan {
  const natural = naturalLength(truth, key);
  const runsOn = request.ignoreEos && truth.ignoreEos === 'honour';
  const wanted = runsOn ? request.maxTokens : Math.max(natural, request.minTokens);
  const length = Math.min(wanted, request.maxTokens);
  const rng = stream(truth.seed, 'simulator words', key);
  const fault = planFault(truth, key);
  return {
    words: Array.from({ length }, () => WORDS[integerBelow(rng, WORDS.length)]!),
    finishReason: runsOn || wanted >= request.maxTokens ? 'length' : 'stop',
    ...(fault === undefined ? {} : { fault }),
  };
}

/** Where the model would end by itself: a gamma law of shape 4 (coefficient of variation 0.5), at least one token. */
function naturalLength(truth: Pick<Truth, 'seed' | 'eosMean'>, key: string): number {
  const rng = stream(truth.seed, 'simulator end', key);
  const shape = 4;
  let sum = 0;
  for (let i = 0; i < shape; i++) sum += standardExponential(rng);
  return Math.max(1, Math.round((sum * truth.eosMean) / shape));
}

function planFault(truth: Pick<Truth, 'seed' | 'faultRate' | 'faultKinds'>, key: string): FaultKind | undefined {
  if (truth.faultRate <= 0 || truth.faultKinds.length === 0) return undefined;
  const rng = stream(truth.seed, 'simulator faults', key);
  if (uniform01(rng) >= truth.faultRate) return undefined;
  return truth.faultKinds[integerBelow(rng, truth.faultKinds.length)];
}

/** Due times of one sequence, one step after another; steps may be lengthened by the load at that moment. */
export interface Pace {
  /** Seconds from admission to the first token. */
  first(uncachedPromptTokens: number): number;
  /** Seconds from one token to the next, while `running` sequences run. */
  next(running: number): number;
}

export function createPace(truth: Truth & Pick<SimulatorOptions, 'loadFactor'>, key: string, fault?: FaultKind): Pace {
  const rng = stream(truth.seed, 'simulator jitter', key);
  const scale = fault === 'slow' ? SLOW_FACTOR : 1;
  const factor = (): number => (truth.jitter === 0 ? scale : scale * (1 + truth.jitter * (2 * uniform01(rng) - 1)));
  return {
    first: (uncached) => (truth.ttftSeconds + truth.prefillSecondsPerToken * uncached) * factor(),
    next: (running) => truth.tokenSeconds * (1 + truth.loadFactor * Math.max(0, running - 1)) * factor(),
  };
}

export interface ExpectedAnswer {
  /** Seconds from admission to each token-carrying event. An event leaves when the last of its tokens is ready. */
  readonly chunkSeconds: readonly number[];
  readonly chunkTokens: readonly number[];
  /** Seconds from admission to the end of the answer. */
  readonly endSeconds: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/**
 * What a client must see of a request that is admitted at once, on a server without `loadFactor`; a request that waits is
 * later by its wait. Faults other than `slow` are not in it.
 */
export function expectedAnswer(
  truth: Truth,
  body: string,
  request: GenerationRequest & { readonly promptTokens: number; readonly cachedTokens: number },
): ExpectedAnswer {
  const key = bodyKey(body);
  const plan = planAnswer(truth, key, request);
  const pace = createPace({ ...truth, loadFactor: 0 }, key, plan.fault);
  const chunkSeconds: number[] = [];
  const chunkTokens: number[] = [];
  let due = pace.first(request.promptTokens - request.cachedTokens);
  plan.words.forEach((_, index) => {
    if (index > 0) due += pace.next(1);
    const inChunk = (index % truth.tokensPerChunk) + 1;
    if (inChunk === truth.tokensPerChunk || index === plan.words.length - 1) {
      chunkSeconds.push(due);
      chunkTokens.push(inChunk);
    }
  });
  const endSeconds = plan.finishReason === 'stop' ? due + pace.next(1) : due;
  return {
    chunkSeconds,
    chunkTokens,
    endSeconds,
    promptTokens: request.promptTokens,
    completionTokens: plan.words.length,
  };
}
