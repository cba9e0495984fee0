// Circuit breakers: what counts as a sample and as a hit, both triggers, and expressions that are none.
import { describe, expect, it } from 'vitest';
import { breakerProblems, CircuitBreakers, type BreakerConfig } from '../../../src/loadgen/breakers';
import type { Outcome, RequestRecord } from '../../../src/metrics/record';

const ok: Outcome = { kind: 'ok' };
const failure: Outcome = {
  kind: 'failed',
  errorType: 'HTTP Error 500',
  label: '500',
  message: 'boom',
  httpStatus: 500,
};
const record = (outcome: Outcome, changes: Partial<RequestRecord> = {}): RequestRecord => ({
  id: 0,
  stage: 0,
  scheduledSeconds: 0,
  sentSeconds: 1,
  endSeconds: 3,
  chunkSeconds: [],
  outcome,
  promptHash: 'h',
  ...changes,
});
const breaker = (
  matches: string[],
  rules: string[],
  trigger: BreakerConfig['triggers'][number] = { type: 'consecutive', threshold: 1 },
): BreakerConfig => ({ name: 'b', metrics: { matches, rules }, triggers: [trigger] });
const opens = (config: BreakerConfig, outcomes: readonly Outcome[], times?: readonly number[]): number => {
  const breakers = new CircuitBreakers([config], ['b']);
  return outcomes.findIndex((outcome, index) => breakers.feed(record(outcome), times?.[index] ?? index) !== undefined);
};

describe('expressions', () => {
  it.each([
    ["error.error_type == 'HTTP Error 500'", true],
    ["contains(error.error_msg, 'boom')", true],
    ['error', true],
    ['info.response_metrics', false],
    ['end_time > `2`', true],
    ['info.input_tokens', false],
    ['length(info.none) > `1`', false],
    ["error.error_type == 'TimeoutError'", false],
  ])('%s', (expression, hit) => {
    expect(opens(breaker([expression], []), [failure])).toBe(hit ? 0 : -1);
  });

  it('a rule decides among what matches; without rules every match is a hit', () => {
    expect(opens(breaker(['end_time'], ['error']), [ok, ok, failure])).toBe(2);
    expect(opens(breaker(['end_time'], []), [ok])).toBe(0);
  });

  it('an expression that is none is refused with its place', () => {
    const [problem, ...more] = breakerProblems([breaker(['error', 'a ['], ['nosuch(x)'])]);
    expect(problem).toMatchObject({ code: 'RUN041', path: ['circuit_breakers', 0, 'metrics', 'matches', 1] });
    expect(more.map(({ path }) => path)).toEqual([['circuit_breakers', 0, 'metrics', 'rules', 0]]);
    expect(breakerProblems([breaker(["contains(error.error_msg, 'x')", 'length(a)'], [])])).toEqual([]);
  });
});

describe('triggers', () => {
  it('consecutive: a miss begins anew', () => {
    const config = breaker(['end_time'], ['error'], { type: 'consecutive', threshold: 3 });
    expect(opens(config, [failure, failure, ok, failure, failure, failure])).toBe(5);
    expect(opens(config, [failure, failure, ok, failure, failure, ok])).toBe(-1);
  });

  it('rate_over_window: share of hits among the samples of the last seconds', () => {
    const config = breaker(['end_time'], ['error'], {
      type: 'rate_over_window',
      window_sec: 10,
      threshold: 0.5,
      min_samples: 4,
    });
    expect(opens(config, [failure, failure, failure, ok])).toBe(3);
    expect(opens(config, [ok, ok, ok, failure, failure])).toBe(-1);
    // The old misses have left the window when the fourth sample in it comes.
    expect(opens(config, [ok, ok, ok, failure, failure, ok, ok], [0, 0, 0, 20, 21, 22, 23])).toBe(6);
  });

  it('looks at named breakers only, and at nothing that has no metric', () => {
    const config = breaker(['stage_id == `0`'], []);
    expect(new CircuitBreakers([config], ['other']).feed(record(failure), 0)).toBeUndefined();
    expect(
      opens(config, [
        { kind: 'cancelled', reason: 'r' },
        { kind: 'notSent', reason: 'r' },
      ]),
    ).toBe(-1);
    expect(new CircuitBreakers([config], ['b']).feed(record(ok), 0)).toMatch(/'b' opened: 1 hits in a row/);
  });
});
