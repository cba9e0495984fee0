// A comparison with one finding of every state and every verdict of a metric, for the view tests.
import type {
  Comparison,
  DimensionId,
  DimensionState,
  Finding,
  MetricComparison,
} from '../../src/comparability/comparison';
import type { Run } from '../../src/readers/run';
import { sampleRun, USUAL } from './sample-run';

export const RUN_A: Run = sampleRun({ ...USUAL, name: 'baseline', rates: [20], failing: 0 });
export const RUN_B: Run = sampleRun({
  ...USUAL,
  name: 'candidate',
  rates: [20],
  failing: 0,
  warmup: false,
  ttftSeconds: 0.056,
  tokenSeconds: 0.0108,
  tokens: (random) => 8 + Math.floor(random() * 49),
  counter: 'client-tokenizer',
});

export const COMPARISON: Comparison = {
  format: 'isoperf-comparison',
  version: 1,
  a: side('reports-baseline', 'baseline', 'Poisson, 20 rps, 20 s, after a warm-up stage'),
  b: side('reports-candidate', 'candidate', 'Poisson, 20 rps, 20 s'),
  intended: [],
  verdict: {
    state: 'confounded',
    exitCode: 3,
    sentence:
      'Three differences move every latency: the warm-up, who counted the tokens, and how long the answers are.',
  },
  claim: { noClaim: 'three dimensions confound; remove them and run again.' },
  findings: [
    finding('warmup-window', 'Warm-up', 'confounds', {
      message:
        'A leaves a warm-up stage of 100 requests out of its numbers, B measures its cold start. B’s tails carry it.',
      a: {
        summary: 'one warm-up stage, 100 requests excluded',
        evidence: [
          { file: 'config.yaml', key: 'load.stages[0]', value: '# isoperf: warmup', configPath: ['load', 'type'] },
        ],
      },
      b: { summary: 'no warm-up', evidence: [{ file: 'run.json', key: 'window.warmupStages', value: '[]' }] },
      moves: [
        { metric: 'ttft', statistics: ['p95', 'p99'] },
        { metric: 'request_latency' },
        { metric: 'requests_per_sec' },
      ],
      pitfall: 'CMP011',
      remedy: 'Mark the same stage with `# isoperf: warmup` on both sides, or on neither.',
    }),
    finding('token-source', 'Token source', 'confounds', {
      message:
        'A divides by the server’s count, B by its own tokenizer’s. TPOT and tokens/s differ even for equal servers.',
      a: {
        summary: 'server usage',
        evidence: [{ file: 'run.json', key: 'tokens.output.source', value: 'server-usage' }],
      },
      b: {
        summary: 'client tokenizer',
        evidence: [{ file: 'run.json', key: 'tokens.output.source', value: 'client-tokenizer' }],
      },
      moves: [{ metric: 'tpot' }, { metric: 'output_tokens_per_sec' }],
      pitfall: 'CMP008',
      remedy: 'Count both sides by the server: report.request_lifecycle.use_server_output_tokens: true.',
    }),
    finding('client-limit', 'Client limit', 'unknown', {
      message: 'B did not record how busy its client was, so its lag may be the client’s.',
      a: {
        summary: 'event loop 12 % busy',
        evidence: [{ file: 'run.json', key: 'health[0].eventLoopUse', value: '0.12' }],
      },
      b: { summary: 'not recorded', evidence: [{ file: 'run.json', key: 'health[0].eventLoopUse' }] },
      moves: [{ metric: 'schedule_delay' }],
    }),
    finding('arrival-process', 'Arrival process', 'same', {
      message: 'Both Poisson per second, realised gaps alike.',
      a: {
        summary: 'poisson',
        evidence: [{ file: 'run.json', key: 'stages[0].arrivalLaw', value: 'poisson-per-second' }],
      },
      b: {
        summary: 'poisson',
        evidence: [{ file: 'run.json', key: 'stages[0].arrivalLaw', value: 'poisson-per-second' }],
      },
      moves: [{ metric: 'ttft' }],
    }),
  ],
  stages: [{ a: 1, b: 0, label: '20 rps' }],
  unmatched: ['Stage 0 of A (warm-up) has no counterpart in B'],
  metrics: [
    metric('TTFT p50', 'ttft', 'p50', 'ms', 76.1, 84.9, 'confounded', ['warmup-window']),
    metric('TTFT p95', 'ttft', 'p95', 'ms', 88.2, 98.8, 'confounded', ['warmup-window']),
    metric('TPOT p50', 'tpot', 'p50', 'ms', 13.3, 14.4, 'confounded', ['token-source']),
    metric('ITL p50', 'itl', 'p50', 'ms', 13.3, 14.4, 'comparable', []),
    metric('Schedule delay p95', 'schedule_delay', 'p95', 'ms', 2.3, 2.31, 'undetermined', ['client-limit']),
    { ...metric('TTFT p99', 'ttft', 'p99', 'ms', 0, 0, 'comparable-after-alignment', ['warmup-window']), ...noTail() },
  ],
  pitfalls: [
    {
      code: 'CMP008',
      title: 'Warm-up is measured',
      side: 'B',
      words: 'stage 0: p99 of TTFT is 480 ms here and 96 ms in stage 1, which carries as much load or more',
      accepted: 'B’s config accepts it because the server was warm',
    },
    { code: 'CMP090', title: 'One run each', side: 'between', words: 'there is one run of each side' },
  ],
  notes: [
    'Neither run was repeated: run-to-run noise is unknown. Twelve identical 10 s runs have differed by 23.5 % in p99.',
  ],
};

function side(folder: string, name: string, load: string): Comparison['a'] {
  return {
    folder,
    name,
    startedAt: '2026-11-29T16:54:00Z',
    tool: 'isoperf 0.1.0',
    endpoint: 'http://127.0.0.1:8000',
    model: 'sim-model',
    load,
    state: 'complete',
  };
}

function finding(
  dimension: DimensionId,
  title: string,
  state: DimensionState,
  rest: Pick<Finding, 'message' | 'a' | 'b' | 'moves'> & Partial<Finding>,
): Finding {
  return { dimension, title, question: `${title}: the same?`, state, tolerance: 'equal within one request', ...rest };
}

function metric(
  label: string,
  name: MetricComparison['metric'],
  statistic: MetricComparison['statistic'],
  unit: string,
  a: number,
  b: number,
  verdict: MetricComparison['verdict'],
  because: readonly DimensionId[],
): MetricComparison {
  const absolute = b - a;
  const percentOfA = (100 * absolute) / a;
  return {
    metric: name,
    statistic,
    label,
    unit,
    stage: 0,
    better: 'lower',
    a: { value: a, n: 400 },
    b: { value: b, n: 400 },
    difference: {
      absolute,
      percentOfA,
      interval: { low: absolute - 1.2, high: absolute + 1.3, level: 0.95, method: 'block bootstrap over requests' },
      answer: { kind: 'different', reason: 'repeats' },
      words: `B is ${Math.abs(percentOfA).toFixed(1)} % ${absolute > 0 ? 'higher (worse)' : 'lower (better)'}`,
    },
    verdict,
    because,
  };
}

function noTail(): Pick<MetricComparison, 'a' | 'b'> & { difference: NonNullable<MetricComparison['difference']> } {
  const missing = 'n = 100 is under the 299 that p99 needs';
  return {
    a: { missing, n: 100 },
    b: { missing, n: 100 },
    difference: {
      absolute: 0,
      noInterval: 'no value on either side',
      answer: { kind: 'inconclusive', reason: 'no-interval' },
      words: 'too few requests to say',
    },
  };
}
