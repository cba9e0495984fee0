// Lengths of other tools' requests: known without starting times, and under the name of who counted them.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { DimensionId, Finding } from '../../../src/comparability/comparison';
import { readRun } from '../../../src/readers/read';
import { withRecords } from '../../../src/readers/records/attach';
import type { Run } from '../../../src/readers/run';
import { trueRequests, vllmDetailed, type Truth } from '../support/foreign-results';
import { memoryFolder } from '../support/memory-folder';

const TRUTH: Truth = { seed: 5, requests: 40, rateRps: 10, ttftSeconds: 0.1, gapSeconds: 0.01 };

async function opened(text: string, file = 'r.json'): Promise<Run> {
  const read = await readRun(memoryFolder({ [file]: text }));
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return withRecords(read.value);
}

function finding(a: Run, b: Run, id: DimensionId): Finding {
  return compare(a, b).findings.find(({ dimension }) => dimension === id)!;
}

/** The same requests as SGLang writes them: no start, lengths of the data set in the total. */
function sglang(truth = TRUTH): string {
  const all = trueRequests(truth);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return JSON.stringify({
    backend: 'sglang-oai',
    dataset_name: 'random',
    request_rate: 10,
    random_range_ratio: 1,
    duration: 5,
    completed: all.length,
    total_input_tokens: sum(all.map(({ prompt }) => prompt)),
    total_output_tokens: sum(all.map(({ tokens }) => tokens)),
    total_output_tokens_retokenized: sum(all.map(({ tokens }) => tokens)),
    mean_ttft_ms: 100,
    mean_itl_ms: 10,
    input_lens: all.map(({ prompt }) => prompt),
    output_lens: all.map(({ tokens }) => tokens),
    ttfts: all.map(({ ttft }) => ttft),
    itls: all.map(({ gaps }) => gaps),
    errors: all.map(() => ''),
  });
}

describe('lengths of other tools', () => {
  it('vLLM’s one number per request is not called the server’s', async () => {
    const a = await opened(vllmDetailed(trueRequests(TRUTH), 10));
    const found = finding(a, await opened(vllmDetailed(trueRequests({ ...TRUTH, seed: 6 }), 10)), 'output-length');
    expect(found.message).toContain('(server usage, else the client)');
  });

  it('of a file without starts are known, and differ where they do', async () => {
    const a = await opened(vllmDetailed(trueRequests(TRUTH), 10));
    const b = await opened(sglang(), 's.jsonl');
    expect(b.records).toBeUndefined();
    for (const id of ['input-length', 'output-length'] as const) {
      const found = finding(a, b, id);
      expect([id, found.state]).toEqual([id, 'same']);
      expect(found.b.summary).not.toMatch(/not (recorded|counted)/);
      const realised = found.b.evidence.find(({ key }) => key.startsWith('realised'));
      expect([realised?.file, realised?.value]).toEqual(['s.jsonl', found.b.summary]);
    }
    // Lengths that add up to the data set's total are the data set's.
    expect(finding(a, b, 'input-length').message).toContain(
      'server usage, else the client on A; client tokenizer on B',
    );
    const long = await opened(sglang({ ...TRUTH, chunks: 40 }), 's.jsonl');
    expect(finding(a, long, 'output-length').state).toBe('confounds');
  });

  it('SGLang’s input total is the data set’s, not the server’s', async () => {
    const { canonical } = await opened(sglang(), 's.jsonl');
    const prompts = canonical!.scopes[0]!.measures.find(({ quantity }) => quantity === 'prompt_tokens');
    expect(prompts?.definition.tokens).toBe('client');
  });
});

describe('the basis of ITL', () => {
  it('of a result without gaps is unknown, not "chunks"', async () => {
    const a = await opened(vllmDetailed(trueRequests(TRUTH), 10));
    const text = JSON.parse(vllmDetailed(trueRequests(TRUTH), 10, false)) as Record<string, unknown>;
    const { mean_itl_ms: gone, ...none } = text;
    expect(gone).toBeGreaterThan(0);
    const found = finding(a, await opened(JSON.stringify(none)), 'token-source');
    expect(found.message).not.toContain('ITL is between');
    expect(found.b.summary).toContain('ITL not recorded');
  });
});
