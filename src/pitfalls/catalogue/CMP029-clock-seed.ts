// CMP029: The seed is the clock.
import { fix, SEED, seedDirective } from '../fix';
import { type Check, warning } from '../in-config';
import { type Between, shown, value, where } from '../pair';
import { EVERYTHING, type Pitfall } from '../pitfall';

const DRAWN_FROM_SEED: readonly string[] = ['random', 'synthetic', 'otel_trace_replay', 'weka_trace_replay'];

const noBaseSeed: Check = ({ config, seed, isWritten }) =>
  seed === undefined && DRAWN_FROM_SEED.includes(config.data.type) && !isWritten(['load', 'base_seed'])
    ? [warning(['load', 'base_seed'])]
    : [];

/** Upstream's default is the time in milliseconds; no one writes such a number. */
const CLOCK_SEED = 1e12;

/** Whatever a folder's config has there. */
function isClock(seed: unknown): boolean {
  return (typeof seed === 'number' || typeof seed === 'bigint') && seed > CLOCK_SEED;
}

const clockSeed: Between = (pair) => {
  const seeds = [pair.a, pair.b].map((facts) => ({
    seed: facts.run.manifest?.workload.seed ?? value(facts, ['load', 'base_seed']),
    clock:
      facts.run.manifest === undefined
        ? isClock(value(facts, ['load', 'base_seed']))
        : facts.run.manifest.workload.seedSource === 'clock',
  }));
  const own = where(pair, (facts) => seeds[facts === pair.a ? 0 : 1]!.clock);
  if (own === undefined || seeds[0]!.seed === seeds[1]!.seed) return undefined;
  return `the seed of ${own} is the clock (${seeds.map(({ seed }) => shown(seed)).join(' and ')}): the two sides drew other lengths and prompts`;
};

export const CMP029: Pitfall = {
  code: 'CMP029',
  title: 'The seed is the clock',
  consequence: 'Without a seed every run draws other lengths and prompts, so a difference may be the workload’s.',
  remedy: 'Write load.base_seed, or "# isoperf: seed=N".',
  moves: EVERYTHING,
  configPaths: ['load.base_seed'],
  source: 'inference-perf: inference_perf/config/loadgen/config.py',
  inConfig: {
    words: 'load.base_seed is not written, there is no seed directive, and the data are drawn.',
    check: noBaseSeed,
  },
  between: { words: 'The seeds differ, and one of them is a clock’s.', look: clockSeed },
  mend: (_problem, page) => [
    ...seedDirective(page),
    ...fix(`Write load.base_seed: ${SEED}`, page.set(['load', 'base_seed'], String(SEED)), false),
  ],
};
