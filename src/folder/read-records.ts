// Reads records.jsonl, the journal of a run: one request a line, tolerant of a last line that a killed run left unfinished.
import type { Outcome, RequestRecord } from '../metrics/record';
import { isObject, own } from '../own';
import type { Problem } from '../problem';
import { parseJson } from './json';
import type { FolderAccess } from './access';

/** Lines that are reported one by one; more only add to a count. */
const REPORTED_LINES = 5;

/**
 * Records by id, ascending; of several lines with one id the last wins (tokens are counted after the clock stops).
 * Undefined when the file is not there. Lines that are no record are left out, each with a problem.
 */
export async function readRecords(
  folder: FolderAccess,
  file: string,
): Promise<{ records: RequestRecord[]; problems: Problem[] } | undefined> {
  const byId = new Map<number, RequestRecord>();
  const bad: { line: number; reason: string; last: boolean }[] = [];
  let number = 0;
  let badCount = 0;
  for await (const line of await linesOf(folder, file)) {
    number++;
    if (bad.length > 0) bad[bad.length - 1]!.last = false;
    if (line.trim() === '') continue;
    const parsed = recordOf(line, file);
    if (typeof parsed !== 'string') byId.set(parsed.id, parsed);
    else {
      badCount++;
      if (bad.length <= REPORTED_LINES) bad.push({ line: number, reason: parsed, last: true });
      else bad[bad.length - 1] = { line: number, reason: parsed, last: true };
    }
  }
  if (number === 0 && (await folder.readText(file)) === undefined) return undefined;
  const records = [...byId.values()].sort((a, b) => a.id - b.id);
  return { records, problems: problemsOf(bad, badCount, file, number) };
}

async function linesOf(folder: FolderAccess, file: string): Promise<AsyncIterable<string> | readonly string[]> {
  if (folder.readLines) return folder.readLines(file);
  const text = await folder.readText(file);
  return text === undefined || text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/);
}

function problemsOf(
  bad: readonly { line: number; reason: string; last: boolean }[],
  count: number,
  file: string,
  lines: number,
): Problem[] {
  const problems: Problem[] = bad.slice(0, REPORTED_LINES + 1).map(({ line, reason, last }) => {
    const cut = last && line === lines;
    return {
      code: cut ? 'REP109' : 'REP110',
      severity: cut ? 'information' : 'warning',
      path: [],
      message: cut
        ? `the last line of ${file} (line ${line}) is unfinished and was left out: the run was stopped while writing it`
        : `line ${line} of ${file} is no record and was left out: ${reason}`,
      file,
      range: { startLine: line - 1, startColumn: 0, endLine: line - 1, endColumn: 1 },
    };
  });
  if (count > bad.length) {
    problems.push({
      code: 'REP110',
      severity: 'warning',
      path: [],
      message: `${count} lines of ${file} are no records and were left out; the first ${bad.length} are named`,
      file,
    });
  }
  return problems;
}

function recordOf(line: string, file: string): RequestRecord | string {
  const parsed = parseJson(line, file);
  if (!parsed.ok) return parsed.problems[0]?.message.replace(`${file} is `, 'it is ') ?? 'it is not JSON';
  return checkRecord(parsed.value);
}

/** Of one answer; the longest contexts have ten million. */
const MOST_TOKENS = 1e8;

const TIMES = [
  'sentSeconds',
  'attemptedSeconds',
  'firstByteSeconds',
  'firstTokenSeconds',
  'firstContentSeconds',
  'lastTokenSeconds',
  'endSeconds',
] as const;
const COUNTS = ['askedPromptTokens', 'maxTokens', 'clientPromptTokens', 'clientOutputTokens', 'requestBytes'] as const;

const TEXTS = ['finishReason', 'answeredModel', 'answerHash'] as const;

