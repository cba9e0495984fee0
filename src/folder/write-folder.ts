// Where a run's report goes: a folder that holds no other run, files that are whole or not there at all.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Problem, Result } from '../problem';
import { MANIFEST_FILE, RECORDS_FILE } from './manifest';
import { jsonText } from '../figures';
import { own } from '../own';

const SUFFIXES = 10_000;

/**
 * Makes the folder, or the first of `name-2`, `name-3`, ... that holds no run yet: a finished run is never overwritten. Files that are
 * no report do not matter. Problem RUN201 when it cannot be made or written to.
 */
export function makeReportFolder(wanted: string): Result<string> {
  try {
    for (let number = 1; number < SUFFIXES; number++) {
      const folder = number === 1 ? wanted : `${wanted.replace(/[/\\]+$/, '')}-${number}`;
      if (existsSync(folder) && holdsRun(folder)) continue;
      makeFolder(path.resolve(folder));
      probeWritable(folder);
      return { ok: true, value: folder, problems: number === 1 ? [] : [suffixNote(wanted, folder)] };
    }
    return refuse(wanted, `there are ${SUFFIXES} runs of that name already`);
  } catch (error) {
    return refuse(wanted, describeWriteError(error));
  }
}

/** Level by level: Node's recursive mkdir never returns where a file system answers ENOENT below a folder that exists (/proc, automounts). */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function holdsRun(folder: string): boolean {
  return readdirSync(folder).some(
    (name) => name === MANIFEST_FILE || name === RECORDS_FILE || name.endsWith('_lifecycle_metrics.json'),
  );
}

/** A folder that takes no file is found out before the run, not after it. */
function probeWritable(folder: string): void {
  const probe = path.join(folder, '.isoperf-probe');
  writeFileSync(probe, '');
  rmSync(probe);
}

function suffixNote(wanted: string, folder: string): Problem {
  return {
    code: 'RUN202',
    severity: 'information',
    path: [],
    message: `${wanted} holds a run already, so this one goes to ${folder}.`,
  };
}

function refuse(folder: string, why: string): Result<never> {
  return {
    ok: false,
    problems: [
      {
        code: 'RUN201',
        severity: 'error',
        path: ['storage', 'local_storage', 'path'],
        message: `Nothing was sent: the report folder ${folder} cannot be written: ${why}.`,
        remedy: 'Name another folder with --out or storage.local_storage.path.',
      },
    ],
  };
}

/** Replaces a file in one step, so that a reader (or a kill) never meets half of it. Throws what the file system throws. */
export function writeWhole(file: string, text: string): void {
  const temporary = `${file}.tmp`;
  try {
    writeFileSync(temporary, text);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** JSON as inference-perf writes it: indented by two, a line end at the end. */
export function jsonFile(value: unknown): string {
  return `${jsonText(value, 2)}\n`;
}

/** What a failed write means, in words. */
export function describeWriteError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (code === undefined ? undefined : own(WRITE_ERRORS, code)) ?? message;
}

const WRITE_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full (ENOSPC)',
  EDQUOT: 'the disk quota is used up (EDQUOT)',
  EFBIG: 'the file may not grow further: a file size limit or a full disk (EFBIG)',
  EACCES: 'writing is not permitted there (EACCES)',
  EPERM: 'writing is not permitted there (EPERM)',
  EROFS: 'the file system is read-only (EROFS)',
  ENOENT: 'a folder cannot be made there (ENOENT)',
  ENOTDIR: 'a part of the path is a file, not a folder (ENOTDIR)',
};
