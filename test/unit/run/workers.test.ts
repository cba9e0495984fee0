// Sending threads: the same requests for any number of them, exact caps, one clock, and nothing lost when one stops or dies.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dealStage, whyNotDealt } from '../../../src/loadgen/deal';
import { shareRequests, StageCounters } from '../../../src/loadgen/shared-requests';
import { StopControl } from '../../../src/loadgen/stop';
import type { RunOptions } from '../../../src/run';
import { chooseWorkers } from '../../../src/run/workers';
import { startSimulator } from '../../../src/simulator/server';
import { configOf, harness, SAMPLE_TOKENIZER, type Harness } from './harness';
import { bundleWorker } from './worker-bundle';

const bundles = mkdtempSync(path.join(os.tmpdir(), 'isoperf-workers-'));
const good = path.join(bundles, 'load-worker.js');
const dying = path.join(bundles, 'dying.js');
const stillborn = path.join(bundles, 'stillborn.js');
let h: Harness;

beforeAll(async () => {
  await bundleWorker(good);
  // The first of two threads to come up dies while it sends.
  const first = `require('node:worker_threads').threadId % 2 === 0`;
  await bundleWorker(dying, `if (${first}) setTimeout(() => { throw new Error('out of luck'); }, 900);`);
  await bundleWorker(stillborn, `throw new Error('no room');`);
});
afterAll(() => {
  rmSync(bundles, { recursive: true, force: true });
});
beforeEach(() => {
  h = harness();
});
afterEach(() => {
  h.remove();
});

/** Answers each completion after a while, and remembers what was asked and how many were asked at once. */
async function recorder(answerMs: number): Promise<{
  readonly url: string;
  readonly bodies: string[];
  readonly most: () => number;
  readonly connectionOf: ReadonlyMap<string, number>;
  readonly server: Server;
}> {
  const bodies: string[] = [];
  const connectionOf = new Map<string, number>();
  let open = 0;
  let most = 0;
  const server = createServer((request, response) => {
    if (request.url === '/tokenize') {
      response.writeHead(404).end();
      return;
    }
    if (request.method !== 'POST') {
      response.end('{"object":"list","data":[{"id":"m"}]}');
      return;
    }
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      bodies.push(body);
      connectionOf.set(body, request.socket.remotePort ?? 0);
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(
          'data: {"choices":[{"text":"a"}]}\n\ndata: {"choices":[{"text":"b","finish_reason":"length"}]}\n\ndata: [DONE]\n\n',
        );
      }, answerMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, bodies, most: () => most, connectionOf, server };
}

const workers = (count: number, file = good): Pick<RunOptions, 'workers'> => ({ workers: { count, file } });

