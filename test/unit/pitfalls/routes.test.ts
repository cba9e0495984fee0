// The ways a reader meets a pitfall: hover, diagnostic, command line, report, comparison; each leads to its page.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CliIo } from '../../../src/cli/command';
import { comparisonTable } from '../../../src/cli/compare-table';
import { validateCommand } from '../../../src/cli/validate';
import { importListing } from '../../../src/cli/import-listing';
import { comparisonMarkdown } from '../../../src/views/comparison/markdown';
import { comparisonView } from '../../../src/views/comparison/view';
import { diagnostics } from '../../../src/language/diagnostics';
import { hover } from '../../../src/language/hover';
import { docsAnchor } from '../../../src/pitfalls/catalogue';
import { PITFALLS } from '../../../src/pitfalls/list';
import { judgeReport } from '../../../src/audit/identities';
import type { LifecycleReport } from '../../../src/metrics/lifecycle';
import type { Run } from '../../../src/readers/run';
import { reportView } from '../../../src/views/report/view';
import { judgementNotes } from '../../../src/views/report/judgement';
import { LIFECYCLE, merge, stat, type Patch } from '../support/perf-folder';
import { syntheticRun } from '../support/synthetic-run';
import { casesOf, compared, HONEST, runOf } from './cases';
import { CLEAN, CLOSED, with_ } from './configs';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../../docs/pitfalls.md'), 'utf8');

function hovered(text: string, key: string): string {
  const line = text.split('\n').findIndex((entry) => entry.includes(key));
  const column = text.split('\n')[line]!.indexOf(key);
  return hover(text, { line, column: column + 1 })?.markdown ?? '';
}

const codeOf = (number: number): string => `CMP${String(number).padStart(3, '0')}`;

describe('hover', () => {
  it.each([
    [1, CLEAN, 'type: poisson', 'rate: 5'],
    [4, CLEAN, 'worker_max_concurrency', 'request_timeout'],
    [40, CLEAN, 'pretrained_model_name_or_path', 'base_url'],
    [52, CLEAN, 'streaming', 'model_name'],
    [64, CLEAN, 'request_timeout', 'num_workers'],
    [10, CLOSED, 'num_requests', 'request_timeout'],
  ] as const)('CMP%i is linked over its key and over no other', (number, text, key, other) => {
    const link = `[${codeOf(number)}](${docsAnchor(codeOf(number))})`;
    expect(hovered(text, key)).toContain(link);
    expect(hovered(text, other)).not.toContain(codeOf(number));
  });

  it('what this file shows comes first', () => {
    const capped = with_(CLEAN, /data:[\s\S]*/, 'data:\n  type: shareGPT\n');
    const codes = [...hovered(capped, 'type: shareGPT').matchAll(/\[(CMP\d{3})\]/g)].map(([, code]) => code);
    expect(codes[0]).toBe('CMP037');
    const random = [...hovered(CLEAN, 'type: random').matchAll(/\[(CMP\d{3})\]/g)].map(([, code]) => code);
    expect(random[0]).not.toBe('CMP037');
  });
});

describe('diagnostics', () => {
  it.each(casesOf('config'))(
    '%s has its severity, its place, its remedy and a page that exists',
    (wanted, { fires }) => {
      const found = diagnostics(fires).filter(({ code }) => code === wanted);
      expect(found.length).toBeGreaterThan(0);
      for (const { severity, remedy, docs, range } of found) {
        expect(['warning', 'information']).toContain(severity);
        expect(remedy).toBeTruthy();
        expect(range.endLine).toBeGreaterThanOrEqual(range.startLine);
        const [file, anchor] = docs.split('#');
        expect(file).toBe('docs/pitfalls.md');
        expect(PAGE).toContain(`\n## ${anchor!.toUpperCase()}\n`);
      }
    },
  );

  it('names the other places that decide it', () => {
    const text = with_(CLEAN, 'worker_max_concurrency: 100', 'worker_max_concurrency: 2');
    const [cap] = diagnostics(text).filter(({ code }) => code === 'CMP004');
    expect(cap?.related?.map(({ message }) => message)).toEqual([
      'load.num_workers is 4',
      'load.stages decides it too',
    ]);
    const lines = text.split('\n');
    expect(lines[cap!.related![0]!.range.startLine]).toContain('num_workers: 4');
    const [streaming] = diagnostics(with_(CLEAN, ', streaming: true', '')).filter(({ code }) => code === 'CMP052');
    expect(streaming).not.toHaveProperty('related');
  });
});

