// Turns of conversations: each after the answer before it, exact in number, nothing lost, the body with what was said.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Conversations, type TurnPlan } from '../../../src/datagen/conversation';
import type { DispatchOptions } from '../../../src/loadgen/flights';
import { LiveFigures } from '../../../src/loadgen/live';
import { StopControl } from '../../../src/loadgen/stop';
import { dispatchTurns, hasTurns, type TurnRequest } from '../../../src/loadgen/turn-dispatch';
import { virtualClock, type VirtualClock } from '../support/virtual-clock';
import { fakeClient, requests, type Answer } from './fake-client';

let clock: VirtualClock;
beforeEach(() => {
  clock = virtualClock();
});
afterEach(() => {
  clock.remove();
});

function turn(conversation: number, round: number, changes: Partial<TurnPlan> = {}): TurnPlan {
  return {
    conversation,
    opens: round === 0,
    system: { text: 'sys', tokens: 1 },
    user: { text: `u${conversation}.${round}`, tokens: 1 },
    holdSeconds: 0,
    head: '{"prompt":"',
    tail: '"}',
    ...changes,
  };
}

/** Request i is conversation i mod n in round i div n. */
function stream(count: number, conversations: number, changes: Partial<TurnPlan> = {}): TurnRequest[] {
  return requests(count).map((request, index) => ({
    ...request,
    turn: turn(index % conversations, Math.floor(index / conversations), changes),
  }));
}

interface Ended {
  readonly id: number;
  readonly scheduled: number;
  readonly sent: number;
  readonly end: number;
  readonly text: string;
}

async function run(
  stage: readonly TurnRequest[],
  options: Partial<DispatchOptions<TurnRequest>> & { seconds?: number; answer?: (id: number) => Answer } = {},
) {
  const { seconds = 0.01, answer, ...rest } = options;
  const client = fakeClient(seconds, ({ id }) => answer?.(id) ?? { outputText: `a${id}` });
  const ended: Ended[] = [];
  const notSent: number[] = [];
  const sending = dispatchTurns<TurnRequest>({
    requests: stage,
    pacing: { kind: 'closed', concurrency: 4 },
    client,
    timeoutSeconds: 5,
    keepRawBody: false,
    stop: new StopControl(),
    live: new LiveFigures(),
    graceSeconds: () => 1,
    onResult: (request, scheduled, result) =>
      ended.push({
        id: request.id,
        scheduled,
        sent: result.sentSeconds!,
        end: result.endSeconds,
        text: request.promptTexts[0]!,
      }),
    onNotSent: (request) => notSent.push(request.id),
    ...rest,
  });
  const outcome = await clock.until(sending);
  return { ended: ended.sort((a, b) => a.id - b.id), notSent, outcome, client };
}

describe('closed loop', () => {
  it('a turn follows the answer before it and carries the conversation; the level is kept', async () => {
    const { ended, client, outcome } = await run(stream(24, 6));
    expect(ended.map(({ id }) => id)).toEqual(Array.from({ length: 24 }, (_, id) => id));
    for (const { id, sent } of ended.filter(({ id: own }) => own >= 6)) {
      expect(sent).toBeGreaterThanOrEqual(ended[id - 6]!.end);
    }
    expect(client.maxInFlight).toBe(4);
    expect(outcome.maxInFlight).toBe(4);
    expect(ended[0]!.text).toBe('sys u0.0');
    expect(ended[12]!.text).toBe('sys u0.0 a0 u0.1 a6 u0.2');
    expect(JSON.parse(String(client.sent.find(({ id }) => id === 12)!.body))).toEqual({
      prompt: 'sys u0.0 a0 u0.1 a6 u0.2',
    });
  });

  it('a free slot takes the next idle conversation instead of waiting for a busy one', async () => {
    const slow = stream(8, 2);
    const { ended } = await run(slow, {
      pacing: { kind: 'closed', concurrency: 2 },
      answer: (id) => (id % 2 === 0 ? { outputText: 'x' } : { outputText: 'y' }),
      client: fakeClient(({ id }) => (id === 0 ? 0.3 : 0.005)),
    });
    // All of conversation 1 ended while the first turn of conversation 0 was still being answered.
    expect(ended[7]!.end).toBeLessThan(ended[0]!.end);
  });

  it('never more at once than there are conversations', async () => {
    const { client } = await run(stream(9, 3), { pacing: { kind: 'closed', concurrency: 8 } });
    expect(client.maxInFlight).toBe(3);
  });

  it('the simulated tool time holds slot and conversation after the answer, and is in nobody’s latency', async () => {
    const { ended } = await run(stream(4, 2, { holdSeconds: 0.1 }), { pacing: { kind: 'closed', concurrency: 2 } });
    for (const later of [2, 3]) {
      expect(ended[later]!.sent - ended[later - 2]!.end).toBeGreaterThanOrEqual(0.0999);
      expect(ended[later]!.sent - ended[later]!.scheduled).toBeLessThan(0.0011);
    }
  });

  it('a failed turn leaves the conversation as it was', async () => {
    const failed: Answer = {
      outcome: { kind: 'failed', errorType: 'X', label: 'X', message: 'x' },
      outputText: 'half',
    };
    const { ended } = await run(stream(3, 1), { answer: (id) => (id === 1 ? failed : { outputText: `a${id}` }) });
    expect(ended[2]!.text).toBe('sys u0.0 a0 u0.2');
  });
});

