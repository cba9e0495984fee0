// N requests at a rate, as a stage that has a whole number of seconds and sends exactly N.

/** Beyond this the rate is another one. */
const RATE_TOLERANCE = 0.005;

export interface CountedStage {
  readonly rate: number;
  readonly duration: number;
  /** The rate differs from the one asked for by more than half a percent. */
  readonly isOff: boolean;
}

/**
 * inference-perf sends floor(rate x duration) requests and takes whole seconds: the duration is the nearest, and the rate such that the
 * product, in the floats of both languages, is no hair below N.
 * @param count requests @param asked requests/s
 */
export function countedStage(count: number, asked: number): CountedStage {
  const duration = Math.max(1, Math.round(count / asked));
  let rate = count / duration;
  while (Math.floor(rate * duration) < count) rate = nextUp(rate);
  return { rate, duration, isOff: Math.abs(rate / asked - 1) > RATE_TOLERANCE };
}

function nextUp(value: number): number {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  bits.setBigUint64(0, bits.getBigUint64(0) + 1n);
  return bits.getFloat64(0);
}
