// `--pin-sweep`: the rates an earlier run's sweep found, from its run.json.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST_FILE } from '../folder/manifest';
import { UsageError } from './command';

/**
 * @param name a run.json or the folder that holds it, relative to `cwd`
 * @throws UsageError when it cannot be read or holds no sweep
 */
export function readPinnedSweep(name: string, cwd: string): { ratesRps: readonly number[]; source: string } {
  let sweep: unknown;
  try {
    const given = path.resolve(cwd, name);
    const file = statSync(given).isDirectory() ? path.join(given, MANIFEST_FILE) : given;
    sweep = (JSON.parse(readFileSync(file, 'utf8')) as { sweep?: unknown }).sweep;
  } catch (error) {
    throw new UsageError(`--pin-sweep ${name} cannot be read: ${(error as Error).message}`);
  }
  const rates: unknown =
    typeof sweep === 'object' && sweep !== null && 'ratesRps' in sweep ? sweep.ratesRps : undefined;
  if (!Array.isArray(rates) || rates.length === 0 || !rates.every((rate) => typeof rate === 'number' && rate > 0)) {
    throw new UsageError(`--pin-sweep ${name} holds no rates of a sweep: name the run.json of a run with load.sweep`);
  }
  return { ratesRps: rates as number[], source: name };
}
