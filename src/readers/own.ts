// Our own run in canonical quantities: the same checks and exports as for anybody's.
import type { LifecycleReport, Stat } from '../metrics/lifecycle';
import { QUANTITIES } from '../metrics/quantities';
import type { RequestRecord } from '../metrics/record';
import { summarize } from '../metrics/summarize';
import {
  LIFECYCLE_KEYS,
  measureOf,
  REQUESTS_WINDOW,
  type CanonicalReport,
  type Definition,
  type Measure,
  type QuantityId,
  type ReportScope,
  type ScopeCounts,
  type ScopeExtras,
  type Statistics,
} from './canonical';
import { MANIFEST_FILE, RECORDS_FILE, type RunManifest } from '../folder/manifest';
import { factsOf } from './facts-of';
import { answerFacts, withTimes } from './own-evidence';
import { withoutZeros } from './nothing-measured';
import { extrasOf } from './readers/inference-perf-evidence';
import { compact, measure, single } from './readers/values';
import { own } from '../own';
import { runState } from './run-state';
import type { Counting, Run } from './run';

const SEND = { start: 'send', percentiles: 'linear', weighting: 'requests' } as const satisfies Definition;

const REPORTS = new WeakMap<Run, CanonicalReport>();

/** The report of a run, whoever wrote it; of ours it is made once. */
export function reportOf(run: Run): CanonicalReport {
  const known = run.canonical ?? REPORTS.get(run) ?? ownReport(run);
  REPORTS.set(run, known);
  return known;
}

function ownReport(run: Run): CanonicalReport {
  const { manifest } = run;
  const tokens = tokensOf(manifest);
  const warmups = new Set(manifest?.window.warmupStages ?? []);
  const scopes = [
    ...[...run.stages].map(([stage, report]) =>
      withTimes(
        stageScope(stage, report, manifest, tokens, warmups.has(stage)),
        run.records?.filter((record) => record.stage === stage),
        manifest?.tokens?.output.source,
      ),
    ),
    ...(run.summary
      ? [
          withTimes(
            summaryScope(run.summary, manifest, tokens),
            run.records?.filter(({ stage }) => !warmups.has(stage)),
            manifest?.tokens?.output.source,
          ),
        ]
      : []),
  ];
  const version = run.tool.version;
  const pinned = manifest?.sweep && manifest.sweep.source !== 'probe' ? manifest.sweep.source : undefined;
  const named = factsOf(run);
  return withoutZeros({
    tool: run.tool.name,
    ...(version === undefined ? {} : { toolVersion: version }),
    versionClass: {
      name: manifest ? `manifest version ${manifest.version}` : 'run.json is damaged or missing',
      evidence: manifest ? [`${MANIFEST_FILE}: format ${manifest.format}`] : [`${RECORDS_FILE} is there`],
    },
    place: run.folder,
    name: manifest?.name ?? run.folder,
    files: run.files,
    ...compact<{ startedAt?: string; model?: string; endpoint?: string; tokenizer?: string; seed?: string }>({
      startedAt: manifest?.clock.startedAt,
      model: manifest?.endpoint.model,
      endpoint: manifest?.endpoint.baseUrl,
      tokenizer: manifest?.tokens?.output.tokenizer?.source,
      seed: manifest?.workload.seed?.toString(),
    }),
    scopes,
    assumptions: [],
    notRecorded: manifest ? ['server flags', 'hardware of the server'] : ['everything that run.json records'],
    facts: [
      { label: 'state', value: runState(run).words, source: MANIFEST_FILE },
      ...(manifest ? answerFacts(manifest) : []),
    ],
    said: {
      modelsAnswered: named.modelsAnswered,
      unsaidEnds: named.unsaidEnds,
      // The embedded simulator serves whatever name it is asked for.
      ...(manifest?.endpoint.kind === 'simulator' ? {} : { modelsListed: named.modelsListed }),
    },
    ...(run.config ? { config: run.config } : {}),
    ...(manifest ? { ended: endOf(manifest) } : {}),
    ...(pinned === undefined ? {} : { sweepPinnedBy: pinned }),
    problems: run.problems,
  });
}

function endOf({ state, stateReason }: RunManifest): NonNullable<CanonicalReport['ended']> {
  const why = stateReason === undefined ? {} : { why: stateReason };
  return { complete: state === 'complete', ...why, file: MANIFEST_FILE, key: 'state' };
}

type Numbers = Pick<
  ReportScope,
  'counts' | 'windowSeconds' | 'measures' | 'goodput' | 'keys' | 'remarks' | 'unmeasured'
>;

/** The same of requests, as their journal has them. @param counting whose counts the numbers are made with */
export function numbersOfRecords(
  records: readonly RequestRecord[],
  percentiles: readonly number[],
  { input, output, itl }: Counting,
): Numbers {
  const report = summarize(records, {
    percentiles,
    outputTokenSource: output,
    inputTokenSource: input,
    itlBasis: itl,
    stage: {},
  });
  return numbersOf(report, RECORDS_FILE, {
    input: SOURCES[input],
    output: SOURCES[output],
    gap: itl === 'tokens' ? 'token_gap' : 'chunk_gap',
  });
}

