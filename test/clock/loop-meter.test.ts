// The meter of the event loop, against work and waiting of known length.
import { expect } from 'vitest';
import { LoopMeter } from '../../src/loadgen/health';
import { onTheClock } from './on-the-clock';

onTheClock(
  'work counts as use of the event loop, waiting does not, and active waiting is taken out',
  async () => {
    const meter = new LoopMeter();
    const until = performance.now() + 150;
    while (performance.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 150));
    const half = meter.stop(0).eventLoopUse;
    const spinning = new LoopMeter();
    const end = performance.now() + 100;
    await new Promise<void>((resolve) => {
      const turn = (): void => {
        if (performance.now() < end) setImmediate(turn);
        else resolve();
      };
      turn();
    });
    return { half, spin: spinning.stop(0.1).eventLoopUse };
  },
  ({ half, spin }) => {
    expect(half).toBeGreaterThan(0.25);
    expect(half).toBeLessThan(0.75);
    expect(spin).toBeLessThan(0.2);
  },
);
