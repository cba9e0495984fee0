// Sending: on time, in order, never more in flight than allowed, never dropped, and accounted for when it is stopped.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PreparedRequest } from '../../../src/client/types';
import { dispatch } from '../../../src/loadgen/dispatch';
import type { DispatchOutcome, Pacing } from '../../../src/loadgen/flights';
import { LiveFigures } from '../../../src/loadgen/live';
import { StopControl } from '../../../src/loadgen/stop';
import { virtualClock, type VirtualClock } from '../support/virtual-clock';
import { fakeClient, requests, type FakeClient } from './fake-client';

let clock: VirtualClock;
beforeEach(() => {
  clock = virtualClock();
});
afterEach(() => {
  clock.remove();
});

interface Ended {
  readonly id: number;
  readonly scheduled: number;
  readonly sent?: number;
  readonly kind: string;
}

async function run(
  client: FakeClient,
  count: number,
  pacing: Pacing,
  options: { stop?: StopControl; graceSeconds?: number } = {},
): Promise<DispatchOutcome & { ended: Ended[] }> {
  const ended: Ended[] = [];
  const sending = dispatch<PreparedRequest>({
    requests: requests(count),
    pacing,
    client,
    timeoutSeconds: 10,
    keepRawBody: false,
    stop: options.stop ?? new StopControl(),
    live: new LiveFigures(),
    graceSeconds: () => options.graceSeconds ?? 10,
    onResult: ({ id }, scheduled, { outcome: { kind }, sentSeconds }) => {
      ended.push({ id, scheduled, kind, ...(sentSeconds === undefined ? {} : { sent: sentSeconds }) });
    },
    onNotSent: ({ id }, scheduled) => {
      ended.push({ id, scheduled, kind: 'notSent' });
    },
  });
  const outcome = await clock.until(sending);
  return { ...outcome, ended };
}

const open = (offsets: readonly number[], inFlightCap = 1000): Pacing => ({
  kind: 'open',
  offsets: Float64Array.from(offsets),
  inFlightCap,
});
const evenly = (count: number, gap: number) => Array.from({ length: count }, (_, index) => index * gap);
function kinds(ended: readonly Ended[]): Record<string, Ended[]> {
  const groups: Record<string, Ended[]> = {};
  for (const each of ended) (groups[each.kind] ??= []).push(each);
  return groups;
}

describe('open loop', () => {
  it('sends each request at its offset from the stage’s zero, in order', async () => {
    const client = fakeClient(0.01);
    const offsets = evenly(60, 0.005);
    const { ended, startSeconds } = await run(client, 60, open(offsets));
    expect(client.sent.map(({ id }) => id)).toEqual([...Array(60).keys()]);
    for (const { id, scheduled, sent } of ended) {
      expect(scheduled).toBeCloseTo(startSeconds + offsets[id]!, 9);
      expect(sent! - scheduled).toBeGreaterThan(-1e-9);
    }
    expect(Math.max(...ended.map(({ scheduled, sent }) => sent! - scheduled))).toBeLessThan(0.0001);
  });

  it('after a standstill of the loop sends what was missed, in order, and is late by no more than that', async () => {
    const client = fakeClient(0.01);
    setTimeout(() => {
      clock.stall(100);
    }, 150);
    const { ended } = await run(client, 60, open(evenly(60, 0.005)));
    expect(client.sent.map(({ id }) => id)).toEqual([...Array(60).keys()]);
    const late = ended.map(({ scheduled, sent }) => sent! - scheduled);
    expect(Math.max(...late)).toBeGreaterThan(0.09);
    expect(Math.max(...late)).toBeLessThan(0.1011);
    expect(late.filter((seconds) => seconds > 0.001)).toHaveLength(20);
  });

  it('does not wait for answers', async () => {
    const client = fakeClient(0.2);
    await run(client, 40, open(evenly(40, 0.001)));
    expect(client.maxInFlight).toBe(40);
  });

  it('at the cap sends late, in order, without dropping and without catching up', async () => {
    const client = fakeClient(0.02);
    const { ended, maxInFlight } = await run(client, 30, open(evenly(30, 0.001), 4));
    expect(client.maxInFlight).toBe(4);
    expect(maxInFlight).toBe(4);
    expect(ended).toHaveLength(30);
    expect(client.sent.map(({ id }) => id)).toEqual([...Array(30).keys()]);
    const last = ended.find(({ id }) => id === 29)!;
    // 30 requests of 20 ms, 4 at a time, take 7 rounds: the last is due at 29 ms and goes out after 140 ms.
    expect(last.sent! - last.scheduled).toBeCloseTo(7 * 0.02 + 0.001 - 0.029, 3);
  });

  it('sends a burst of requests that are due at the same moment', async () => {
    const client = fakeClient(0.05);
    await run(client, 100, open(new Array<number>(100).fill(0)));
    expect(client.maxInFlight).toBe(100);
  });

  it('ends at once when nothing is planned', async () => {
    expect((await run(fakeClient(1), 0, open([]))).ended).toEqual([]);
  });
});

