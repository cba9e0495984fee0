// A rate belongs to its window: two rates over two windows do not stand in one row, and are not called one definition.
import { describe, expect, it } from 'vitest';
import { recomputeFor, recomputeListing, recomputeRequest } from '../../../src/cli/import-records';
import { compare } from '../../../src/comparability/compare';
import { definitionDifferences } from '../../../src/readers/canonical';
import { openReports } from '../../../src/readers/open';
import { readRun } from '../../../src/readers/read';
import { withRecords } from '../../../src/readers/records/attach';
import { completeReport } from '../../../src/readers/records/complete';
import { lifecycle, perRequest, trueRequests, vllmDetailed } from '../support/foreign-results';
import { memoryFolder } from '../support/memory-folder';

const ALL = trueRequests({ seed: 4, requests: 60, rateRps: 10, ttftSeconds: 0.1, gapSeconds: 0.01 });
/** vLLM waits its first gap inside its window: half a second more than first send to last answer. */
const VLLM = JSON.parse(vllmDetailed(ALL, 10)) as Record<string, unknown>;
const DURATION = (VLLM['duration'] as number) + 0.5;
const DETAILED = JSON.stringify({ ...VLLM, duration: DURATION, request_throughput: 60 / DURATION });
const {
  start_times: starts,
  ttfts,
  itls,
  input_lens: inputs,
  output_lens: outputs,
  errors,
  ...plain
} = JSON.parse(DETAILED) as Record<string, unknown>;
const SUMMARY = JSON.stringify(plain);

async function listed(files: Readonly<Record<string, string>>): Promise<string> {
  const opened = await openReports(memoryFolder(files));
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
  const one = opened.value.reports[0]!;
  const { report, records } = await completeReport(one);
  const again = recomputeFor(report, records!, one.recordsFile!, recomputeRequest({ recompute: true })!);
  if (!('recomputed' in again)) throw new Error(again.message);
  return recomputeListing(report, again, 160);
}

describe('windows of rates', () => {
  it('the fixtures are what they are named', () => {
    expect([starts, ttfts, itls, inputs, outputs, errors].slice(0, 5)).not.toContain(undefined);
    expect(Object.keys(plain)).toContain('request_throughput');
  });

  it('vLLM’s own requests/s and the one from its requests are apart, each with its window', async () => {
    const text = await listed({ 'r.json': DETAILED });
    expect(text).toMatch(/^ +Requests\/s +– +\d/m);
    expect(text).toMatch(/TTFT, ms +\d+ +\d+/);
    const note = text.replace(/\s+/g, ' ');
    expect(note).toContain(`the report has Requests/s ${(60 / DURATION).toPrecision(3)}`);
    expect(note).toContain(`over another window (${DURATION.toFixed(3)} s: start of the schedule to last answer)`);
    expect(note).toContain(`those here are over ${(DURATION - 0.5).toFixed(3)} s: first send to last end`);
  });

  it('inference-perf’s stand side by side: it is one window', async () => {
    const text = await listed({
      'summary_lifecycle_metrics.json': lifecycle(ALL, 10),
      'per_request_lifecycle_metrics.json': perRequest(ALL, 'main'),
    });
    expect(text).toMatch(/^ +Requests\/s +[\d.]+ +[\d.]+/m);
    expect(text).not.toContain('another window');
  });

  it('a comparison of a summary with requests that are computed again names both windows', async () => {
    const run = async (text: string) => {
      const read = await readRun(memoryFolder({ 'r.json': text }));
      if (!read.ok) throw new Error(JSON.stringify(read.problems));
      return withRecords(read.value);
    };
    const definitions = async (a: string, b: string) =>
      compare(await run(a), await run(b)).findings.find(({ dimension }) => dimension === 'metric-definition')!;
    const apart = await definitions(SUMMARY, DETAILED);
    expect(apart.state).toBe('confounds');
    expect(apart.message).toContain('window: start of the schedule to last answer against first send to last end');
    expect(apart.moves.map(({ metric }) => metric)).toContain('requests_per_sec');
    expect(apart.moves.map(({ metric }) => metric)).not.toContain('ttft');
    expect((await definitions(SUMMARY, SUMMARY)).state).toBe('same');
    expect((await definitions(DETAILED, DETAILED)).state).toBe('same');
  });

  it('a window that is not said is not held against another', () => {
    expect(definitionDifferences({ window: 'duration of the step' }, {})).toEqual([]);
    expect(
      definitionDifferences(
        { window: 'first send to last answer' },
        { window: 'first send to last end, failures included' },
      ),
    ).toEqual([]);
    expect(definitionDifferences({ window: 'duration of the step' }, { window: 'measured part' })).toHaveLength(1);
  });
});
