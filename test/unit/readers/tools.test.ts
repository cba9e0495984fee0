// Results of the other tools in the shapes the public corpus has no file of: second generations, lines, texts, unknown units.
import { describe, expect, it } from 'vitest';
import { measureOf, statisticOf, type CanonicalReport } from '../../../src/readers/canonical';
import { openReports } from '../../../src/readers/open';
import { judgeReport, violated } from '../../../src/audit/identities';
import { readRun } from '../../../src/readers/read';
import { runState } from '../../../src/readers/run-state';
import { memoryFolder } from '../support/memory-folder';

async function open(file: string, content: unknown): Promise<CanonicalReport[]> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const opened = await openReports(memoryFolder({ [file]: text }));
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
  return opened.value.reports.map(({ report }) => report);
}

const only = async (content: unknown, file = 'x.json'): Promise<CanonicalReport> => {
  const [report, ...more] = await open(file, content);
  expect(more).toEqual([]);
  return report!;
};

const vllm = {
  date: '20260722-060114',
  backend: 'openai',
  model_id: 'm',
  tokenizer_id: 'm',
  num_prompts: 10,
  request_rate: 'inf',
  burstiness: 1,
  max_concurrency: 4,
  duration: 10,
  completed: 9,
  failed: 1,
  total_input_tokens: 900,
  total_output_tokens: 90,
  request_throughput: 0.9,
  'request_goodput:': 0.5,
  output_throughput: 9,
  total_token_throughput: 99,
  mean_ttft_ms: 50,
  p99_ttft_ms: 80,
  mean_tpot_ms: 10,
  mean_itl_ms: 12,
  mean_e2el_ms: 140,
};

describe('vLLM', () => {
  it('lines of one file are runs of their own; the old goodput key is read; chunk gaps are not token gaps', async () => {
    const reports = await open(
      'runs.json',
      `${JSON.stringify(vllm)}\n${JSON.stringify({ ...vllm, request_rate: 5 })}\n`,
    );
    expect(reports.map(({ scopes }) => scopes[0]!.load)).toMatchObject([
      { model: 'closed', concurrency: 4 },
      { model: 'open', requestedRateRps: 5, cap: { value: 4 } },
    ]);
    const scope = reports[0]!.scopes[0]!;
    expect(statisticOf(scope, 'ttft', 'p99')).toBeCloseTo(0.08, 12);
    expect(measureOf(scope, 'chunk_gap')?.stats['mean']).toBeCloseTo(0.012, 12);
    expect(measureOf(scope, 'token_gap')).toBeUndefined();
    expect(scope.goodput?.stats).toEqual({ request_goodput: 0.5 });
    expect(scope.counts).toEqual({ planned: 10, ok: 9, failed: 1, total: 10 });
  });
});

describe('SGLang', () => {
  const line = {
    backend: 'sglang',
    request_rate: 0,
    max_concurrency: null,
    random_range_ratio: 1,
    duration: 10,
    completed: 10,
    total_input_tokens: 1000,
    total_output_tokens: 110,
    total_output_tokens_retokenized: 100,
    request_throughput: 1,
    mean_e2e_latency_ms: 500,
    mean_ttft_ms: 100,
    mean_tpot_ms: 40,
    mean_itl_ms: 40,
    accept_length: 2.5,
  };
  it('Infinity is a burst, several lines are several runs, a set accept_length makes gaps per token', async () => {
    const text = `${JSON.stringify(line).replace('"request_rate":0', '"request_rate":Infinity')}\n${JSON.stringify({ ...line, request_rate: 3, accept_length: null })}\n`;
    const reports = await open('sglang_0101.jsonl', text);
    expect(reports.map(({ scopes }) => scopes[0]!.load.words)).toEqual([
      'all requests at once (rate inf)',
      '3 requests/s asked',
    ]);
    expect(measureOf(reports[0]!.scopes[0]!, 'token_gap')).toBeDefined();
    expect(measureOf(reports[1]!.scopes[0]!, 'chunk_gap')).toBeDefined();
    expect(violated(judgeReport(reports[0]!))).toEqual([]);
  });
});

