// What import knows of a run, a comparison knows too; and evidence names files that are there.
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { accessTo } from '../../../src/cli/access';
import type { CliIo } from '../../../src/cli/command';
import { openRun } from '../../../src/cli/compare-input';
import { compare } from '../../../src/comparability/compare';
import type { DimensionId } from '../../../src/comparability/comparison';
import type { FactId } from '../../../src/readers/facts';
import { openReports } from '../../../src/readers/open';
import { readRun } from '../../../src/readers/read';
import { hasCorpus, reportPlaces, SHARED } from '../support/corpus';
import { memoryFolder } from '../support/memory-folder';

const VLLM = {
  ...{ request_rate: 5, burstiness: 1, max_concurrency: null, num_prompts: 50, completed: 50, failed: 0, duration: 10 },
  ...{ total_input_tokens: 1000, total_output_tokens: 500, mean_ttft_ms: 20, p99_ttft_ms: 40, model_id: 'small' },
};

describe('evidence', () => {
  it('of another tool’s result names that file, and says why something is missing', async () => {
    const run = await readRun(memoryFolder({ 'result.json': JSON.stringify(VLLM) }));
    if (!run.ok) throw new Error('not read');
    const evidence = compare(run.value, run.value, { resamples: 20 }).findings.flatMap(({ a }) => a.evidence);
    expect([...new Set(evidence.map(({ file }) => file))].sort()).toEqual(['result.json', 'stack.yaml']);
    expect(evidence.filter(({ value, reason }) => (value === undefined) === (reason === undefined))).toEqual([]);
    expect(evidence).toContainEqual({ file: 'result.json', key: 'request_rate', value: '5' });
  });
});

/** Facts that a dimension asks for, each by itself. */
const ASKED: readonly (readonly [DimensionId, FactId])[] = [
  ['server', 'model'],
  ['server', 'serverType'],
  ['server', 'serverVersion'],
  ['network-path', 'endpoint'],
  ['endpoint-mode', 'apiType'],
  ['endpoint-mode', 'streaming'],
  ['stop-behaviour', 'ignoreEos'],
  ['sampling', 'sampling'],
  ['prompt-identity', 'dataType'],
  ['prompt-identity', 'seed'],
  ['load-model', 'loadType'],
  ['warmup-window', 'warmupRequests'],
  ['cache-state', 'startedAt'],
];

describe.skipIf(!hasCorpus())('what import shows of a fact, compare has (../shared/corpus)', () => {
  const all = reportPlaces('corpus/reports', 'corpus/reports-2026-11');
  it.each(all.map((place) => [path.relative(SHARED, place), place]))('%s', async (_, place) => {
    const folder = accessTo(place, '/');
    const io = { cwd: '/', out: () => undefined, err: () => undefined } as unknown as CliIo;
    const [opened, run] = [await openReports(folder), await openRun(place, undefined, io)];
    if (!opened.ok || !run || opened.value.reports.length !== 1) return;
    const { facts } = opened.value.reports[0]!;
    const { findings } = compare(run, run, { resamples: 20 });
    const lost = ASKED.filter(([dimension, id]) => {
      const fact = facts[id];
      const { evidence } = findings.find((finding) => finding.dimension === dimension)!.a;
      const isThere = ({ file, key, value }: (typeof evidence)[number]): boolean =>
        file === fact.at.file && key === fact.at.key && value !== undefined;
      return fact.value !== undefined && !evidence.some(isThere);
    });
    expect(lost.map((pair) => pair.join(': '))).toEqual([]);
  });
});
