// What the live view shows of what the engine says.
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/events';
import { reasonOf } from '../../../src/extension/engine-words';
import { failed, liveView, startState, stopping, withEvent, type LiveState } from '../../../src/extension/live-model';

const PLANNED: RunEvent = {
  type: 'planned',
  folder: 'reports-1',
  name: 'chat',
  endpoint: 'http://127.0.0.1:8000',
  model: 'm',
  load: 'poisson, 10 rps',
  stages: [
    { id: 0, label: '5 rps for 4 s', warmup: true, planned: 20, durationSeconds: 4 },
    { id: 1, label: '10 rps for 10 s', warmup: false, planned: 100, durationSeconds: 10 },
  ],
  plannedRequests: 120,
};

function tick(
  stage: number,
  atSeconds: number,
  ok: number,
  more: Partial<Extract<RunEvent, { type: 'tick' }>> = {},
): RunEvent {
  return {
    type: 'tick',
    stage,
    atSeconds,
    stageElapsedSeconds: stage === 0 ? atSeconds : atSeconds - 4,
    counts: { planned: 100, ok, failed: 0, cancelled: 0, notSent: 0, sent: ok + 2, inFlight: 2 },
    errors: [],
    ...more,
  };
}

const DONE_0: RunEvent = {
  type: 'stageFinished',
  stage: 0,
  atSeconds: 4,
  counts: { planned: 20, ok: 19, failed: 1, cancelled: 0, notSent: 0 },
};

function after(...events: readonly RunEvent[]): LiveState {
  return events.reduce(withEvent, startState('chat'));
}

const value = (state: LiveState, label: string): string | undefined =>
  liveView(state).counts.find((count) => count.label === label)?.value;