interface Tokens {
  readonly input: Definition['tokens'];
  readonly output: Definition['tokens'];
  readonly gap: 'token_gap' | 'chunk_gap';
}

const SOURCES = {
  'server-usage': 'server',
  'client-tokenizer': 'client',
  'server-tokenizer': 'server-tokenizer',
  mixed: 'server-else-client',
  'not-counted': undefined,
} as const;

function tokensOf(manifest: RunManifest | undefined): Tokens {
  const tokens = manifest?.tokens;
  return {
    input: tokens ? SOURCES[tokens.input.source] : undefined,
    output: tokens ? SOURCES[tokens.output.source] : undefined,
    gap: tokens?.itl === 'tokens' ? 'token_gap' : 'chunk_gap',
  };
}

function stageScope(
  stage: number,
  report: LifecycleReport,
  manifest: RunManifest | undefined,
  tokens: Tokens,
  warmup: boolean,
): ReportScope {
  const file = `stage_${stage}_lifecycle_metrics.json`;
  const planned = manifest?.stages.find(({ id }) => id === stage);
  const health = manifest?.health.find((entry) => entry.stage === stage);
  const level = planned?.requestedConcurrency ?? report.load_summary.concurrency;
  const closed = planned ? planned.loadType === 'concurrent' : level !== undefined;
  const rate = planned?.requestedRateRps ?? report.load_summary.requested_rate;
  const cap = health?.inFlightCap;
  return {
    id: `stage ${stage}`,
    label: `stage ${stage}`,
    kind: 'stage',
    stage,
    file,
    warmup,
    load: closed
      ? {
          model: 'closed',
          words: level === undefined ? 'closed loop' : `${level} concurrent`,
          ...(level === undefined ? {} : { concurrency: level }),
        }
      : {
          model: rate === undefined ? 'not recorded' : 'open',
          words: rate === undefined ? 'not recorded' : `${rate} requests/s asked (${planned?.arrivalLaw ?? '?'})`,
          ...(rate === undefined ? {} : { requestedRateRps: rate }),
          ...(cap === undefined ? {} : { cap: { value: cap, from: `${MANIFEST_FILE}: health.inFlightCap` } }),
        },
    ...numbersOf(report, file, tokens),
    extras: {
      ...extrasOf(report),
      ...compact<ScopeExtras>({ loopUse: health?.eventLoopUse, loopDelayP99Seconds: health?.eventLoopDelayP99Seconds }),
    },
    counts: compact<ScopeCounts>({
      ...countsOf(report),
      planned: planned?.planned,
      cancelled: planned?.counts?.cancelled,
    }),
  };
}

function summaryScope(report: LifecycleReport, manifest: RunManifest | undefined, tokens: Tokens): ReportScope {
  const file = 'summary_lifecycle_metrics.json';
  const warm = manifest?.window.warmupStages.length ?? 0;
  return {
    id: 'summary',
    label: warm > 0 ? 'all measured stages' : 'all stages',
    kind: 'summary',
    file,
    load: { model: 'not recorded', words: 'all stages together' },
    extras: extrasOf(report),
    ...numbersOf(report, file, tokens),
  };
}

function countsOf(report: LifecycleReport): ScopeCounts {
  return { total: report.load_summary.count, ok: report.successes.count, failed: report.failures.count };
}

/** What was measured, in canonical quantities. @param file its name, for the places of the numbers */
function numbersOf(report: LifecycleReport, file: string, tokens: Tokens): Numbers {
  const window = report.benchmark_time_seconds;
  const goodput = report.successes.goodput_metrics;
  const measures = [
    ...latencies(report, file, tokens),
    ...lengths(report, file, tokens),
    ...rates(report, file, tokens),
  ];
  return {
    keys: LIFECYCLE_KEYS,
    counts: countsOf(report),
    ...(window > 0 ? { windowSeconds: { value: window, from: 'benchmark_time_seconds' } } : {}),
    measures,
    ...remarksOf(report, measures, tokens),
    ...(goodput ? { goodput: { stats: goodput, definition: 'as inference-perf: successes in the denominator' } } : {}),
  };
}

