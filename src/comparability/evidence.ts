// Evidence: what was read, and where. "Not recorded" is evidence too: it names where it would stand, and why it does not.
import { jsonText } from '../figures';
import type { ConfigPath } from '../problem';
import { MANIFEST_FILE, RECORDS_FILE } from '../folder/manifest';
import type { Known, Place } from '../readers/facts';
import { mainFile } from '../readers/facts-of';
import type { Evidence } from './comparison';
import { settingOf, type Side } from './side';

/** A fact where its reader found it. @param shown what to show instead of the value; undefined where it is not recorded */
export function inFact({ at, ...known }: Known<unknown>, shown: unknown = known.value): Evidence {
  return evidence(at, shown, 'reason' in known ? known.reason : undefined);
}

/** Of our own run.json. Another tool has none: the words then stand for what its file does not say. Undefined and null: not recorded. */
export function inManifest(side: Side, key: string, value: unknown, configPath?: ConfigPath): Evidence {
  const { manifest, damaged, tool } = side.run;
  if (manifest || damaged === true) return evidence({ file: MANIFEST_FILE, key, ...clickable(configPath) }, value);
  return evidence(
    { file: mainFile(side.run), key, ...clickable(configPath) },
    value,
    `not in the files of ${tool.name}`,
  );
}

/** Over the requests: of ours in records.jsonl, of another tool in its own per-request file. */
export function inRecords(side: Side, key: string, value: unknown): Evidence {
  const { manifest, damaged, records, perRequest } = side.run;
  const isOurs = manifest !== undefined || damaged === true || records !== undefined;
  const file = perRequest?.file ?? (isOurs ? RECORDS_FILE : mainFile(side.run));
  return evidence({ file, key }, value, records ? undefined : 'no per-request records');
}

export function inReport(file: string, key: string, value: unknown): Evidence {
  return evidence({ file, key }, value);
}

/** What ran, where the config or another tool's own file says it. @param shown instead of the value */
export function inSetting(side: Side, path: ConfigPath, shown?: unknown): Evidence {
  const setting = settingOf(side.run, path);
  return inFact(setting, shown ?? setting.value);
}

function clickable(configPath: ConfigPath | undefined): Pick<Place, 'configPath'> {
  return configPath ? { configPath } : {};
}

function evidence({ file, key, configPath }: Place, value: unknown, reason?: string): Evidence {
  const text = wordsOf(value);
  return {
    file,
    key,
    ...(text === undefined ? { reason: reason ?? 'not in that file' } : { value: text }),
    ...(configPath ? { configPath } : {}),
  };
}

function wordsOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return jsonText(value);
  // A section of a config, as it reads: "min 32, max 256, mean 128"; what is null was not set.
  const entries = Object.entries(value as Record<string, unknown>).filter(([, part]) => part !== null);
  return entries.map(([key, part]) => `${key} ${typeof part === 'string' ? part : jsonText(part)}`).join(', ');
}
