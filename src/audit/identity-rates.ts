// Identities of rates: rate x window = count, requests/s x mean length = tokens/s, input + output = total.
import { significant, whole } from '../figures';
import { type Measure, measureOf, type QuantityId, type ReportScope, statisticOf } from '../readers/canonical';
import type { Identity } from './identity';
import { off } from './identity-math';

const RATE = 0.02;
/** Means of rates over time give every moment the same weight, and ramps are moments. */
const RATE_OVER_TIME = 0.5;

/** tokens/s x window = tokens, with whichever counter of the two fits: the report may use either. */
export function tokenRates(scope: ReportScope): Identity[] {
  const window = scope.windowSeconds?.value;
  const { ok } = scope.counts;
  if (window === undefined || ok === undefined || window <= 0) return [];
  const pairs = [
    ['input_tokens_per_sec', 'prompt_tokens'],
    ['output_tokens_per_sec', 'output_tokens'],
  ] as const;
  return pairs.flatMap(([rateId, lengthId]): Identity[] => {
    const rate = measureOf(scope, rateId);
    const value = rate?.stats['value'];
    if (value === undefined) return [];
    const limit = toleranceOf(rate, ok);
    const totals = scope.measures
      .filter(({ quantity }) => quantity === lengthId)
      .map(({ stats }) => stats['total'] ?? (stats['mean'] === undefined ? undefined : stats['mean'] * ok))
      .filter((total) => total !== undefined);
    if (totals.length === 0) return [];
    const left = value * window;
    const right = totals.reduce((best, total) => (off(left, total) < off(left, best) ? total : best));
    const holds = off(left, right) <= limit;
    return [
      {
        id: 'token-rate',
        scope: scope.id,
        holds,
        statement: `${rateId.startsWith('input') ? 'input' : 'output'} tokens/s x window = tokens`,
        left,
        right,
        unit: 'tokens',
        tolerance: `${Math.round(limit * 100)} %`,
        ...(holds
          ? {}
          : {
              message: `${rate!.source.key} x ${significant(window)} s is ${whole(left)} tokens, but ${whole(right)} were counted`,
              cause: 'the rate is over another window, or by another counter, than the report says',
              pitfall: rateId.startsWith('input') ? 'CMP059' : 'CMP058',
            }),
      },
    ];
  });
}

export function requestRate(scope: ReportScope): Identity[] {
  const rate = measureOf(scope, 'requests_per_sec');
  const value = rate?.stats['value'];
  const window = scope.windowSeconds;
  const { ok } = scope.counts;
  const result: Identity[] = [];
  const derived = window?.from.includes('requests_per_sec') === true || window?.from.includes('per minute') === true;
  if (value !== undefined && window && !derived && ok !== undefined) {
    const left = value * window.value;
    const slack = /posts|- 1/.test(rate?.definition.window ?? '') && ok > 0 ? 1 / ok : 0;
    const limit = toleranceOf(rate, ok);
    const holds = off(left, ok) <= limit + slack;
    result.push({
      id: 'request-rate',
      scope: scope.id,
      holds,
      statement: 'requests/s x window = successes',
      left,
      right: ok,
      unit: 'requests',
      tolerance: `${Math.round(limit * 100)} %`,
      ...(holds
        ? {}
        : {
            message: `${significant(value)} requests/s over ${significant(window.value)} s are ${whole(left)} requests, but ${whole(ok)} are counted`,
            cause:
              'the window of the rate is not the window that the report gives (warm-up, ramps, idle time, another clock)',
            pitfall: 'CMP010',
          }),
    });
  }
  return [...result, ...sendRate(scope), ...windowEnd(scope)];
}

/** A mean of rates over time is not the total over the window. */
function isOverTime(rate: Measure | undefined): boolean {
  return rate?.definition.average === 'over-time';
}

/** Of a mean over time; that of a few requests is one of a few moments, and says little about the whole. */
function toleranceOf(rate: Measure | undefined, ok: number): number {
  return isOverTime(rate) ? RATE_OVER_TIME + 2 / Math.sqrt(Math.max(1, ok)) : RATE;
}