describe('GuideLLM', () => {
  const block = (mean: number): unknown => ({
    successful: {
      mean,
      median: mean,
      std_dev: 0,
      min: mean,
      max: mean,
      count: 5,
      percentiles: { p001: mean, p50: mean, p999: mean },
    },
  });
  it('before 0.4: its inter token latency is TPOT, and its time per output token is neither TPOT nor NTPOT', async () => {
    const report = await only({
      benchmarks: [
        {
          type_: 'generative_benchmark',
          args: { strategy: { type_: 'concurrent', streams: 8 } },
          run_stats: {
            start_time: 1700000000,
            end_time: 1700000010,
            requests_made: { successful: 5, errored: 1, incomplete: 2, total: 8 },
          },
          metrics: {
            time_to_first_token_ms: block(100),
            inter_token_latency_ms: block(40),
            // 400 ms from the first token to the last, over all 11: as version 0.3.0 computed it.
            time_per_output_token_ms: block(400 / 11),
            request_latency: block(0.5),
            output_token_count: block(11),
          },
        },
      ],
    });
    const scope = report.scopes[0]!;
    expect(report.versionClass.name).toBe('layout before 0.4');
    expect(scope.load).toMatchObject({ model: 'closed', concurrency: 8 });
    expect(scope.counts).toEqual({ total: 8, ok: 5, failed: 1, cancelled: 2 });
    expect(measureOf(scope, 'tpot')).toMatchObject({
      stats: { mean: 0.04, 'p99.9': 0.04 },
      definition: { weighting: 'tokens' },
    });
    expect(measureOf(scope, 'ntpot')).toBeUndefined();
    expect(report.notRecorded.join(' ')).toContain('time_per_output_token_ms');
    expect(violated(judgeReport(report))).toEqual([]);
  });
});

describe('AIPerf and genai-perf', () => {
  it('early genai-perf: numbers written as texts, in nanoseconds, lengths under other names', async () => {
    const report = await only({
      request_throughput: { unit: 'request per sec', avg: '12.5' },
      request_latency: { unit: 'ns', avg: '80000000.5', p99: '101977365.62', min: '37899188' },
      inter_token_latency: { unit: 'ns', avg: '4000000' },
      num_output_token: { unit: 'tokens', avg: '17.5' },
      num_input_token: { unit: 'tokens', avg: '550.0' },
      input_config: { model: 'm', streaming: true, concurrency: 1 },
    });
    const scope = report.scopes[0]!;
    expect(report.tool).toBe('genai-perf');
    expect(statisticOf(scope, 'e2e', 'mean')).toBeCloseTo(0.0800000005, 12);
    expect(statisticOf(scope, 'tpot', 'mean')).toBeCloseTo(0.004, 12);
    expect(statisticOf(scope, 'output_tokens', 'mean')).toBe(17.5);
    expect(statisticOf(scope, 'prompt_tokens', 'mean')).toBe(550);
    expect(statisticOf(scope, 'requests_per_sec', 'value')).toBe(12.5);
  });

  it('genai-perf: units are read, an unknown one leaves the number out with a word', async () => {
    const report = await only({
      input_config: { endpoint: { model_names: ['m'] }, input: { random_seed: 3 }, concurrency: 2 },
      request_latency: { unit: 'us', avg: 500000 },
      time_to_first_token: { unit: 'fortnights', avg: 1 },
      inter_token_latency: { unit: 'ms', avg: 40 },
      output_sequence_length: { unit: 'tokens', avg: 11 },
      request_count: { unit: 'requests', avg: 10 },
    });
    expect(report.tool).toBe('genai-perf');
    expect(statisticOf(report.scopes[0]!, 'e2e', 'mean')).toBeCloseTo(0.5, 12);
    expect(measureOf(report.scopes[0]!, 'ttft')).toBeUndefined();
    expect(measureOf(report.scopes[0]!, 'tpot')?.definition.note).toContain('inter token latency');
    expect(report.problems[0]).toMatchObject({ code: 'REP122' });
    expect(report).toMatchObject({ model: 'm', seed: '3' });
  });

  it('keys in a command line are masked', async () => {
    const report = await only({
      schema_version: '1.5',
      request_latency: { unit: 'ms', avg: 5 },
      run_info: { cli_command: 'aiperf profile --api-key swordfish --model m --max-tokens 5' },
    });
    const text = JSON.stringify(report);
    expect(text).not.toContain('swordfish');
    expect(text).toContain('--max-tokens 5');
  });
});

