// `isoperf convert`: any tool's results in, Markdown, CSV, HTML or a Benchmark Report out.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { benchmarkReport } from '../views/export/benchmark-report';
import { canonicalCsv } from '../views/export/csv';
import { canonicalHtml } from '../views/export/html';
import { canonicalMarkdown } from '../views/export/markdown';
import type { ReportScope } from '../readers/canonical';
import type { OpenedReport } from '../readers/foreign';
import { judgeReport } from '../audit/identities';
import { openReports } from '../readers/open';
import { completeReport } from '../readers/records/complete';
import { isDisagreement, type JudgedReport } from '../audit/in-one-sentence';
import { accessTo, printProblems } from './access';
import { EXIT, UsageError, type CliIo, type Command } from './command';
import { parseOptions } from './options';
import { own } from '../own';

const FORMATS = ['markdown', 'csv', 'html', 'benchmark-report'] as const;
type Format = (typeof FORMATS)[number];

const HELP = `isoperf convert: anybody's results as Markdown, CSV, HTML or an llm-d Benchmark Report

Usage: isoperf convert PATH --to FORMAT [options]

PATH is what 'isoperf import' reads. Numbers keep their definitions: two tools' figures of one name are not put under one
name, violated identities and assumptions come along, and secrets of a config are masked.

Formats:
  markdown           a summary for a pull request
  csv                one line per number, with definition, file and key
  html               one file, no script, nothing loaded
  benchmark-report   llm-d Benchmark Report 0.2 (YAML), one document per part; it has no field for warm-up, token source,
                     seed or sampling, and what it cannot say is named in run.description

Options:
  --to FORMAT   the format (default: by the ending of --out: .md, .csv, .html, .yaml)
  --part ID     only this part, e.g. 'stage 3' (as 'isoperf import' lists them)
  --out PATH    write there instead of to standard output; for several Benchmark Reports, a folder
  --no-records  do not read per-request files (they are checked against the summary otherwise)
  -h, --help    this text

Exit codes:
  0  converted
  2  unusable: nothing was recognised, the part does not exist, or the command line is wrong
  1  the result could not be written

Examples:
  isoperf convert reports-20261129-174411 --to markdown
  isoperf convert results.json --out summary.html
`;

async function run(args: readonly string[], io: CliIo): Promise<number> {
  const { values, positionals } = parseOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      to: { type: 'string' },
      part: { type: 'string' },
      out: { type: 'string' },
      'no-records': { type: 'boolean' },
    },
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw new UsageError(`one path is needed, ${positionals.length} given`);
  const format = formatOf(values.to, values.out);
  const opened = await openReports(accessTo(name, io.cwd));
  printProblems(opened.problems, name, io);
  if (!opened.ok) return EXIT.unusable;
  const reports = await chosenReports(opened.value.reports, values.part, values['no-records'] !== true);
  if (reports.length === 0) {
    io.err(`isoperf convert: error: ${name} has no part '${values.part ?? ''}'. See isoperf import ${name}\n`);
    return EXIT.unusable;
  }
  printProblems(
    reports.flatMap(({ problems }) => problems),
    name,
    io,
  );
  return format === 'benchmark-report'
    ? writeBenchmarkReports(reports, values.out, io)
    : writeOne(render(reports, format), values.out, io);
}

function formatOf(asked: string | undefined, out: string | undefined): Format {
  if (asked !== undefined) {
    const format = FORMATS.find((name) => name === asked);
    if (!format) throw new UsageError(`--to ${asked} is unknown: it is one of ${FORMATS.join(', ')}`);
    return format;
  }
  const endings: Readonly<Record<string, Format>> = {
    '.md': 'markdown',
    '.csv': 'csv',
    '.html': 'html',
    '.htm': 'html',
    '.yaml': 'benchmark-report',
    '.yml': 'benchmark-report',
  };
  const format = own(endings, path.extname(out ?? '').toLowerCase());
  if (!format) throw new UsageError(`--to FORMAT is needed: one of ${FORMATS.join(', ')}`);
  return format;
}

async function chosenReports(
  opened: readonly OpenedReport[],
  part: string | undefined,
  withRecords: boolean,
): Promise<JudgedReport[]> {
  const reports: JudgedReport[] = [];
  for (const one of opened) {
    // A report that has no numbers without its requests has them read in any case.
    const isRead = withRecords || one.report.scopes.length === 0;
    const { report, problems } = isRead ? await completeReport(one) : { report: one.report, problems: [] };
    const scopes =
      part === undefined ? report.scopes : report.scopes.filter(({ id, label }) => id === part || label === part);
    if (scopes.length === 0) continue;
    const chosen = { ...report, scopes };
    // The requests are held against the whole run: of one stage or phase they say nothing.
    const about = scopes.some(isWhole) ? problems : problems.filter((problem) => !isDisagreement(problem));
    reports.push({ report: chosen, judgement: judgeReport(chosen), problems: about });
  }
  return reports;
}

function isWhole({ kind }: ReportScope): boolean {
  return kind === 'summary' || kind === 'run';
}

function render(judged: readonly JudgedReport[], format: Exclude<Format, 'benchmark-report'>): string {
  switch (format) {
    case 'markdown':
      return judged.map(canonicalMarkdown).join('\n');
    case 'csv':
      return canonicalCsv(judged.map(({ report }) => report));
    case 'html':
      return canonicalHtml(judged);
  }
}

function writeBenchmarkReports(reports: readonly JudgedReport[], out: string | undefined, io: CliIo): number {
  const documents = reports.flatMap((judged) =>
    judged.report.scopes.flatMap((scope) => {
      const { report } = judged;
      const text = benchmarkReport(judged, scope);
      if (text !== undefined) return [{ name: `${report.name} ${scope.id}`, text }];
      io.err(
        `isoperf convert: warning: ${report.name}, ${scope.label} has no count of requests, which the format requires: left out\n`,
      );
      return [];
    }),
  );
  const [only] = documents;
  if (!only) return EXIT.unusable;
  if (out === undefined || documents.length === 1)
    return writeOne(documents.map(({ text }) => text).join('---\n'), out, io);
  const used = new Set<string>();
  for (const { name, text } of documents) {
    const base = name
      .replace(/[^\w.+-]+/g, '_')
      .replace(/^[._]+/, '')
      .slice(-120);
    let file = `benchmark_report_v0.2_${base}.yaml`;
    for (let n = 2; used.has(file); n++) file = `benchmark_report_v0.2_${base}-${n}.yaml`;
    used.add(file);
    const code = writeOne(text, path.join(out, file), io);
    if (code !== EXIT.ok) return code;
  }
  return EXIT.ok;
}

function writeOne(text: string, out: string | undefined, io: CliIo): number {
  if (out === undefined) {
    io.out(text);
    return EXIT.ok;
  }
  try {
    const file = path.resolve(io.cwd, out);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  } catch (error) {
    io.err(`isoperf convert: error: ${out} could not be written: ${(error as Error).message}\n`);
    return EXIT.failed;
  }
  io.out(`Written to ${out}\n`);
  return EXIT.ok;
}

export const convertCommand: Command = {
  name: 'convert',
  summary: "anybody's results as Markdown, CSV, HTML or an llm-d Benchmark Report",
  help: HELP,
  run,
};
