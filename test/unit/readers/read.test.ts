// Report folders as users have them: whole, cut off, foreign, damaged, several, hostile. A clear word for each.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskFolder } from '../../../src/cli/folder';
import { summarize } from '../../../src/metrics/summarize';
import type { Problem, Result } from '../../../src/problem';
import { measureOf } from '../../../src/readers/canonical';
import { readRun } from '../../../src/readers/read';
import { runState } from '../../../src/readers/run-state';
import type { FolderAccess } from '../../../src/folder/access';
import type { Run } from '../../../src/readers/run';
import { memoryFolder, type MemoryFiles } from '../support/memory-folder';
import { syntheticRun } from '../support/synthetic-run';

const OPTIONS = { percentiles: [50, 95, 99], outputTokenSource: 'server-usage' } as const;

/** What our own writer leaves behind. */
function folderFiles(run: Run = syntheticRun(), prefix = ''): Record<string, string> {
  const records = run.records ?? [];
  const report = JSON.stringify(summarize(records, { ...OPTIONS, stage: { requestedRateRps: 20 } }), null, 2);
  return {
    'run.json': JSON.stringify(run.manifest),
    'records.jsonl': records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    [`${prefix}summary_lifecycle_metrics.json`]: report,
    [`${prefix}stage_0_lifecycle_metrics.json`]: report,
    [`${prefix}config.yaml`]: 'load:\n  type: constant\n',
  };
}

function withoutRecords(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([name]) => name !== 'records.jsonl'));
}

const read = (files: MemoryFiles): Promise<Result<Run>> => readRun(memoryFolder(files));

