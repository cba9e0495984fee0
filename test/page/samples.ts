// The messages an extension would send: a report, a comparison, a run under way.
import { compare } from '../../src/comparability/compare';
import type { Comparison } from '../../src/comparability/comparison';
import { comparisonView } from '../../src/views/comparison/view';
import type { HostMessage, LiveView } from '../../src/messages';
import { readRun } from '../../src/readers/read';
import { reportView } from '../../src/views/report/view';
import { COMPARISON, RUN_A, RUN_B } from './sample-comparison';
import { FOREIGN_FILE, VLLM_RESULT } from './sample-foreign';
import { syntheticRun } from '../unit/support/synthetic-run';
import { sampleRun, USUAL } from './sample-run';

export const REPORT: HostMessage = {
  type: 'report',
  view: reportView(sampleRun(USUAL)),
  restore: { kind: 'report', folders: ['file:///work/reports-chat-8b'], intended: [] },
};

/** Few requests, many failures, an engine that was killed. */
export const POOR_REPORT: HostMessage = {
  type: 'report',
  view: reportView({
    ...sampleRun({ ...USUAL, name: 'short', rates: [2], warmup: false, failing: 0.3, state: 'running' }),
    problems: [
      {
        code: 'REP109',
        severity: 'warning',
        path: [],
        message: 'The last line of records.jsonl is cut off: its request is missing here',
        remedy: 'Run again for a whole report',
      },
      { code: 'CMP060', severity: 'information', path: [], message: 'Nobody left a warm-up out of these numbers' },
    ],
  }),
  restore: { kind: 'report', folders: ['file:///work/reports-short'], intended: [] },
};

/** One request in all: every percentile is the same value. */
export const SINGLE: HostMessage = {
  type: 'report',
  view: reportView(syntheticRun({ seed: 1, stages: [{ concurrency: 1, requests: 1 }] })),
  restore: { kind: 'report', folders: ['file:///work/reports-single'], intended: [] },
};

/** Nothing was answered. */
export const FAILED_REPORT: HostMessage = {
  type: 'report',
  view: reportView(sampleRun({ ...USUAL, name: 'all-failed', failing: 1 })),
  restore: { kind: 'report', folders: ['file:///work/reports-all-failed'], intended: [] },
};

export const COMPARED: HostMessage = {
  type: 'comparison',
  view: comparisonView(COMPARISON, RUN_A, RUN_B),
  restore: { kind: 'comparison', folders: ['file:///a', 'file:///b'], intended: [] },
};

export function liveMessage(second: number): HostMessage {
  const at = Array.from({ length: second }, (_, index) => index + 1);
  const view: LiveView = {
    title: 'chat-8b',
    identity: ['simulator at http://127.0.0.1:8000', 'sim-model', 'Poisson, 3 stages, 5 → 20 rps, 60 s'],
    phase: 'running',
    words: `Stage 2 of 3, ${60 - second} s left`,
    tone: 'neutral',
    progress: second / 60,
    stages: [
      { label: '5 rps for 20 s', warmup: true, state: 'done', words: '100 of 100' },
      {
        label: '10 rps for 20 s',
        warmup: false,
        state: 'running',
        words: `${Math.max(0, second - 20)} s, 200 planned`,
      },
      { label: '20 rps for 20 s', warmup: false, state: 'waiting', words: '400 planned' },
    ],
    counts: [
      { label: 'Planned', value: '700', tone: 'neutral' },
      { label: 'Sent', value: String(100 + second * 10), tone: 'neutral' },
      { label: 'In flight', value: '4', tone: 'neutral' },
      { label: 'Done', value: String(94 + second * 10), tone: 'neutral' },
      { label: 'Failed', value: '2', tone: 'bad' },
    ],
    figures: [
      { label: 'Achieved', value: '9.98 requests/s', detail: 'of 10.0 offered' },
      { label: 'Output', value: '318 tokens/s' },
      { label: 'Schedule delay', value: '1.90 ms', detail: 'p95 of the last 5 s' },
      { label: 'Event loop', value: '12.0 % busy', detail: 'the client keeps up' },
    ],
    health: [{ tone: 'caution', message: 'Requests leave up to 30 ms late' }],
    calm: 'The client keeps up, and no request has failed.',
    errors: [{ label: '429 - Rate Limit', count: 2 }],
    trace: {
      atSeconds: at,
      ttftMs: at.map((s) => 60 + 8 * Math.sin(s / 3)),
      itlMs: at.map((s) => (s === 4 ? null : 12 + Math.cos(s / 4))),
    },
    problems: [],
  };
  return { type: 'live', view, restore: { kind: 'live', folders: ['file:///work/reports-live'], intended: [] } };
}

/** A run that broke after it was planned and before anything was sent. */
export function brokenMessage(): HostMessage {
  const message = liveMessage(0);
  if (message.type !== 'live') throw new Error('the sample is no live view');
  const view: LiveView = {
    ...message.view,
    phase: 'failed',
    words: 'The run broke before its first request: connect ECONNREFUSED 127.0.0.1:8000',
    tone: 'bad',
    progress: 0,
    stages: message.view.stages.map((stage) => ({ ...stage, state: 'waiting', words: 'not started' })),
    counts: message.view.counts.map((count, index) => ({
      ...count,
      value: index === 0 ? '700' : '0',
      tone: 'neutral',
    })),
    figures: message.view.figures.map(({ label }) => ({ label, value: 'not measured', detail: '' })),
    health: [],
    calm: 'Not measured: nothing was sent, so there is nothing to say about the client or the server.',
    errors: [],
  };
  return { ...message, view };
}

