// A part of a report as llm-d Benchmark Report 0.2: only what that format can say without saying something else.
// Source: llm-d-benchmark's schema; reference peers.md section 4.9. It has no field for warm-up, token source, seed or sampling.
import {
  measureOf,
  statisticOf,
  type CanonicalReport,
  type QuantityId,
  type ReportScope,
} from '../../readers/canonical';
import { violated } from '../../audit/identities';
import { isDisagreement, type JudgedReport } from '../../audit/in-one-sentence';
import { toYaml } from '../../folder/write-yaml';

const STATISTICS: Readonly<Record<string, string>> = {
  mean: 'mean',
  stdDev: 'stddev',
  min: 'min',
  'p0.1': 'p0p1',
  p1: 'p1',
  p5: 'p5',
  p10: 'p10',
  p25: 'p25',
  p50: 'p50',
  p75: 'p75',
  p90: 'p90',
  p95: 'p95',
  p99: 'p99',
  'p99.9': 'p99p9',
  max: 'max',
};

/** The format's name of a quantity, and its unit. What has no name there is left out and named in `run.description`. */
const LATENCIES: readonly (readonly [QuantityId, string, string])[] = [
  ['ttft', 'time_to_first_token', 's'],
  ['ntpot', 'normalized_time_per_output_token', 's/token'],
  ['tpot', 'time_per_output_token', 's/token'],
  ['token_gap', 'inter_token_latency', 's/token'],
  ['e2e', 'request_latency', 's'],
];

const RATES: readonly (readonly [QuantityId, string, string])[] = [
  ['input_tokens_per_sec', 'input_token_rate', 'tokens/s'],
  ['output_tokens_per_sec', 'output_token_rate', 'tokens/s'],
  ['total_tokens_per_sec', 'total_token_rate', 'tokens/s'],
  ['requests_per_sec', 'request_rate', 'queries/s'],
];

/** YAML text. A part without a count of requests cannot be written: the format requires one. */
export function benchmarkReport(judged: JudgedReport, scope: ReportScope): string | undefined {
  const { report } = judged;
  const load = loadOf(report, scope);
  const total = scope.counts.total ?? scope.counts.ok;
  if (total === undefined) return undefined;
  const block = ([id, name, units]: readonly [QuantityId, string, string]): (readonly [string, unknown])[] => {
    const stats = measureOf(scope, id)?.stats;
    const value = stats?.['mean'] ?? stats?.['value'];
    if (stats === undefined || value === undefined) return [];
    const known = Object.entries(STATISTICS).flatMap(([ours, theirs]) =>
      stats[ours] === undefined ? [] : [[theirs, stats[ours]] as const],
    );
    return [[name, { units, ...Object.fromEntries([['mean', value], ...known]) }]];
  };
  const requests = {
    total,
    ...(scope.counts.failed === undefined ? {} : { failures: scope.counts.failed }),
    ...(scope.counts.cancelled === undefined ? {} : { incomplete: scope.counts.cancelled }),
    ...Object.fromEntries([
      ...block(['prompt_tokens', 'input_length', 'count']),
      ...block(['output_tokens', 'output_length', 'count']),
    ]),
  };
  return toYaml({
    version: '0.2',
    run: runOf(judged, scope),
    ...(load ? { scenario: { load } } : {}),
    results: {
      request_performance: {
        aggregate: {
          requests,
          latency: Object.fromEntries(LATENCIES.flatMap(block)),
          throughput: Object.fromEntries(RATES.flatMap(block)),
        },
      },
    },
  });
}

function runOf({ report, judgement, problems }: JudgedReport, scope: ReportScope): Record<string, unknown> {
  const left = leftOut(scope);
  const start = scope.startedAt ?? report.startedAt;
  const isIso = start !== undefined && /^\d{4}-\d{2}-\d{2}T/.test(start);
  const window = scope.windowSeconds?.value;
  return {
    uid: `${report.tool}:${report.name}:${scope.id}`,
    ...(isIso || window !== undefined
      ? { time: { ...(isIso ? { start } : {}), ...(window === undefined ? {} : { duration: `PT${window}S` }) } }
      : {}),
    description: [
      `Converted by IsoPerf from ${report.tool} (${report.versionClass.name}), ${scope.label}`,
      ...(statisticOf(scope, 'prompt_tokens', 'mean') === undefined
        ? [`load: ${scope.load.words} (scenario.load is left out: it requires a prompt length, which is not recorded)`]
        : []),
      ...(left.length > 0 ? [`left out, because this format has no field that means it: ${left.join(', ')}`] : []),
      ...violated(judgement)
        .filter((one) => one.scope === scope.id)
        .map(({ message, statement }) => `violated: ${message ?? statement}`),
      ...problems.filter(isDisagreement).map(({ message }) => message),
      ...(report.assumptions.length > 0 ? [`assumed: ${report.assumptions.join('; ')}`] : []),
    ].join('. '),
  };
}

function leftOut(scope: ReportScope): string[] {
  const written = new Set<string>([...LATENCIES, ...RATES].map(([id]) => id).concat('prompt_tokens', 'output_tokens'));
  const names = scope.measures.map(({ quantity }) => quantity).filter((id) => !written.has(id));
  const weighted = scope.measures
    .filter(({ definition }) => definition.weighting === 'tokens')
    .map(({ quantity }) => `that ${quantity} is weighted by tokens`);
  return [...new Set([...names, ...weighted])];
}

/** Undefined where nobody recorded the prompts' length: the format requires one there, and 0 is none. */
function loadOf(report: CanonicalReport, scope: ReportScope): Record<string, unknown> | undefined {
  const mean = statisticOf(scope, 'prompt_tokens', 'mean');
  if (mean === undefined) return undefined;
  const output = statisticOf(scope, 'output_tokens', 'mean');
  const { requestedRateRps, concurrency } = scope.load;
  return {
    metadata: { schema_version: '0.0.1', description: scope.load.words },
    standardized: {
      // The latencies of GuideLLM and AIPerf are under canonical names here: the tool that gives them meaning is this one.
      tool: 'isoperf',
      tool_version: `converted from ${report.tool}${report.toolVersion === undefined ? '' : ` ${report.toolVersion}`}`,
      source: 'unknown',
      ...(scope.stage === undefined ? {} : { stage: scope.stage }),
      input_seq_len: { distribution: 'other', value: mean },
      ...(output === undefined ? {} : { output_seq_len: { distribution: 'other', value: output } }),
      ...(requestedRateRps === undefined || requestedRateRps <= 0 ? {} : { rate_qps: requestedRateRps }),
      ...(concurrency === undefined ? {} : { concurrency }),
    },
    native: { ...(report.config ? { config: report.config } : {}) },
  };
}
