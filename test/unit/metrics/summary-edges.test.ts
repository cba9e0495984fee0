// What a summary says and does not say at its edges: windows of no length, counts that are not there, notes that do not apply.
import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../../src/metrics/record';
import { summarize, type SummarizeOptions } from '../../../src/metrics/summarize';

const record = (id: number, more: Partial<RequestRecord> = {}): RequestRecord => ({
  id,
  stage: 0,
  scheduledSeconds: id,
  sentSeconds: id,
  firstTokenSeconds: id + 0.1,
  firstContentSeconds: id + 0.1,
  lastTokenSeconds: id + 0.3,
  chunkSeconds: [id + 0.1, id + 0.2, id + 0.3],
  chunkTokens: [1, 1, 1],
  endSeconds: id + 0.3,
  outcome: { kind: 'ok' },
  usage: { promptTokens: 20, completionTokens: 3 },
  promptHash: '',
  ...more,
});
const OPTIONS: SummarizeOptions = { percentiles: [50], outputTokenSource: 'server-usage' };
interface Noted {
  readonly isoperf?: { readonly differs_from_inference_perf?: Readonly<Record<string, string>> };
}
const differs = (records: RequestRecord[]): Readonly<Record<string, string>> | undefined =>
  (summarize(records, OPTIONS) as Noted).isoperf?.differs_from_inference_perf;
const single = { chunkSeconds: [0.1], chunkTokens: [1], lastTokenSeconds: 0.1 };

describe('where ours is not upstream’s', () => {
  it('is said only of what applies to these requests', () => {
    const key = 'successes.latency.time_to_first_token';
    expect(differs([record(0), record(1)])?.[key]).toBeUndefined();
    expect(differs([record(0), record(1, single)])?.[key]).toBe(
      'includes 1 answers with a single token time; inference-perf leaves them out',
    );
    const late = differs([record(0, { firstContentSeconds: 0.2 }), record(1)])?.[key];
    expect(late).toMatch(/^in 1 answers the first token was not content/);
    expect(late).not.toContain('single');
  });
});

describe('rates', () => {
  it('of a window without length are 0, not endless', () => {
    const still = record(0, { endSeconds: 0 });
    const { successes, load_summary: load } = summarize([still], {
      ...OPTIONS,
      goodput: { request_latency: 1 },
      stage: { requestedRateRps: 2 },
    });
    expect(successes.throughput.requests_per_sec).toBe(0);
    expect(successes.goodput_metrics).toMatchObject({ request_goodput: 0, token_goodput: 0, good_requests: 1 });
    expect(load).toMatchObject({ achieved_rate: 0, send_duration: 0, requested_rate: 2 });
  });

  it('are missing with their reason where some answers were not counted, and only those', () => {
    const uncounted = (which: 'promptTokens' | 'completionTokens'): RequestRecord =>
      record(1, { usage: which === 'promptTokens' ? { completionTokens: 3 } : { promptTokens: 20 } });
    const said = (which: 'promptTokens' | 'completionTokens') => {
      const report = JSON.stringify(summarize([record(0), uncounted(which)], OPTIONS));
      return ['input', 'output', 'total'].map((name) =>
        report.includes(`"successes.throughput.${name}_tokens_per_sec"`),
      );
    };
    expect(said('promptTokens')).toEqual([true, false, true]);
    expect(said('completionTokens')).toEqual([false, true, true]);
    const { throughput } = summarize([record(0), uncounted('promptTokens')], OPTIONS).successes;
    expect(throughput.input_tokens_per_sec).toBeNull();
    expect(throughput.total_tokens_per_sec).toBeNull();
    expect(throughput.output_tokens_per_sec).toBeCloseTo(6 / 1.3, 9);
  });
});

it.each(['ttft', 'tpot', 'itl', 'ntpot', 'request_latency'])(
  'a goodput limit of %s is held against its own times',
  (name) => {
    // 0.3 s in all, 0.1 s everywhere else.
    const truth = name === 'request_latency' ? 0.3 : 0.1;
    const good = (limit: number): unknown =>
      summarize([record(0), record(1)], { ...OPTIONS, goodput: { [name]: limit } }).successes.goodput_metrics?.[
        'good_requests'
      ];
    expect([good(truth - 0.01), good(truth + 0.01)]).toEqual([0, 2]);
  },
);
