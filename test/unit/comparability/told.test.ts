// What another tool's own file says about its workload is evidence: found, quoted from its place, and held against the other side.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { Comparison, DimensionId } from '../../../src/comparability/comparison';
import { readRun } from '../../../src/readers/read';
import type { Run } from '../../../src/readers/run';
import { memoryFolder } from '../support/memory-folder';

async function runOf(file: string, value: unknown): Promise<Run> {
  const result = await readRun(memoryFolder({ [file]: JSON.stringify(value) }));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

const block = (unit: string, avg: number) => ({ unit, avg, p50: avg, p90: avg, p99: avg, min: avg, max: avg, std: 0 });

const aiperf = (input: unknown, more: Record<string, unknown> = {}) => ({
  schema_version: '1.4',
  aiperf_version: '0.13.0',
  request_latency: block('ms', 240),
  time_to_first_token: block('ms', 50),
  inter_token_latency: block('ms', 10),
  output_sequence_length: block('tokens', 20),
  input_sequence_length: block('tokens', 50),
  request_count: { unit: 'requests', avg: 60 },
  request_throughput: { unit: 'requests/sec', avg: 18 },
  benchmark_duration: { unit: 'sec', avg: 3.3 },
  input_config: input,
  ...more,
});

/** As schema 1.4 nests it, with made-up values. */
const phased = (phase: Record<string, unknown>, endpoint: Record<string, unknown> = {}) => ({
  models: { items: [{ name: 'small' }] },
  endpoint: {
    urls: ['http://10.0.0.1:8000'],
    type: 'completions',
    streaming: true,
    extra: { ignore_eos: true },
    ...endpoint,
  },
  datasets: [{ name: 'main', type: 'synthetic', prompts: { isl: { mean: 50 }, osl: { mean: 20 } } }],
  phases: [{ name: 'profiling', kind: 'profiling', requests: 60, ...phase }],
  tokenizer: { name: 'words' },
});

/** As the first versions nest it. */
const flat = {
  endpoint: { model_names: ['small'], type: 'completions', streaming: true, url: 'http://10.0.0.1:8000' },
  input: {
    extra: [['ignore_eos', true]],
    random_seed: 7,
    prompt: { input_tokens: { mean: 50 }, output_tokens: { mean: 20 } },
  },
  tokenizer: { name: 'words' },
  loadgen: { request_rate: 20, request_count: 60 },
};

function states(comparison: Comparison): Partial<Record<DimensionId, string>> {
  return Object.fromEntries(comparison.findings.map(({ dimension, state }) => [dimension, state]));
}

const finding = (comparison: Comparison, id: DimensionId) =>
  comparison.findings.find(({ dimension }) => dimension === id)!;

describe('AIPerf says what it ran', () => {
  it('in the phases of its newer files', async () => {
    const a = await runOf('a.json', aiperf(phased({ type: 'poisson', rate: 20 })));
    const b = await runOf(
      'b.json',
      aiperf(phased({ type: 'concurrency', concurrency: 8 }, { type: 'chat', extra: { temperature: 0.5 } })),
    );
    expect(a.canonical).toMatchObject({ model: 'small', endpoint: 'http://10.0.0.1:8000', tokenizer: 'words' });
    const comparison = compare(a, b);
    expect(comparison.a).toMatchObject({ model: 'small', endpoint: 'http://10.0.0.1:8000', load: '20 rps' });
    expect(states(comparison)).toMatchObject({
      'load-model': 'confounds',
      'stop-behaviour': 'confounds',
      sampling: 'confounds',
      'endpoint-mode': 'confounds',
    });
    expect(finding(comparison, 'endpoint-mode').a.evidence[0]).toMatchObject({
      file: 'a.json',
      key: 'input_config.endpoint.type',
      value: 'completion',
    });
    expect(finding(comparison, 'sampling').message).toContain('temperature not sent on A, 0.5 on B');
  });

  it('and where its first versions kept it: the same workload is the same', async () => {
    const a = await runOf('a.json', aiperf(phased({ type: 'poisson', rate: 20 })));
    const { schema_version: _s, aiperf_version: _v, ...old } = aiperf(flat, { inter_chunk_latency: block('ms', 10) });
    expect([_s, _v]).toEqual(['1.4', '0.13.0']);
    const b = await runOf('b.json', old);
    expect(b.tool.name).toBe('aiperf');
    expect(b.canonical).toMatchObject({ model: 'small', endpoint: 'http://10.0.0.1:8000', seed: '7' });
    const found = states(compare(a, b));
    // No answer is shorter than the one length that was asked for.
    for (const id of ['load-model', 'sampling', 'endpoint-mode', 'stop-behaviour'] as const) {
      expect([id, found[id]]).toEqual([id, 'same']);
    }
    for (const id of ['offered-load', 'arrival-process', 'prompt-identity'] as const) {
      // Rate, law and source agree; how sends and gaps turned out is in neither file.
      expect([id, found[id]]).toEqual([id, 'unknown']);
    }
  });

  it('how many requests it planned, how many failed, and what it left out as warm-up', async () => {
    const input = phased({ type: 'poisson', rate: 20 });
    const warm = { ...input, phases: [{ name: 'warmup', kind: 'warmup', requests: 30 }, ...input.phases] };
    const rate = { request_error_rate: { unit: '%', avg: 0 } };
    const a = await runOf('a.json', aiperf(input, rate));
    const b = await runOf('b.json', aiperf(warm, rate));
    const comparison = compare(a, b);
    expect(states(comparison)).toMatchObject({ 'warmup-window': 'confounds', completeness: 'same' });
    expect(finding(comparison, 'warmup-window').b.summary).toBe('30 requests in 1 stage left out');
    const lossy = { request_error_rate: { unit: '%', avg: 25 }, request_count: { unit: 'requests', avg: 45 } };
    const c = await runOf('c.json', aiperf(input, lossy));
    expect(c.canonical!.scopes[0]!.counts).toEqual({ planned: 60, ok: 45, failed: 15, total: 60 });
    expect(states(compare(a, c))).toMatchObject({ 'warmup-window': 'unknown', completeness: 'confounds' });
    const silent = aiperf(input);
    expect(states(compare(a, await runOf('d.json', silent)))).toMatchObject({ completeness: 'unknown' });
  });

  it('and what it does not say stays unknown', async () => {
    const a = await runOf('a.json', aiperf(undefined));
    const b = await runOf('b.json', aiperf(phased({ type: 'poisson', rate: 20 })));
    const found = states(compare(a, b));
    for (const id of ['load-model', 'arrival-process', 'sampling', 'endpoint-mode', 'server'] as const) {
      expect([id, found[id]]).toEqual([id, 'unknown']);
    }
  });
});

describe('GuideLLM says what it ran', () => {
  const times = { count: 4, mean: 50, std_dev: 1, min: 49, max: 51, total_sum: 200, percentiles: { p50: 50, p99: 51 } };
  const guidellm = (strategy: Record<string, unknown>, body: Record<string, unknown>) => ({
    metadata: { version: 2, guidellm_version: '0.8.1' },
    config: {
      spec: {
        backend: { target: 'http://10.0.0.1:8000', model: 'small', request_format: '/v1/completions', stream: true },
        tokenizer: { model: 'words' },
        data: [{ kind: 'synthetic_text', prompt_tokens: 50, output_tokens: 20 }],
        seed: { value: 42 },
      },
    },
    benchmarks: [
      {
        type_: 'generative_benchmark',
        config: { strategy },
        warmup_duration: 0,
        duration: 4,
        start_time: 1,
        end_time: 5,
        metrics: {
          request_totals: { successful: 4, errored: 0, incomplete: 0, total: 4 },
          time_to_first_token_ms: { successful: times },
        },
        requests: { successful: [{ request_args: JSON.stringify({ body }) }], errored: [], incomplete: [] },
      },
    ],
  });

  it('in its settings and in the body of a request it kept', async () => {
    const even = await runOf('a.json', guidellm({ type_: 'constant', rate: 5 }, { ignore_eos: true, max_tokens: 20 }));
    const drawn = await runOf(
      'b.json',
      guidellm({ type_: 'poisson', rate: 5 }, { ignore_eos: true, max_tokens: 20, top_p: 0.9 }),
    );
    const comparison = compare(even, drawn);
    expect(states(comparison)).toMatchObject({
      'load-model': 'same',
      'arrival-process': 'confounds',
      'endpoint-mode': 'same',
      sampling: 'confounds',
    });
    expect(finding(comparison, 'arrival-process').message).toContain('even gaps against exponential gaps');
    expect(finding(comparison, 'stop-behaviour').a.evidence[0]).toMatchObject({
      key: 'benchmarks[0].requests.successful[0].request_args',
      value: 'true',
    });
  });
});
