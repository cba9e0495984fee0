// Per-request files: streamed in any pieces they give what JSON.parse gives, and recomputed they give the report's own summary.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summarize } from '../../../../src/metrics/summarize';
import { measureOf } from '../../../../src/readers/canonical';
import { openReports } from '../../../../src/readers/open';
import { completeReport } from '../../../../src/readers/records/complete';
import { goodputOf, parseLimits } from '../../../../src/readers/records/goodput';
import { streamInferencePerf, type StreamedRecords } from '../../../../src/readers/records/inference-perf';
import { streamAiperf, vllmColumns } from '../../../../src/readers/records/others';
import { ownRequests } from '../../../../src/readers/records/requests';
import { recompute, type RecomputeDefinition } from '../../../../src/readers/records/recompute';
import { memoryFolder } from '../../support/memory-folder';
import { syntheticRun } from '../../support/synthetic-run';

const DEFINITION: RecomputeDefinition = {
  tokens: 'client',
  gap: 'token_gap',
  failures: 'leave-out',
  flavour: 'inference-perf',
  percentiles: [50, 90, 99],
};

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) {
    await Promise.resolve();
    yield bytes.slice(at, at + size);
  }
}

async function* linesOf(...lines: string[]): AsyncGenerator<string> {
  await Promise.resolve();
  yield* lines;
}

interface Entry {
  start_time: number;
  end_time: number;
  request: string;
  response: string;
  info: Record<string, unknown>;
  error: unknown;
}

const times = fc.array(fc.double({ min: 0.0001, max: 2, noNaN: true }), { maxLength: 12 });
const entry = fc
  .record({
    start: fc.double({ min: 0, max: 1e6, noNaN: true }),
    steps: times,
    request: fc.string({ unit: 'binary', maxLength: 30 }),
    failed: fc.boolean(),
    server: fc.option(fc.nat(500), { nil: undefined }),
    generation: fc.constantFrom('flat', 'v0.5', 'main'),
  })
  .map(({ start, steps, request, failed, server, generation }): Entry => {
    let at = start;
    const stamps = steps.map((step) => (at += step));
    const response = { output_tokens: steps.length, output_token_times: stamps };
    const usage =
      server === undefined
        ? null
        : { completion_tokens: server, prompt_tokens: 7, prompt_tokens_details: { cached_tokens: 3 } };
    const info: Record<string, unknown> =
      generation === 'flat'
        ? { input_tokens: 5, ...response }
        : generation === 'v0.5'
          ? {
              input_tokens: 5,
              extra_info: { output_tokens: 'no "number" \\' },
              response_info: { ...response, server_usage: usage },
            }
          : {
              request_metrics: { text: { input_tokens: 5 }, image: null },
              response_metrics: { ...response, chunk_times: [1, 2], server_usage: usage },
            };
    const error = failed ? { error_type: 'HTTP Error 500', error_msg: 'a ] } "quoted" [' } : null;
    return {
      start_time: start,
      end_time: at + 0.001,
      request,
      response: `data: {"x": [${request.length}]}\\n`,
      info,
      error,
    };
  });

