// Was this very stream sent to this address before? Then a prefix cache may answer what the first time had to be computed.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST_FILE, MANIFEST_FORMAT, type RunManifest } from '../folder/manifest';
import type { Problem } from '../problem';

/** So many of the newest folders are looked at: a run shall not wait for an archive. */
const MOST_FOLDERS = 200;

/** The warning, when a run in one of these folders sent these prompts to this address; the newest such run is named. */
export function sentBefore(manifest: RunManifest, folders: readonly string[]): Problem[] {
  const earlier = manifestsIn(folders).filter(
    ({ run }) =>
      run.id !== manifest.id &&
      run.endpoint?.baseUrl === manifest.endpoint.baseUrl &&
      run.endpoint.model === manifest.endpoint.model &&
      run.workload?.promptsHash === manifest.workload.promptsHash &&
      run.workload.parameters?.['cache_salt'] === manifest.workload.parameters?.['cache_salt'],
  );
  const [last] = earlier
    .sort((a, b) => (a.run.clock?.startedAt ?? '').localeCompare(b.run.clock?.startedAt ?? ''))
    .slice(-1);
  if (!last) return [];
  const reset =
    manifest.endpoint.serverType === 'sglang'
      ? `curl -X POST ${manifest.endpoint.baseUrl}/flush_cache`
      : manifest.endpoint.serverType === 'vllm'
        ? `curl -X POST ${manifest.endpoint.baseUrl}/reset_prefix_cache`
        : 'vLLM: POST /reset_prefix_cache, SGLang: POST /flush_cache';
  return [
    {
      code: 'RUN039',
      severity: 'warning',
      path: [],
      message: `The same prompts went to this address before (${path.basename(last.folder)}, ${last.run.clock?.startedAt ?? 'time unknown'}): if the server kept them in its prefix cache, times to first token will be shorter than they were, and not because anything got better.`,
      remedy: `Empty the cache before the run (${reset}), restart the server, send a salt that keeps the cache apart (--salt auto, where the server knows cache_salt, as vLLM does), or send other prompts: another seed ("# isoperf: seed=N", the same N on both sides of a comparison) salts every one of them.`,
    },
  ];
}

interface Found {
  readonly folder: string;
  readonly run: DeepPartial<RunManifest>;
}

type DeepPartial<T> = { readonly [Key in keyof T]?: T[Key] extends object ? DeepPartial<T[Key]> : T[Key] };

function manifestsIn(folders: readonly string[]): Found[] {
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