/** Checked by hand: a schema library takes ten times as long over a million lines. */
function checkRecord(value: unknown): RequestRecord | string {
  if (!isObject(value)) return 'it is not an object';
  if (!isCount(value['id'])) return "'id' is not a whole number from 0";
  if (!isCount(value['stage'])) return "'stage' is not a whole number from 0";
  if (!isNumber(value['scheduledSeconds'])) return "'scheduledSeconds' is not a number";
  for (const key of TIMES) {
    if (value[key] !== undefined && !isNumber(value[key])) return `'${key}' is not a number`;
  }
  for (const key of COUNTS) {
    if (value[key] !== undefined && !isCount(value[key])) return `'${key}' is not a count`;
  }
  if (!Array.isArray(value['chunkSeconds']) || !value['chunkSeconds'].every(isNumber)) {
    return "'chunkSeconds' is not a list of numbers";
  }
  const tokens = value['chunkTokens'];
  if (tokens !== undefined && !(Array.isArray(tokens) && tokens.every(isCount))) {
    return "'chunkTokens' is not a list of counts";
  }
  // A number for each token is held while gaps are compared: more than any model writes in one answer is none.
  if (tokens !== undefined && tokens.reduce((sum, count) => sum + count, 0) > MOST_TOKENS) {
    return `'chunkTokens' adds up to more than ${MOST_TOKENS.toLocaleString('en-US')} tokens`;
  }
  if (typeof value['promptHash'] !== 'string') return "'promptHash' is not a text";
  for (const key of TEXTS) {
    if (value[key] !== undefined && typeof value[key] !== 'string') return `'${key}' is not a text`;
  }
  if (!isOutcome(value['outcome'])) return "'outcome' is not ok, failed, cancelled or notSent with its details";
  if (!isUsage(value['usage'])) return "'usage' is not an object of counts";
  if (!isMedia(value['media'])) return "'media' is not lists of images, videos and sounds";
  if (!isRetries(value['retries'])) return "'retries' is not attempts, recovered and wastedSeconds";
  const record = value as unknown as RequestRecord;
  return backwardsIn(record) ?? record;
}

function isRetries(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value) || typeof value['recovered'] !== 'boolean') return false;
  return isCount(value['attempts']) && isNumber(value['wastedSeconds']) && value['wastedSeconds'] >= 0;
}

/** Clocks are read to a microsecond. */
const BACKWARDS = 1e-6;
/** Seconds of a run's clock, which begins with it. */
const LONGEST = 1e9;

/** What ends before it begins is no measurement: a latency below 0 would be the best of all. */
function backwardsIn(record: RequestRecord): string | undefined {
  const { sentSeconds, firstTokenSeconds, lastTokenSeconds, endSeconds, chunkSeconds } = record;
  const before = (a: number | undefined, b: number | undefined): boolean =>
    a !== undefined && b !== undefined && a < b - BACKWARDS;
  const times = [sentSeconds, firstTokenSeconds, lastTokenSeconds, endSeconds, chunkSeconds.at(-1)];
  if (times.some((time) => time !== undefined && Math.abs(time) > LONGEST)) return 'it has a time beyond thirty years';
  if (before(endSeconds, sentSeconds)) return 'it ends before it was sent';
  if (before(firstTokenSeconds, sentSeconds)) return 'its first token comes before it was sent';
  if (before(lastTokenSeconds, firstTokenSeconds)) return 'its last token comes before its first';
  if (before(chunkSeconds[0], sentSeconds)) return 'its first chunk comes before it was sent';
  for (let i = 1; i < chunkSeconds.length; i++) {
    if (before(chunkSeconds[i], chunkSeconds[i - 1])) return 'its chunks come in no order of time';
  }
  return undefined;
}

function isOutcome(value: unknown): value is Outcome {
  if (!isObject(value)) return false;
  switch (value['kind']) {
    case 'ok':
      return true;
    case 'failed':
      return ['errorType', 'label', 'message'].every((key) => typeof value[key] === 'string');
    case 'cancelled':
    case 'notSent':
      return typeof value['reason'] === 'string';
    default:
      return false;
  }
}

function isUsage(value: unknown): boolean {
  return (
    value === undefined ||
    (isObject(value) && Object.values(value).every((count) => count === undefined || isCount(count)))
  );
}

const ITEM_KEYS: Readonly<Record<string, readonly string[]>> = {
  image: ['width', 'height', 'bytes'],
  video: ['width', 'height', 'bytes', 'frames'],
  audio: ['bytes', 'seconds'],
};

function isMedia(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  return Object.entries(value).every(([kind, items]) => {
    const keys = own(ITEM_KEYS, kind);
    return (
      keys !== undefined &&
      Array.isArray(items) &&
      items.every((item) => isObject(item) && keys.every((key) => isNumber(item[key]) && item[key] >= 0))
    );
  });
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isCount(value: unknown): value is number {
  return isNumber(value) && Number.isInteger(value) && value >= 0;
}
