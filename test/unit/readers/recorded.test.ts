// What another tool's file records is compared, and a figure over nothing is no measurement: small files of our own.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { DimensionId, Finding } from '../../../src/comparability/comparison';
import { openForeign } from '../../../src/readers/foreign';
import { measureOf, type CanonicalReport } from '../../../src/readers/canonical';
import { readRun } from '../../../src/readers/read';
import { memoryFolder } from '../support/memory-folder';

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

async function found(a: unknown, b: unknown, id: DimensionId, file = 'r.json'): Promise<Finding> {
  const open = async (value: unknown) => {
    const read = await readRun(memoryFolder({ [file]: text(value) }));
    if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
    return read.value;
  };
  return compare(await open(a), await open(b)).findings.find(({ dimension }) => dimension === id)!;
}

async function report(value: unknown, file = 'r.json'): Promise<CanonicalReport> {
  const opened = await openForeign(memoryFolder({ [file]: text(value) }));
  if (!opened.ok) throw new Error(opened.problems.map(({ message }) => message).join('\n'));
  return opened.value.reports[0]!.report;
}

const VLLM = {
  date: '20260101-000000',
  endpoint_type: 'openai',
  model_id: 'm',
  tokenizer_id: 'm',
  num_prompts: 200,
  request_rate: 10,
  burstiness: 1,
  max_concurrency: null,
  duration: 21,
  completed: 200,
  failed: 0,
  total_input_tokens: 20_000,
  total_output_tokens: 40_000,
  request_throughput: 9.52,
  output_throughput: 1904.8,
  total_token_throughput: 2857.1,
  mean_ttft_ms: 50,
  median_ttft_ms: 48,
  std_ttft_ms: 5,
  p99_ttft_ms: 70,
  mean_tpot_ms: 10,
  median_tpot_ms: 10,
  std_tpot_ms: 1,
  p99_tpot_ms: 12,
  mean_itl_ms: 10,
  median_itl_ms: 10,
  std_itl_ms: 1,
  p99_itl_ms: 14,
};

describe('totals and counts of vLLM', () => {
  it('another mean length of the answers confounds, and an equal one is the same', async () => {
    expect((await found(VLLM, { ...VLLM, total_output_tokens: 60_000 }, 'output-length')).state).toBe('confounds');
    expect((await found(VLLM, { ...VLLM, total_output_tokens: 40_100 }, 'output-length')).state).toBe('same');
    expect((await found(VLLM, { ...VLLM, total_input_tokens: 31_000 }, 'input-length')).state).toBe('confounds');
  });

  it('all at once is a load: against a rate it confounds, against itself it is the same', async () => {
    const inf = { ...VLLM, request_rate: 'inf' };
    for (const id of ['load-model', 'offered-load'] as const) {
      expect((await found(VLLM, inf, id)).state).toBe('confounds');
      expect((await found(inf, inf, id)).state).toBe('same');
    }
    expect((await found(inf, inf, 'arrival-process')).state).toBe('same');
  });

  it('a closed loop has no law to be missing', async () => {
    const closed = { ...VLLM, request_rate: 'inf', max_concurrency: 16 };
    expect((await found(closed, closed, 'arrival-process')).state).toBe('same');
  });
});

describe('figures over nothing', () => {
  const single = {
    ...VLLM,
    total_output_tokens: 200,
    ...Object.fromEntries(
      ['mean', 'median', 'std', 'p99'].flatMap((name) => [
        [`${name}_tpot_ms`, 0],
        [`${name}_itl_ms`, 0],
      ]),
    ),
  };

  it('answers of one token have no TPOT and no gap, and it is said why', async () => {
    const { scopes, assumptions } = await report(single);
    expect(measureOf(scopes[0]!, 'tpot')).toBeUndefined();
    expect(measureOf(scopes[0]!, 'chunk_gap')).toBeUndefined();
    expect(measureOf(scopes[0]!, 'ttft')?.stats['mean']).toBeCloseTo(0.05);
    expect(scopes[0]!.unmeasured?.tpot).toContain('one token');
    expect(assumptions.join('\n')).toContain('TPOT');
  });

  it('a TTFT of zero where nothing was streamed is none', async () => {
    const zero = { mean_ttft_ms: 0, median_ttft_ms: 0, std_ttft_ms: 0, p99_ttft_ms: 0 };
    expect(measureOf((await report({ ...VLLM, ...zero })).scopes[0]!, 'ttft')).toBeUndefined();
  });
});