describe('the requests of a run', () => {
  it.each([
    ['open', '{ type: constant, interval: 0, num_workers: 4, stages: [{ rate: 120, duration: 1 }] }'],
    ['closed', '{ type: concurrent, interval: 0, stages: [{ num_requests: 90, concurrency_level: 7 }] }'],
  ])('%s loop: the same bodies and the same schedule for 1, 2 and 3 threads', async (kind, load) => {
    const runs = [];
    for (const count of [1, 2, 3]) {
      const server = await recorder(10);
      const run = await h.ran(configOf({ url: server.url, load, tokenizer: SAMPLE_TOKENIZER }), workers(count));
      server.server.close();
      expect(run.manifest.runtime.workers).toBe(count);
      expect(run.manifest.state).toBe('complete');
      expect(run.manifest.counts).toMatchObject({ planned: run.records.length, ok: run.records.length });
      const zero = run.manifest.stages[0]!.startSeconds!;
      runs.push({
        bodies: [...server.bodies].sort(),
        hashes: run.records.map(({ promptHash }) => promptHash),
        fingerprint: run.manifest.workload.fingerprint,
        offsets:
          kind === 'open'
            ? run.records.map(({ scheduledSeconds }) => Number((scheduledSeconds - zero).toFixed(6)))
            : [],
        lengths: run.records.map(({ clientPromptTokens }) => clientPromptTokens),
      });
      const [health] = run.manifest.health;
      expect(health?.workers?.length ?? 1).toBe(count);
      if (count > 1) expect(health!.workers!.every(({ requests }) => requests > 0)).toBe(true);
      if (kind === 'closed') expect([server.most(), health!.maxInFlight]).toEqual([7, 7]);
    }
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).toEqual(runs[0]);
  });

  it('times of all threads count from the run’s zero: sent after scheduled, answered after sent', async () => {
    const sim = await startSimulator({ port: 0, ttftSeconds: 0.02, tokenSeconds: 0.002 });
    const run = await h.ran(configOf({ url: sim.url }), workers(3));
    await sim.close();
    for (const record of run.records) {
      expect(record.sentSeconds! - record.scheduledSeconds).toBeGreaterThan(-0.001);
      expect(record.sentSeconds! - record.scheduledSeconds).toBeLessThan(0.5);
      const ttft = record.firstTokenSeconds! - record.sentSeconds!;
      expect(ttft).toBeGreaterThan(0.015);
      expect(ttft).toBeLessThan(0.5);
    }
  });

  it('a conversation stays with one thread, and carries what was said', async () => {
    const sim = await startSimulator({ port: 0, ttftSeconds: 0.005, tokenSeconds: 0.001 });
    const data = `{ type: conversation_replay, conversation_replay: { num_conversations: 4, shared_system_prompt_len: 20,
      turns_per_conversation: { type: fixed, mean: 3 }, input_tokens_per_turn: { type: fixed, mean: 6 },
      output_tokens_per_turn: { type: fixed, mean: 5 } } }`;
    const load = '{ type: constant, interval: 0, num_workers: 4, stages: [{ rate: 24, duration: 1 }] }';
    const config = configOf({ url: sim.url, load, data, tokenizer: SAMPLE_TOKENIZER });
    const { records, manifest } = await h.ran(config, workers(2));
    await sim.close();
    expect(manifest.health[0]!.workers).toHaveLength(2);
    expect(records.map(({ usage }) => usage?.promptTokens)).toEqual(records.map((record) => record.askedPromptTokens));
  });
});

describe('the cap in flight of an open loop', () => {
  it('is one for all threads: exact, used up, and in planned order', async () => {
    const server = await recorder(40);
    const load = `{ type: constant, interval: 0, num_workers: 1, worker_max_concurrency: 4, stages: [{ rate: 200, duration: 1 }] }`;
    const { manifest, records } = await h.ran(configOf({ url: server.url, load }), workers(3));
    server.server.close();
    expect(manifest.counts).toMatchObject({ planned: 200, ok: 200 });
    expect([server.most(), manifest.health[0]!.maxInFlight, manifest.health[0]!.inFlightCap]).toEqual([4, 4, 4]);
    expect(manifest.health[0]!.reasons.join()).toContain('cap of 4');
    // 200 requests through 4 slots of some 40 ms each: a slot does not stay free for long.
    const span = records.at(-1)!.endSeconds! - records[0]!.sentSeconds!;
    expect(span).toBeGreaterThan(1.9);
    expect(span).toBeLessThan(6);
    const order = [...records].sort((a, b) => a.sentSeconds! - b.sentSeconds!).map(({ id }) => id);
    const displaced = order.map((id, position) => Math.abs(id - position));
    expect(Math.max(...displaced)).toBeLessThan(8);
  });

  it('a slot goes to the request planned first, whichever thread it waits in', () => {
    const counters = new StageCounters(
      shareRequests(
        [
          { id: 0, body: '' },
          { id: 1, body: '' },
        ] as never,
        3,
      ),
    );
    expect([counters.takeSlot(0, 10, 2), counters.takeSlot(1, 11, 2)]).toEqual([true, true]);
    expect([counters.takeSlot(2, 13, 2), counters.takeSlot(1, 12, 2)]).toEqual([false, false]);
    counters.freeSlot();
    expect(counters.takeSlot(2, 13, 2)).toBe(false);
    expect(counters.takeSlot(0, 14, 2)).toBe(false);
    expect(counters.takeSlot(1, 12, 2)).toBe(true);
    counters.freeSlot();
    expect(counters.takeSlot(0, 14, 2)).toBe(false);
    expect(counters.takeSlot(2, 13, 2)).toBe(true);
    counters.freeSlot();
    expect(counters.takeSlot(0, 14, 2)).toBe(true);
  });
});

