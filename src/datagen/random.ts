// Seeded randomness: independent, named streams of numbers, so that one part of a run never shifts another's draws.
import { createHash } from 'node:crypto';
import type { Seed } from '../config/model/lax';
import { jsonText } from '../figures';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';

export type Rng = RandomGenerator;

/** Part of every stream's name: raise it when the meaning of a stream changes, so that old seeds do not half-match. */
const STREAM_VERSION = 'isoperf-streams-1';

/**
 * The stream of a seed that belongs to one purpose, e.g. `stream(7, 'arrivals', 'measured', 0)`.
 *
 * The 128-bit state is the head of sha256 over (version, seed, name). Streams with different names are independent, and a
 * name says nothing about how many other streams exist: a warm-up stage put before a measured stage, or another purpose
 * drawn first, leaves the measured stage's numbers as they were. Stages are therefore named by their index among the
 * stages of their kind (`measured` or `warmup`), see `stageStream`.
 */
export function stream(seed: Seed, purpose: string, ...name: readonly (string | number)[]): Rng {
  const digest = createHash('sha256')
    .update(jsonText([STREAM_VERSION, seed, purpose, ...name]))
    .digest();
  return xoroshiro128plusFromState([0, 4, 8, 12].map((at) => digest.readInt32LE(at)));
}

/** What a stage's streams are named by: its index among the measured stages, or among the warm-up stages; a sweep's probe is apart. */
export interface StageName {
  readonly kind: 'measured' | 'warmup' | 'probe';
  readonly index: number;
}

/** The stream of one purpose in one stage. */
export function stageStream(seed: Seed, purpose: string, stage: StageName): Rng {
  return stream(seed, purpose, stage.kind, stage.index);
}

/** Names stages from their warm-up flags, in order. */
export function nameStages(warmup: readonly boolean[]): StageName[] {
  const next = { measured: 0, warmup: 0 };
  return warmup.map((isWarmup) => {
    const kind: 'warmup' | 'measured' = isWarmup ? 'warmup' : 'measured';
    return { kind, index: next[kind]++ };
  });
}

/** Uniform in [0, 1), 53 bits. */
export function uniform01(rng: Rng): number {
  return uniformFloat64(rng);
}

/** Uniform integer in [0, bound). */
export function integerBelow(rng: Rng, bound: number): number {
  return uniformInt(rng, 0, bound - 1);
}

/** Standard normal, by Box and Muller (1958); always two draws, so that the n-th value depends on n alone. */
export function standardNormal(rng: Rng): number {
  const radius = Math.sqrt(-2 * Math.log(1 - uniform01(rng)));
  return radius * Math.cos(2 * Math.PI * uniform01(rng));
}

/** Exponential with mean 1, by inversion. */
export function standardExponential(rng: Rng): number {
  return -Math.log(1 - uniform01(rng));
}

/** Largest mean that is counted by multiplying uniforms: exp(-500) is still far from underflow. */
const POISSON_BLOCK = 500;

/**
 * Poisson with the given mean, by counting how many uniforms multiply down to exp(-mean) (Knuth, TAOCP 3.4.1). Large means
 * are a sum of smaller ones: a sum of independent Poisson variables is Poisson, so the law stays exact.
 */
export function poisson(rng: Rng, mean: number): number {
  let count = 0;
  let left = mean;
  while (left > 0) {
    const limit = Math.exp(-Math.min(left, POISSON_BLOCK));
    left -= POISSON_BLOCK;
    for (let product = 1 - uniform01(rng); product > limit; product *= 1 - uniform01(rng)) count++;
  }
  return count;
}

/** Shuffles in place (Fisher and Yates). */
export function shuffle(rng: Rng, values: unknown[]): void {
  for (let last = values.length - 1; last > 0; last--) {
    const other = integerBelow(rng, last + 1);
    [values[last], values[other]] = [values[other], values[last]];
  }
}
