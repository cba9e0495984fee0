// When failures make a run no measurement: a server that is gone, not the end of an overload; and the limit that was asked for.
import { describe, expect, it } from 'vitest';
import { StageTally } from '../../../src/loadgen/tally';
import { readFailureLimit, whyTooManyFailed } from '../../../src/run/failures';

const FAILED = { kind: 'failed', errorType: 'E', label: 'gone', message: 'gone.' } as const;

/** One letter a request, one a second: o is answered and x fails within half a second, t fails after `timeoutSeconds`. */
function tally(outcomes: string, timeoutSeconds = 8, startSeconds = 0): StageTally {
  const stage = new StageTally(outcomes.length);
  Array.from(outcomes)
    .map((letter, index) => {
      const sentSeconds = startSeconds + index;
      return { letter, sentSeconds, endSeconds: sentSeconds + (letter === 't' ? timeoutSeconds : 0.5) };
    })
    .sort((a, b) => a.endSeconds - b.endSeconds)
    .forEach(({ letter, sentSeconds, endSeconds }) => {
      const outcome = letter === 'o' ? ({ kind: 'ok' } as const) : FAILED;
      stage.add({ outcome, scheduledSeconds: sentSeconds, sentSeconds, endSeconds });
    });
  return stage;
}

const o = (count: number): string => 'o'.repeat(count);
const x = (count: number): string => 'x'.repeat(count);
const t = (count: number): string => 't'.repeat(count);

describe('a server that is gone', () => {
  it.each([
    ['at 13 of 30 s', o(13) + x(17), /^after 12\.5 s nothing succeeded any more: 17 of 30 requests failed/],
    ['at 24 of 30 s', o(24) + x(6), /^after 23\.5 s nothing/],
    ['in the last seconds of a long run', o(300) + x(7), /^after 299\.5 s nothing/],
    ['after failures now and then', 'ox' + o(22) + x(9), /^after 23\.5 s nothing/],
    ['that hangs', o(40) + t(20), /^after 39\.5 s nothing/],
  ])('%s', (_name, outcomes, expected) => {
    expect(whyTooManyFailed([tally(outcomes)], { share: 1 })).toMatch(expected);
  });

  it('over stages, however fast a closed loop then fails', () => {
    expect(whyTooManyFailed([tally(o(20)), tally(x(10), 8, 30)], { share: 1 })).toMatch(/^after 19\.5 s/);
    const stage = new StageTally(20);
    for (let i = 0; i < 20; i++) {
      const sentSeconds = i < 12 ? i : 12 + i / 1000;
      const outcome = i < 12 ? ({ kind: 'ok' } as const) : FAILED;
      stage.add({ outcome, scheduledSeconds: sentSeconds, sentSeconds, endSeconds: sentSeconds + 0.001 });
    }
    expect(whyTooManyFailed([stage], { share: 1 })).toMatch(/^after 11\.0 s nothing succeeded any more: 8 of 20/);
  });
});

describe('failures like any others', () => {
  it.each([
    ['the last of many', o(13) + x(1)],
    ['three in a row at the end', o(30) + x(3)],
    ['ten of a thousand, one after the other', o(1000) + x(4)],
    ['now and then', 'oxoxoxooxooxox'],
    ['at the beginning', x(3) + o(11)],
    ['half of them, so that a row is chance', 'oxoxxoxoxxoxoxoxoxoxo' + x(5)],
    ['timeouts while an overload ends', o(60) + 'otototott' + t(6)],
  ])('%s', (_name, outcomes) => {
    expect(whyTooManyFailed([tally(outcomes)], { share: 1 })).toBeUndefined();
  });

  it('are judged by the limit that was asked for', () => {
    expect(whyTooManyFailed([tally('oxoxxoxxoxxo')])).toMatch(/^7 of 12 requests failed, more than the 50 %/);
    expect(whyTooManyFailed([tally(o(30) + x(3))], { count: 2 })).toMatch(/^3 of 33 requests failed, more than the 2/);
    expect(whyTooManyFailed([tally('oooxo')], { share: 0.1 })).toMatch(/more than the 10 %/);
    expect(whyTooManyFailed([tally('oooxo')], { count: 1 })).toBeUndefined();
    expect(readFailureLimit('10%')).toEqual({ share: 0.1 });
    expect(readFailureLimit('0.25')).toEqual({ share: 0.25 });
    expect(readFailureLimit('7')).toEqual({ count: 7 });
    for (const text of ['', '-1', '101%', '1.5', 'x']) expect(readFailureLimit(text)).toBeUndefined();
  });
});