describe('the live view', () => {
  it('lists every failure, of every stage, also those that no tick had named', () => {
    const ticked = tick(1, 8, 40, {
      counts: { planned: 100, ok: 40, failed: 45, cancelled: 3, notSent: 0, sent: 90, inFlight: 2 },
      errors: [{ label: '429 - Rate Limit', count: 44 }],
    });
    const first = tick(0, 3, 10, { errors: [{ label: 'timeout', count: 1 }] });
    const state = after(PLANNED, first, { ...DONE_0, counts: { ...DONE_0.counts, ok: 3, failed: 17 } }, ticked);
    const { errors } = liveView(state);
    expect(errors.map(({ label, count }) => [label, count])).toEqual([
      ['429 - Rate Limit', 44],
      ['timeout', 1],
      ['other failures', 17],
      ['cancelled', 3],
    ]);
    const failures = errors.reduce((sum, { count }) => sum + count, 0);
    expect(value(state, 'Failed')).toBe(String(failures));
  });

  it('does not say that a client keeps up whose requests leave late', () => {
    const late = liveView(after(PLANNED, tick(1, 8, 40, { offeredRps: 10, eventLoopUse: 0.1, scheduleDelayMs: 179 })));
    expect(JSON.stringify(late)).not.toContain('keeps up');
    expect(late.calm).toContain('179 ms');
    const punctual = tick(1, 8, 40, { offeredRps: 10, eventLoopUse: 0.1, scheduleDelayMs: 3 });
    expect(liveView(after(PLANNED, punctual)).calm).toContain('keeps up');
    // In a closed loop a wait for a slot is no lateness.
    const closed = tick(1, 8, 40, { eventLoopUse: 0.1, scheduleDelayMs: 179 });
    expect(liveView(after(PLANNED, closed)).calm).toContain('keeps up');
  });

  it('says what is being done before anything is planned', () => {
    expect(liveView(after({ type: 'preparing', done: 10, total: 1000 })).words).toBe(
      'Preparing the requests: 10 of 1,000',
    );
  });

  it('adds up the stages that ended and the one under way', () => {
    const state = after(
      PLANNED,
      { type: 'stageStarted', stage: 0, atSeconds: 0 },
      tick(0, 2, 9),
      DONE_0,
      tick(1, 6, 18),
    );
    expect([value(state, 'Planned'), value(state, 'Sent'), value(state, 'Done'), value(state, 'Failed')]).toEqual([
      '120',
      '40',
      '37',
      '1',
    ]);
    expect(value(state, 'In flight')).toBe('2');
    expect(liveView(state).progress).toBeCloseTo(38 / 120);
  });

  it('does not count a stage twice that has just ended', () => {
    expect(value(after(PLANNED, tick(0, 3.9, 19), DONE_0), 'Done')).toBe('19');
  });

  it('says the stage and the time left; past its time it waits for answers', () => {
    expect(liveView(after(PLANNED, tick(1, 6.2, 3))).words).toBe('Stage 2 of 2, 8 s left');
    expect(liveView(after(PLANNED, tick(1, 15, 99))).words).toBe('Stage 2 of 2, waiting for the last answers');
  });

  it('keeps the trace to its window and leaves gaps where nothing was measured', () => {
    const ticks = Array.from({ length: 200 }, (_, i) => tick(1, i + 1, i, i % 2 === 0 ? { ttftMs: 50 } : {}));
    const { atSeconds, ttftMs, itlMs } = liveView(after(PLANNED, ...ticks)).trace;
    expect(atSeconds.at(-1)).toBe(200);
    expect(atSeconds[0]).toBe(110);
    expect(ttftMs).toHaveLength(atSeconds.length);
    expect(ttftMs.at(-1)).toBeNull();
    expect(itlMs.every((entry) => entry === null)).toBe(true);
  });

  it('says that it stops, and what came of it', () => {
    const state = stopping(after(PLANNED, tick(1, 6, 18)));
    expect(liveView(state).words).toBe('Stopping: 2 requests still in flight');
    const end = withEvent(state, {
      type: 'finished',
      folder: 'reports-1',
      state: 'incomplete',
      counts: { planned: 120, ok: 37, failed: 1, cancelled: 2, notSent: 80 },
      summary: '37 ok, 1 failed, 2 cancelled, 80 not sent',
    });
    expect(liveView(end)).toMatchObject({
      phase: 'finished',
      tone: 'caution',
      words: '37 ok, 1 failed, 2 cancelled, 80 not sent',
    });
    expect(value(end, 'Sent')).toBe('40');
    expect(stopping(end)).toBe(end);
  });

  it('says how many threads send, why, and that the busiest is shown', () => {
    const told = (count: number): ReturnType<typeof liveView> =>
      liveView(after({ ...PLANNED, threads: { count, reason: 'auto: much' } }, tick(0, 1, 5, { eventLoopUse: 0.31 })));
    const client = (view: ReturnType<typeof liveView>): string | undefined =>
      view.figures.find(({ label }) => label === 'Client')?.detail;
    expect([told(1).client, client(told(1))]).toEqual(['One thread sends (auto: much).', 'keeps up']);
    expect([told(3).client, client(told(3))]).toEqual([
      '3 threads send (auto: much).',
      'keeps up, busiest of 3 threads',
    ]);
    expect(liveView(after(PLANNED)).client).toBeUndefined();
  });

  it('keeps the reasons of a run that did not start', () => {
    const problem = { code: 'RUN010', severity: 'error', path: [], message: 'refused', remedy: 'start it' } as const;
    const view = liveView(failed(after({ type: 'problem', problem }), 'The run did not start'));
    expect(view).toMatchObject({ phase: 'failed', tone: 'bad', words: 'The run did not start' });
    expect(view.problems).toEqual([{ tone: 'bad', message: 'refused', remedy: 'start it' }]);
  });

  it('calls nothing good or closed when a run broke before its first request', () => {
    const view = liveView(failed(after(PLANNED), 'The run broke before its first request: no such host'));
    const text = JSON.stringify(view);
    expect(text).not.toMatch(/keeps up|closed loop|no request has failed/);
    expect(view.figures.map((figure) => figure.value)).toEqual(Array(4).fill('not measured'));
    expect(view.calm).toMatch(/^Not measured: nothing was sent/);
    expect(liveView(failed(after(PLANNED, tick(0, 2, 9)), 'gone')).calm).toMatch(/^Until it broke off/);
    expect(liveView(after(PLANNED)).calm).toMatch(/^Not measured yet/);
    expect(liveView(after(PLANNED, tick(0, 2, 9))).calm).toMatch(/^The client keeps up/);
  });
});

describe('the reason of a broken engine', () => {
  it.each([
    [
      'an unexpected error of ours',
      [
        'isoperf run: unexpected error, please report it:',
        'Error: the socket is closed',
        '    at Client.send (/x/dist/cli.js:10:3)',
        '    at run (/x/dist/cli.js:1:1)',
      ],
      'the socket is closed',
    ],
    [
      'a crash of Node',
      [
        '/x/dist/cli.js:12',
        '  foo.bar();',
        '      ^',
        "TypeError [ERR_INVALID_ARG]: Cannot read properties of undefined (reading 'bar')",
        '    at Object.<anonymous> (/x/dist/cli.js:12:7)',
        '    at node:internal/main/run_main_module:23:47 {',
        "  code: 'ERR_INVALID_ARG'",
        '}',
        'Node.js v20.11.0',
      ],
      "Cannot read properties of undefined (reading 'bar')",
    ],
    ['a refusal', ['a warning', 'isoperf run: error: --seed takes a number. See isoperf run --help'], /^--seed takes/],
    ['plain words', ['first', 'out of memory', '    at x (y.js:1:1)', 'Node.js v20.1.0'], 'out of memory'],
  ])('%s', (_, lines, expected) => {
    expect(reasonOf(lines)).toMatch(expected);
  });

  it('is absent when nothing but frames was said', () => {
    expect(reasonOf(['    at x (y.js:1:1)', 'Node.js v20.1.0'])).toBeUndefined();
  });
});
