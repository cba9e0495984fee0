// Reads a report folder whole, and says in a panel why it cannot be read. Loaded when the first report is opened.
import type * as vscode from 'vscode';
import { ALIGNABLE } from '../comparability/align';
import { compare } from '../comparability/compare';
import type { Comparison, DimensionId } from '../comparability/comparison';
import { comparisonMarkdown } from '../comparability/markdown';
import { comparisonView } from '../comparability/view';
import type { ComparisonView } from '../comparability/view-model';
import type { Problem, Result } from '../problem';
import { withBeside } from '../report/beside';
import { reportMarkdown } from '../report/markdown';
import { readRun } from '../report/read';
import { withRecords } from '../report/records/attach';
import type { Run } from '../report/run';
import { reportView } from '../report/view';
import type { ReportView } from '../report/view-model';
import { folderAccess, folderOfReport, reportAccess } from './folders';

export { showEvidence } from './evidence';

export interface OpenReport {
  readonly run: Run;
  readonly view: ReportView;
}

export interface OpenComparison {
  readonly a: Run;
  readonly b: Run;
  readonly comparison: Comparison;
  readonly view: ComparisonView;
}

/** @param alone of a file: without the files that would belong to it */
export async function openReport(folder: vscode.Uri, alone = false): Promise<Result<OpenReport>> {
  const read = await readRun(await reportAccess(folder, alone));
  if (!read.ok) return read;
  return { ok: true, value: { run: read.value, view: reportView(read.value) }, problems: read.problems };
}

export async function openComparison(
  folders: readonly [vscode.Uri, vscode.Uri],
  intended: readonly DimensionId[],
  aligned: readonly string[] = [],
): Promise<Result<OpenComparison>> {
  const [a, b] = await Promise.all(folders.map(openSide));
  if (!a!.ok || !b!.ok) return { ok: false, problems: [...a!.problems, ...b!.problems] };
  const runs = [a!.value, b!.value] as const;
  return { ok: true, value: judged(...runs, intended, aligned), problems: [] };
}

/** As the command line reads a side: with the stack record and the config that lie beside or above its folder. */
async function openSide(place: vscode.Uri): Promise<Result<Run>> {
  const read = await readRun(await reportAccess(place));
  if (!read.ok) return read;
  const folder = await folderOfReport(place);
  const run = await withBeside(read.value, folderAccess(folder), folder.path.split('/').filter(Boolean).at(-1) ?? '');
  return { ...read, value: await withRecords(run) };
}

/** @param aligned names of dimensions; those that cannot be aligned are left out */
export function judged(
  a: Run,
  b: Run,
  intended: readonly DimensionId[],
  aligned: readonly string[] = [],
): OpenComparison {
  const comparison = compare(a, b, { intended, align: ALIGNABLE.filter((one) => aligned.includes(one)) });
  return { a, b, comparison, view: comparisonView(comparison, a, b) };
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
