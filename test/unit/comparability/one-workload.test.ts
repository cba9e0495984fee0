// One workload through two tools: a definition or a counter differs only where it moves the number on that endpoint.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { DimensionId, Finding } from '../../../src/comparability/comparison';
import { readRun } from '../../../src/readers/read';
import { withRecords } from '../../../src/readers/records/attach';
import type { Run } from '../../../src/readers/run';
import { drop } from '../support/lacking';
import { memoryFolder, type MemoryFiles } from '../support/memory-folder';
import { syntheticRun } from '../support/synthetic-run';
import { VLLM_METADATA } from '../readers/tool-files';

const N = 40;
const each = <T>(of: (i: number) => T): T[] => Array.from({ length: N }, (_, i) => of(i));

async function runOf(files: MemoryFiles): Promise<Run> {
  const read = await readRun(memoryFolder(files));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const run = await withRecords(read.value);
  expect(run.records).toHaveLength(N);
  return run;
}

const finding = (a: Run, b: Run, id: DimensionId): Finding =>
  compare(a, b, { resamples: 20 }).findings.find(({ dimension }) => dimension === id)!;

/** 32 tokens in 31 gaps of 10 ms after 50 ms, four requests at a time. */
const vllm = (backend: string): Promise<Run> =>
  runOf({
    'r.json': JSON.stringify({
      ...VLLM_METADATA,
      ...{ endpoint_type: backend, endpoint: `/v1/${backend === 'openai' ? 'completions' : 'chat/completions'}` },
      ...{
        request_rate: 'inf',
        max_concurrency: 4,
        num_prompts: N,
        completed: N,
        duration: 3.6,
        random_output_len: '32',
      },
      ...{ total_input_tokens: 64 * N, total_output_tokens: 32 * N, request_throughput: N / 3.6 },
      ...{ output_throughput: (32 * N) / 3.6, total_token_throughput: (96 * N) / 3.6 },
      ttfts: each(() => 0.05),
      itls: each(() => Array.from({ length: 31 }, () => 0.01)),
      input_lens: each(() => 64),
      output_lens: each(() => 32),
      start_times: each((i) => 1000 + 0.09 * i),
    }),
  });

const block = (unit: string, avg: number) => ({ unit, avg, p50: avg, p99: avg, min: avg, max: avg, std: 0, count: N });

const aiperf = (server: boolean, type = 'completions', length = 32): Promise<Run> =>
  runOf({
    'profile_export_aiperf.json': JSON.stringify({
      schema_version: '1.4',
      aiperf_version: '0.13.0',
      request_latency: block('ms', 360),
      time_to_first_token: block('ms', 50),
      inter_token_latency: block('ms', 10),
      output_sequence_length: block('tokens', length),
      input_sequence_length: block('tokens', 64),
      request_count: { unit: 'requests', avg: N },
      error_summary: [],
      input_config: {
        models: { items: [{ name: 'm' }] },
        endpoint: {
          ...{ urls: ['http://10.0.0.1:8000'], type, streaming: true, use_server_token_count: server },
          extra: { ignore_eos: true },
        },
        datasets: [{ type: 'synthetic', prompts: { isl: { mean: 64, stddev: 0 }, osl: { mean: 32, stddev: 0 } } }],
        phases: [{ name: 'profiling', kind: 'profiling', type: 'concurrency', concurrency: 4, requests: N }],
        tokenizer: { name: 'm' },
      },
    }),
    'profile_export.jsonl': each((i) =>
      JSON.stringify({
        metadata: { request_start_ns: 1e9 + 9e7 * i, credit_issued_ns: 1e9 + 9e7 * i, benchmark_phase: 'profiling' },
        metrics: {
          request_latency: { value: 360 },
          time_to_first_token: { value: 50 },
          output_sequence_length: { value: length },
          input_sequence_length: { value: 64 },
          usage_completion_tokens: { value: 32 },
          usage_prompt_tokens: { value: 64 },
          inter_chunk_latency: { value: Array.from({ length: 31 }, () => 10) },
        },
      }),
    ).join('\n'),
  });

describe('AIPerf against vLLM’s benchmark', () => {
  it('a usage that is preferred is no other counter than one that is all there is', async () => {
    const found = finding(await aiperf(true), await vllm('openai'), 'token-source');
    expect([found.state, found.assumed]).toEqual(['unknown', expect.stringContaining('usage with every answer')]);
    const client = finding(await aiperf(false), await vllm('openai'), 'token-source');
    expect(client.state).toBe('confounds');
  });

  it('the first chunk of a completion is its first content; chat begins with a chunk that names the role', async () => {
    expect(finding(await aiperf(true), await vllm('openai'), 'metric-definition').state).toBe('same');
    const chat = finding(await aiperf(true, 'chat'), await vllm('openai-chat'), 'metric-definition');
    expect(chat.message).toContain('anchor: first-content against first-chunk');
  });

  it('who did not count is not held against the server', async () => {
    // The lengths are the server's own: 100 % of themselves.
    const [run, other] = [await aiperf(true), await aiperf(false, 'completions', 40)];
    expect(run.records!.every(({ clientOutputTokens }) => clientOutputTokens === undefined)).toBe(true);
    expect(other.records!.every(({ clientOutputTokens }) => clientOutputTokens === 40)).toBe(true);
    expect(finding(run, other, 'telemetry').state).not.toBe('confounds');
  });

  it('answers as long as the one length that was asked for ran to it', async () => {
    const full = await aiperf(true);
    expect(finding(full, full, 'stop-behaviour')).toMatchObject({ state: 'same' });
    const short = await aiperf(true, 'completions', 20);
    expect(finding(full, short, 'stop-behaviour').state).toBe('confounds');
  });
});

describe('a server whose usage inflates', () => {
  const counted = (factor: number, clientTokens: number): Run => {
    const run = syntheticRun({});
    const records = run.records!.map((record) => ({
      ...record,
      clientOutputTokens: clientTokens,
      usage: { ...record.usage, completionTokens: factor * clientTokens },
    }));
    return { ...run, records };
  };

  it('has no longer answers: what its count moves is telemetry’s, and TTFT is nobody’s', () => {
    const [a, b] = [counted(1, 100), counted(2, 100)];
    const length = finding(a, b, 'output-length');
    expect([length.state, length.follows]).toEqual(['follows', 'telemetry']);
    const telemetry = finding(a, b, 'telemetry');
    expect(telemetry.state).toBe('confounds');
    expect(telemetry.moves.map(({ metric }) => metric)).not.toContain('ttft');
  });

  it('is no explanation where nobody says which tokenizer the client had', () => {
    const unnamed = (run: Run): Run =>
      drop(run, ({ tokens }) => delete (tokens as { output: { tokenizer?: unknown } }).output.tokenizer);
    const length = finding(unnamed(counted(1, 100)), unnamed(counted(2, 100)), 'output-length');
    expect([length.state, length.follows]).toEqual(['confounds', undefined]);
  });

  it('answers that the client finds longer too are longer', () => {
    expect(finding(counted(1, 100), counted(1, 200), 'output-length').state).toBe('confounds');
  });
});
