// The public result files beside the repository; tests that read them say so and stop when they are not there.
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

export const SHARED = path.resolve(import.meta.dirname, '../../../../shared');
export const CORPUS = path.join(SHARED, 'corpus/reports');

/** Prints one line when it is missing. */
export function hasCorpus(): boolean {
  const there = existsSync(CORPUS);
  if (!there) console.log(`skipped: ${CORPUS} is not there`);
  return there;
}

/** Every report of the corpus: files of single-file tools, folders of inference-perf. Paths relative to it. */
export function corpusReports(): string[] {
  if (!existsSync(CORPUS)) return [];
  const files = [
    'aiperf',
    'guidellm',
    'inferencex',
    'llm-d-benchmark',
    'llmperf',
    'sglang-bench-serving',
    'vllm-bench-serve',
  ].flatMap((tool) =>
    readdirSync(path.join(CORPUS, tool))
      .filter((file) => !file.includes('json_schema'))
      .map((file) => `${tool}/${file}`),
  );
  const variants = readdirSync(path.join(CORPUS, 'inference-perf/kubecon-ab'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `inference-perf/kubecon-ab/${name}`);
  return [...files, ...variants, 'inference-perf/corpus-v0_5_0', 'inference-perf/kubecon-demo'];
}

/**
 * Every file and folder that holds one report, in these folders of ../shared; none where they are not there, as a list is made before a
 * test can be skipped.
 */
export function reportPlaces(...sets: readonly string[]): string[] {
  return sets.flatMap((set) => placesIn(path.join(SHARED, set), 0));
}

function placesIn(folder: string, depth: number): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder);
  if (depth > 0 && names.some((name) => /_lifecycle_metrics\.json$|^run\.json$|^profile_export/.test(name)))
    return [folder];
  return names.flatMap((name) => {
    const place = path.join(folder, name);
    if (statSync(place).isDirectory()) return placesIn(place, depth + 1);
    return /\.(?:json|jsonl|ya?ml)$/.test(name) && !/schema|config/.test(name) ? [place] : [];
  });
}

/** Every single file of the public results, whatever it is part of; none where they are not there. */
export function corpusFiles(folder = CORPUS): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(folder, entry.name);
    return entry.isDirectory() ? corpusFiles(place) : /\.(json|jsonl|ya?ml)$/.test(entry.name) ? [place] : [];
  });
}
