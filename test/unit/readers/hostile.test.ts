// Files that are no reports, or worse: each gets one clear word, none is believed, nothing is thrown.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { accessTo } from '../../../src/cli/access';
import type { Problem } from '../../../src/problem';
import { canonicalHtml } from '../../../src/views/export/html';
import { canonicalMarkdown } from '../../../src/views/export/markdown';
import { judgeReport } from '../../../src/audit/identities';
import { maskText } from '../../../src/readers/mask';
import { openReports } from '../../../src/readers/open';
import { completeReport } from '../../../src/readers/records/complete';
import { corpusFiles, hasCorpus } from '../support/corpus';
import { memoryFolder } from '../support/memory-folder';

const home = mkdtempSync(path.join(os.tmpdir(), 'isoperf-hostile-'));
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

async function refused(file: string, content: string | Uint8Array): Promise<Problem[]> {
  writeFileSync(path.join(home, file), content);
  const opened = await openReports(accessTo(file, home));
  expect(opened.ok).toBe(false);
  return [...opened.problems];
}

const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;

describe('files that are no report', () => {
  it.each<[string, string, string | Uint8Array, string, RegExp]>([
    ['empty', 'empty.json', '', 'REP116', /is empty/],
    ['only spaces', 'blank.json', ' \n ', 'REP116', /is empty/],
    ['cut off', 'cut.json', '{"load_summary": {"count": 3', 'REP105', /is cut off: .* line 1, column \d+/],
    [
      'binary',
      'stage_0_lifecycle_metrics.json',
      new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0]),
      'REP118',
      /is a binary file/,
    ],
    [
      'UTF-16',
      'wide.json',
      new Uint8Array(Buffer.from('\uFEFF{"load_summary": {}}', 'utf16le')),
      'REP117',
      /is UTF-16 text/,
    ],
    [
      'UTF-16 without a mark',
      'wide2.json',
      new Uint8Array(Buffer.from('{"load_summary": {}}', 'utf16le')),
      'REP117',
      /is UTF-16 text/,
    ],
    ['nested', 'deep.json', deep, 'REP120', /nested more than 100 deep/],
    [
      'a report-like name',
      'summary_lifecycle_metrics.json',
      '{"hello": 1}',
      'REP121',
      /no report of a known tool: it is JSON with the keys hello/,
    ],
    ['a list of numbers', 'numbers.json', '[1, 2, 3]', 'REP121', /JSON without the keys of one/],
    ['broken YAML', 'broken.yaml', 'a: [1, 2\nb: }', 'REP119', /neither JSON nor YAML/],
    ['text', 'notes.txt', 'TTFT was fine.', 'REP121', /it is plain text/],
  ])('%s: one clear message', async (_, file, content, code, message) => {
    const problems = await refused(file, content);
    expect(problems[0]).toMatchObject({ code, severity: 'error' });
    expect(problems[0]!.message).toMatch(message);
    expect(problems[0]!.message).toContain(file);
  });

  it('a file over the limit is refused by its size, before it is read', async () => {
    const folder = {
      ...memoryFolder({ 'huge.json': '{}' }),
      sizeBytes: () => Promise.resolve(9e9),
      readText: () => Promise.reject(new Error('was read')),
    };
    const opened = await openReports(folder);
    expect(opened.problems[0]).toMatchObject({ code: 'REP114' });
    expect(opened.problems[0]!.message).toContain('8,583 MiB is over the limit of 256 MiB');
  });

  it('a file that may not be read says so and does not hide its neighbours', async () => {
    const files = memoryFolder({ 'a.json': '{}', 'b.json': '{"n_samples_issued": 1, "duration_ns": 1e9}' });
    const opened = await openReports({
      ...files,
      readText: (file) => (file === 'a.json' ? Promise.reject(new Error('EACCES')) : files.readText(file)),
    });
    expect(opened.ok && opened.value.reports).toHaveLength(1);
    expect(opened.problems[0]).toMatchObject({ code: 'REP113', message: 'folder/a.json cannot be read: EACCES' });
  });

  it('two tools in one folder are kept apart, with a warning', async () => {
    const opened = await openReports(
      memoryFolder({
        'mlperf.json': '{"n_samples_issued": 1, "duration_ns": 1e9}',
        'x.json': '{"median_ttft": 1, "tput_per_gpu": 2, "conc": 3}',
      }),
    );
    expect(opened.ok && opened.value.reports.map(({ report }) => report.tool).sort()).toEqual([
      'InferenceX',
      'MLPerf endpoints',
    ]);
    expect(opened.problems.find(({ code }) => code === 'REP124')?.message).toContain('holds results of 2 tools');
  });
});

