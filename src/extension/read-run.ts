// Reads a report folder whole, and says in a panel why it cannot be read. Loaded when the first report is opened.
import * as path from 'node:path';
import type * as vscode from 'vscode';
import { ALIGNABLE } from '../comparability/align';
import { compare } from '../comparability/compare';
import type { Comparison, DimensionId } from '../comparability/comparison';
import { comparisonFileText, parseComparisonFile, type ComparisonFile } from '../comparability/comparison-file';
import { parseCut } from '../comparability/cut';
import { comparisonMarkdown } from '../views/comparison/markdown';
import { comparisonView } from '../views/comparison/view';
import type { ComparisonView } from '../views/comparison/model';
import type { Problem, Result } from '../problem';
import { withBeside } from '../readers/beside';
import { reportMarkdown } from '../views/report/markdown';
import { readRun } from '../readers/read';
import { withCheck, withRecords } from '../readers/records/attach';
import type { Run } from '../readers/run';
import { parseStack, type StackRecord } from '../folder/stack';
import { reportView } from '../views/report/view';
import type { ReportView } from '../views/report/model';
import { folderAccess, folderOfReport, parentOf, reportAccess } from './folders';

export { showEvidence } from './evidence';

export interface OpenReport {
  readonly run: Run;
  readonly view: ReportView;
}

export interface OpenComparison {
  readonly a: Run;
  readonly b: Run;
  readonly repeatsA: readonly Run[];
  readonly repeatsB: readonly Run[];
  readonly comparison: Comparison;
  readonly view: ComparisonView;
}

/** @param alone of a file: without the files that would belong to it */
export async function openReport(folder: vscode.Uri, alone = false): Promise<Result<OpenReport>> {
  const read = await readRun(await reportAccess(folder, alone));
  if (!read.ok) return read;
  const run = await withCheck(read.value);
  return { ok: true, value: { run, view: reportView(run) }, problems: read.problems };
}

export type Pair = readonly [vscode.Uri, vscode.Uri];

/** How two runs are compared, beyond which: the same as in a comparison file. */
export interface Question {
  readonly intended: readonly DimensionId[];
  /** Names of dimensions; those that cannot be aligned are left out. */
  readonly aligned: readonly string[];
  /** As the user wrote it. */
  readonly cut?: string;
  readonly interpolate?: boolean;
  /** Of a comparison that was opened from a file: the file, and what the view has no control for. */
  readonly from?: {
    readonly file: vscode.Uri;
    readonly repeats: readonly [readonly vscode.Uri[], readonly vscode.Uri[]];
    readonly stacks: readonly [vscode.Uri | undefined, vscode.Uri | undefined];
    readonly gate: Pick<ComparisonFile, 'failOn' | 'thresholds'>;
  };
}

export async function openComparison(folders: Pair, question: Question): Promise<Result<OpenComparison>> {
  const { from } = question;
  const sides = await Promise.all(
    folders.map((folder, i) =>
      Promise.all([folder, ...(from?.repeats[i] ?? [])].map((place) => openSide(place, from?.stacks[i]))),
    ),
  );
  const problems = sides.flat().flatMap((read) => (read.ok ? [] : read.problems));
  if (problems.length > 0) return { ok: false, problems };
  const [[a, ...repeatsA], [b, ...repeatsB]] = sides.map((side) =>
    side.flatMap((read) => (read.ok ? [read.value] : [])),
  ) as [[Run, ...Run[]], [Run, ...Run[]]];
  return { ok: true, value: judged({ a, b, repeatsA, repeatsB }, question), problems: [] };
}

/** As the command line reads a side: with the stack record and the config that lie beside or above its folder. */
async function openSide(place: vscode.Uri, stackFile?: vscode.Uri): Promise<Result<Run>> {
  const read = await readRun(await reportAccess(place));
  if (!read.ok) return read;
  const folder = await folderOfReport(place);
  const name = lastPart(folder);
  let given: StackRecord | undefined;
  if (stackFile) {
    const parsed = parseStack(await textOf(stackFile), lastPart(stackFile), name);
    if (!parsed.ok) return parsed;
    given = parsed.value;
  }
  const run = await withBeside(read.value, folderAccess(folder), name, given);
  return { ...read, value: await withRecords(run) };
}

