// Who counted output tokens may be known where who counted input tokens is not: each counter is judged by itself.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import { readRun } from '../../../src/readers/read';
import type { Run } from '../../../src/readers/run';
import { memoryFolder } from '../support/memory-folder';

/** AIPerf’s export: output lengths, and input lengths only where they are given. */
async function aiperf({ server, input }: { server: boolean; input: boolean }): Promise<Run> {
  const value = {
    schema_version: '1.3',
    request_count: { unit: 'requests', avg: 400 },
    request_latency: { unit: 'ms', avg: 300, p50: 290 },
    time_to_first_token: { unit: 'ms', avg: 100 },
    inter_token_latency: { unit: 'ms', avg: 10 },
    output_sequence_length: { unit: 'tokens', avg: 21 },
    ...(input ? { input_sequence_length: { unit: 'tokens', avg: 100 } } : {}),
    benchmark_duration: { unit: 'sec', avg: 40 },
    input_config: { endpoint: { use_server_token_count: server }, tokenizer: { name: 'x/y' } },
  };
  const read = await readRun(memoryFolder({ 'profile_export_aiperf.json': JSON.stringify(value) }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

const tokenSource = (a: Run, b: Run) =>
  compare(a, b, { resamples: 20 }).findings.find(({ dimension }) => dimension === 'token-source')!;

describe('a report without input lengths', () => {
  it('says who counted its output, and another counter there confounds', async () => {
    const [client, server] = [
      await aiperf({ server: false, input: false }),
      await aiperf({ server: true, input: false }),
    ];
    const found = tokenSource(client, server);
    expect(found).toMatchObject({ state: 'confounds' });
    expect(found.message).toMatch(/^Output tokens: the client’s tokenizer on A, the server’s usage on B/);
    expect(found.a.summary).toMatch(/^output: client-tokenizer/);
  });
});

describe('half of what a side records', () => {
  it('is judged, and the other half named', async () => {
    const silent = await aiperf({ server: false, input: false });
    const whole = await aiperf({ server: false, input: true });
    // The config says it of both; here it says nothing of prompts.
    const said = { ...silent.canonical!.said };
    delete said.inputCounter;
    const half = { ...silent, canonical: { ...silent.canonical!, said } };
    expect(tokenSource(half, whole)).toMatchObject({
      state: 'unknown',
      message: 'Who counted input tokens is not recorded on A, so what needs the count cannot be judged.',
      moves: [{ metric: 'input_tokens_per_sec' }, { metric: 'total_tokens_per_sec' }],
    });
    expect(tokenSource(whole, half).message).toContain('on B');
    expect(tokenSource(half, half).message).toContain('on either side');
  });
});