/** The sends cannot take longer than the window that contains them. */
function sendRate(scope: ReportScope): Identity[] {
  const sends = statisticOf(scope, 'sends_per_sec', 'value');
  const window = scope.windowSeconds?.value;
  const { total } = scope.counts;
  if (sends === undefined || sends <= 0 || window === undefined || total === undefined) return [];
  const span = total / sends;
  const holds = span <= window * (1 + RATE);
  return [
    {
      id: 'clock',
      scope: scope.id,
      holds,
      statement: 'the span of the sends fits into the window',
      left: span,
      right: window,
      unit: 's',
      tolerance: '2 %',
      ...(holds
        ? {}
        : {
            message: `sending took ${significant(span)} s, longer than the window of ${significant(window)} s that contains it`,
            cause: 'successes and sends were counted over different windows: failures are in one and not in the other',
            pitfall: 'CMP065',
          }),
    },
  ];
}

/** Of the window: a schedule begins with a gap, and a tool asks the server for something before or after. */
const WINDOW_SLACK = 0.05;
const WINDOW_SLACK_SECONDS = 1;

/** A window that goes on after the last answer, or begins long before the first request, makes every rate over it too small. */
function windowEnd(scope: ReportScope): Identity[] {
  const span = scope.extras?.requestsSpanSeconds;
  const window = scope.windowSeconds;
  if (span === undefined || span <= 0 || !window) return [];
  const longest = span * (1 + WINDOW_SLACK) + WINDOW_SLACK_SECONDS;
  const holds = window.value <= longest;
  return [
    {
      id: 'clock',
      scope: scope.id,
      holds,
      statement: 'the window ends with the last answer',
      left: window.value,
      right: span,
      unit: 's',
      tolerance: `${WINDOW_SLACK * 100} % and ${WINDOW_SLACK_SECONDS} s`,
      ...(holds
        ? {}
        : {
            message: `the window of ${significant(window.value)} s (${window.from}) is ${significant(window.value - span)} s longer than the requests took, ${significant(span)} s from the first send to the end of the last answer`,
            cause: 'the window ends after the run, or begins before it: rates over it are too small',
            pitfall: 'CMP010',
          }),
    },
  ];
}

/** Reported rates, those too that were found impossible and are shown nowhere. */
function rateOf({ measures, refuted = [] }: ReportScope, id: QuantityId): Measure | undefined {
  return [...measures, ...refuted].find(({ quantity, derived }) => quantity === id && derived === undefined);
}

const valueOf = (measure: Measure | undefined): number | undefined => measure?.stats['value'];

/** Every token is read or written. */
export function rateParts(scope: ReportScope): Identity[] {
  const parts = (['input_tokens_per_sec', 'output_tokens_per_sec', 'total_tokens_per_sec'] as const).map((id) =>
    rateOf(scope, id),
  );
  const [input, output, total] = parts.map(valueOf);
  if (input === undefined || output === undefined || total === undefined || total <= 0) return [];
  const limit = parts.some(isOverTime) ? RATE_OVER_TIME : RATE;
  const holds = off(input + output, total) <= limit;
  const wrong = input > total * (1 + limit) ? parts[0] : output > total * (1 + limit) ? parts[1] : undefined;
  return [
    {
      id: 'rate-parts',
      scope: scope.id,
      holds,
      statement: 'input tokens/s + output tokens/s = total tokens/s',
      left: input + output,
      right: total,
      unit: 'tokens/s',
      tolerance: `${limit * 100} %`,
      ...(holds
        ? {}
        : {
            message: `${significant(input)} input and ${significant(output)} output tokens/s are not ${significant(total)} tokens/s in all`,
            cause: wrong
              ? `${wrong.source.key} is more than the total of which it is a part`
              : 'the three rates are of other requests, another window or another counter',
            pitfall: 'CMP058',
          }),
    },
  ];
}

