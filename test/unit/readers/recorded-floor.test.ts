// A floor: what stands anywhere in a tool's files is no "not recorded", neither in the facts of import nor in a comparison.
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { accessTo } from '../../../src/cli/access';
import type { CliIo } from '../../../src/cli/command';
import { openRun } from '../../../src/cli/compare-input';
import { compare } from '../../../src/comparability/compare';
import type { Comparison, DimensionId } from '../../../src/comparability/comparison';
import type { FolderAccess } from '../../../src/folder/access';
import type { CanonicalReport, ReportScope } from '../../../src/readers/canonical';
import { loadDocuments } from '../../../src/readers/documents';
import type { FactId } from '../../../src/readers/facts';
import { openReports } from '../../../src/readers/open';
import { readRun } from '../../../src/readers/read';
import type { Run } from '../../../src/readers/run';
import { hasCorpus, reportPlaces, SHARED } from '../support/corpus';
import { memoryFolder } from '../support/memory-folder';
import {
  AIPERF_COMMAND,
  GUIDELLM,
  INFERENCEX,
  LLMPERF,
  REPORT_01,
  REPORT_02,
  SGLANG,
  TOOL_FILES,
  VLLM_METADATA,
} from './tool-files';

interface Leaf {
  /** Dotted. */
  readonly key: string;
  readonly value: unknown;
}

/** Lists of requests, bodies and the statistics of a measured quantity say nothing of how a run was set up. */
const NO_SETTING = /(?:^|\.)(?:requests|payloads|data|metrics|results|per_request|computed_metrics|series)\b/;

