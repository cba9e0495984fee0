// What is said of a run that has ended, besides its tables: where the report is, how to compare it, and the same as JSON.
import path from 'node:path';
import { formatProblem, problemJson, type Problem } from '../problem';
import type { FinishedRun, RunResult } from '../run';
import { previousRun } from '../run/earlier-runs';
import type { CliIo } from './command';

export function reportPlaces({ folder, uploads }: FinishedRun, { cwd }: CliIo): string {
  const copies = uploads.filter(({ failure }) => failure === undefined).map(({ to }) => `Uploaded to ${to}\n`);
  return [`Report: ${path.relative(cwd, folder) || '.'}\n`, ...copies].join('');
}

/** How to compare it with the last run of the same config. */
export function compareLine({ manifest, folder }: FinishedRun, { cwd }: CliIo): string {
  const previous = previousRun(manifest, [path.dirname(folder), cwd]);
  if (previous === undefined) return '';
  const words = [previous, folder].map((place) => {
    const short = path.relative(cwd, place) || '.';
    return /^[\w./+-]+$/.test(short) ? short : `'${short.replaceAll("'", "'\\''")}'`;
  });
  return `Compare with the run before: isoperf compare ${words.join(' ')}\n`;
}

export function formatInvalid(reason: string): string {
  return `the run is not valid: ${reason}`;
}

export function resultJson(run: Extract<RunResult, { kind: 'ran' }>['run'], problems: readonly Problem[]): unknown {
  return {
    folder: run.folder,
    state: run.manifest.state,
    valid: run.invalid === undefined,
    ...(run.invalid === undefined ? {} : { reason: run.invalid }),
    uploads: run.uploads,
    counts: run.manifest.counts,
    tokens: run.manifest.tokens,
    health: run.manifest.health,
    stages: Object.fromEntries(run.stages),
    summary: run.summary ?? null,
    problems: problems.map((problem) => ({
      ...problemJson(problem),
      text: formatProblem(problem, run.manifest.config.file),
    })),
  };
}
