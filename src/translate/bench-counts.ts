// Counts among the flags of vllm bench serve and of SGLang's relative of it, and the stage of a config that becomes one command.
import type { Draft } from './draft';
import { refuse } from './sheet';
import type { Back } from './tool';

export const DEFAULTS = {
  input: 1024,
  output: 128,
  prompts: 1000,
  prefix: 256,
  suffix: 256,
  prefixes: 10,
  prefixOutput: 128,
};
const WHOLE = /^\d{1,9}$/;

/** A count from `least`; refused, and the default, where it is none. */
export function countIn(draft: Draft, flag: string, otherwise: number, least = 0): number {
  const text = draft.given.get(flag)?.[0];
  if (text === undefined) return otherwise;
  if (WHOLE.test(text) && Number(text) >= least) return Number(text);
  refuse(draft, `--${flag}`, `'${text}' is no whole number from ${least}.`, `Write --${flag} ${otherwise}.`);
  return otherwise;
}

export function promptsIn(draft: Draft): number {
  return countIn(draft, 'num-prompts', DEFAULTS.prompts, 1);
}

/** Of the measured stage: how many requests, at which rate or concurrency. */
export function stageOf({ loaded: { config }, stage }: Back): {
  requests?: number;
  rate?: number;
  concurrency?: number;
} {
  const own = config.load.stages[stage] as
    Partial<Record<'rate' | 'duration' | 'num_requests' | 'concurrency_level', number>> | undefined;
  if (!own) return {};
  if (config.load.type === 'concurrent') {
    return {
      ...(own.num_requests === undefined ? {} : { requests: own.num_requests }),
      ...(own.concurrency_level === undefined ? {} : { concurrency: own.concurrency_level }),
    };
  }
  const { rate, duration } = own;
  return rate === undefined || duration === undefined ? {} : { rate, requests: Math.floor(rate * duration) };
}
