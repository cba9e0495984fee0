// What a check of a config reports, and the few questions all checks ask.
import type { LoadedConfig } from '../../config/load';
import type { ConfigPath, Severity } from '../../problem';

export interface Hit {
  readonly code: number;
  readonly severity: Exclude<Severity, 'error'>;
  readonly path: ConfigPath;
  /** With this file's own figures; absent: the entry's consequence. */
  readonly message?: string;
  readonly remedy?: string;
  /** Values the judgement rests on; when one of them is a placeholder the hit is dropped. */
  readonly restsOn?: readonly ConfigPath[];
}

export type Check = (loaded: LoadedConfig) => readonly Hit[];

export function warning(
  code: number,
  path: ConfigPath,
  more: Omit<Partial<Hit>, 'code' | 'path' | 'severity'> = {},
): Hit {
  return { code, severity: 'warning', path, ...more };
}

export function note(code: number, path: ConfigPath, more: Omit<Partial<Hit>, 'code' | 'path' | 'severity'> = {}): Hit {
  return { code, severity: 'information', path, ...more };
}

export interface StagePlan {
  readonly index: number;
  readonly warmup: boolean;
  /** Requests the stage will send, as upstream counts them; undefined for traces and sessions. */
  readonly requests: number | undefined;
}

/** Requests per stage: the whole part of rate x duration, or num_requests. */
export function stagePlans({ config, warmupStages }: LoadedConfig): readonly StagePlan[] {
  const { load } = config;
  if (load.type === 'concurrent')
    return load.stages.map((stage, index) => ({
      index,
      warmup: warmupStages.has(index),
      requests: stage.num_requests,
    }));
  if (load.type === 'constant' || load.type === 'poisson')
    return load.stages.map((stage, index) => ({
      index,
      warmup: warmupStages.has(index),
      requests: Math.floor(stage.rate * stage.duration),
    }));
  return load.stages.map((_stage, index) => ({ index, warmup: warmupStages.has(index), requests: undefined }));
}

export function stagePath(index: number, key?: string): ConfigPath {
  return key === undefined ? ['load', 'stages', index] : ['load', 'stages', index, key];
}
