// Runs of this workspace whose folders are there already, newest first.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST_FILE, MANIFEST_FORMAT, type RunManifest } from '../folder/manifest';

/** So many of the newest folders are looked at: a run shall not wait for an archive. */
const MOST_FOLDERS = 200;

/** All but the run itself, by when they started. */
export function earlierRuns(manifest: Pick<RunManifest, 'id'>, folders: readonly string[]): EarlierRun[] {
  const startedAt = ({ run }: EarlierRun): string => run.clock?.startedAt ?? '';
  return manifestsIn(folders)
    .filter(({ run }) => run.id !== manifest.id)
    .sort((a, b) => startedAt(b).localeCompare(startedAt(a)));
}

/** The folder of the last run of the same config file; undefined where there is none. */
export function previousRun(manifest: RunManifest, folders: readonly string[]): string | undefined {
  return earlierRuns(manifest, folders).find(({ run }) => run.config?.file === manifest.config.file)?.folder;
}

export interface EarlierRun {
  readonly folder: string;
  readonly run: DeepPartial<RunManifest>;
}

type DeepPartial<T> = { readonly [Key in keyof T]?: T[Key] extends object ? DeepPartial<T[Key]> : T[Key] };

function manifestsIn(folders: readonly string[]): EarlierRun[] {
  const places = [...new Set(folders)].flatMap((folder) => {
    try {
      return readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => path.join(folder, entry.name));
    } catch {
      return [];
    }
  });
  return [...new Set(places)]
    .filter((folder) => existsSync(path.join(folder, MANIFEST_FILE)))
    .map((folder) => ({ folder, changed: statSync(path.join(folder, MANIFEST_FILE)).mtimeMs }))
    .sort((a, b) => b.changed - a.changed)
    .slice(0, MOST_FOLDERS)
    .flatMap(({ folder }) => {
      try {
        const run = JSON.parse(readFileSync(path.join(folder, MANIFEST_FILE), 'utf8')) as DeepPartial<RunManifest>;
        return run.format === MANIFEST_FORMAT ? [{ folder, run }] : [];
      } catch {
        // A half-written or foreign file is no earlier run.
        return [];
      }
    });
}
