// Goodput from requests: inference-perf's, over the successes, beside one whose denominator counts the failures.
import type { Problem, Result } from '../../problem';
import { GOODPUT_LIMITS, type GoodputLimit } from '../../metrics/goodput';
import { startSeconds, type MeasuredRequest } from '../../metrics/request-metrics';
import { chosenRequests, inputBy, inputOf, LATENCIES, outputOf, type RecomputeDefinition } from './recompute';
import type { Requests } from './requests';

export interface GoodputResult {
  readonly limits: Readonly<Partial<Record<GoodputLimit, number>>>;
  readonly good: number;
  readonly ok: number;
  readonly failed: number;
  /** good / successes, percent: inference-perf's goodput_percentage. */
  readonly percentOfSuccesses: number;
  /** good / all requests, percent. */
  readonly percentOfAll: number;
  /** good / (last end - first send of the successes): inference-perf's request_goodput. No rate without recorded starts. */
  readonly requestsPerSecond?: number;
  /** good / (last end - first send of all requests). */
  readonly requestsPerSecondOfAll?: number;
  /** Input and output tokens of the good answers over the successes' window; absent when not all were counted, or without starts. */
  readonly tokensPerSecond?: number;
  /** Share of the successes within each limit, percent. */
  readonly attainment: Readonly<Partial<Record<GoodputLimit, number>>>;
}

/** `ttft=0.2,tpot=0.05`. A name that does not exist is an error, not ignored: inference-perf ignores it (its pitfall P66). */
export function parseLimits(text: string): Result<Partial<Record<GoodputLimit, number>>> {
  const limits: Partial<Record<GoodputLimit, number>> = {};
  const problems: Problem[] = [];
  for (const part of text.split(',').filter((piece) => piece.trim() !== '')) {
    const [name = '', value = ''] = part.split('=').map((piece) => piece.trim());
    const known = GOODPUT_LIMITS.find((limit) => limit === name);
    const seconds = value === '' ? NaN : Number(value);
    if (!known)
      problems.push(wrong(`'${name}' is no limit of goodput`, `Limits are ${GOODPUT_LIMITS.join(', ')}, in seconds`));
    else if (!(seconds > 0))
      problems.push(
        wrong(`the limit of ${name} is '${value}', not a number of seconds above 0`, `For example ${name}=0.2`),
      );
    else limits[known] = seconds;
  }
  if (problems.length === 0 && Object.keys(limits).length === 0) {
    problems.push(wrong('no limit of goodput is given', `Limits are ${GOODPUT_LIMITS.join(', ')}, in seconds`));
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: limits, problems };
}

function wrong(message: string, remedy: string): Problem {
  return { code: 'REP125', severity: 'error', path: [], message, remedy };
}

/** A limit whose metric a request does not have is not kept, as upstream. */
export function goodputOf(
  requests: Requests,
  limits: Readonly<Partial<Record<GoodputLimit, number>>>,
  definition: RecomputeDefinition,
): GoodputResult {
  const names = GOODPUT_LIMITS.filter((name) => limits[name] !== undefined);
  const within = new Map<GoodputLimit, number>(names.map((name) => [name, 0]));
  const all = newSpan();
  const answered = newSpan();
  let good = 0;
  let ok = 0;
  let failed = 0;
  let tokens = 0;
  for (const i of chosenRequests(requests, definition)) {
    const row = requests.at(i);
    extend(all, row);
    if (requests.isFailed(i)) {
      failed++;
      continue;
    }
    ok++;
    extend(answered, row);
    let kept = true;
    for (const name of names) {
      const value = limitedMetric(requests, row, name, definition);
      if (value !== undefined && value <= limits[name]!) within.set(name, within.get(name)! + 1);
      else kept = false;
    }
    if (!kept) continue;
    good++;
    tokens += (inputOf(row, inputBy(definition)) ?? NaN) + (outputOf(requests, row, definition.tokens) ?? NaN);
  }
  const share = (count: number, of: number): number => (of === 0 ? 0 : (count / of) * 100);
  const rate = (count: number, { start, end }: Span): number => (end > start ? count / (end - start) : 0);
  return {
    limits,
    good,
    ok,
    failed,
    percentOfSuccesses: share(good, ok),
    percentOfAll: share(good, ok + failed),
    ...(requests.hasStarts ? { requestsPerSecond: rate(good, answered), requestsPerSecondOfAll: rate(good, all) } : {}),
    ...(Number.isNaN(tokens) || !requests.hasStarts ? {} : { tokensPerSecond: rate(tokens, answered) }),
    attainment: Object.fromEntries(names.map((name) => [name, share(within.get(name)!, ok)])),
  };
}

/** What a request does not have, and NaN, keeps no limit. `itl` is the request's mean gap. */
function limitedMetric(
  requests: Requests,
  row: MeasuredRequest,
  name: GoodputLimit,
  definition: RecomputeDefinition,
): number | undefined {
  if (name !== 'itl') return LATENCIES[name === 'request_latency' ? 'e2e' : name](requests, row, definition);
  const { firstTokenSeconds: first, lastTokenSeconds: last, chunkSeconds } = row;
  const gaps = chunkSeconds.length - 1;
  return first === undefined || last === undefined || gaps < 1 ? undefined : (last - first) / gaps;
}

interface Span {
  start: number;
  end: number;
}

function newSpan(): Span {
  return { start: Infinity, end: -Infinity };
}

function extend(span: Span, row: MeasuredRequest): void {
  const sent = startSeconds(row) ?? NaN;
  const end = row.endSeconds ?? NaN;
  if (sent < span.start) span.start = sent;
  if (end > span.end) span.end = end;
}
