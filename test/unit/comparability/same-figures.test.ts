// A floor: what compare shows of a run is what import shows of it, and a run against itself differs in nothing.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { accessTo } from '../../../src/cli/access';
import { compare } from '../../../src/comparability/compare';
import type { MetricComparison } from '../../../src/comparability/comparison';
import type { FolderAccess } from '../../../src/folder/access';
import { QUANTITIES, type QuantityId } from '../../../src/metrics/quantities';
import { measureOf, stageScopes, summaryOf, type CanonicalReport, type Measure } from '../../../src/readers/canonical';
import { openReports } from '../../../src/readers/open';
import { readRun } from '../../../src/readers/read';
import { withRecords } from '../../../src/readers/records/attach';
import { completeReport } from '../../../src/readers/records/complete';
import { hasCorpus, SHARED } from '../support/corpus';
import { aiperfLines, lifecycle, perRequest, trueRequests, vllmDetailed, type Truth } from '../support/foreign-results';
import { memoryFolder } from '../support/memory-folder';

/** Figures are computed from the same numbers, at most in another order. */
const TOLERANCE = 1e-6;
/** vLLM stamps a moment twice, and tools print fewer digits than they keep: microseconds. */
const TOLERANCE_OF_FILES = 2e-3;
/** A tool's window begins before its first request, or ends after its last answer. */
const TOLERANCE_OF_WINDOWS = 1e-2;

function idOf({ metric, label }: MetricComparison): QuantityId {
  if (label.startsWith(QUANTITIES.chunk_gap.label)) return 'chunk_gap';
  const found = Object.entries(QUANTITIES).find(([, quantity]) => 'metric' in quantity && quantity.metric === metric);
  return found![0] as QuantityId;
}

/** Of a file by another rule than the requests give: by rank, weighted by tokens, averaged over time. */
function isByOtherRule({ definition: { percentiles, weighting, average } }: Measure, statistic: string): boolean {
  if (average === 'over-time' || weighting === 'tokens') return true;
  return statistic.startsWith('p') && percentiles !== undefined && percentiles !== 'linear';
}

function reportedOf(report: CanonicalReport, row: MetricComparison, stage: number): Measure | undefined {
  const scopes = stageScopes(report);
  const scope = scopes.find(([id]) => id === stage)?.[1] ?? (scopes.length <= 1 ? summaryOf(report) : undefined);
  return scope && measureOf(scope, idOf(row));
}

interface Looked {
  readonly figures: number;
  readonly faults: readonly string[];
}

/** Undefined where the place is no single report. */
async function look(access: () => FolderAccess, tolerance: number): Promise<Looked | undefined> {
  const [read, opened] = [await readRun(access()), await openReports(access())];
  if (!read.ok || !opened.ok || opened.value.reports.length !== 1) return undefined;
  const run = await withRecords(read.value);
  const { report } = await completeReport(opened.value.reports[0]!);
  const result = compare(run, run, { resamples: 20 });
  let figures = 0;
  const faults = result.metrics.flatMap((row): string[] => {
    const { label, statistic, unit, a, b, difference } = row;
    if (a.value !== b.value || (difference && (difference.absolute !== 0 || difference.answer.kind === 'different')))
      return [`${label}: a difference of a run from itself`];
    const stage = result.stages[row.stage]!;
    const measure = reportedOf(report, row, stage.a);
    const said = measure?.stats[statistic];
    if (!measure || said === undefined || isByOtherRule(measure, statistic)) return [];
    // Only what has too few requests behind it is withheld, and says so.
    if (a.value === undefined && /^n = /.test(a.missing ?? '')) return [];
    if (a.value === undefined) return [`${label} at ${stage.label}: compare has none (${a.missing}), import ${said}`];
    figures++;
    const shown = a.value / (unit === 'ms' ? 1000 : 1);
    const off = Math.abs(shown - said) / Math.max(Math.abs(said), 1e-9);
    const limit = statistic === 'value' && tolerance === TOLERANCE_OF_FILES ? TOLERANCE_OF_WINDOWS : tolerance;
    return off <= limit ? [] : [`${label} at ${stage.label}: compare ${shown}, import ${said}`];
  });
  return { figures, faults };
}

function places(folder: string, levels: number): string[] {
  return readdirSync(path.join(SHARED, folder), { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(folder, entry.name);
    return [place, ...(entry.isDirectory() && levels > 0 ? places(place, levels - 1) : [])];
  });
}

describe('every public result and every case', () => {
  it('shows the same figures in compare and in import', { timeout: 300_000 }, async () => {
    if (!hasCorpus()) return;
    const all = ['cases', 'corpus/reports', 'corpus/reports-2026-11'].flatMap((folder) => places(folder, 3));
    const faults: string[] = [];
    let figures = 0;
    for (const place of all) {
      const looked = await look(() => accessTo(place, SHARED), TOLERANCE_OF_FILES);
      figures += looked?.figures ?? 0;
      faults.push(...(looked?.faults ?? []).map((fault) => `${place}: ${fault}`));
    }
    expect(faults).toEqual([]);
    expect(figures).toBeGreaterThan(1000);
  });
});

const TRUTH: Truth = { seed: 9, requests: 120, rateRps: 10, ttftSeconds: 0.1, gapSeconds: 0.01 };
const EXPORT = {
  schema_version: '1.3',
  request_count: { unit: 'requests', avg: 120 },
  request_latency: { unit: 'ms', avg: 321, p50: 300 },
  time_to_first_token: { unit: 'ms', avg: 123 },
  input_config: {},
};

describe('results of our own making', () => {
  const requests = trueRequests(TRUTH);
  const bundled = trueRequests({ ...TRUTH, perChunk: 3 });
  const cut = aiperfLines(requests).split('\n').slice(0, 5).join('\n');
  it.each<[string, Readonly<Record<string, string>>]>([
    ['vLLM, detailed', { 'r.json': vllmDetailed(requests, TRUTH.rateRps) }],
    ['vLLM, several tokens a chunk', { 'r.json': vllmDetailed(bundled, TRUTH.rateRps) }],
    ['AIPerf’s requests alone', { 'profile_export.jsonl': aiperfLines(requests) }],
    ['AIPerf, several tokens a chunk', { 'profile_export.jsonl': aiperfLines(bundled) }],
    [
      'AIPerf, a file of requests that was cut',
      { 'profile_export.jsonl': cut, 'profile_export_aiperf.json': JSON.stringify(EXPORT) },
    ],
    ['inference-perf, summary alone', { 'summary_lifecycle_metrics.json': lifecycle(requests, TRUTH.rateRps) }],
    ['inference-perf, requests alone', { 'per_request_lifecycle_metrics.json': perRequest(requests, 'main') }],
    ['inference-perf, several tokens a chunk', { 'per_request_lifecycle_metrics.json': perRequest(bundled, 'main') }],
  ])('%s', async (_name, files) => {
    const looked = await look(() => memoryFolder(files), TOLERANCE);
    expect(looked!.faults).toEqual([]);
    expect(looked!.figures).toBeGreaterThan(1);
  });
});