describe('closed loop', () => {
  it.each([1, 3, 8])('keeps exactly %d in flight until the last', async (concurrency) => {
    const client = fakeClient(({ id }) => 0.003 + (id % 5) * 0.001);
    const { ended } = await run(client, 50, { kind: 'closed', concurrency });
    expect(ended).toHaveLength(50);
    expect(client.maxInFlight).toBe(concurrency);
    // Once the ramp is over, every send refills a slot that has just become free.
    expect(new Set(client.inFlightAtSend.slice(concurrency))).toEqual(new Set([concurrency]));
  });

  it('counts lateness from the moment the slot became free', async () => {
    const { ended, startSeconds } = await run(fakeClient(0.01), 12, { kind: 'closed', concurrency: 2 });
    const scheduled = ended.map((each) => each.scheduled).sort((a, b) => a - b);
    expect(scheduled.slice(0, 2)).toEqual([startSeconds, startSeconds]);
    expect(scheduled[2]!).toBeCloseTo(startSeconds + 0.01, 3);
    expect(Math.max(...ended.map((each) => each.sent! - each.scheduled))).toBeLessThan(0.0001);
  });

  it('sends all with fewer requests than slots', async () => {
    const client = fakeClient(0.01);
    const { ended } = await run(client, 3, { kind: 'closed', concurrency: 10 });
    expect(ended).toHaveLength(3);
    expect(client.maxInFlight).toBe(3);
  });
});

describe('stopping', () => {
  it('gracefully: nothing more is sent, what is in flight ends, the rest is not sent', async () => {
    const stop = new StopControl();
    setTimeout(() => stop.stop('enough', false), 200);
    const { ended } = await run(fakeClient(0.04), 100, open(evenly(100, 0.01)), { stop });
    const groups = kinds(ended);
    expect(Object.keys(groups).sort()).toEqual(['notSent', 'ok']);
    expect(ended).toHaveLength(100);
    expect(new Set(ended.map(({ id }) => id)).size).toBe(100);
    // The stage's zero is 50 ms from now: 15 or 16 are due before the stop.
    expect([15, 16]).toContain(groups['ok']!.length);
  });

  it('now: what is in flight is cancelled', async () => {
    const stop = new StopControl();
    setTimeout(() => stop.stop('enough', true), 200);
    const { ended } = await run(
      fakeClient(0, () => 'never'),
      100,
      open(evenly(100, 0.01)),
      { stop },
    );
    expect(Object.keys(kinds(ended)).sort()).toEqual(['cancelled', 'notSent']);
    expect(ended).toHaveLength(100);
  });

  it('gives up what outlives the grace', async () => {
    const stop = new StopControl();
    setTimeout(() => stop.stop('enough', false), 150);
    const { ended } = await run(
      fakeClient(0, () => 'never'),
      4,
      { kind: 'closed', concurrency: 2 },
      { stop, graceSeconds: 0.05 },
    );
    expect(kinds(ended)['cancelled']).toHaveLength(2);
    expect(kinds(ended)['notSent']).toHaveLength(2);
  });

  it('before it began', async () => {
    const stop = new StopControl();
    stop.stop('never mind', false);
    const client = fakeClient(0.01);
    const { ended } = await run(client, 5, open(evenly(5, 0.01)), { stop });
    expect(client.sent).toHaveLength(0);
    expect(kinds(ended)['notSent']).toHaveLength(5);
  });

  it('while the cap holds requests back', async () => {
    const stop = new StopControl();
    setTimeout(() => stop.stop('enough', true), 150);
    const { ended } = await run(
      fakeClient(0, () => 'never'),
      20,
      open(evenly(20, 0.0001), 2),
      { stop },
    );
    expect(kinds(ended)['cancelled']).toHaveLength(2);
    expect(kinds(ended)['notSent']).toHaveLength(18);
  });

  it('keeps the first reason', () => {
    const stop = new StopControl();
    expect(stop.reason).toBeUndefined();
    stop.stop('first', false);
    stop.stop('second', true);
    expect(stop.reason).toBe('first');
    expect(stop.giveUp.aborted).toBe(true);
  });
});
