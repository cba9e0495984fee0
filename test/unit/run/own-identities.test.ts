// Every identity we hold against others' reports, against our own: a run of ours that violates one is a bug.
import { afterEach, describe, expect, it } from 'vitest';
import { reportOf } from '../../../src/readers/own';
import { judgeReport, violated } from '../../../src/audit/identities';
import { readRun } from '../../../src/readers/read';
import { measureOf } from '../../../src/readers/canonical';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { diskFolder } from '../../../src/cli/folder';
import { configOf, harness, SAMPLE_TOKENIZER, type Harness } from './harness';

let sim: Simulator;
let h: Harness;
afterEach(async () => {
  h.remove();
  await sim.close();
});

async function ownReport(tokensPerChunk: number, tokenizer: boolean) {
  h = harness();
  sim = await startSimulator({ port: 0, ttftSeconds: 0.02, tokenSeconds: 0.02, tokensPerChunk });
  const run = await h.ran(
    configOf({
      url: sim.url,
      load: '{ type: constant, interval: 0, num_workers: 1, stages: [{ rate: 20, duration: 2 }] }',
      data: '{ type: random, input_distribution: { type: fixed, mean: 16 }, output_distribution: { type: fixed, mean: 12 } }',
      ...(tokenizer ? { tokenizer: SAMPLE_TOKENIZER } : {}),
    }),
  );
  const read = await readRun(diskFolder('report', run.folder));
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return reportOf(read.value);
}

describe('our own report', () => {
  it.each([
    [1, true],
    [4, true],
    [4, false],
  ])('with %i tokens a chunk, client tokenizer: %s', async (tokensPerChunk, tokenizer) => {
    const report = await ownReport(tokensPerChunk, tokenizer);
    const summary = report.scopes.find(({ kind }) => kind === 'summary')!;
    const chunkGap = measureOf(summary, 'chunk_gap');
    const tokenGap = measureOf(summary, 'token_gap');
    // 12 tokens in chunks of 4 are 3 arrivals, one every 80 ms; between tokens, most gaps are 0.
    if (tokensPerChunk === 4) expect(chunkGap!.stats['mean']).toBeGreaterThan(0.06);
    if (tokensPerChunk === 4 && tokenizer) {
      expect(chunkGap!.stats['p10']).toBeGreaterThan(0.03);
      expect(tokenGap!.stats['p50']).toBe(0);
    }
    expect(tokenGap === undefined).toBe(!tokenizer);
    // Where every chunk is a token, one gap is enough.
    if (tokensPerChunk === 1) expect(chunkGap).toBeUndefined();
    const { identities } = judgeReport(report);
    expect(identities.map(({ id }) => id)).toContain('latency-sum');
    expect(violated({ identities, cautions: [] }).map(({ id, message }) => `${id}: ${message ?? ''}`)).toEqual([]);
  });
});
