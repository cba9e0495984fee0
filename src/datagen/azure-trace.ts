// Request traces as Azure's public dataset has them: arrival time, prompt tokens, generated tokens, one request a line.

export interface RequestTrace {
  /** Seconds from the first arrival, ascending. */
  readonly offsetsSeconds: Float64Array;
  readonly promptTokens: readonly number[];
  readonly outputTokens: readonly number[];
  /** One-based numbers of lines that could not be read, in order; they are left out, as inference-perf does. */
  readonly unreadable: readonly number[];
  /** The lines were not in order of time and were put in order, each with its lengths. */
  readonly wasUnsorted: boolean;
}

/** `2023-11-16 18:15:46.6805900`, with T or a blank, with or without quotes, fraction, Z or another suffix. Taken as UTC. */
const TIME = /^"?(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d+))?[^\d]*.*$/;

/**
 * Reads TIMESTAMP, ContextTokens, GeneratedTokens; further columns are ignored (reference inference-perf.md 2.5; microseconds as
 * its 0.7.0, whose main of August cut to 10 ms). A first line that is not a request is a header. Times count from the earliest
 * request: inference-perf counts from the first line and would send anything earlier at once.
 */
export function readAzureTrace(text: string): RequestTrace {
  const rows: { readonly time: number; readonly prompt: number; readonly output: number }[] = [];
  const unreadable: number[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const row = readRow(line);
    if (row) rows.push(row);
    else if (index > 0) unreadable.push(index + 1);
  }
  const wasUnsorted = rows.some((row, index) => index > 0 && row.time < rows[index - 1]!.time);
  if (wasUnsorted) rows.sort((a, b) => a.time - b.time);
  const start = rows[0]?.time ?? 0;
  return {
    offsetsSeconds: Float64Array.from(rows, ({ time }) => (time - start) / 1e6),
    promptTokens: rows.map(({ prompt }) => prompt),
    outputTokens: rows.map(({ output }) => output),
    unreadable,
    wasUnsorted,
  };
}

/** Time in whole microseconds, which doubles hold exactly. */
function readRow(line: string): { time: number; prompt: number; output: number } | undefined {
  const [stamp = '', prompt = '', output = ''] = line.split(',').map((cell) => cell.trim());
  const match = TIME.exec(stamp);
  if (!match || !/^\d+$/.test(prompt) || !/^\d+$/.test(output)) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const micros = Number((match[7] ?? '').slice(0, 6).padEnd(6, '0'));
  const time = Date.UTC(year, month - 1, day, hour, minute, second) * 1000 + micros;
  return { time, prompt: Number(prompt), output: Number(output) };
}