async function readWhole(files: MemoryFiles): Promise<Run> {
  const result = await read(files);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

async function refused(files: MemoryFiles): Promise<Problem> {
  const result = await read(files);
  if (result.ok) throw new Error('the folder was read');
  return result.problems[0]!;
}

describe('a run of ours', () => {
  it('comes back as it was written', async () => {
    const run = syntheticRun();
    const back = await readWhole(folderFiles(run));
    expect(back.manifest).toEqual(run.manifest);
    expect(back.records).toEqual(run.records);
    expect(back.stages.get(0)?.successes.count).toBe(400);
    expect(back.summary?.successes.latency.time_to_first_token?.['p95']).toBeGreaterThan(0);
    expect(back).toMatchObject({
      tool: { name: 'isoperf', version: '0.1.0' },
      configFile: 'config.yaml',
      problems: [],
    });
    expect(runState(back)).toMatchObject({ complete: true, words: 'complete' });
  });

  it('is found with a report_file_prefix, and inside a parent folder', async () => {
    const files = folderFiles(syntheticRun(), 'nightly-');
    const back = await readWhole({ 'reports-1': files, notes: { 'a.txt': '' } });
    expect(back.folder).toBe('folder/reports-1');
    expect(back.summary?.successes.count).toBe(400);
    expect(back.configFile).toBe('nightly-config.yaml');
  });

  it('killed: N of M, and the unfinished last line is left out', async () => {
    const files = folderFiles(syntheticRun({ stopAfter: 130 }));
    const cut = files['records.jsonl']!.slice(0, -40);
    const back = await readWhole({ 'run.json': files['run.json']!, 'records.jsonl': cut });
    expect(back.records).toHaveLength(129);
    expect(back.problems.map((problem) => problem.code)).toContain('REP109');
    expect(runState(back)).toMatchObject({ complete: false, ended: 129, planned: 400 });
    expect(runState(back).words).toMatch(/^incomplete: 129 of 400 requests/);
  });

  it('a bad line in the middle is named, the rest is kept; of two lines with one id the last wins', async () => {
    const files = folderFiles();
    const lines = files['records.jsonl']!.trimEnd().split('\n');
    const again = JSON.stringify({ ...(JSON.parse(lines[0]!) as object), clientOutputTokens: 77 });
    lines[3] = '{"id": 3, "stage": "zero"}';
    const back = await readWhole({ ...files, 'records.jsonl': [...lines, again, ''].join('\n') });
    expect(back.records).toHaveLength(399);
    expect(back.records![0]!.clientOutputTokens).toBe(77);
    const problem = back.problems.find(({ code }) => code === 'REP110');
    expect(problem?.message).toMatch(/line 4 .*'stage'/);
    expect(problem?.range?.startLine).toBe(3);
  });

  it('a damaged run.json beside records still opens, as incomplete', async () => {
    const files = folderFiles();
    const back = await readWhole({ ...files, 'run.json': files['run.json']!.slice(0, 300) });
    expect(back.manifest).toBeUndefined();
    expect(runState(back).words).toMatch(/incomplete.*400 requests/);
    expect(back.problems[0]).toMatchObject({ code: 'REP105', severity: 'error' });
    expect(back.problems[0]!.message).toMatch(/cut off.*line 1, column 301/);
  });

  it('records are missing: it says what that costs', async () => {
    const back = await readWhole(withoutRecords(folderFiles()));
    expect(back.records).toBeUndefined();
    expect(back.problems[0]?.message).toMatch(/records\.jsonl.*intervals/);
  });
});

describe('what is no run says what it is', () => {
  it.each<[string, MemoryFiles, string, RegExp]>([
    ['empty', {}, 'REP102', /empty/],
    ['foreign', { 'holiday.json': '{"beach": true}' }, 'REP103', /neither a run\.json.*holiday\.json/],
    ['several', { a: folderFiles(), b: folderFiles() }, 'REP104', /2 runs: folder\/a, folder\/b/],
    ['another run.json', { 'run.json': '{"format": "mlflow"}' }, 'REP107', /'format' is not 'isoperf-run'/],
    ['a newer one', { 'run.json': '{"format": "isoperf-run", "version": 9}' }, 'REP108', /newer IsoPerf.*9/],
    ['a list', { 'run.json': '[1, 2]' }, 'REP107', /not IsoPerf's/],
    ['a name only', { 'summary_lifecycle_metrics.json': '{"a": 1}' }, 'REP121', /no report of a known tool: .* keys a/],
    ['cut off', { 'stage_0_lifecycle_metrics.json': '{"load_summary": {"count": 3' }, 'REP105', /cut off/],
    ['binary', { 'stage_0_lifecycle_metrics.json': '\u0000\u0001PK' }, 'REP118', /binary file/],
  ])('%s', async (_, files, code, words) => {
    const problem = await refused(files);
    expect(problem).toMatchObject({ code, severity: 'error' });
    expect(problem.message).toMatch(words);
  });

  it('missing, and unreadable', async () => {
    const gone: FolderAccess = {
      name: 'nowhere',
      list: () => Promise.reject(new Error('there is no such folder')),
      readText: () => Promise.resolve(undefined),
    };
    const result = await readRun(gone);
    expect(result.ok).toBe(false);
    expect(result.problems[0]).toMatchObject({
      code: 'REP101',
      message: 'nowhere cannot be opened: there is no such folder',
    });
    const locked: FolderAccess = {
      ...memoryFolder(folderFiles()),
      readText: () => Promise.reject(new Error('EACCES')),
    };
    expect((await readRun(locked)).problems[0]).toMatchObject({
      code: 'REP113',
      message: 'folder/run.json cannot be read: EACCES',
    });
    const torn: FolderAccess = {
      ...memoryFolder(folderFiles()),
      // eslint-disable-next-line @typescript-eslint/require-await, require-yield
      readLines: async function* () {
        throw new Error('EIO');
      },
    };
    const half = await readRun(torn);
    expect(half.ok && half.value.records).toBeUndefined();
    expect(half.problems[0]?.message).toMatch(/records\.jsonl cannot be read: EIO/);
  });

  it('too large to read is refused before it is read', async () => {
    const huge: FolderAccess = { ...memoryFolder({ 'run.json': '{}' }), sizeBytes: () => Promise.resolve(1e10) };
    const result = await readRun(huge);
    expect(result.problems[0]?.message).toMatch(/over the limit/);
  });

  it('a value that does not fit the manifest names its key', async () => {
    const files = folderFiles();
    const manifest = JSON.parse(files['run.json']!) as { stages: { planned: unknown }[] };
    manifest.stages[0]!.planned = 'many';
    const problem = await refused({ ...withoutRecords(files), 'run.json': JSON.stringify(manifest) });
    expect(problem.message).toMatch(/stages\[0\]\.planned/);
  });
});

describe('JSON of inference-perf', () => {
  const stage = (value: string): string =>
    `{"load_summary": {"count": 2, "requested_rate": 5.0}, "successes": {"count": 2, "latency": {"time_to_first_token": {"mean": ${value}, "p50": 0.5}}}}`;

  it('bare NaN and Infinity are read as not measured, and the file is remembered for it', async () => {
    const back = await readWhole({ 'stage_0_lifecycle_metrics.json': stage('NaN') });
    expect(back.tool.name).toBe('inference-perf');
    expect(measureOf(back.canonical!.scopes[0]!, 'ttft')?.stats).toEqual({ p50: 0.5 });
    expect(back.canonical!.bareNumbers).toEqual(['stage_0_lifecycle_metrics.json']);
  });

  it('what a file does not hold is missing', async () => {
    const back = await readWhole({ 'stage_0_lifecycle_metrics.json': stage('1') });
    expect(back.canonical!.scopes[0]!.measures.map(({ quantity }) => quantity)).toEqual(['ttft']);
  });

  it('every file is read once, and a damaged one beside good ones is named', async () => {
    const folder = memoryFolder({
      'stage_0_lifecycle_metrics.json': stage('1'),
      'stage_1_lifecycle_metrics.json': stage('1').slice(0, 90),
      'notes.txt': 'not of the run',
    });
    const opened: string[] = [];
    const readText = (file: string): Promise<string | undefined> => {
      opened.push(file);
      return folder.readText(file);
    };
    const result = await readRun({ ...folder, readText });
    expect(result.ok).toBe(true);
    expect(opened.filter((file) => file.startsWith('stage')).sort()).toEqual([
      'stage_0_lifecycle_metrics.json',
      'stage_1_lifecycle_metrics.json',
    ]);
    expect(result.problems).toMatchObject([{ code: 'REP105', severity: 'error' }]);
  });

  it('its config.yaml is evidence, without its secrets', async () => {
    const back = await readWhole({
      'stage_0_lifecycle_metrics.json': stage('1'),
      'config.yaml': 'load: {type: poisson}\nserver: {api_key: hunter2secret, base_url: "http://x"}\n',
    });
    expect(back.config).toMatchObject({ load: { type: 'poisson' } });
    expect(JSON.stringify(back.config)).not.toContain('hunter2secret');
  });

  it.each([
    ['a comma too many', '{"a": 1,}'],
    ['no colon', '{"a" 1}'],
    ['half a word', '{"a": tru}'],
    ['no comma', '[1 2]'],
    ['an open text', '{"a": "x'],
    ['5,000 brackets', '['.repeat(5000)],
    ['a line break in a text', '["\n"]'],
  ])('a clear place for %s', async (_, text) => {
    const problem = await refused({ 'summary_lifecycle_metrics.json': text });
    expect(problem.message).toMatch(/line \d+, column \d+/);
  });

  const corpus = path.resolve(import.meta.dirname, '../../../../shared/corpus/reports/inference-perf');
  it.runIf(existsSync(corpus))('every public report folder opens or says why not', async () => {
    let opened = 0;
    for (const entry of await readdir(corpus, { withFileTypes: true, recursive: true })) {
      if (!entry.isDirectory()) continue;
      const result = await readRun(diskFolder(entry.name, path.join(entry.parentPath, entry.name)));
      if (result.ok) opened++;
      else expect(result.problems[0]?.message).toBeTruthy();
    }
    expect(opened).toBeGreaterThan(3);
  });
  if (!existsSync(corpus)) console.log('skipped: ../shared/corpus is not here');
});