describe('streaming', () => {
  it('gives, in any pieces, exactly what parsing the whole gives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 8 }),
        fc.integer({ min: 1, max: 400 }),
        fc.boolean(),
        async (entries, size, indented) => {
          const { requests: columns, problems } = await streamInferencePerf(
            pieces(JSON.stringify(entries, null, indented ? 2 : 0), size),
            'f',
          );
          expect(problems).toEqual([]);
          expect(columns.length).toBe(entries.length);
          entries.forEach(({ start_time, end_time, info, error }, i) => {
            const answer = (info['response_metrics'] ?? info['response_info'] ?? info) as {
              output_tokens: number;
              output_token_times: number[];
              server_usage?: { completion_tokens: number } | null;
            };
            const stamps = answer.output_token_times;
            expect(columns.value('sent', i)).toBe(start_time);
            expect(columns.value('end', i)).toBe(end_time);
            expect(columns.value('clientOutput', i)).toBe(answer.output_tokens);
            expect(columns.value('clientInput', i)).toBe(5);
            expect(columns.value('serverOutput', i)).toBe(answer.server_usage?.completion_tokens ?? NaN);
            expect(columns.value('first', i)).toBe(stamps[0] ?? NaN);
            expect(columns.value('last', i)).toBe(stamps[stamps.length - 1] ?? NaN);
            expect(columns.isFailed(i)).toBe(error !== null);
            const gaps = error === null ? stamps.slice(1).map((stamp, k) => stamp - stamps[k]!) : [];
            expect([...columns.gapsOf((index) => index === i)]).toEqual(gaps);
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  it('numbers are exact, however they are written', async () => {
    const written = [
      '0.1',
      '123456.789012345',
      '1e-7',
      '-0.5',
      '12345678901234567890',
      '1.7976931348623157e308',
      '0.30000000000000004',
      '9007199254740993',
      '4.35',
    ];
    const text = `[${written.map((number) => `{"start_time": ${number}, "end_time": null, "request": ""}`).join(',')}]`;
    const { requests: columns } = await streamInferencePerf(pieces(text, 7), 'f');
    expect(written.map((_, i) => columns.value('sent', i))).toEqual(written.map(Number));
  });

  it('keeps what it had of a file that is cut off or broken, and says so', async () => {
    const whole = JSON.stringify(
      [1, 2, 3].map((start_time) => ({ start_time, end_time: 4, request: 'x', info: {}, error: null })),
    );
    const cut = await streamInferencePerf(pieces(whole.slice(0, -20), 11), 'f.json');
    expect(cut.requests.length).toBe(2);
    expect(cut.problems[0]?.message).toBe('f.json is cut off: 2 requests were read');
    const broken = await streamInferencePerf(pieces(whole.replace('{"start_time":3', '{start_time:3'), 11), 'f.json');
    expect(broken.requests.length).toBe(2);
    expect(broken.problems[0]).toMatchObject({ code: 'REP105', severity: 'error' });
  });
});

describe('recomputing', () => {
  it('our records give our own summary', () => {
    const records = syntheticRun({
      seed: 5,
      failureShare: 0.05,
      maxTokens: { from: 4, to: 60 },
      tokensPerChunk: 2,
    }).records!;
    const report = summarize(records, { percentiles: [50, 90, 99], outputTokenSource: 'server-usage' });
    const again = recompute(
      ownRequests(records, 'tokens'),
      { ...DEFINITION, tokens: 'server', flavour: 'own' },
      'records.jsonl',
    );
    const pairs = [
      ['ttft', report.successes.latency.time_to_first_token],
      ['tpot', report.successes.latency.time_per_output_token],
      ['ntpot', report.successes.latency.normalized_time_per_output_token],
      ['e2e', report.successes.latency.request_latency],
      ['token_gap', report.successes.latency.inter_token_latency],
    ] as const;
    for (const [id, stat] of pairs) {
      const found = again.measures.find(({ quantity }) => quantity === id)!.stats;
      for (const [ours, theirs] of [
        ['mean', 'mean'],
        ['p50', 'median'],
        ['p90', 'p90'],
        ['p99', 'p99'],
        ['max', 'max'],
      ] as const) {
        expect(Math.abs(found[ours]! - stat![theirs]!)).toBeLessThanOrEqual(1e-9 * Math.abs(stat![theirs]!));
      }
    }
    expect(again.windowSeconds).toBeCloseTo(report.benchmark_time_seconds, 9);
    expect(again.counts).toMatchObject({ ok: report.successes.count, failed: report.failures.count });
  });

  const five = (): Promise<StreamedRecords> => {
    const entries = [0, 1, 2, 3, 4].map((i) => ({
      start_time: 100 + i,
      end_time: 101 + i + i / 10,
      request: '',
      info: { input_tokens: 10, output_tokens: 3, output_token_times: [100.5 + i, 100.7 + i, 100.9 + i] },
      error: i === 4 ? { error_type: 'x' } : null,
    }));
    return streamInferencePerf(pieces(JSON.stringify(entries), 50), 'f');
  };

  it('a warm-up cut by number or seconds, and a window, leave out what they say', async () => {
    const { requests: columns } = await five();
    const sent = (change: Partial<RecomputeDefinition>): unknown => {
      const { counts, leftOut } = recompute(columns, { ...DEFINITION, ...change }, 'f');
      return [counts.ok, counts.failed, leftOut];
    };
    expect(sent({})).toEqual([4, 1, 0]);
    expect(sent({ warmup: { requests: 2 } })).toEqual([2, 1, 2]);
    expect(sent({ warmup: { seconds: 3 } })).toEqual([1, 1, 3]);
    expect(sent({ windowSeconds: { from: 1, to: 3 } })).toEqual([2, 0, 3]);
  });

  it('a failure that counts as never answered moves percentiles up and takes the mean away', async () => {
    const { requests: columns } = await five();
    const stats = (failures: RecomputeDefinition['failures']): Record<string, number> =>
      recompute(columns, { ...DEFINITION, failures }, 'f').measures.find(({ quantity }) => quantity === 'e2e')!.stats;
    expect(stats('leave-out')['p50']).toBeCloseTo(1.15, 9);
    const never = stats('never-answered');
    expect(never['p50']).toBeCloseTo(1.2, 9);
    expect(never).not.toHaveProperty('mean');
    expect(never).not.toHaveProperty('p99');
  });

  it('vLLM’s arrays: seconds, chunk gaps, failures by their error', () => {
    const columns = vllmColumns({
      ttfts: [0.1, 0],
      itls: [[0.2, 0.3], []],
      input_lens: [7, 7],
      output_lens: [3, 0],
      start_times: [10, 11],
      errors: ['', 'boom'],
    });
    const again = recompute(columns, { ...DEFINITION, tokens: 'server', gap: 'chunk_gap', flavour: 'own' }, 'f');
    expect(again.counts).toEqual({ total: 2, ok: 1, failed: 1 });
    expect(measureOf(again, 'e2e')?.stats['mean']).toBeCloseTo(0.6, 9);
    expect(measureOf(again, 'tpot')?.stats['mean']).toBeCloseTo(0.25, 9);
    expect(measureOf(again, 'chunk_gap')?.stats['max']).toBeCloseTo(0.3, 9);
  });

  it('arrays without start_times have latencies, and neither rates nor cuts by time', () => {
    const columns = vllmColumns({
      ttfts: [0.9, 0.1, 0.2],
      itls: [[0.2], [0.2], [0.4]],
      input_lens: [7, 7, 7],
      output_lens: [2, 2, 2],
    });
    const own = { ...DEFINITION, tokens: 'server', gap: 'chunk_gap', flavour: 'own' } as const;
    const again = recompute(columns, own, 'f');
    expect(measureOf(again, 'ttft')?.stats['mean']).toBeCloseTo(0.4, 9);
    expect(measureOf(again, 'e2e')?.stats['max']).toBeCloseTo(1.1, 9);
    expect(measureOf(again, 'output_tokens')?.stats['total']).toBe(6);
    for (const id of ['requests_per_sec', 'input_tokens_per_sec', 'output_tokens_per_sec'] as const) {
      expect(measureOf(again, id)).toBeUndefined();
    }
    expect(again.windowSeconds).toBeUndefined();
    expect(again.missing.join('; ')).toContain('starts are not recorded');

    const cut = recompute(columns, { ...own, warmup: { requests: 1 } }, 'f');
    expect(measureOf(cut, 'ttft')?.stats['max']).toBeCloseTo(0.2, 9);
    expect(cut.missing.join('; ')).toContain('its order is the order of sending');
    for (const asked of [{ warmup: { seconds: 1 } }, { windowSeconds: { from: 0, to: 5 } }]) {
      const refused = recompute(columns, { ...own, ...asked }, 'f');
      expect(refused.measures).toEqual([]);
      expect(refused.missing[0]).toMatch(/cannot be cut: starts are not recorded/);
    }

    const good = goodputOf(columns, { ttft: 0.5 }, own);
    expect(good).toMatchObject({ good: 2, ok: 3 });
    expect(good.requestsPerSecond).toBeUndefined();
    expect(good.requestsPerSecondOfAll).toBeUndefined();
    expect(good.tokensPerSecond).toBeUndefined();
  });

  it('AIPerf’s lines: warm-up left out, cancelled ones fail, broken lines are named', async () => {
    const line = (phase: string, more: object = {}): string =>
      JSON.stringify({
        metadata: { request_start_ns: 1e18, benchmark_phase: phase, ...more },
        metrics: {
          request_latency: { value: 500 },
          time_to_first_token: { value: 100 },
          output_sequence_length: { value: 11 },
        },
        error: null,
      });
    const { requests: columns, problems } = await streamAiperf(
      linesOf(line('warmup'), line('profiling'), '', line('profiling', { was_cancelled: true }), '{"metadata": '),
      'f',
      false,
    );
    const again = recompute(columns, { ...DEFINITION, flavour: 'own', gap: 'chunk_gap' }, 'f');
    expect(again.counts).toEqual({ total: 2, ok: 1, failed: 1 });
    expect(measureOf(again, 'tpot')?.stats['mean']).toBeCloseTo(0.04, 6);
    expect(problems).toHaveLength(1);
  });
});

describe('a report against its requests', () => {
  const entries = [1, 2].map((i) => ({
    start_time: i,
    end_time: i + 1,
    request: '',
    info: {
      request_metrics: { text: { input_tokens: 10 } },
      response_metrics: { output_tokens: 3, output_token_times: [i + 0.5, i + 0.7, i + 0.9] },
    },
    error: null,
  }));
  const stat = (mean: number): unknown => ({ mean, min: mean, max: mean, median: mean });
  const summary = (ttft: number): string =>
    JSON.stringify({
      benchmark_time_seconds: 2,
      load_summary: { count: 2 },
      successes: {
        count: 2,
        latency: { time_to_first_token: stat(ttft), request_latency: stat(1), time_per_output_token: stat(0.2) },
        throughput: {},
        output_len: stat(3),
        request_size_bytes: stat(1),
        prompt_tokens: stat(10),
      },
      failures: { count: 0 },
    });
  const completed = async (ttft: number): Promise<string[]> => {
    const opened = await openReports(
      memoryFolder({
        'summary_lifecycle_metrics.json': summary(ttft),
        'per_request_lifecycle_metrics.json': JSON.stringify(entries),
      }),
    );
    if (!opened.ok) throw new Error('not opened');
    return (await completeReport(opened.value.reports[0]!)).problems.map(({ message }) => message);
  };

  it('agrees to nine digits, or the difference is named', async () => {
    expect(await completed(0.5)).toEqual([]);
    expect((await completed(0.500001))[0]).toContain(
      'ttft mean is 0.500001 in the summary, 0.500000 from the requests',
    );
  });

  it('without a summary the requests give the numbers', async () => {
    const opened = await openReports(memoryFolder({ 'per_request_lifecycle_metrics.json': JSON.stringify(entries) }));
    if (!opened.ok) throw new Error('not opened');
    const { report } = await completeReport(opened.value.reports[0]!);
    expect(measureOf(report.scopes[0]!, 'ttft')?.stats['mean']).toBeCloseTo(0.5, 9);
    expect(report.assumptions.join()).toContain('every number was computed from the requests');
  });
});

describe('goodput', () => {
  it('counts failures in one denominator and not in the other', async () => {
    const entries = [0, 1, 2, 3].map((i) => ({
      start_time: i,
      end_time: i + 1,
      request: '',
      info: { input_tokens: 10, output_tokens: 3, output_token_times: [i + 0.1 * (i + 1), i + 0.7, i + 0.9] },
      error: i === 3 ? {} : null,
    }));
    const { requests: columns } = await streamInferencePerf(pieces(JSON.stringify(entries), 99), 'f');
    const goodput = goodputOf(columns, { ttft: 0.25 }, DEFINITION);
    expect(goodput).toMatchObject({
      good: 2,
      ok: 3,
      failed: 1,
      percentOfAll: 50,
      tokensPerSecond: 26 / 3,
      requestsPerSecondOfAll: 0.5,
    });
    expect(goodput.percentOfSuccesses).toBeCloseTo(66.67, 1);
    expect(goodputOf(columns, { tpot: 1e-9, ttft: 9 }, DEFINITION).attainment).toEqual({ ttft: 100, tpot: 0 });
  });

  it('an unknown limit is an error with the known names', () => {
    expect(parseLimits('ttft=0.2, tpot = 0.05')).toMatchObject({ ok: true, value: { ttft: 0.2, tpot: 0.05 } });
    const wrong = parseLimits('tttf=0.2,itl=fast,');
    expect(wrong.ok).toBe(false);
    expect(wrong.problems.map(({ message }) => message)).toEqual([
      "'tttf' is no limit of goodput",
      "the limit of itl is 'fast', not a number of seconds above 0",
    ]);
    expect(parseLimits('').ok).toBe(false);
  });
});
