// Columns from the requests GuideLLM keeps in its benchmarks.json, in the nestings of 0.3, 0.5 and 0.8.
import { at, numberAt, numberOf, type Json } from '../readers/values';
import { emptyRow, RequestColumns } from './columns';
import { isObject } from '../../own';

const KINDS = ['successful', 'errored', 'incomplete'] as const;

/**
 * The one benchmark of a file that kept every request its numbers are of, without those of warm-up and cool-down, which it keeps
 * too; undefined where it sampled, or swept several loads.
 */
export function keptBenchmark(value: unknown): Json | undefined {
  const list = at(value, 'benchmarks');
  const benchmark: unknown = Array.isArray(list) && list.length === 1 ? list[0] : undefined;
  if (!isObject(benchmark) || !Array.isArray(at(benchmark, 'requests', 'successful'))) return undefined;
  const totals =
    at(benchmark, 'metrics', 'request_totals') ??
    at(benchmark, 'request_totals') ??
    at(benchmark, 'run_stats', 'requests_made');
  const isComplete = (one: Json): boolean =>
    KINDS.every((kind) => requestsOf(one, kind).length === (numberAt(totals, kind) ?? 0));
  return [benchmark, measuredPart(benchmark)].find(isComplete);
}

function requestsOf(benchmark: Json, kind: (typeof KINDS)[number]): readonly unknown[] {
  const list = at(benchmark, 'requests', kind);
  return Array.isArray(list) ? list : [];
}

/** Requests that began and ended inside the part that was measured; a clock is read a little after the event. */
function measuredPart(benchmark: Json): Json {
  const metrics = at(benchmark, 'scheduler_metrics');
  const start = numberAt(metrics, 'measure_start_time') ?? numberAt(benchmark, 'start_time') ?? -Infinity;
  const end = numberAt(metrics, 'measure_end_time') ?? numberAt(benchmark, 'end_time') ?? Infinity;
  const isInside = (request: unknown): boolean => {
    const { sent, end: ended } = timesOf(request);
    return sent !== undefined && ended !== undefined && sent >= start - 1e-3 && ended <= end + 1e-3;
  };
  const requests = KINDS.map((kind) => [kind, requestsOf(benchmark, kind).filter(isInside)]);
  return { ...benchmark, requests: Object.fromEntries(requests) as Json };
}

/**
 * Seconds from the first send on: a double of today's epoch seconds has a quarter of a microsecond, and the difference of two
 * is exact. Iterations are counted, not stamped one by one: there are no gaps.
 */
export function guidellmColumns(benchmark: Json): RequestColumns {
  const columns = new RequestColumns();
  const [successful, errored] = [requestsOf(benchmark, 'successful'), requestsOf(benchmark, 'errored')];
  const sends = [...successful, ...errored].flatMap((request) => timesOf(request).sent ?? []);
  const origin = sends.reduce((least, time) => Math.min(least, time), Infinity);
  for (const request of successful) addRequest(columns, request, origin, false);
  for (const request of errored) addRequest(columns, request, origin, true);
  return columns;
}

interface Times {
  readonly scheduled: number | undefined;
  readonly sent: number | undefined;
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly end: number | undefined;
  readonly stamps: number | undefined;
}

function timesOf(request: unknown): Times {
  const timings = at(request, 'info', 'timings') ?? at(request, 'scheduler_info', 'request_timings');
  const scheduler = at(request, 'scheduler_info');
  return {
    scheduled: numberAt(timings, 'targeted_start') ?? numberAt(scheduler, 'targeted_start_time'),
    sent: numberAt(timings, 'request_start') ?? numberAt(request, 'start_time'),
    first:
      numberAt(timings, 'first_token_iteration') ??
      numberAt(timings, 'first_iteration') ??
      numberAt(request, 'first_token_time'),
    last:
      numberAt(timings, 'last_token_iteration') ??
      numberAt(timings, 'last_iteration') ??
      numberAt(request, 'last_token_time'),
    end: numberAt(timings, 'request_end') ?? numberAt(request, 'end_time'),
    stamps: numberAt(timings, 'token_iterations') ?? numberAt(timings, 'iterations'),
  };
}

function addRequest(columns: RequestColumns, request: unknown, origin: number, failed: boolean): void {
  const times = timesOf(request);
  const row = emptyRow();
  const since = (time: number | undefined): number => (time === undefined ? NaN : time - origin);
  row.scheduled = since(times.scheduled);
  row.sent = since(times.sent);
  row.first = since(times.first);
  row.last = since(times.last);
  row.end = since(times.end);
  const output = numberAt(request, 'output_metrics', 'total_tokens') ?? numberOf(at(request, 'output_tokens'));
  row.serverOutput = output ?? NaN;
  row.serverInput = numberAt(request, 'input_metrics', 'total_tokens') ?? numberAt(request, 'prompt_tokens') ?? NaN;
  row.stamps = times.first === undefined ? 0 : (times.stamps ?? output ?? 0);
  row.chunks = times.stamps ?? NaN;
  row.failed = failed;
  columns.add(row, [], 0);
}
