// What is cited is a file that was read: another tool's run has neither a run.json nor a records.jsonl.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRun } from '../../../src/cli/compare-input';
import type { CliIo } from '../../../src/cli/command';
import { compare } from '../../../src/comparability/compare';
import type { Evidence } from '../../../src/comparability/comparison';
import { readRun } from '../../../src/readers/read';
import { withRecords } from '../../../src/readers/records/attach';
import type { Run } from '../../../src/readers/run';
import { CORPUS, hasCorpus } from '../support/corpus';
import { lifecycle, trueRequests } from '../support/foreign-results';
import { memoryFolder } from '../support/memory-folder';

/** Evidence with a value, with the run it is of. */
function cited(a: Run, b: Run): (readonly [Run, string, Evidence])[] {
  return compare(a, b).findings.flatMap(({ dimension, ...sides }) =>
    (
      [
        [a, sides.a],
        [b, sides.b],
      ] as const
    ).flatMap(([run, { evidence }]) =>
      evidence.filter(({ value }) => value !== undefined).map((entry) => [run, dimension, entry] as const),
    ),
  );
}

async function opened(files: Readonly<Record<string, string>>): Promise<Run> {
  const read = await readRun(memoryFolder(files));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return withRecords(read.value);
}

describe('evidence of another tool’s summary', () => {
  const truth = { seed: 2, requests: 40, rateRps: 10, ttftSeconds: 0.1, gapSeconds: 0.01 };
  const quantiles = {
    p5: 100,
    p25: 105,
    median: 110,
    p75: 115,
    p95: 119,
    p99: 120,
    min: 100,
    max: 120,
    mean: 110,
    total: 4400,
  };
  const summary = (): string => {
    const value = JSON.parse(lifecycle(trueRequests(truth), 10)) as { successes: object };
    const successes = { ...value.successes, prompt_tokens: quantiles, output_tokens: quantiles };
    return JSON.stringify({ ...value, successes });
  };

  it('names the report that was read, with its key', async () => {
    const run = await opened({
      'summary_lifecycle_metrics.json': summary(),
      'stage_0_lifecycle_metrics.json': summary(),
    });
    const found = cited(run, run);
    const lengths = found
      .filter(([, dimension]) => dimension.endsWith('-length'))
      .map(([, , { file, key }]) => [file, key]);
    expect(lengths.length).toBeGreaterThan(0);
    for (const [file, key] of lengths) {
      expect(file).toMatch(/^(?:stage_0|summary)_lifecycle_metrics\.json$/);
      expect(key).toMatch(/^successes\./);
    }
    for (const [, dimension, { file }] of found)
      expect([dimension, run.files]).toEqual([dimension, expect.arrayContaining([file])]);
  });
});

describe.skipIf(!hasCorpus())('evidence of public results', () => {
  const io: CliIo = { out: () => 0, err: () => 0, isTerminal: false, columns: 100, env: {}, cwd: CORPUS };
  const places = [
    'inference-perf/kubecon-ab/vllm',
    'inference-perf/corpus-v0_5_0',
    'guidellm/guidellm_report_v2.json',
    'vllm-bench-serve/vllm-10.0qps-Llama-3.2-3B-Instruct-20250530-203806.json',
    'sglang-bench-serving/sglang_sharegpt_1000.jsonl',
    'aiperf/doc_fragment_profile_export_aiperf_schema1.5.json',
    'llmperf',
  ].filter((place) => existsSync(path.join(CORPUS, place)));

  it.each(places)('%s: every value is cited from a file of its run', async (place) => {
    const a = (await openRun(place, undefined, io))!;
    const b = (await openRun('inference-perf/corpus-v0_5_0', undefined, io))!;
    for (const [run, dimension, { file, key }] of cited(a, b)) {
      expect([dimension, key, file]).not.toEqual([
        dimension,
        key,
        expect.stringMatching(/^(?:run\.json|records\.jsonl)$/),
      ]);
      // Of several files at once, and of those beside the run, the name stands for them.
      if (file.includes('_N_')) continue;
      const folder = path.dirname(path.join(CORPUS, run.folder, 'x'));
      const near = [path.join(CORPUS, file), path.join(folder, file), path.join(folder, '..', file)];
      expect([dimension, key, file, near.some((one) => existsSync(one))]).toEqual([dimension, key, file, true]);
    }
  });
});
