// What only the machine and the clock can fill in: the defaults that differ from run to run.
import type { Seed } from '../model/lax';
import type { Config } from '../model/schema';

export interface Machine {
  readonly cpus: number;
  /** Wall-clock time in milliseconds since 1970. */
  readonly nowMs: number;
}

/** A config with nothing left open: what a run uses and what its saved config.yaml says. */
export type EffectiveConfig = Omit<Config, 'load' | 'storage'> & {
  readonly load: Config['load'] & { readonly num_workers: number; readonly base_seed: Seed };
  readonly storage: Config['storage'];
};

/** Local time as `YYYYMMDD-HHMMSS`, upstream's form. */
export function timestamp(nowMs: number): string {
  const date = new Date(nowMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  return (
    `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}` +
    `-${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`
  );
}

/** Fills num_workers (CPU count), base_seed (now, in ms) and report paths as inference-perf does. A seed from a directive wins. */
export function withRuntimeDefaults(config: Config, machine: Machine, seed?: Seed): EffectiveConfig {
  const stamp = timestamp(machine.nowMs);
  const place = <T extends { path?: string | undefined }>(entry: T): T => ({
    ...entry,
    path: (entry.path ?? `reports-${stamp}`).replaceAll('{timestamp}', stamp),
  });
  const { storage } = config;
  return {
    ...config,
    load: {
      ...config.load,
      num_workers: config.load.num_workers ?? Math.max(1, machine.cpus),
      base_seed: seed ?? config.load.base_seed ?? Math.trunc(machine.nowMs),
    },
    storage: storage && {
      local_storage: place(storage.local_storage),
      google_cloud_storage: storage.google_cloud_storage && place(storage.google_cloud_storage),
      simple_storage_service: storage.simple_storage_service && place(storage.simple_storage_service),
    },
  };
}
