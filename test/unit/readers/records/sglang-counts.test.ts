// Whose counts SGLang's per-request arrays hold: by the backend for answers, by the data set's total for prompts.
import { describe, expect, it } from 'vitest';
import { openReports } from '../../../../src/readers/open';
import { completeReport } from '../../../../src/readers/records/complete';
import { ownDefinition } from '../../../../src/readers/records/open-records';
import { recompute, type RecomputeDefinition } from '../../../../src/readers/records/recompute';
import { compare } from '../../../../src/comparability/compare';
import { readRun } from '../../../../src/readers/read';
import { withRecords } from '../../../../src/readers/records/attach';
import { memoryFolder } from '../../support/memory-folder';

const BASE = {
  backend: 'sglang-oai',
  dataset_name: 'random',
  random_range_ratio: 1,
  request_rate: 5,
  duration: 2,
  completed: 2,
  total_input_tokens: 20,
  total_output_tokens: 6,
  total_output_tokens_retokenized: 6,
  mean_ttft_ms: 150,
  mean_tpot_ms: 15,
  mean_itl_ms: 25,
  input_lens: [10, 10, 10],
  output_lens: [3, 3, 0],
  ttfts: [0.1, 0.2, 0],
  itls: [[0.01, 0.02], [0.03, 0.04], []],
  errors: ['', '', 'Connection refused'],
};

async function again(change: Partial<typeof BASE>, tokens: RecomputeDefinition['tokens']) {
  const opened = await openReports(memoryFolder({ 's.jsonl': JSON.stringify({ ...BASE, ...change }) }));
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
  const { report, records, problems } = await completeReport(opened.value.reports[0]!);
  const { counters, measures, missing } = recompute(
    records!.requests,
    { ...ownDefinition(report), tokens, inputTokens: tokens },
    's.jsonl',
  );
  const mean = (id: string): number | undefined => measures.find(({ quantity }) => quantity === id)?.stats['mean'];
  return {
    report,
    problems,
    counters,
    missing: missing.join('\n'),
    input: mean('prompt_tokens'),
    output: mean('output_tokens'),
  };
}

describe('SGLang, who counted', () => {
  it('prompts: lengths that add up to the total are the data set’s, and not the server’s', async () => {
    const server = await again({}, 'server');
    expect([server.input, server.counters.input]).toEqual([undefined, 'server']);
    expect(server.missing).toContain('prompt tokens of 2 answers: not counted by server');
    const client = await again({}, 'client');
    expect([client.input, client.counters.input]).toEqual([10, 'client']);
  });

  it('prompts: lengths that do not are the server’s where it sent them, and contradict no total of the data set', async () => {
    const change = { input_lens: [13, 13, 10] };
    const server = await again(change, 'server');
    expect([server.input, server.counters.input]).toEqual([13, 'server-else-client']);
    expect(server.missing).toContain('input tokens by the server alone: the file keeps one number per request');
    expect((await again(change, 'client')).input).toBeUndefined();
    expect(server.problems.filter(({ code }) => code === 'REP126')).toEqual([]);
  });

  it.each([
    ['sglang', 'server', 'server', 3],
    ['sglang-oai', 'server-else-asked', 'server-else-asked', 3],
    ['sglang-oai-chat', 'server-else-asked', 'server-else-asked', 3],
    ['truss', 'asked', 'server', undefined],
  ])('answers of %s: %s', async (backend, said, asServer, output) => {
    const { report, counters, output: mean, missing } = await again({ backend }, 'server');
    const total = report.scopes[0]!.measures.find(({ source }) => source.key === 'total_output_tokens');
    expect(total?.definition.tokens).toBe(said);
    expect([counters.output, mean]).toEqual([asServer, output]);
    expect(missing.includes('output tokens by the server alone')).toBe(said === 'server-else-asked');
    expect((await again({ backend }, 'client')).output).toBeUndefined();
  });

  it('a comparison names the length asked for, and does not hold it for the client’s count', async () => {
    const run = async (backend: string) => {
      const read = await readRun(memoryFolder({ 's.jsonl': JSON.stringify({ ...BASE, backend }) }));
      if (!read.ok) throw new Error(JSON.stringify(read.problems));
      return withRecords(read.value);
    };
    const found = compare(await run('sglang'), await run('sglang-oai')).findings.find(
      ({ dimension }) => dimension === 'token-source',
    )!;
    expect(found.b.summary).toContain('output: server-usage, else the length asked for');
    expect(found.message).toContain('the server’s usage where sent, else the length asked for on B');
    expect(found.state).not.toBe('same');
  });
});