const block = (unit: string, avg: number) => ({
  unit,
  avg,
  p50: avg,
  p99: avg * 1.2,
  min: avg * 0.9,
  max: avg * 1.3,
  std: avg / 20,
});
const genai = (streaming: boolean | undefined, answer = 500): unknown => ({
  request_throughput: { unit: 'requests/sec', avg: 20 },
  request_latency: block('ms', 4000),
  time_to_first_token: block('ms', streaming === true ? 80 : 4000),
  output_sequence_length: block('tokens', answer),
  input_sequence_length: block('tokens', 200),
  input_config: {
    model: ['m'],
    endpoint_type: 'chat',
    ...(streaming === undefined ? {} : { streaming }),
    u: 'localhost:9',
    concurrency: 100,
    prompt_source: 'synthetic',
    synthetic_input_tokens_mean: 200,
    synthetic_input_tokens_stddev: 20,
    output_tokens_mean: 500,
    output_tokens_stddev: 0,
    random_seed: 0,
    extra_inputs: {},
  },
});

describe('genai-perf', () => {
  it('one that streams against one that does not confounds, as does another length', async () => {
    expect((await found(genai(true), genai(false), 'endpoint-mode')).state).toBe('confounds');
    expect((await found(genai(true), genai(true, 2500), 'output-length')).state).toBe('confounds');
    expect((await found(genai(true), genai(true), 'input-length')).state).toBe('same');
  });

  it('TTFT of a run that did not stream is the latency, and no TTFT', async () => {
    for (const streaming of [false, undefined]) {
      const { scopes } = await report(genai(streaming));
      expect(measureOf(scopes[0]!, 'ttft')).toBeUndefined();
      expect(scopes[0]!.unmeasured?.ttft).toContain('latency');
    }
    expect(measureOf((await report(genai(true))).scopes[0]!, 'ttft')?.stats['mean']).toBeCloseTo(0.08);
  });

  it('its address, its options and what it asked are facts', async () => {
    expect((await report(genai(true))).endpoint).toBe('localhost:9');
    expect((await found(genai(true), genai(true), 'sampling')).state).toBe('same');
  });
});

describe('ended requests', () => {
  const llmperf = (errors: number): unknown => ({
    version: '2023-08-31',
    name: 'x',
    model: 'm',
    num_concurrent_requests: 4,
    results_num_requests_started: 100,
    results_num_completed_requests: 100 - errors,
    results_number_errors: errors,
    results_num_completed_requests_per_min: 60,
    results_ttft_s_mean: 0.1,
    results_number_output_tokens_mean: 100,
  });

  it('failures tell without a plan', async () => {
    expect((await found(llmperf(0), llmperf(40), 'completeness')).state).toBe('confounds');
    const alike = await found(llmperf(0), llmperf(0), 'completeness');
    expect(alike.state === 'same' || alike.assumed !== undefined).toBe(true);
    expect((await found(llmperf(0), llmperf(0), 'arrival-process')).state).toBe('same');
  });
});

describe('AIPerf and InferenceX', () => {
  it('goodput, its limits and the name of the variation are kept and compared', async () => {
    const sweep = (ttft: number): unknown => ({
      schema_version: '1.3',
      request_latency: block('ms', 300),
      request_count: { unit: 'requests', avg: 100 },
      goodput: { unit: 'requests/sec', avg: 9 },
      input_config: { endpoint: { type: 'chat', streaming: true }, slos: { time_to_first_token: ttft } },
      run_info: { run_label: 'run_0001', variation_label: 'concurrency=16' },
    });
    const [scope] = (await report(sweep(1500))).scopes;
    expect(scope).toMatchObject({ label: 'concurrency=16', goodput: { stats: { request_goodput: 9 } } });
    expect((await found(sweep(1500), sweep(1500), 'goodput-definition')).state).toBe('same');
    expect((await found(sweep(1500), sweep(900), 'goodput-definition')).state).toBe('confounds');
  });

  it('means that are printed are not called unrecorded', async () => {
    const row = { hw: 'x', conc: 8, tput_per_gpu: 1, mean_ttft: 1, std_ttft: 0.2, median_ttft: 1, std_intvty: 300 };
    const { notRecorded } = await report(row);
    expect(notRecorded.join(' ')).not.toContain('means and standard');
    expect(notRecorded.join(' ')).toContain('interactivity');
  });
});