/** A result file of vLLM whose rate does not follow from its own counts. */
export async function foreignMessage(): Promise<HostMessage> {
  const text = JSON.stringify({ ...VLLM_RESULT, request_throughput: 4.5 });
  const read = await readRun({
    name: FOREIGN_FILE,
    list: () => Promise.resolve([FOREIGN_FILE]),
    readText: () => Promise.resolve(text),
  });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const restore = { kind: 'report', folders: [`file:///work/${FOREIGN_FILE}`], intended: [] } as const;
  return { type: 'report', view: reportView(read.value), restore };
}

/** The same two runs: one step of alignment is on, one could be, one needs records that are not there. */
export const ALIGNED: HostMessage = {
  type: 'comparison',
  view: comparisonView(
    {
      ...COMPARISON,
      alignment: [{ dimension: 'token-source', applied: true, words: 'Both sides are counted by the server’s usage.' }],
      findings: COMPARISON.findings.map((finding) =>
        finding.dimension === 'token-source'
          ? { ...finding, state: 'aligned', changes: ['counter: server-usage on A, client-tokenizer on B'] }
          : finding.dimension === 'warmup-window'
            ? { ...finding, alignable: { possible: true, words: 'Leaves the same 12 s out of both.' } }
            : finding.dimension === 'client-limit'
              ? { ...finding, alignable: { possible: false, words: 'Needs records.jsonl of A.' } }
              : finding,
      ),
      metrics: COMPARISON.metrics.map((metric, index) =>
        index === 0
          ? {
              ...metric,
              alignment: {
                beforePercentOfA: 12,
                afterPercentOfA: 3.1,
                shares: [{ dimension: 'token-source', percentOfA: 8.9 }],
                words: '',
              },
            }
          : metric,
      ),
    },
    RUN_A,
    RUN_B,
  ),
  restore: { kind: 'comparison', folders: ['file:///a', 'file:///b'], intended: [], aligned: ['token-source'] },
};

/** Two real comparisons in one: loads that coincide in part, and what no run records. */
export const SWEPT: HostMessage = (() => {
  const stages = (...rates: number[]) => rates.map((rateRps) => ({ rateRps, durationSeconds: 300 / rateRps }));
  const [a, b] = [
    syntheticRun({ seed: 1, stages: stages(10, 12, 20) }),
    syntheticRun({ seed: 2, stages: stages(10, 20, 30), usage: false }),
  ];
  return {
    type: 'comparison',
    view: comparisonView(compare(a, b, { resamples: 100, interpolate: true }), a, b),
    restore: { kind: 'comparison', folders: ['file:///a', 'file:///b'], intended: [], interpolate: true },
  };
})();

/** Two runs of one stream: the requests are pairs. */
export const PAIRED: HostMessage = (() => {
  const stream = { seed: 1, promptTokens: { mean: 2000, stdDev: 600 }, jitter: 0.05 };
  const [a, b] = [syntheticRun(stream), syntheticRun({ ...stream, tpotSeconds: 0.0102 })];
  return {
    type: 'comparison',
    view: comparisonView(compare(a, b, { resamples: 100 }), a, b),
    restore: { kind: 'comparison', folders: ['file:///a', 'file:///b'], intended: [] },
  };
})();

/** Names without a place to break, figures of every length, reasons of every number: what a table has to hold. */
export const LONG: HostMessage = (() => {
  const long = (name: string): string =>
    `reports-${name}-Sprachmodellbereitstellungsleistungsvergleichsmessreihe_mit_Warteschlangenlängenbegrenzung`;
  const [ttft, rest] = [COMPARISON.metrics[0]!, COMPARISON.metrics.slice(1)];
  const comparison: Comparison = {
    ...COMPARISON,
    a: {
      ...COMPARISON.a,
      folder: `/runs/${long('A')}`,
      name: long('Grundlast'),
      endpoint:
        'https://inferenz.schwerlastrechenzentrumsleistungsmessung.example:8443/openai/deployments/v1/completions',
      model: 'meta-llama/Meta-Llama-3.1-405B-Instruct-quantized-w8a8-Zwischenspeicherwiederverwendung',
    },
    b: { ...COMPARISON.b, folder: `C:\\runs\\${long('B')}`, name: long('Spitzenlast') },
    metrics: [
      {
        ...ttft,
        label: 'Normalisierte_Zeit_je_Ausgabetoken_mit_Zwischenspeicherwiederverwendung p99.9',
        a: { value: 1_234_567.8, n: 400 },
        b: { value: 0.0000123, n: 400 },
        difference: {
          absolute: -1_234_567.8,
          percentOfA: -99.9,
          interval: { low: -1_300_000, high: 0.00000456, level: 0.95, method: 'block bootstrap over requests' },
          answer: { kind: 'different', reason: 'repeats' },
          words:
            'no detectable difference among so many numbers (B is lower by 99.9 % of A; the interval is for all of them)',
        },
        because: ['warmup-window', 'token-source', 'client-limit'],
      },
      ...rest,
      {
        ...rest[2]!,
        label: 'Anfragen/s',
        difference: {
          absolute: 1.1,
          noInterval: 'no requests',
          answer: { kind: 'inconclusive', reason: 'no-interval' },
          words: 'B is higher',
        },
      },
    ],
  };
  return {
    type: 'comparison',
    view: comparisonView(comparison, RUN_A, RUN_B),
    restore: { kind: 'comparison', folders: ['file:///a', 'file:///b'], intended: [] },
  };
})();
