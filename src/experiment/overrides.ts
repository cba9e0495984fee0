// What an experiment puts over the configs of its sides: their own values, and the loads that both share.
import type { SideName } from './file';
import type { Experiment } from './read';

/** As `--set` takes them: JSON is YAML. */
export function overridesOf(experiment: Experiment, name: SideName): string[] {
  const { set = {}, endpoint } = experiment.sides[name];
  return [
    ...Object.entries(set).map(([key, value]) => setting(key, value)),
    ...(endpoint === undefined ? [] : [setting('server.base_url', endpoint)]),
    ...loadOf(experiment),
  ];
}

function setting(key: string, value: unknown): string {
  return `${key}=${JSON.stringify(value)}`;
}

const OPEN_LOOP = [setting('load.type', 'poisson'), setting('load.sweep', null)];
const SECONDS = 30;
const ROUNDS = 20;

function loadOf({ file: { curve } }: Experiment): string[] {
  if (curve?.rates) {
    const duration = curve.seconds ?? SECONDS;
    return [
      ...OPEN_LOOP,
      setting(
        'load.stages',
        curve.rates.map((rate) => ({ rate, duration })),
      ),
    ];
  }
  if (curve?.concurrency) {
    const stages = curve.concurrency.map((level) => ({
      concurrency_level: level,
      num_requests: curve.requests ?? ROUNDS * level,
    }));
    return [setting('load.type', 'concurrent'), setting('load.sweep', null), setting('load.stages', stages)];
  }
  return [];
}
