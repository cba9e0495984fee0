// Reads a report folder whole, and says in a panel why it cannot be read. Loaded when the first report is opened.
import type * as vscode from 'vscode';
import { ALIGNABLE } from '../comparability/align';
import { compare } from '../comparability/compare';
import type { Comparison, DimensionId } from '../comparability/comparison';
import { comparisonMarkdown } from '../comparability/markdown';
import { comparisonView } from '../comparability/view';
import type { ComparisonView } from '../comparability/view-model';
import type { Problem, Result } from '../problem';
import { reportMarkdown } from '../report/markdown';
import { readRun } from '../report/read';
import { withRecords } from '../report/records/attach';
import type { Run } from '../report/run';
import { reportView } from '../report/view';
import type { ReportView } from '../report/view-model';
import { reportAccess } from './folders';

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
  const [a, b] = await Promise.all(folders.map(async (folder) => readRun(await reportAccess(folder))));
  if (!a!.ok || !b!.ok) return { ok: false, problems: [...a!.problems, ...b!.problems] };
  const runs = [await withRecords(a!.value), await withRecords(b!.value)] as const;
  return { ok: true, value: judged(...runs, intended, aligned), problems: [] };
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
