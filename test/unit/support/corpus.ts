// The public result files beside the repository; tests that read them say so and stop when they are not there.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

export const CORPUS = path.resolve(import.meta.dirname, '../../../../shared/corpus/reports');

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
