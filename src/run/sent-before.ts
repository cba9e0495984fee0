// Was this very stream sent to this address before? Then a prefix cache may answer what the first time had to be computed.
import path from 'node:path';
import type { RunManifest } from '../folder/manifest';
import type { Problem } from '../problem';
import { earlierRuns } from './earlier-runs';

/** The warning, when a run in one of these folders sent these prompts to this address; the newest such run is named. */
export function sentBefore(manifest: RunManifest, folders: readonly string[]): Problem[] {
  const last = earlierRuns(manifest, folders).find(
    ({ run }) =>
      run.endpoint?.baseUrl === manifest.endpoint.baseUrl &&
      run.endpoint.model === manifest.endpoint.model &&
      run.workload?.promptsHash === manifest.workload.promptsHash &&
      run.workload.parameters?.['cache_salt'] === manifest.workload.parameters?.['cache_salt'],
  );
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
