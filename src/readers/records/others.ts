// Columns from vLLM's --save-detailed arrays and AIPerf's per-request JSONL.
import type { Problem } from '../../problem';
import { parseJson } from '../../folder/json';
import type { TokenCounter } from '../canonical';
import { sglangOutputCounter } from '../readers/sglang';
import { at, numberAt, numberOf, type Json } from '../readers/values';
import { emptyRow, RequestColumns } from './columns';
import type { StreamedRecords } from './inference-perf';
import { isObject } from '../../own';

/** vLLM keeps the server's usage, and where there is none its own count; which of them a number is, it does not say. */
export function vllmColumns(value: Json): RequestColumns {
  return arrayColumns(value, { input: 'server-else-client', output: 'server-else-client' });
}

/** SGLang's arrays are vLLM's, and its counts are not: see `sglangInputCounter` and `sglangOutputCounter`. */
export function sglangColumns(value: Json): RequestColumns {
  return arrayColumns(value, { input: sglangInputCounter(value), output: sglangOutputCounter(value) });
}

/**
 * SGLang's `input_lens` begin as the data set's lengths; newer versions (0.5.23) put the server's `usage.prompt_tokens` in their place
 * where it is sent. `total_input_tokens` stays the data set's: lengths of the answered requests that add up to it were not replaced by others.
 */
function sglangInputCounter(value: Json): TokenCounter {
  const list = (key: string): readonly unknown[] => (Array.isArray(value[key]) ? value[key] : []);
  const [inputs, errors] = [list('input_lens'), list('errors')];
  const total = inputs.reduce<number>((sum, one, i) => sum + (isError(errors[i]) ? 0 : (numberOf(one) ?? NaN)), 0);
  return total === numberOf(value['total_input_tokens']) ? 'client' : 'server-else-client';
}

function isError(text: unknown): boolean {
  return typeof text === 'string' && text !== '';
}

/**
 * Seconds; `itls` are gaps between chunks. Without `start_times` (SGLang, older vLLM) every request begins at 0 of its own clock:
 * latencies are right, and nothing that needs a window can be asked (`hasStarts`). Both tools write their arrays in order of sending.
 */
function arrayColumns(value: Json, counters: { input: TokenCounter; output: TokenCounter }): RequestColumns {
  const columns = new RequestColumns();
  columns.oneCount = counters;
  const byServer = { input: counters.input.startsWith('server'), output: counters.output.startsWith('server') };
  const list = (key: string): readonly unknown[] => (Array.isArray(value[key]) ? value[key] : []);
  const ttfts = list('ttfts');
  const itls = list('itls');
  const inputs = list('input_lens');
  const outputs = list('output_lens');
  const starts = list('start_times');
  const errors = list('errors');
  columns.hasStarts = starts.some((start) => numberOf(start) !== undefined);
  let times = new Float64Array(1024);
  for (let i = 0; i < ttfts.length; i++) {
    const row = emptyRow();
    const gaps = Array.isArray(itls[i]) ? (itls[i] as readonly unknown[]) : [];
    const ttft = numberOf(ttfts[i]) ?? NaN;
    row.sent = columns.hasStarts ? (numberOf(starts[i]) ?? NaN) : 0;
    const [input, output] = [numberOf(inputs[i]) ?? NaN, numberOf(outputs[i]) ?? NaN];
    row[byServer.input ? 'serverInput' : 'clientInput'] = input;
    row[byServer.output ? 'serverOutput' : 'clientOutput'] = output;
    row.failed = isError(errors[i]) || (output === 0 && ttft === 0);
    if (times.length < gaps.length + 1) times = new Float64Array(gaps.length * 2);
    times[0] = row.sent + ttft;
    for (const [k, gap] of gaps.entries()) times[k + 1] = times[k]! + (numberOf(gap) ?? NaN);
    row.stamps = gaps.length + 1;
    row.first = times[0]!;
    row.last = times[gaps.length]!;
    row.end = row.last;
    columns.add(row, times, row.failed ? 0 : row.stamps);
  }
  return columns;
}

/**
 * AIPerf: milliseconds in metrics, nanoseconds in metadata (read as doubles: to 0.3 microseconds). Times are from the first
 * request on, because a double of today's epoch seconds would blur what is added to it. Warm-up lines are left out.
 * @param byServer the lengths of the file are the server's usage
 */
export async function streamAiperf(
  lines: AsyncIterable<string>,
  file: string,
  byServer: boolean,
): Promise<StreamedRecords> {
  const columns = new RequestColumns();
  const problems: Problem[] = [];
  let number = 0;
  let bad = 0;
  let originNs: number | undefined;
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    const parsed = parseJson(line, `${file}, line ${number}`);
    if (parsed.ok && isObject(parsed.value) && isObject(parsed.value['metadata'])) {
      originNs ??= numberAt(parsed.value, 'metadata', 'request_start_ns');
      addAiperf(columns, parsed.value, originNs ?? 0, byServer);
    } else if (bad++ === 0) {
      const message = parsed.ok ? `${file}, line ${number} is no record of AIPerf` : parsed.problems[0]!.message;
      problems.push({ code: 'REP110', severity: 'warning', path: [], message: `${message}: left out`, file });
    }
  }
  if (bad > 1) {
    problems.push({
      code: 'REP110',
      severity: 'warning',
      path: [],
      message: `${bad} lines of ${file} are no records and were left out`,
      file,
    });
  }
  return { requests: columns, problems };
}

function addAiperf(columns: RequestColumns, value: Json, originNs: number, byServer: boolean): void {
  const phase = at(value, 'metadata', 'benchmark_phase');
  if (phase !== undefined && phase !== 'profiling') return;
  const metric = (key: string): number => numberAt(value, 'metrics', key, 'value') ?? NaN;
  const row = emptyRow();
  row.sent = ((numberAt(value, 'metadata', 'request_start_ns') ?? NaN) - originNs) * 1e-9;
  row.failed = isObject(value['error']) || at(value, 'metadata', 'was_cancelled') === true;
  // When the credit to send was given: in an open loop the time it was due.
  row.scheduled = ((numberAt(value, 'metadata', 'credit_issued_ns') ?? NaN) - originNs) * 1e-9;
  const [input, output] = [metric('input_sequence_length'), metric('output_sequence_length')];
  // With use_server_token_count the lengths are the server's, and the client counted nothing to hold them against.
  row.clientInput = byServer ? NaN : input;
  row.clientOutput = byServer ? NaN : output;
  row.serverInput = byServer ? input : metric('usage_prompt_tokens');
  row.serverOutput = byServer ? output : metric('usage_completion_tokens');
  const latency = metric('request_latency') / 1000;
  const ttft = metric('time_to_first_token') / 1000;
  row.end = row.sent + latency;
  row.first = row.sent + ttft;
  const gaps = at(value, 'metrics', 'inter_chunk_latency', 'value');
  const list = Array.isArray(gaps) ? gaps : [];
  const times = [row.first];
  for (const gap of list) times.push(times[times.length - 1]! + (numberOf(gap) ?? NaN) / 1000);
  // The latency of AIPerf ends at its last content chunk.
  row.last = Number.isNaN(ttft) ? NaN : row.end;
  row.stamps = Number.isNaN(ttft) ? 0 : Math.max(2, times.length);
  columns.add(row, times, row.failed ? 0 : times.length);
}
