// Runs that lack something: a part of the manifest, fields of every request, whole files.
import type { RequestRecord } from '../../../src/metrics/record';
import type { RunManifest } from '../../../src/folder/manifest';
import type { Run } from '../../../src/readers/run';

/** A copy whose manifest lacks something. */
function changed(original: Run, change: (manifest: Record<string, never>) => void): Run {
  const manifest = structuredClone(original.manifest) as unknown as Record<string, never>;
  change(manifest);
  const kept = manifest as unknown as RunManifest;
  return { ...original, manifest: kept, config: kept.config.effective };
}

export function recordsWithout(original: Run, ...keys: (keyof RequestRecord)[]): Run {
  const records = original.records!.map(
    (record) =>
      Object.fromEntries(
        Object.entries(record).filter(([key]) => !keys.includes(key as keyof RequestRecord)),
      ) as unknown as RequestRecord,
  );
  return { ...original, records };
}

interface Loose {
  stages: Record<string, unknown>[];
  health: unknown[];
  tokens?: unknown;
  endpoint: Record<string, unknown>;
  config: { effective: Record<string, Record<string, unknown>> };
  lengths?: unknown;
  workload: Record<string, unknown>;
}

export const drop = (original: Run, change: (manifest: Loose) => void): Run =>
  changed(original, (manifest) => change(manifest as unknown as Loose));

export function without(original: Run, key: 'manifest' | 'records' | 'config'): Run {
  return Object.fromEntries(Object.entries(original).filter(([name]) => name !== key)) as unknown as Run;
}

export function withoutRecords(original: Run): Run {
  return without(original, 'records');
}