function leavesOf(value: unknown, key = '', depth = 0): Leaf[] {
  if (depth > 12 || NO_SETTING.test(key)) return [];
  if (Array.isArray(value)) return value.slice(0, 3).flatMap((one, i) => leavesOf(one, `${key}[${i}]`, depth + 1));
  if (typeof value !== 'object' || value === null) return [{ key, value }];
  return Object.entries(value).flatMap(([step, entry]) =>
    leavesOf(entry, key === '' ? step : `${key}.${step}`, depth + 1),
  );
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isFlag = (value: unknown): boolean => typeof value === 'boolean' || value === 'true' || value === 'false';
const isCount = (value: unknown): boolean => typeof value === 'number' && value >= 0;

/** Keys under which tools of any kind write a fact, and what a value of it looks like. */
const WRITTEN: readonly (readonly [FactId, RegExp, (value: unknown) => boolean])[] = [
  ['streaming', /(?:^|\.)(?:stream|streaming)$/, isFlag],
  ['ignoreEos', /(?:^|\.)ignore_eos$/, isFlag],
  ['sampling', /(?:^|\.)(?:temperature|top_p|top_k|repetition_penalty)$/, isCount],
  ['seed', /(?:^|\.)(?:seed|random_seed|base_seed)$/, isCount],
  ['model', /(?:^|\.)(?:model_id|model_name|model_names\[0\]|backend_model)$/, isText],
  [
    'endpoint',
    /(?:^|\.)(?:url|u|urls\[0\]|base_url|target|backend_target)$/,
    (v) => isText(v) && /^https?:/.test(String(v)),
  ],
  ['tokenizer', /(?:^|\.)(?:tokenizer_id|tokenizer_path|tokenizer|pretrained_model_name_or_path)$/, isText],
  ['warmupRequests', /(?:^|\.)(?:warmup_request_count|num_warmups|warmup_requests)$/, isCount],
  [
    'inputAsked',
    /(?:^|\.)(?:random_input_len|synthetic_input_tokens_mean|mean_input_tokens|isl\.mean|input_len|isl)$/,
    isCount,
  ],
  [
    'outputAsked',
    /(?:^|\.)(?:random_output_len|output_tokens_mean|mean_output_tokens|osl\.mean|output_len|osl)$/,
    (v) => isCount(v),
  ],
  ['dataType', /(?:^|\.)(?:dataset_name|dataset_type|prompt_source)$/, isText],
  ['apiType', /(?:^|\.)(?:endpoint_type|request_format)$/, isText],
  ['apiRoute', /(?:^|\.)endpoint$/, (v) => isText(v) && String(v).startsWith('/')],
];

async function leavesIn(folder: FolderAccess): Promise<Leaf[]> {
  const { documents } = await loadDocuments(folder, await folder.list());
  return documents
    .filter(({ file }) => !/inputs\.json|schema|lifecycle|server_metrics|validation|\.csv/.test(file))
    .flatMap(({ value, format }) => leavesOf(format === 'jsonl' && Array.isArray(value) ? value.at(-1) : value));
}

async function lostFacts(folder: FolderAccess): Promise<string[]> {
  const opened = await openReports(folder);
  if (!opened.ok || opened.value.reports.length !== 1) return [];
  const { facts } = opened.value.reports[0]!;
  const leaves = await leavesIn(folder);
  return WRITTEN.flatMap(([id, key, is]) => {
    // SGLang writes the lengths of its random data also where another data set was sent.
    const isUnused =
      /Asked$/.test(id) && leaves.some((leaf) => leaf.key === 'dataset_name' && leaf.value === 'sharegpt');
    if (facts[id].value !== undefined || isUnused) return [];
    const found = leaves.find((leaf) => key.test(leaf.key) && is(leaf.value));
    return found ? [`${id}: ${found.key} is ${String(found.value)}`] : [];
  });
}

/** What each dimension needs of two reports to be judged and not skipped. */
const JUDGED: readonly (readonly [DimensionId, (report: CanonicalReport) => boolean])[] = [
  ['input-length', (report) => hasLength(report, 'prompt_tokens')],
  ['output-length', (report) => hasLength(report, 'output_tokens')],
  ['completeness', (report) => ofAll(report, ({ counts }) => (counts.ok ?? 0) > 0 && counts.failed !== undefined)],
  ['offered-load', (report) => ofAll(report, isLoadKnown)],
  ['load-model', (report) => ofAll(report, isLoadKnown)],
];

function ofAll({ scopes }: CanonicalReport, is: (scope: ReportScope) => boolean): boolean {
  return scopes.length > 0 && scopes.every(is);
}

function isLoadKnown({ load }: ReportScope): boolean {
  return load.model === 'open' || load.model === 'closed';
}

function hasLength(report: CanonicalReport, quantity: 'prompt_tokens' | 'output_tokens'): boolean {
  return ofAll(
    report,
    ({ measures, counts }) =>
      (counts.ok ?? 1) > 0 &&
      measures.some((one) => one.quantity === quantity && (one.stats['mean'] ?? one.stats['p50']) !== undefined),
  );
}

function skipped(run: Run, comparison: Comparison): string[] {
  const report = run.canonical;
  if (!report) return [];
  return JUDGED.flatMap(([id, isThere]) => {
    const { state, message, assumed } = comparison.findings.find(({ dimension }) => dimension === id)!;
    return isThere(report) && state === 'unknown' && assumed === undefined ? [`${id}: ${message}`] : [];
  });
}

async function runOf(folder: FolderAccess): Promise<Run> {
  const read = await readRun(folder);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

describe('of every tool, small files of our own', () => {
  it.each(TOOL_FILES)('%s', async (_, files) => {
    const folder = memoryFolder(files);
    expect(await lostFacts(folder)).toEqual([]);
    const run = await runOf(folder);
    expect(skipped(run, compare(run, run, { resamples: 20 }))).toEqual([]);
  });
});

const RATES = ['requests_per_sec', 'output_tokens_per_sec', 'input_tokens_per_sec', 'total_tokens_per_sec'] as const;

/** What both reports have and a comparison of the two leaves out. */
function skippedOfPair(a: Run, b: Run): string[] {
  const [x, y] = [a.canonical!, b.canonical!];
  const { findings, metrics } = compare(a, b, { resamples: 20 });
  const unjudged = JUDGED.flatMap(([id, isThere]) => {
    const { state, message, assumed } = findings.find(({ dimension }) => dimension === id)!;
    const isOpen = state === 'unknown' && assumed === undefined && message.includes('not recorded on');
    return isThere(x) && isThere(y) && isOpen ? [message] : [];
  });
  const has = ({ scopes: [scope] }: CanonicalReport, id: string): boolean =>
    scope!.measures.some(({ quantity }) => quantity === id);
  const isMatched = metrics.length > 0;
  const lost = RATES.filter(
    (id) => isMatched && has(x, id) && has(y, id) && !metrics.some(({ metric }) => metric === id),
  );
  return [...unjudged, ...lost];
}

it('of any two tools, what both files have is judged', async () => {
  const runs = await Promise.all(
    TOOL_FILES.map(async ([name, files]) => [name, await runOf(memoryFolder(files))] as const),
  );
  const skipped = runs.flatMap(([nameA, a], i) =>
    runs.slice(i + 1).flatMap(([nameB, b]) => skippedOfPair(a, b).map((what) => `${nameA} against ${nameB}: ${what}`)),
  );
  expect(skipped).toEqual([]);
});

/** Of one file of our own: what its facts must be, by name. */
const SAID: readonly (readonly [string, unknown, Partial<Record<FactId, unknown>>])[] = [
  [
    'r.json',
    VLLM_METADATA,
    {
      ...{
        ignoreEos: true,
        sampling: { temperature: 0.7 },
        seed: 7,
        dataType: 'random',
        streaming: true,
        goodputLimits: {},
      },
      ...{ inputAsked: { mean: 100 }, outputAsked: { mean: 200 }, warmupRequests: 5, apiRoute: '/v1/chat/completions' },
      endpoint: 'http://10.0.0.1:8000',
      stack: { source: 'r.json', accelerator: 'H100', parallelism: 'tp 2' },
    },
  ],
  [
    'r.jsonl',
    SGLANG,
    {
      ...{
        ignoreEos: true,
        sampling: { temperature: 0 },
        seed: 3,
        model: 'org/m',
        tokenizer: 'org/m',
        streaming: true,
      },
      ...{ serverVersion: '0.5.1', stack: { source: 'r.jsonl', parallelism: 'tp 4' } },
    },
  ],
  ['r_summary.json', LLMPERF, { sampling: { temperature: 0.7 }, streaming: true, warmupRequests: 0 }],
  [
    'profile_export_aiperf.json',
    AIPERF_COMMAND,
    {
      ...{ model: 'org/m', endpoint: 'http://10.0.0.1:8000', apiType: 'chat', streaming: true, loadType: 'concurrent' },
      ...{
        inputAsked: { mean: 64 },
        outputAsked: { mean: 32 },
        ignoreEos: true,
        sampling: { temperature: 0.5 },
        warmupRequests: 10,
        tokenizer: 'org/m',
      },
      goodputLimits: { ttft: 0.1, request_latency: 0.9 },
      outputCounter: { source: 'server-usage', serverCounted: 0, clientCounted: 0 },
    },
  ],
  [
    'benchmarks.json',
    GUIDELLM,
    {
      ...{ apiType: 'completion', apiRoute: '/v1/completions', streaming: true, ignoreEos: true, warmupRequests: 10 },
      ...{ dataType: 'GuideLLM’s synthetic_text', inputAsked: { mean: 64, std_dev: 0 }, warmupSeconds: 0.9 },
    },
  ],
  [
    'br.json',
    REPORT_01,
    {
      ...{
        ignoreEos: true,
        streaming: true,
        apiType: 'completion',
        seed: 11,
        dataType: 'random',
        loadType: 'constant',
      },
      ...{ endpoint: 'http://10.0.0.1:8000', inputAsked: { mean: 64 }, tokenizer: 'org/m' },
    },
  ],
  [
    'br.json',
    REPORT_02,
    {
      ...{ cachedShare: 0.375, inputAsked: { mean: 64, std_dev: 0 }, outputAsked: { mean: 32, std_dev: 4 }, seed: 5 },
      ...{ streaming: true, ignoreEos: true, loadType: 'concurrent', sampling: { temperature: 0 } },
    },
  ],
  [
    'row.json',
    INFERENCEX,
    {
      ...{ loadType: 'concurrent', inputAsked: { mean: 1024 }, outputAsked: { mean: 512 }, serverType: 'vllm' },
      stack: {
        ...{ source: 'row.json', quantization: 'fp8', engine: 'vllm', image: 'org/vllm:1', accelerator: 'mi300x' },
        parallelism: 'tp 8',
      },
    },
  ],
];

it.each(SAID)('what it says is read (%s)', async (file, value, said) => {
  const opened = await openReports(memoryFolder({ [file]: JSON.stringify(value) }));
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
  const { facts, report } = opened.value.reports[0]!;
  const read = Object.fromEntries((Object.keys(said) as FactId[]).map((id) => [id, facts[id].value]));
  expect(read).toEqual(said);
  expect(JSON.stringify(report)).not.toContain('hf_secret');
  // What is read is not listed among what is not.
  const missing = report.notRecorded.join('; ');
  if (facts.ignoreEos.value !== undefined) expect(missing).not.toContain('ignore_eos');
  if (facts.sampling.value !== undefined) expect(missing).not.toContain('sampling');
});

it('of a stack with two engines, each value says whose it is', async () => {
  const [engine] = REPORT_02.scenario.stack;
  const decode = { ...engine, standardized: { ...engine!.standardized, role: 'decode', replicas: 3 } };
  const prefill = { ...engine, standardized: { ...engine!.standardized, role: 'prefill' } };
  const value = { ...REPORT_02, scenario: { ...REPORT_02.scenario, stack: [prefill, decode] } };
  const opened = await openReports(memoryFolder({ 'br.json': JSON.stringify(value) }));
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
  const stack = opened.value.reports[0]!.facts.stack.value!;
  expect(stack).toMatchObject({ engine: 'vllm', accelerator: '2 x H100', parallelism: 'tp 2' });
  expect(stack.other?.['replicas by role']).toBe('prefill: 2; decode: 3');
  expect(stack.replicas).toBeUndefined();
});

describe.skipIf(!hasCorpus())('of every file of ../shared/corpus and ../shared/cases', () => {
  const all = reportPlaces('corpus/reports', 'corpus/reports-2026-11', 'cases');
  it.each(all.map((place) => [path.relative(SHARED, place), place]))('%s', async (_, place) => {
    const folder = accessTo(place, '/');
    expect(await lostFacts(folder)).toEqual([]);
    const io = { cwd: '/', out: () => undefined, err: () => undefined } as unknown as CliIo;
    const opened = await openReports(folder);
    if (!opened.ok || opened.value.reports.length !== 1) return;
    const run = await openRun(place, undefined, io);
    if (run) expect(skipped(run, compare(run, run, { resamples: 20 }))).toEqual([]);
  });

  it('against each other', async () => {
    const io = { cwd: '/', out: () => undefined, err: () => undefined } as unknown as CliIo;
    const runs: Run[] = [];
    for (const place of all.filter((one) => !/kubecon-ab\/vllm\+|benchmarks\.yaml/.test(one))) {
      const opened = await openReports(accessTo(place, '/'));
      if (!opened.ok || opened.value.reports.length !== 1) continue;
      const run = await openRun(place, undefined, io);
      if (run?.canonical && run.canonical.scopes.length > 0) runs.push(run);
    }
    expect(runs.length).toBeGreaterThan(20);
    // Each with three others, of another tool mostly.
    const skippedPairs = runs.flatMap((a, i) =>
      [1, 5, 11].flatMap((step) => {
        const b = runs[(i + step) % runs.length]!;
        return skippedOfPair(a, b).map((what) => `${a.folder} against ${b.folder}: ${what}`);
      }),
    );
    expect(skippedPairs).toEqual([]);
  }, 60_000);
});
