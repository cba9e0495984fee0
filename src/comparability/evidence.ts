// Evidence: what was read, and where. "Not recorded" is evidence too, and is never left out.
import type { ConfigPath } from '../problem';
import { MANIFEST_FILE, RECORDS_FILE } from '../folder/manifest';
import type { Evidence } from './comparison';
import { toldAt, type Side } from './side';

/** A value of `undefined` or null is "not recorded". */
export function inManifest(key: string, value: unknown, configPath?: ConfigPath): Evidence {
  return evidence(MANIFEST_FILE, key, value, configPath);
}

export function inRecords(key: string, value: unknown): Evidence {
  return evidence(RECORDS_FILE, key, value);
}

export function inReport(file: string, key: string, value: unknown): Evidence {
  return evidence(file, key, value);
}

/** From the run's config as it ran; the place to click is the config's. Another tool's word is quoted from its own file. */
export function inConfig(side: Side, path: ConfigPath, value: unknown): Evidence {
  const told = toldAt(side.run, path);
  if (told && !side.run.manifest && side.run.config === undefined) return evidence(told.file, told.key, value);
  const key = path.map(String).join('.');
  return side.run.manifest
    ? evidence(MANIFEST_FILE, `config.effective.${key}`, value, path)
    : evidence(side.run.configFile ?? 'config.yaml', key, value, path);
}

function evidence(file: string, key: string, value: unknown, configPath?: ConfigPath): Evidence {
  const text = wordsOf(value);
  return {
    file,
    key,
    ...(text === undefined ? {} : { value: text }),
    ...(configPath ? { configPath } : {}),
  };
}

function wordsOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return JSON.stringify(value);
  // A section of a config, as it reads: "min 32, max 256, mean 128"; what is null was not set.
  const entries = Object.entries(value as Record<string, unknown>).filter(([, part]) => part !== null);
  return entries.map(([key, part]) => `${key} ${typeof part === 'string' ? part : JSON.stringify(part)}`).join(', ');
}