export function judged(
  { a, b, repeatsA, repeatsB }: Pick<OpenComparison, 'a' | 'b' | 'repeatsA' | 'repeatsB'>,
  { intended, aligned, cut: text, interpolate = false }: Question,
): OpenComparison {
  const cut = text === undefined ? undefined : parseCut(text);
  const align = ALIGNABLE.filter((one) => aligned.includes(one));
  const comparison = compare(a, b, {
    intended,
    align,
    ...(typeof cut === 'object' ? { cut } : {}),
    interpolate,
    repeatsA,
    repeatsB,
  });
  return { a, b, repeatsA, repeatsB, comparison, view: comparisonView(comparison, a, b, text) };
}

/** Which runs a comparison file names, and how it wants them compared. */
export async function openComparisonFile(
  file: vscode.Uri,
): Promise<Result<{ readonly folders: Pair; readonly question: Question }>> {
  const read = parseComparisonFile(await textOf(file), lastPart(file));
  if (!read.ok) return read;
  const { a, b, intended, align, cut, interpolate, stackA, stackB, failOn, thresholds } = read.value;
  const at = (name: string): vscode.Uri =>
    /^(?:[/\\]|[a-z]:[/\\])/i.test(name) ? file.with({ path: posixPath(name) }) : joined(parentOf(file), name);
  const [[firstA, ...moreA], [firstB, ...moreB]] = [a.map(at), b.map(at)];
  return {
    ok: true,
    problems: [],
    value: {
      folders: [firstA!, firstB!],
      question: {
        intended,
        aligned: cut ? [...new Set([...align, 'warmup-window'])] : align,
        ...(cut ? { cut: cut.text } : {}),
        interpolate,
        from: {
          file,
          repeats: [moreA, moreB],
          stacks: [stackA === undefined ? undefined : at(stackA), stackB === undefined ? undefined : at(stackB)],
          gate: { thresholds, ...(failOn ? { failOn } : {}) },
        },
      },
    },
  };
}

/** What a comparison file at this place says; folders relative to it. */
export function comparisonText(file: vscode.Uri, folders: Pair, question: Question): string {
  const { intended, aligned, cut: text, interpolate = false, from } = question;
  const to = (place: vscode.Uri): string => path.posix.relative(parentOf(file).path, place.path) || '.';
  const cut = text === undefined ? undefined : parseCut(text);
  const [stackA, stackB] = from?.stacks ?? [];
  return comparisonFileText({
    a: [folders[0], ...(from?.repeats[0] ?? [])].map(to),
    b: [folders[1], ...(from?.repeats[1] ?? [])].map(to),
    intended,
    align: ALIGNABLE.filter((one) => aligned.includes(one)),
    ...(typeof cut === 'object' ? { cut } : {}),
    interpolate,
    ...(stackA ? { stackA: to(stackA) } : {}),
    ...(stackB ? { stackB: to(stackB) } : {}),
    ...(from?.gate ?? { thresholds: [] }),
  });
}

async function textOf(file: vscode.Uri): Promise<string> {
  const text = await folderAccess(parentOf(file)).readText(lastPart(file));
  if (text === undefined) throw new Error(`${lastPart(file)} is not there`);
  return text;
}

function lastPart(place: vscode.Uri): string {
  return place.path.split('/').filter(Boolean).at(-1) ?? '';
}

function joined(folder: vscode.Uri, name: string): vscode.Uri {
  return folder.with({ path: path.posix.join(folder.path, posixPath(name)) });
}

function posixPath(name: string): string {
  const slashed = name.replace(/\\/g, '/');
  return /^[a-z]:\//i.test(slashed) ? `/${slashed}` : slashed;
}

export function comparisonAsMarkdown({ comparison }: OpenComparison): string {
  return comparisonMarkdown(comparison);
}

export function asMarkdown(report: OpenReport): string {
  return reportMarkdown(report.view);
}

/** The message of a view that cannot show anything: one cause, one action. */
export function failureOf(problems: readonly Problem[]): { readonly message: string; readonly remedy: string } {
  const first = problems.find((problem) => problem.severity === 'error') ?? problems[0];
  return {
    message: first ? `${first.message} (${first.code})` : 'The report could not be read',
    remedy: first?.remedy ?? 'The log says more.',
  };
}
