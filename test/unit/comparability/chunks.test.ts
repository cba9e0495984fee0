// Tokens of a chunk, across tools: what nobody counted is not recorded, and two counters are no two network paths.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { Finding } from '../../../src/comparability/comparison';
import { readRun } from '../../../src/readers/read';
import { withRecords } from '../../../src/readers/records/attach';
import type { Run } from '../../../src/readers/run';
import { aiperfLines, trueRequests, vllmDetailed, type Truth } from '../support/foreign-results';
import { memoryFolder } from '../support/memory-folder';

const TRUTH: Truth = { seed: 3, requests: 40, rateRps: 10, ttftSeconds: 0.1, gapSeconds: 0.01 };

async function opened(file: string, text: string): Promise<Run> {
  const read = await readRun(memoryFolder({ [file]: text }));
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  // Where requests went is not what these files differ in.
  const config = { server: { base_url: 'http://127.0.0.1:8000' } };
  return { ...(await withRecords(read.value)), config };
}

function guidellm(iterations: number | undefined): string {
  const successful = trueRequests(TRUTH).map(({ sent, ttft, tokens, prompt }) => ({
    info: {
      timings: {
        request_start: sent,
        first_token_iteration: sent + ttft,
        last_token_iteration: sent + ttft + 0.19,
        request_end: sent + ttft + 0.19,
        ...(iterations === undefined ? {} : { token_iterations: iterations }),
      },
    },
    input_metrics: { total_tokens: prompt },
    output_metrics: { total_tokens: tokens },
  }));
  return JSON.stringify({
    metadata: { guidellm_version: '0.8.1' },
    benchmarks: [
      {
        type_: 'generative_benchmark',
        metrics: { request_totals: { successful: 40, errored: 0, incomplete: 0, total: 40 } },
        requests: { successful, errored: [], incomplete: [] },
      },
    ],
  });
}

function path(a: Run, b: Run): Finding {
  return compare(a, b).findings.find(({ dimension }) => dimension === 'network-path')!;
}

function perChunk({ evidence }: Finding['a']): unknown {
  return evidence.find(({ key }) => key.startsWith('tokens per chunk'))?.value;
}

describe('tokens of a chunk', () => {
  it('GuideLLM’s first and last moment do not make its chunks ten times as large as vLLM’s', async () => {
    const vllm = await opened('r.json', vllmDetailed(trueRequests(TRUTH), 10));
    const silent = path(vllm, await opened('g.json', guidellm(undefined)));
    expect(silent.message).not.toContain('A chunk carries');
    expect([perChunk(silent.a), perChunk(silent.b)]).toEqual(['1', undefined]);
    const counted = path(vllm, await opened('g.json', guidellm(20)));
    expect(counted.message).not.toContain('A chunk carries');
    expect(perChunk(counted.b)).toBe('1');
    const bundled = path(vllm, await opened('g.json', guidellm(5)));
    expect(bundled.message).toContain('A chunk carries 1 tokens on A and 4 on B');
  });

  it('a client that counts three times the tokens has no other network', async () => {
    const server = await opened('r.json', vllmDetailed(trueRequests(TRUTH), 10));
    const three = trueRequests(TRUTH).map((request) => ({ ...request, tokens: 3 * request.tokens }));
    const client = await opened('p.jsonl', aiperfLines(three));
    const found = path(server, client);
    expect(found.state).toBe('unknown');
    expect(found.message).toContain('the server counted them on A, the client on B');
  });
});
