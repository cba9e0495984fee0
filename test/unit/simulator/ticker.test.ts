// The shared clock: order, absolute times, and calls made while it runs.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTicker } from '../../../src/simulator/ticker';
import { virtualClock, type VirtualClock } from '../support/virtual-clock';

let clock: VirtualClock;
beforeEach(() => {
  clock = virtualClock();
});
afterEach(() => {
  clock.remove();
});

describe('the ticker', () => {
  it('fires in order of due times, never early, however they were given', async () => {
    const ticker = createTicker();
    const start = performance.now();
    const dues = Array.from({ length: 200 }, (_, i) => start + 5 + ((i * 7919) % 60));
    const fired: number[] = [];
    let early = 0;
    await clock.until(
      new Promise<void>((resolve) => {
        for (const dueMs of dues) {
          ticker.at({
            dueMs,
            fire() {
              if (performance.now() < dueMs) early++;
              fired.push(dueMs);
              if (fired.length === dues.length) resolve();
            },
          });
        }
      }),
    );
    expect(fired).toEqual([...dues].sort((a, b) => a - b));
    expect(early).toBe(0);
    ticker.close();
  });

  it('takes a nearer tick while it waits for a farther one', async () => {
    const ticker = createTicker();
    const start = performance.now();
    const order: string[] = [];
    await clock.until(
      new Promise<void>((resolve) => {
        ticker.at({
          dueMs: start + 120,
          fire() {
            order.push('far');
            resolve();
          },
        });
        ticker.at({ dueMs: start + 20, fire: () => void order.push('near') });
      }),
    );
    expect(order).toEqual(['near', 'far']);
    ticker.close();
  });

  it('is on time, and a late call shifts no other', async () => {
    const ticker = createTicker();
    const lateness: number[] = [];
    await clock.until(
      new Promise<void>((resolve) => {
        const next = (dueMs: number): void => {
          ticker.at({
            dueMs,
            fire(nowMs) {
              lateness.push(nowMs - dueMs);
              if (lateness.length === 10) clock.stall(30);
              if (lateness.length === 40) resolve();
              else next(dueMs + 7.3);
            },
          });
        };
        next(performance.now() + 7.3);
      }),
    );
    // The standstill of 30 ms is felt by the four that were due in it and right after.
    expect(lateness.filter((milliseconds) => milliseconds > 0.05)).toHaveLength(4);
    ticker.close();
  });

  it('does nothing after it was closed', async () => {
    const ticker = createTicker();
    let fired = false;
    ticker.at({ dueMs: performance.now() + 10, fire: () => (fired = true) });
    ticker.close();
    await clock.pass(40);
    expect(fired).toBe(false);
  });
});