function remarksOf(
  { isoperf }: LifecycleReport,
  measures: readonly Measure[],
  { gap }: Tokens,
): Pick<ReportScope, 'remarks' | 'unmeasured'> {
  const words = { ...isoperf?.not_measured, ...isoperf?.differs_from_inference_perf };
  const remarks: Partial<Record<QuantityId, string>> = {};
  const unmeasured: Partial<Record<QuantityId, string>> = {};
  for (const [id, { key }] of Object.entries(QUANTITIES as Readonly<Record<QuantityId, { readonly key?: string }>>)) {
    const said = key === undefined ? undefined : own(words, key);
    if (said === undefined) continue;
    const quantity = id === 'token_gap' ? gap : (id as QuantityId);
    (measureOf({ measures }, quantity) ? remarks : unmeasured)[quantity] = said;
  }
  return {
    ...(Object.keys(remarks).length > 0 ? { remarks } : {}),
    ...(Object.keys(unmeasured).length > 0 ? { unmeasured } : {}),
  };
}

function latencies(
  { successes, load_summary, failures, isoperf }: LifecycleReport,
  file: string,
  tokens: Tokens,
): Measure[] {
  const by = tokens.output ? { tokens: tokens.output } : {};
  const of = (id: QuantityId, stat: Stat, key: string, definition: Definition): readonly Measure[] =>
    measure(id, ours(stat), { file, key: `${key}.*`, definition });
  const latency = 'successes.latency';
  return [
    ...of('ttft', successes.latency.time_to_first_token, `${latency}.time_to_first_token`, {
      ...SEND,
      anchor: 'first-content-or-reasoning',
    }),
    ...of('ttfc', isoperf?.time_to_first_content ?? null, 'isoperf.time_to_first_content', {
      ...SEND,
      anchor: 'first-content',
    }),
    ...of('tpot', successes.latency.time_per_output_token, `${latency}.time_per_output_token`, {
      ...SEND,
      ...by,
      end: 'last-token',
    }),
    ...of(tokens.gap, successes.latency.inter_token_latency, `${latency}.inter_token_latency`, {
      percentiles: 'linear',
      weighting: 'gaps',
    }),
    ...of('chunk_gap', isoperf?.chunk_gap ?? null, 'isoperf.chunk_gap', { percentiles: 'linear', weighting: 'gaps' }),
    ...of('ntpot', successes.latency.normalized_time_per_output_token, `${latency}.normalized_time_per_output_token`, {
      ...SEND,
      ...by,
      end: 'stream-end',
      note: 'empty answers are left out',
    }),
    ...of('e2e', successes.latency.request_latency, `${latency}.request_latency`, { ...SEND, end: 'stream-end' }),
    ...of('schedule_delay', load_summary.schedule_delay, 'load_summary.schedule_delay', {
      percentiles: 'linear',
      weighting: 'requests',
    }),
    ...of('failed_latency', failures.request_latency, 'failures.request_latency', SEND),
  ];
}

function lengths({ successes }: LifecycleReport, file: string, tokens: Tokens): readonly Measure[] {
  const of = (id: QuantityId, stat: Stat, key: string, by: Definition['tokens']): readonly Measure[] =>
    measure(id, ours(stat), {
      file,
      key: `successes.${key}.*`,
      definition: { percentiles: 'linear', ...(by ? { tokens: by } : {}) },
    });
  const isServers = tokens.output === 'server-tokenizer';
  const client = of('output_tokens', successes.output_len, 'output_len', isServers ? 'server-tokenizer' : 'client');
  const server = of('output_tokens', successes.output_tokens, 'output_tokens', 'server-else-client');
  return [
    ...of('prompt_tokens', successes.prompt_tokens, 'prompt_tokens', tokens.input),
    ...(tokens.output === 'client' || isServers ? [...client, ...server] : [...server, ...client]),
  ];
}

function rates({ successes, load_summary }: LifecycleReport, file: string, tokens: Tokens): readonly Measure[] {
  const window = REQUESTS_WINDOW;
  const of = (id: QuantityId, value: number | null, key: string, by?: Definition['tokens']): readonly Measure[] =>
    single(id, value ?? undefined, {
      file,
      key: `successes.throughput.${key}`,
      definition: { window, ...(by ? { tokens: by } : {}) },
    });
  const { throughput } = successes;
  return [
    ...of('requests_per_sec', throughput.requests_per_sec, 'requests_per_sec'),
    ...single('sends_per_sec', load_summary.achieved_rate, {
      file,
      key: 'load_summary.achieved_rate',
      definition: { window: 'first send to last send' },
    }),
    ...of('input_tokens_per_sec', throughput.input_tokens_per_sec, 'input_tokens_per_sec', tokens.input),
    ...of('output_tokens_per_sec', throughput.output_tokens_per_sec, 'output_tokens_per_sec', tokens.output),
    ...of('total_tokens_per_sec', throughput.total_tokens_per_sec, 'total_tokens_per_sec'),
  ];
}

/** inference-perf's `median` is `p50` here; cached and uncached tokens are no statistics. */
function ours(stat: Stat): Statistics | undefined {
  if (stat === null) return undefined;
  return Object.fromEntries(
    Object.entries(stat)
      .filter(([key]) => key !== 'cached' && key !== 'uncached')
      .map(([key, value]) => [key === 'median' ? 'p50' : key, value]),
  );
}