/** Where a file has the total alone, or one part of it: requests/s x (mean prompt + mean answer) = total tokens/s. */
export function rateWhole(scope: ReportScope): Identity[] {
  const [requests, total] = [rateOf(scope, 'requests_per_sec'), rateOf(scope, 'total_tokens_per_sec')];
  const [rps, value] = [valueOf(requests), valueOf(total)];
  const parts = (['input_tokens_per_sec', 'output_tokens_per_sec'] as const).map((id) => valueOf(rateOf(scope, id)));
  if (rps === undefined || rps <= 0 || value === undefined || !parts.includes(undefined)) return [];
  const means = (id: QuantityId): readonly number[] =>
    scope.measures.flatMap(({ quantity, stats }) =>
      quantity === id && stats['mean'] !== undefined ? [stats['mean']] : [],
    );
  const sums = means('prompt_tokens').flatMap((x) => means('output_tokens').map((y) => (x + y) * rps));
  if (sums.length === 0) return [];
  const limit = isOverTime(total) || isOverTime(requests) ? RATE_OVER_TIME : RATE;
  const slack = scope.counts.ok === undefined || scope.counts.ok === 0 ? 0 : 1 / scope.counts.ok;
  const right = sums.reduce((best, each) => (off(value, each) < off(value, best) ? each : best));
  const holds = off(value, right) <= limit + slack;
  return [
    {
      id: 'rate-length',
      scope: scope.id,
      holds,
      statement: 'requests/s x (mean prompt + mean output tokens) = total tokens/s',
      left: value,
      right,
      unit: 'tokens/s',
      tolerance: `${limit * 100} %`,
      ...(holds
        ? {}
        : {
            message: `${total!.source.key} is ${significant(value)} tokens/s, but ${significant(rps)} requests/s of ${significant(right / rps)} tokens, prompt and answer, are ${significant(right)}`,
            cause: 'the rate is over another window, of other requests, or by another counter than the mean lengths',
            pitfall: 'CMP058',
          }),
    },
  ];
}

/** requests/s x mean length = tokens/s: no window is needed, so a wrong one hides nothing. */
export function rateLengths(scope: ReportScope): Identity[] {
  const requests = rateOf(scope, 'requests_per_sec');
  const rps = valueOf(requests);
  if (rps === undefined || rps <= 0) return [];
  const pairs = [
    ['input_tokens_per_sec', 'prompt_tokens'],
    ['output_tokens_per_sec', 'output_tokens'],
  ] as const;
  return pairs.flatMap(([rateId, lengthId]): Identity[] => {
    const rate = rateOf(scope, rateId);
    const value = valueOf(rate);
    const means = scope.measures.flatMap(({ quantity, stats }) =>
      quantity === lengthId && stats['mean'] !== undefined ? [stats['mean']] : [],
    );
    if (value === undefined || means.length === 0) return [];
    const limit = isOverTime(rate) || isOverTime(requests) ? RATE_OVER_TIME : RATE;
    // n - 1 gaps between n sends, and windows from the first send: one request of the count.
    const slack = scope.counts.ok === undefined || scope.counts.ok === 0 ? 0 : 1 / scope.counts.ok;
    const right = means
      .map((mean) => mean * rps)
      .reduce((best, each) => (off(value, each) < off(value, best) ? each : best));
    const holds = off(value, right) <= limit + slack;
    const isInput = rateId === 'input_tokens_per_sec';
    return [
      {
        id: 'rate-length',
        scope: scope.id,
        holds,
        statement: `requests/s x mean ${isInput ? 'prompt' : 'output'} tokens = ${isInput ? 'input' : 'output'} tokens/s`,
        left: value,
        right,
        unit: 'tokens/s',
        tolerance: `${limit * 100} %`,
        ...(holds
          ? {}
          : {
              message: `${rate!.source.key} is ${significant(value)} tokens/s, but ${significant(rps)} requests/s of ${significant(right / rps)} tokens are ${significant(right)}`,
              cause: 'the rate is over another window, of other requests, or by another counter than the mean length',
              pitfall: isInput ? 'CMP059' : 'CMP058',
            }),
      },
    ];
  });
}