describe('open loop', () => {
  it('goes by the schedule, and late while its conversation waits for an answer', async () => {
    const offsets = Float64Array.of(0, 0.01, 0.02);
    const { ended } = await run(stream(2, 1).concat({ ...stream(3, 3)[2]!, id: 2 }), {
      pacing: { kind: 'open', offsets, inFlightCap: 9 },
      seconds: 0.15,
    });
    expect(ended[1]!.sent - ended[1]!.scheduled).toBeCloseTo(0.14, 3);
    expect(ended[1]!.sent).toBeGreaterThanOrEqual(ended[0]!.end);
    expect(ended[2]!.sent).toBeLessThan(ended[0]!.end);
  });

  it('the cap holds', async () => {
    const offsets = new Float64Array(12);
    const { client } = await run(stream(12, 12), { pacing: { kind: 'open', offsets, inFlightCap: 3 } });
    expect(client.maxInFlight).toBe(3);
  });
});

describe('stops', () => {
  it('every turn is accounted for, with a hold running and answers outstanding', async () => {
    const stop = new StopControl();
    setTimeout(() => stop.stop('enough', false), 120);
    const { ended, notSent } = await run(stream(40, 4, { holdSeconds: 5 }), { stop, seconds: 0.02 });
    expect(ended.length + notSent.length).toBe(40);
    expect(ended).toHaveLength(4);
  });

  it('a stop before the start sends nothing', async () => {
    const stop = new StopControl();
    stop.stop('no', false);
    const { ended, notSent } = await run(stream(5, 2), { stop });
    expect([ended.length, notSent.length]).toEqual([0, 5]);
  });
});

describe('what is carried', () => {
  it('a new conversation in the same slot forgets the old one', () => {
    const said = new Conversations();
    said.say(turn(1, 0));
    said.answered(turn(1, 0), 'answer', 1);
    expect(said.say(turn(1, 1)).text).toBe('sys u1.0 answer u1.1');
    expect(said.say(turn(1, 0)).text).toBe('sys u1.0');
    expect(said.say(turn(2, 1)).text).toBe('sys u2.1');
  });

  it('the oldest history gives way to the budget, for good', () => {
    const said = new Conversations();
    for (const round of [0, 1, 2]) said.answered(turn(1, round), `a${round}`, 1);
    expect(said.say(turn(1, 3, { budgetTokens: 6 })).text).toBe('sys u1.1 a1 u1.2 a2 u1.3');
    expect(said.say(turn(1, 3, { budgetTokens: 4 })).text).toBe('sys u1.2 a2 u1.3');
    expect(said.say(turn(1, 3, { budgetTokens: 99 })).text).toBe('sys u1.2 a2 u1.3');
  });

  it('the body is valid JSON whatever was said, and the same text', () => {
    const said = new Conversations();
    const user = { text: 'he said "no"\n\\ 漢 \u0001', tokens: 1 };
    said.answered(turn(1, 0, { user }), 'tab\t"', 1);
    const { body, text } = said.say(turn(1, 1, { user, system: { text: '', tokens: 0 } }));
    expect(JSON.parse(body)).toEqual({ prompt: text });
  });

  it('plain requests are no turns', () => {
    expect(hasTurns(requests(2))).toBe(false);
    expect(hasTurns(stream(1, 1))).toBe(true);
  });
});
