// The per-request file of another tool's run as records, so that a comparison resamples its requests instead of quoting its summary.
import type { RequestRecord } from '../../metrics/record';
import {
  inputTokens,
  itlBasisOf,
  outputTokens,
  type ItlBasis,
  type MeasuredRequest,
} from '../../metrics/request-metrics';
import type { Problem } from '../../problem';
import { stageScopes, summaryOf, type CanonicalReport, type ReportScope } from '../canonical';
import { counted, whole } from '../../figures';
import { factsOf } from '../facts-of';
import type { Run, RunLengths } from '../run';
import { RequestColumns } from './columns';
import { checkAgainstSummary, openRecords } from './open-records';

/** Beyond it, records (a kilobyte each with their stamps) are more than a comparison should hold. */
const MAX_REQUESTS = 400_000;
/** A view waits for the check, and its file system gives whole files: beyond this they stay closed. */
const MAX_CHECKED_BYTES = 64_000_000;
/** Share of requests with times or counts that cannot be, beyond which none of them is believed. */
const MOST_IMPOSSIBLE = 0.01;
/** A stage's window by its report and by its requests: one clock, printed with all digits. */
const WINDOW_TOLERANCE_SECONDS = 0.001;

/**
 * The run with its requests, when it has a per-request file that says when each was sent. A run of ours has them already. What stands
 * in the way is a problem REP127 of the run; its reported numbers are then all there is.
 */
export async function withRecords(run: Run): Promise<Run> {
  const { perRequest, canonical } = run;
  if (!perRequest || !canonical || run.records) return run;
  const { folder, file } = perRequest;
  const streamed = await openRecords({ report: canonical, folder, recordsFile: file });
  // Ours are there already, or cannot be read.
  if (!(streamed?.requests instanceof RequestColumns)) return run;
  const columns = streamed.requests;
  const found = [...run.problems, ...streamed.problems, ...checkAgainstSummary(canonical, streamed, file)];
  const refuse = (why: string): Run => ({ ...run, problems: [...found, unused(file, why)] });
  if (columns.length === 0) return refuse('it holds no request');
  if (columns.length > MAX_REQUESTS || columns.droppedGaps > 0) {
    return refuse(`${whole(columns.length)} requests are more than are held at once (${whole(MAX_REQUESTS)})`);
  }
  // Some are a slip of a clock, and have no latencies; many are no record of a run.
  if (columns.impossible > MOST_IMPOSSIBLE * columns.length) return refuse('too many of them cannot be');
  const missing = missingOf(canonical, columns);
  if (missing !== undefined) return refuse(missing);
  const order = bySending(columns);
  if (!order) return { ...refuse('it does not say when each request was sent'), lengths: lengthsOf(columns) };
  const stages = stagesOf(canonical, columns, order);
  if (typeof stages === 'string') return refuse(stages);
  const records = recordsOf(columns, order, stages, stampsOf(run), takesServers(run));
  // "Between tokens" of answers that do not say where their tokens are: no gap is seen, and none is made up.
  const gaps = columns.gapTotal === 0 ? 'tokens' : itlBasisOf(records);
  return { ...run, records, gaps, problems: found };
}

/** The run with what its requests say against its summary, and without the requests: a view of the summary must not hide it. */
export async function withCheck(run: Run): Promise<Run> {
  const { perRequest, canonical } = run;
  if (!perRequest || !canonical || run.records) return run;
  const { folder, file } = perRequest;
  const bytes = (await folder.sizeBytes?.(file)) ?? 0;
  if (bytes > MAX_CHECKED_BYTES) return { ...run, problems: [...run.problems, unchecked(file, bytes)] };
  const streamed = await openRecords({ report: canonical, folder, recordsFile: file });
  const found = streamed ? [...streamed.problems, ...checkAgainstSummary(canonical, streamed, file)] : [];
  return { ...run, problems: [...run.problems, ...found] };
}

