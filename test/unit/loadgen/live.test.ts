// Live figures of several threads put together.
import { describe, expect, it } from 'vitest';
import { LiveFigures, LiveView, type LiveSlice } from '../../../src/loadgen/live';

function slice(eventLoopUse: number, sends = 0): LiveSlice {
  const figures = new LiveFigures();
  for (let index = 0; index < sends; index++) figures.sent(0.001);
  return figures.takeSlice(eventLoopUse);
}

describe('the live view of threads', () => {
  it('shows the use of the busiest one over the second, not over its last slice', () => {
    const view = new LiveView();
    const second = view.push([
      [0, slice(0.2)],
      [1, slice(0.9)],
      [0, slice(0.2)],
      [1, slice(0.7)],
    ]);
    expect(second.eventLoopUse).toBeCloseTo(0.8);
  });

  it('adds counts of all, each the newest of its thread', () => {
    const view = new LiveView();
    const { counts, achievedRps } = view.push([
      [0, slice(0.1, 3)],
      [1, slice(0.1, 4)],
    ]);
    expect(counts).toMatchObject({ sent: 7, inFlight: 7 });
    expect(achievedRps).toBe(7);
  });
});