describe('isoperf validate', () => {
  async function validated(text: string, format: string): Promise<string> {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-routes-'));
    let out = '';
    const io: CliIo = {
      out: (words) => (out += words),
      err: () => 0,
      isTerminal: false,
      columns: 100,
      env: {},
      cwd: folder,
    };
    try {
      writeFileSync(path.join(folder, 'c.yaml'), text);
      await validateCommand.run(['c.yaml', '--format', format], io);
    } finally {
      rmSync(folder, { recursive: true });
    }
    return out;
  }

  it('SARIF carries rule, page and related places', async () => {
    const text = with_(CLEAN, 'worker_max_concurrency: 100', 'worker_max_concurrency: 2');
    const { runs } = JSON.parse(await validated(text, 'sarif')) as {
      runs: {
        tool: { driver: { rules: { id: string; help: { text: string } }[] } };
        results: { ruleId: string; level: string; relatedLocations?: { message: { text: string } }[] }[];
      }[];
    };
    const result = runs[0]!.results.find(({ ruleId }) => ruleId === 'CMP004');
    expect(result?.level).toBe('warning');
    expect(result?.relatedLocations?.[0]?.message.text).toBe('load.num_workers is 4');
    const rule = runs[0]!.tool.driver.rules.find(({ id }) => id === 'CMP004');
    expect(rule?.help.text).toContain('docs/pitfalls.md#cmp004');
  });
});

describe('a report', () => {
  it.each(casesOf('report').filter(([code]) => ['CMP008', 'CMP033', 'CMP052', 'CMP069', 'CMP081'].includes(code)))(
    '%s is in the listing of `isoperf import` and in the notes of the view',
    async (wanted, { fires }) => {
      const { canonical } = await runOf(fires);
      const judged = { report: canonical!, judgement: judgeReport(canonical!), problems: [] };
      const listing = importListing(judged, { columns: 100, all: false });
      expect(listing).toContain(`[${wanted}]`);
      expect(judgementNotes(canonical!).map(({ code }) => code)).toContain(wanted);
    },
  );
});

describe('the view of our own report', () => {
  const own = (patch: Patch): Run => ({
    ...syntheticRun(),
    stages: new Map([[0, merge(LIFECYCLE, patch) as unknown as LifecycleReport]]),
  });
  it('shows what the report shows by itself', () => {
    const counted = (tokens: number): Patch => ({
      successes: { output_tokens: { total: 400 * tokens, ...stat(tokens) } },
    });
    const codes = (run: Run): readonly (string | undefined)[] => reportView(run).notes.map(({ code }) => code);
    const counts = (run: Run): readonly string[] =>
      reportView(run).notes.flatMap(({ code, title }) =>
        code === 'CMP058' ? (/client counts \d+/.exec(title) ?? []) : [],
      );
    expect(counts(own(counted(104)))).toEqual(['client counts 101']);
    expect(counts(own(counted(101)))).toEqual([]);
    expect(codes(own({ failures: { count: 4, by_label: {} } })).filter((code) => code === 'CMP012')).toEqual([]);
  });
});

describe('a comparison', () => {
  it('names code, whose evidence and words on the terminal, as Markdown and in the view', async () => {
    const fires = casesOf('report').find(([code]) => code === 'CMP052')![1].fires;
    const comparison = await compared({ a: HONEST, b: fires });
    const seen = comparison.pitfalls.find(({ code }) => code === 'CMP052')!;
    const table = comparisonTable(comparison, 100, false).replace(/\s+/g, ' ');
    expect(table).toContain(`CMP052 B: ${seen.words.slice(0, 40)}`);
    expect(comparisonMarkdown(comparison)).toContain(`| CMP052 | B | **${seen.title}.**`);
    const view = comparisonView(comparison, await runOf(HONEST), await runOf(fires));
    expect(view.pitfalls).toContainEqual(seen);
  });

  it('every finding belongs to an entry that has a page', async () => {
    const { findings, pitfalls } = await compared({ a: HONEST, b: HONEST });
    const codes = new Set<string>(PITFALLS.map(({ code }) => code));
    for (const { pitfall } of findings) expect(codes.has(pitfall!)).toBe(true);
    for (const { code } of pitfalls) expect(PAGE).toContain(`\n## ${code}\n`);
  });
});