describe('Hugging Face inference-benchmarker', () => {
  const step = (id: string): unknown => ({
    id,
    executor_type: 'ConstantArrivalRate',
    config: { rate: 2, max_vus: 128 },
    total_requests: 11,
    successful_requests: 10,
    failed_requests: 1,
    total_tokens: 110,
    total_tokens_sent: 1000,
    token_throughput_secs: 22,
    duration_ms: 5000,
    request_rate: 2,
    time_to_first_token_ms: { p50: 100, avg: 100 },
    inter_token_latency_ms: { p50: 40, avg: 40 },
    e2e_latency_ms: { p50: 500, avg: 500 },
  });
  it('drops its warm-up and keeps the steps', async () => {
    const report = await only({
      config: { model_name: 'm' },
      start_time: '2026-01-01T00:00:00Z',
      results: [step('warmup'), step('constant@2.00req/s')],
    });
    expect(report.scopes.map(({ id }) => id)).toEqual(['constant@2.00req/s']);
    expect(report.scopes[0]).toMatchObject({
      load: { model: 'open', requestedRateRps: 2 },
      counts: { total: 11, ok: 10, failed: 1 },
    });
    expect(violated(judgeReport(report))).toEqual([]);
  });
});

describe('InferenceX', () => {
  it('the aggregate is in seconds and has no counts', async () => {
    const report = await only({
      hw: 'b200',
      conc: 64,
      tput_per_gpu: 1000,
      median_ttft: 0.5,
      'p99.9_tpot': 0.03,
      median_tpot: 0.02,
      p99_intvty: 33,
    });
    expect(report.scopes[0]).toMatchObject({ load: { concurrency: 64 }, counts: {} });
    expect(statisticOf(report.scopes[0]!, 'tpot', 'p99.9')).toBe(0.03);
    expect(report.facts.map(({ label }) => label)).toContain('hw');
  });
});

describe('llm-d Benchmark Report', () => {
  const report = (tool: string, units = 'ms'): unknown => ({
    version: '0.2',
    run: { uid: 'u', time: { duration: 'PT1M2.5S' } },
    scenario: { load: { standardized: { tool, tool_version: '1', rate_qps: 2 } } },
    results: {
      request_performance: {
        aggregate: {
          requests: { total: 125, failures: 0, output_length: { units: 'count', mean: 11 } },
          latency: {
            time_to_first_token: { units, mean: 100 },
            request_latency: { units, mean: 500 },
            time_per_output_token: { units: 'ms/token', mean: 45 },
            inter_token_latency: { units: 'ms/token', mean: 40, p99p9: 50 },
          },
          throughput: { request_rate: { units: 'queries/s', mean: 2 } },
        },
      },
    },
  });

  it('one name means four things, by the tool that measured', async () => {
    const quantities = async (tool: string): Promise<string[]> =>
      (await only(report(tool))).scopes[0]!.measures.filter(
        ({ source }) => /token/.test(source.key) && !/first/.test(source.key),
      ).map(({ quantity }) => quantity);
    expect(await quantities('inference-perf')).toEqual(['tpot', 'token_gap']);
    expect(await quantities('vllm-benchmark')).toEqual(['tpot', 'chunk_gap']);
    expect(await quantities('guidellm')).toEqual(['ntpot', 'tpot']);
    expect(await quantities('aiperf')).toEqual(['tpot']);
    expect(await quantities('my-own-script')).toEqual([]);
    expect((await only(report('my-own-script'))).notRecorded[0]).toContain('not taken over');
  });

  it('reads ISO durations and refuses units it does not know', async () => {
    const fine = await only(report('guidellm'));
    expect(fine.scopes[0]!.windowSeconds?.value).toBe(62.5);
    const odd = await only(report('guidellm', 'parsecs'));
    expect(measureOf(odd.scopes[0]!, 'ttft')).toBeUndefined();
    expect(odd.problems.map(({ code }) => code)).toEqual(['REP122', 'REP122']);
  });
});