/** A few lines of a file that was cut are a sample of unknown law: the summary is of all. Failures may be in another file. */
function missingOf(report: CanonicalReport, columns: RequestColumns): string | undefined {
  const answered = summaryOf(report)?.counts.ok;
  if (answered === undefined || columns.length >= answered) return undefined;
  return `it has ${counted(columns.length, 'request')} of the ${whole(answered)} that were answered`;
}

function unchecked(file: string, bytes: number): Problem {
  return {
    code: 'REP127',
    severity: 'information',
    path: [],
    message: `the requests in ${file} (${whole(Math.round(bytes / 1e6))} MB) were not held against the summary`,
    file,
    remedy: "'isoperf import' does it, whatever their size",
  };
}

function unused(file: string, why: string): Problem {
  return {
    code: 'REP127',
    severity: 'information',
    path: [],
    message: `the requests in ${file} are not used, only the summary: ${why}`,
    file,
  };
}

/** Lengths need no time. */
function lengthsOf(columns: RequestColumns): RunLengths {
  const all = (of: (row: MeasuredRequest) => number | undefined): Float64Array | undefined => {
    const values: number[] = [];
    for (let i = 0; i < columns.length; i++) if (!columns.isFailed(i)) values.push(of(columns.at(i)) ?? NaN);
    return values.length === 0 || values.some(Number.isNaN) ? undefined : Float64Array.from(values).sort();
  };
  const prompt = all((row) => inputTokens(row, 'mixed'));
  const output = all((row) => outputTokens(row, 'mixed'));
  return {
    ...(prompt ? { prompt } : {}),
    ...(output ? { output } : {}),
    by: {
      prompt: columns.oneCount.input ?? 'server-else-client',
      output: columns.oneCount.output ?? 'server-else-client',
    },
  };
}

/** Indexes by the time of sending; undefined when it is missing, or one and the same for all. */
function bySending(columns: RequestColumns): Uint32Array | undefined {
  if (!columns.hasStarts) return undefined;
  const order = new Uint32Array(columns.length).map((_, i) => i);
  let differ = columns.length === 1;
  for (const i of order) {
    const sent = columns.value('sent', i);
    if (Number.isNaN(sent)) return undefined;
    if (sent !== columns.value('sent', 0)) differ = true;
  }
  return differ ? order.sort((a, b) => columns.value('sent', a) - columns.value('sent', b)) : undefined;
}

/**
 * The stage of each request, in order of sending. inference-perf's file does not say it, but its stages follow one another and each
 * stage's report has its count: the cuts are where the counts say, and hold only if every part spans its stage's own window.
 * @returns a reason in words when they do not
 */
function stagesOf(report: CanonicalReport, columns: RequestColumns, order: Uint32Array): readonly number[] | string {
  const stages = [...stageScopes(report)].sort(([a], [b]) => a - b);
  if (stages.length < 2) return new Array<number>(order.length).fill(stages[0]?.[0] ?? 0);
  const count = ({ counts }: ReportScope): number => counts.total ?? counts.ok ?? 0;
  const total = stages.reduce((sum, [, scope]) => sum + count(scope), 0);
  if (total !== order.length) {
    return `it has ${counted(order.length, 'request')}, the ${stages.length} stages ${whole(total)}, so nothing says which stage each belongs to`;
  }
  const found: number[] = [];
  for (const [id, scope] of stages) {
    const part = order.subarray(found.length, found.length + count(scope));
    const off = Math.abs(spanOf(columns, part) - (scope.windowSeconds?.value ?? 0));
    if (off > WINDOW_TOLERANCE_SECONDS) return `cut by the stages' counts, it does not span the window of stage ${id}`;
    for (let i = 0; i < part.length; i++) found.push(id);
  }
  return found;
}

function spanOf(columns: RequestColumns, part: Uint32Array): number {
  let start = Infinity;
  let end = -Infinity;
  for (const i of part) {
    start = Math.min(start, columns.value('sent', i));
    const ended = columns.value('end', i);
    if (ended > end) end = ended;
  }
  return end > start ? end - start : 0;
}

/** What the tool stamps: inference-perf each token of a chunk, where it has a tokenizer; the others chunks. */
function stampsOf(run: Run): ItlBasis {
  return run.tool.name === 'inference-perf' && factsOf(run).gapBasis.value !== 'chunks' ? 'tokens' : 'chunks';
}

