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
    if (value === undefined || isOverTime(rate)) return [];
    const totals = scope.measures
      .filter(({ quantity }) => quantity === lengthId)
      .map(({ stats }) => stats['total'] ?? (stats['mean'] === undefined ? undefined : stats['mean'] * ok))
      .filter((total) => total !== undefined);
    if (totals.length === 0) return [];
    const left = value * window;
    const right = totals.reduce((best, total) => (off(left, total) < off(left, best) ? total : best));
    const holds = off(left, right) <= RATE;
    return [
      {
        id: 'token-rate',
        scope: scope.id,
        holds,
        statement: `${rateId.startsWith('input') ? 'input' : 'output'} tokens/s x window = tokens`,
        left,
        right,
        unit: 'tokens',
        tolerance: '2 %',
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
  if (value !== undefined && window && !derived && ok !== undefined && !isOverTime(rate)) {
    const left = value * window.value;
    const slack = /posts|- 1/.test(rate?.definition.window ?? '') && ok > 0 ? 1 / ok : 0;
    const holds = off(left, ok) <= RATE + slack;
    result.push({
      id: 'request-rate',
      scope: scope.id,
      holds,
      statement: 'requests/s x window = successes',
      left,
      right: ok,
      unit: 'requests',
      tolerance: '2 %',
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
  return [...result, ...sendRate(scope)];
}

/** A mean of rates over time is not the total over the window. */
function isOverTime(rate: Measure | undefined): boolean {
  return rate?.definition.average === 'over-time';
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