describe('stopping', () => {
  it('a graceful stop reaches every thread; planned = ok + cancelled + not sent', async () => {
    const server = await recorder(200);
    const stop = new StopControl();
    const load = '{ type: constant, interval: 0, num_workers: 4, stages: [{ rate: 50, duration: 20 }] }';
    const running = h.ran(configOf({ url: server.url, load }), { ...workers(2), stop });
    await sleep(1500);
    stop.stop('stopped by the test', false);
    const { manifest, records } = await running;
    server.server.close();
    const { planned, ok, failed, cancelled, notSent } = manifest.counts!;
    expect([planned, ok + failed + cancelled + notSent, records.length]).toEqual([1000, 1000, 1000]);
    expect(ok).toBeGreaterThan(10);
    expect(notSent).toBeGreaterThan(500);
    expect([failed, cancelled]).toEqual([0, 0]);
    expect(manifest).toMatchObject({ state: 'incomplete', stateReason: 'stopped by the test' });
  });

  it('at once cancels what is in flight in every thread', async () => {
    const server = await recorder(60_000);
    const stop = new StopControl();
    const load = '{ type: concurrent, interval: 0, stages: [{ num_requests: 40, concurrency_level: 6 }] }';
    const running = h.ran(configOf({ url: server.url, load }), { ...workers(2), stop });
    while (server.bodies.length < 6) await sleep(20);
    stop.stop('stopped by the test', true);
    const { manifest } = await running;
    server.server.closeAllConnections();
    server.server.close();
    expect(manifest.counts).toEqual({ planned: 40, ok: 0, failed: 0, cancelled: 6, notSent: 34 });
  });

  it('a circuit breaker sees the records of all threads', async () => {
    const server = createServer((_, response) => {
      response.writeHead(429).end('slow down');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const load = `{ type: constant, interval: 0, num_workers: 4, circuit_breakers: [storm], stages: [{ rate: 100, duration: 5 }] }`;
    const breaker = `circuit_breakers: [{ name: storm, metrics: { matches: ["error.error_type == 'HTTP Error 429'"], rules: [] },
      triggers: [{ type: consecutive, threshold: 20 }] }]\n`;
    const { manifest } = await h.ran(configOf({ url, load }) + breaker, workers(2));
    server.close();
    const { planned, ok, failed, cancelled, notSent } = manifest.counts!;
    expect([planned, ok + failed + cancelled + notSent]).toEqual([500, 500]);
    expect(failed).toBeGreaterThanOrEqual(20);
    expect(failed).toBeLessThan(400);
    expect(manifest.stateReason).toContain('storm');
  });
});

describe('a thread that dies', () => {
  it('has its requests in flight recorded as failed and the rest as not sent, and ends the run with the reason', async () => {
    const server = await recorder(300);
    const load = '{ type: constant, interval: 0, num_workers: 4, stages: [{ rate: 60, duration: 10 }] }';
    const { manifest, records, invalid } = await h.ran(configOf({ url: server.url, load }), workers(2, dying));
    server.server.closeAllConnections();
    server.server.close();
    const { planned, ok, failed, cancelled, notSent } = manifest.counts!;
    expect([planned, ok + failed + cancelled + notSent]).toEqual([600, 600]);
    expect(failed).toBeGreaterThan(0);
    expect(notSent).toBeGreaterThan(300);
    const failures = records.filter(({ outcome }) => outcome.kind === 'failed');
    for (const { outcome, attemptedSeconds } of failures) {
      expect(outcome).toMatchObject({ label: 'worker crashed', errorType: 'WorkerCrashed' });
      expect(attemptedSeconds).toBeGreaterThan(0);
    }
    expect(manifest.stateReason).toContain('out of luck');
    expect(invalid).toContain('incomplete');
  });

  it('at its start leaves the load to the engine’s own loop, and says so', async () => {
    const server = await recorder(5);
    const { manifest } = await h.ran(configOf({ url: server.url }), workers(2, stillborn));
    server.server.close();
    expect(manifest.runtime.workers).toBe(1);
    expect(manifest.counts).toMatchObject({ planned: 40, ok: 40 });
    expect(manifest.problems.find(({ code }) => code === 'RUN026')?.message).toContain('no room');
  });
});

describe('how a stage is dealt', () => {
  const requests = (count: number, more: (index: number) => object = () => ({})): never =>
    Array.from({ length: count }, (_, id) => ({ id, ...more(id) })) as never;
  const closed = { pacing: { kind: 'closed', concurrency: 5 } } as const;
  const open = (count: number) =>
    ({ pacing: { kind: 'open', offsets: Float64Array.from({ length: count }, (_, i) => i), inFlightCap: 7 } }) as const;

  it('caps are split without loss, and no thread is without a slot', () => {
    const shares = dealStage({ plan: closed, requests: requests(100) }, 3);
    expect(shares.map(({ pacing }) => pacing.kind === 'closed' && pacing.concurrency)).toEqual([2, 2, 1]);
    expect(dealStage({ plan: closed, requests: requests(100) }, 8)).toHaveLength(5);
    const parts = dealStage({ plan: open(20), requests: requests(20) }, 3);
    // An open loop's cap is one for all threads.
    expect(parts.map(({ pacing }) => pacing.kind === 'open' && pacing.inFlightCap)).toEqual([7, 7, 7]);
    expect(dealStage({ plan: open(20), requests: requests(20) }, 9)).toHaveLength(7);
    expect(parts.flatMap(({ indices }) => [...indices]).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => index),
    );
    for (const { indices, pacing } of parts)
      expect(pacing.kind === 'open' && [...pacing.offsets]).toEqual([...indices]);
  });

  it('a session is never split; conversations in a closed loop are not dealt at all', () => {
    const sessions = requests(30, (index) => ({ sessionId: `s${index % 4}` }));
    const parts = dealStage({ plan: open(30), requests: sessions }, 3);
    for (const session of [0, 1, 2, 3]) {
      const holders = parts.filter(({ indices }) => [...indices].some((index) => index % 4 === session));
      expect(holders).toHaveLength(1);
    }
    const turns = requests(30, (index) => ({ turn: { conversation: index % 4 } }));
    expect(whyNotDealt({ plan: closed, requests: turns })).toContain('closed loop');
    expect(whyNotDealt({ plan: open(30), requests: turns })).toBeUndefined();
    expect(whyNotDealt({ plan: closed, requests: requests(1) })).toContain('one request');
  });
});

describe('how many threads', () => {
  const stage = (rate: number, maxTokens: number): never =>
    ({
      plan: {
        pacing: { kind: 'open', offsets: Float64Array.from({ length: rate * 10 }, (_, i) => i / rate), inFlightCap: 9 },
        requestedDurationSeconds: 10,
      },
      requests: Array.from({ length: rate * 10 }, (_, id) => ({ id, maxTokens })),
    }) as never;
  const here = { cores: 32, isStreaming: true, connectionLimit: Infinity };

  it('auto: one for a small load, more as the planned tokens grow, never more than the cores less one', () => {
    expect(chooseWorkers('auto', [stage(10, 100)], here).count).toBe(1);
    expect(chooseWorkers('auto', [stage(100, 290)], here).count).toBe(3);
    const few = chooseWorkers('auto', [stage(100, 290)], { ...here, cores: 2 });
    expect([few.count, few.reason]).toEqual([1, few.reason.replace(/;.*/, '; one less than the 2 cores')]);
    expect(chooseWorkers('auto', [stage(100, 290)], { ...here, cores: 1 }).count).toBe(1);
    expect(chooseWorkers(5, [stage(10, 1)], { ...here, cores: 2 }).count).toBe(5);
  });

  it('answers in one piece cost a request each, whatever their length', () => {
    expect(chooseWorkers('auto', [stage(100, 290)], { ...here, isStreaming: false }).count).toBe(1);
    expect(chooseWorkers('auto', [stage(1200, 290)], { ...here, isStreaming: false }).count).toBe(2);
  });

  it('never more than there is work or connections for, and the reason says so', () => {
    const most = chooseWorkers(20, [stage(10, 1)], here);
    expect([most.count, most.reason]).toEqual([9, 'asked for; no more than 9 requests can be in flight at once']);
    const limited = chooseWorkers(5, [stage(10, 1)], { ...here, connectionLimit: 2 });
    expect([limited.count, limited.reason]).toEqual([2, 'asked for; no more than 2 connections may be open']);
  });

  it('one where stages cannot be shared, whoever asked for more', () => {
    const talk = {
      plan: { pacing: { kind: 'closed', concurrency: 2000 } },
      requests: Array.from({ length: 4000 }, (_, id) => ({ id, maxTokens: 9, turn: { conversation: id % 7 } })),
    } as never;
    for (const asked of ['auto', 4] as const) {
      const { count, reason } = chooseWorkers(asked, [talk], here);
      expect(count).toBe(1);
      expect(reason).toContain('closed loop');
    }
  });
});