describe.skipIf(!hasCorpus())('mutated real files', () => {
  const seeds = corpusFiles().filter((file) => statSync(file).size < 120_000 && !file.includes('json_schema'));

  it('are read or refused, and never throw', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...seeds),
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        async (file, mutations) => {
          const text = mutations.reduce((so, mutate) => mutate(so), readFileSync(file, 'utf8'));
          const opened = await openReports(memoryFolder({ [path.basename(file)]: text }));
          if (!opened.ok) {
            expect(opened.problems.length).toBeGreaterThan(0);
            return;
          }
          for (const one of opened.value.reports) {
            const { report, problems } = await completeReport(one);
            const judged = { report, judgement: judgeReport(report), problems };
            expect(canonicalMarkdown(judged).length + canonicalHtml([judged]).length).toBeGreaterThan(0);
          }
        },
      ),
      { numRuns: 150 },
    );
  }, 120_000);
});

const share = fc.double({ min: 0, max: 1, noNaN: true });
const VALUES = [
  'null',
  '-1',
  '1e400',
  'NaN',
  '"text"',
  '[]',
  '{}',
  'true',
  '""',
  '0',
  '{"__proto__": 1}',
  '99999999999999999999',
];

/** Cut, swap a value for one of another kind, put bytes in, remove a piece, rename a key. */
const mutation: fc.Arbitrary<(text: string) => string> = fc.oneof(
  share.map((at) => (text: string) => text.slice(0, Math.floor(at * text.length))),
  fc.tuple(share, fc.constantFrom(...VALUES)).map(
    ([at, value]) =>
      (text: string) =>
        swapValue(text, at, value),
  ),
  fc.tuple(share, fc.string({ unit: 'binary', maxLength: 5 })).map(([at, extra]) => (text: string) => {
    const place = Math.floor(at * text.length);
    return text.slice(0, place) + extra + text.slice(place);
  }),
  fc.tuple(share, fc.nat(300)).map(([at, length]) => (text: string) => {
    const place = Math.floor(at * text.length);
    return text.slice(0, place) + text.slice(place + length);
  }),
);

function swapValue(text: string, at: number, value: string): string {
  const place = Math.floor(at * text.length);
  const rest = text
    .slice(place)
    .replace(/:\s*(?:-?[\d.eE+-]+|"[^"]*"|null|true|false|\[\s*|\{\s*)/, (found) =>
      /[[{]\s*$/.test(found) ? found : `: ${value}`,
    );
  return text.slice(0, place) + rest;
}

describe('what a hostile report may not do', () => {
  const evil = '<img src=x onerror=alert(1)>|`[x](javascript:1)` @all </title><script>';
  const file = JSON.stringify({
    date: '1',
    backend: 'b',
    model_id: evil,
    num_prompts: 1,
    request_rate: 1,
    burstiness: 1,
    duration: 1,
    completed: 1,
    total_input_tokens: 1,
    total_output_tokens: 1,
    mean_ttft_ms: 1,
    [evil]: evil,
    api_key: 'swordfish-9000',
    note: 'Authorization: Bearer abcdef123456',
  });

  it('run in a page, act as Markdown, or show a secret', async () => {
    const opened = await openReports(memoryFolder({ 'x.json': file }));
    if (!opened.ok) throw new Error('not opened');
    const { report } = opened.value.reports[0]!;
    const judged = { report, judgement: judgeReport(report), problems: [] };
    const html = canonicalHtml([judged]);
    expect(html).not.toMatch(/<(?:img|script)/i);
    expect(html).toContain("default-src 'none'");
    const markdown = canonicalMarkdown(judged);
    expect(markdown).not.toMatch(/[^\\]<img|[^\\]\[x\]|[^\\]@all/);
    for (const text of [html, markdown, JSON.stringify(report)]) expect(text).not.toMatch(/swordfish|abcdef123456/);
  });

  it.each([
    ['aiperf --api-key abc123 --url http://u:p@h/', /^aiperf --api-key <removed> --url http:\/\/<\w+>@h\/$/],
    ['run --hf-token=abc123 --max-tokens 5', /^run --hf-token=<removed> --max-tokens 5$/],
    ['--tokenizer gpt2 --num-output-tokens 10', /^--tokenizer gpt2 --num-output-tokens 10$/],
  ])('a command line: %s', (given, masked) => {
    expect(maskText(given)).toMatch(masked);
  });
});
