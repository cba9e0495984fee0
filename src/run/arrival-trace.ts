// Reads the file of `load.trace` for load type trace_replay, and counts `data.trace` when it decides how many requests there are.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { EffectiveConfig } from '../config/will/runtime';
import { readAzureTrace, type RequestTrace } from '../datagen/azure-trace';
import type { ArrivalTrace } from '../loadgen/plan';
import type { ConfigPath, Problem, Result } from '../problem';

/** Undefined for other load types. Errors: RUN043 a file that is missing or holds no request. Warnings: lines left out or reordered. */
export function arrivalTrace(
  { load, data }: EffectiveConfig,
  folders: readonly string[],
): Result<ArrivalTrace | undefined> {
  if (load.type !== 'trace_replay') return { ok: true, value: undefined, problems: [] };
  if (!load.trace) {
    const message =
      'Nothing was sent: load type trace_replay takes its arrival times from load.trace, which is missing.';
    return refuse(['load', 'trace'], message, 'Add load.trace with the file of the trace.');
  }
  const times = readTrace(load.trace.file, ['load', 'trace', 'file'], folders);
  if (!times.ok) return times;
  const sizes = data.trace ? readTrace(data.trace.file, ['data', 'trace', 'file'], folders) : undefined;
  if (sizes?.ok === false) return sizes;
  const { trace, sha256 } = times.value;
  return {
    ok: true,
    value: {
      offsets: trace.offsetsSeconds,
      sha256,
      ...(sizes ? { count: sizes.value.trace.offsetsSeconds.length } : {}),
    },
    problems: times.problems,
  };
}

/** Reads a trace file from the first folder that has it. Errors RUN043, warnings RUN044. */
export function readTrace(
  file: string,
  place: ConfigPath,
  folders: readonly string[],
): Result<{ trace: RequestTrace; sha256: string }> {
  let content: Buffer | undefined;
  for (const folder of folders) {
    try {
      content ??= readFileSync(path.resolve(folder, file));
    } catch {
      // The next folder may have it; the message below names the file.
    }
  }
  if (content === undefined) {
    const looked = [...new Set(folders.map((folder) => path.resolve(folder, file)))].join(' and ');
    return refuse(place, `Nothing was sent: the trace ${looked} cannot be read.`, 'Correct the path.');
  }
  const trace = readAzureTrace(content.toString('utf8'));
  if (trace.offsetsSeconds.length === 0) {
    return refuse(
      place,
      `Nothing was sent: ${file} holds no line of the form TIMESTAMP,ContextTokens,GeneratedTokens.`,
      'Use a CSV file of the Azure public dataset.',
    );
  }
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { ok: true, value: { trace, sha256 }, problems: remarks(trace, file, place) };
}

function remarks(trace: RequestTrace, file: string, place: ConfigPath): Problem[] {
  const notes: string[] = [];
  const { unreadable } = trace;
  if (unreadable.length > 0) {
    notes.push(`${unreadable.length} lines of ${file} are no requests and are left out (line ${unreadable[0]} first).`);
  }
  if (trace.wasUnsorted) notes.push(`The requests of ${file} are not in order of time; they were put in order.`);
  return notes.map((message) => ({ code: 'RUN044', severity: 'warning', path: place, message }));
}

function refuse(place: ConfigPath, message: string, remedy: string): Result<never> {
  return { ok: false, problems: [{ code: 'RUN043', severity: 'error', path: place, message, remedy }] };
}