/** inference-perf from v0.6 on writes the server's count of the prompt under `input_tokens` where the server sent one. */
function takesServers(run: Run): boolean {
  const input = factsOf(run).inputCounter.value?.source;
  return run.tool.name === 'inference-perf' && (input === 'server-usage' || input === 'mixed');
}

/** Times from the first send on. */
function recordsOf(
  columns: RequestColumns,
  order: Uint32Array,
  stages: readonly number[],
  basis: ItlBasis,
  takes: boolean,
): RequestRecord[] {
  const zero = columns.value('sent', order[0]!);
  return Array.from(order, (index, id) => recordOf(columns, index, id, stages[id]!, zero, basis, takes));
}

function recordOf(
  columns: RequestColumns,
  index: number,
  id: number,
  stage: number,
  zero: number,
  basis: ItlBasis,
  takes: boolean,
): RequestRecord {
  const row = columns.at(index);
  const moments = defined({
    firstTokenSeconds: after(row.firstTokenSeconds, zero),
    lastTokenSeconds: after(row.lastTokenSeconds, zero),
    endSeconds: after(row.endSeconds, zero),
  });
  const usage = defined({ promptTokens: row.usage?.promptTokens, completionTokens: row.usage?.completionTokens });
  const { clientOutputTokens } = row;
  // What stands beside the server's own count is that count again where the tool takes the server's.
  const isServers = takes && row.usage?.promptTokens !== undefined;
  const clientPromptTokens = isServers ? undefined : row.clientPromptTokens;
  return {
    id,
    stage,
    scheduledSeconds: row.scheduledSeconds - zero,
    sentSeconds: columns.value('sent', index) - zero,
    ...moments,
    ...chunksOf(columns, index, row, zero, basis),
    outcome: columns.isFailed(index)
      ? { kind: 'failed', errorType: 'failed', label: 'failed', message: 'failed' }
      : { kind: 'ok' },
    ...(Object.keys(usage).length > 0 ? { usage } : {}),
    ...defined({ clientPromptTokens, clientOutputTokens }),
    promptHash: '',
  };
}

function after(moment: number | undefined, zero: number): number | undefined {
  return moment === undefined || Number.isNaN(moment) ? undefined : moment - zero;
}

/** Without the keys that have no value. */
function defined<T extends object>(value: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/**
 * Arrivals, from the first stamp and the gaps after it. Where a tool stamps tokens, stamps of one moment are tokens of one chunk, if
 * together they are as many as the answer's tokens: inference-perf up to 0.2 stamped every token twice, and such a count is none.
 * Where it stamps chunks, each is one, be it read in the moment of the one before. Without gaps, the first and the
 * last moment: between them a decode time can be seen, no gap (`countingOf`), and no number of chunks but one that the file counts.
 */
function chunksOf(
  columns: RequestColumns,
  index: number,
  row: MeasuredRequest,
  zero: number,
  basis: ItlBasis,
): Pick<RequestRecord, 'chunkSeconds' | 'chunkTokens' | 'chunkCount'> {
  const first = after(row.firstTokenSeconds, zero);
  const last = after(row.lastTokenSeconds, zero);
  if (first === undefined) return { chunkSeconds: [] };
  const times = [first];
  const gaps = columns.gapsAt(index);
  if (gaps.length === 0) {
    return last !== undefined && last > first
      ? { chunkSeconds: [first, last], chunkCount: columns.value('chunks', index) }
      : { chunkSeconds: times };
  }
  const tokens = [1];
  let now = times[0]!;
  for (const gap of gaps) {
    if (gap === 0 && basis === 'tokens') tokens[tokens.length - 1]!++;
    else {
      now += gap;
      times.push(now);
      tokens.push(1);
    }
  }
  const isEveryToken = [row.clientOutputTokens, row.usage?.completionTokens].includes(gaps.length + 1);
  return isEveryToken ? { chunkSeconds: times, chunkTokens: tokens } : { chunkSeconds: times };
}