describe('MLPerf', () => {
  it('LoadGen’s summary: nanoseconds, from the schedule in the Server scenario, with its verdict', async () => {
    const report = await only(
      `================================================
MLPerf Results Summary
================================================
SUT name : PySUT
Scenario : Server
Mode     : PerformanceOnly
Completed samples per second    : 9.5
Result is : INVALID
  Min duration satisfied : NO
  Min queries satisfied : Yes
================================================
Additional Stats
================================================
Min latency (ns)                : 100000000
Mean latency (ns)               : 500000000
99.00 percentile latency (ns)   : 900000000
Mean First Token latency (ns)                : 100000000

Min Time per Output Token (ns)                : 1000000
Mean Time per Output Token (ns)               : 30000000
99.00 percentile time to output token (ns)   : 40000000
target_qps : 10
`,
      'mlperf_log_summary.txt',
    );
    const scope = report.scopes[0]!;
    expect(statisticOf(scope, 'e2e_schedule', 'p99')).toBeCloseTo(0.9, 12);
    expect(statisticOf(scope, 'ttft_schedule', 'mean')).toBeCloseTo(0.1, 12);
    expect(measureOf(scope, 'e2e')).toBeUndefined();
    expect(statisticOf(scope, 'tpot', 'min')).toBeCloseTo(0.001, 12);
    expect(statisticOf(scope, 'tpot', 'mean')).toBeCloseTo(0.03, 12);
    expect(statisticOf(scope, 'tpot', 'p99')).toBeCloseTo(0.04, 12);
    expect(report.ownVerdict![0]).toMatch(/LoadGen says INVALID \(min duration satisfied: no\)/);
  });

  it('the endpoints harness', async () => {
    const report = await only({
      n_samples_issued: 11,
      n_samples_completed: 11,
      n_samples_failed: 0,
      duration_ns: 5e9,
      qps: 2,
      ttft: { avg: 1e8, percentiles: { '99': 2e8 } },
    });
    expect(report.tool).toBe('MLPerf endpoints');
    expect(statisticOf(report.scopes[0]!, 'ttft', 'p99')).toBeCloseTo(0.2, 12);
    expect(violated(judgeReport(report))).toEqual([]);
  });
});

describe('AIPerf 0.13', () => {
  const block = (avg: number, unit = 'tokens'): unknown => ({ unit, avg, min: avg, p50: avg, max: avg, count: 10 });
  const exported = {
    schema_version: '1.4',
    aiperf_version: '0.13.0',
    input_config: {},
    request_count: { unit: 'requests', avg: 10 },
    request_latency: block(300, 'ms'),
    time_to_first_token: block(110, 'ms'),
    inter_token_latency: block(3.2, 'ms'),
    inter_chunk_latency: block(10, 'ms'),
    effective_latency: block(304, 'ms'),
    credit_to_start_latency: block(4, 'ms'),
    input_sequence_length: block(50),
    output_sequence_length: block(60),
    usage_prompt_tokens: block(26),
    usage_completion_tokens: block(20),
    input_token_throughput: { unit: 'tokens/sec', avg: 800 },
    is_complete: true,
    was_cancelled: false,
  };

  it('the server’s counts stand beside the client’s, the credit is the schedule', async () => {
    const report = await only(exported);
    const counts = report.scopes[0]!.measures.filter(({ quantity }) => /_tokens$/.test(quantity));
    expect(counts.map(({ quantity, definition, stats }) => [quantity, definition.tokens, stats['mean']])).toEqual([
      ['prompt_tokens', 'client', 50],
      ['output_tokens', 'client', 60],
      ['prompt_tokens', 'server', 26],
      ['output_tokens', 'server', 20],
    ]);
    const stat = (id: Parameters<typeof statisticOf>[1], name: string) => statisticOf(report.scopes[0]!, id, name);
    expect(stat('schedule_delay', 'mean')).toBeCloseTo(0.004, 9);
    expect(stat('e2e_schedule', 'mean')).toBeCloseTo(0.304, 9);
    expect(stat('input_tokens_per_sec', 'value')).toBe(800);
  });

  it('a client that counts three tokens where the server counts one: two counters, and one token a chunk', async () => {
    const codes = (report: CanonicalReport) => judgeReport(report).cautions.map(({ pitfall }) => pitfall);
    const both = codes(await only(exported));
    expect(both).toContain('CMP058');
    expect(both).not.toContain('CMP087');
    expect(codes(await only({ ...exported, usage_completion_tokens: undefined }))).toContain('CMP087');
    expect(codes(await only({ ...exported, usage_completion_tokens: block(60) }))).toContain('CMP087');
  });

  it('says whether it came to its end', async () => {
    const state = async (more: object): Promise<string> => {
      const read = await readRun(memoryFolder({ 'x.json': JSON.stringify({ ...exported, ...more }) }));
      return read.ok ? runState(read.value).words : 'unread';
    };
    expect(await state({})).toBe('complete');
    expect(await state({ was_cancelled: true, is_complete: false })).toBe('incomplete: 10 requests (cancelled)');
    expect(await state({ is_complete: undefined, was_cancelled: undefined })).toMatch(/not recorded/);
  });
});
