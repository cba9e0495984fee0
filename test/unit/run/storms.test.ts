// Servers that go wrong while a run is on: every planned request is accounted for, and the report says what happened.
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FinishedRun } from '../../../src/run';
import { runNotices } from '../../../src/cli/run-notices';
import { configOf, harness, readJson, type Harness } from './harness';

let h: Harness;
let server: Server | undefined;
beforeEach(() => {
  h = harness();
});
afterEach(() => {
  h.remove();
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

const event = (token: string, more: object = {}): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, text: token }], ...more })}\n\n`;
const END = `data: ${JSON.stringify({ choices: [{ index: 0, text: '', finish_reason: 'length' }] })}\n\ndata: [DONE]\n\n`;

/** Answers GETs as a model server does, and hands POSTs to `answer` with their number. */
async function serve(answer: (response: ServerResponse, number: number) => void): Promise<string> {
  let number = 0;
  const listener: RequestListener = (request, response) => {
    if (request.url === '/tokenize') response.writeHead(404).end();
    else if (request.method !== 'POST') response.end('{"object":"list","data":[{"id":"m"}]}');
    else request.resume().on('end', () => answer(response, number++));
  };
  server = createServer(listener);
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function stream(response: ServerResponse, ...parts: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const part of parts) response.write(part);
}

function accounted({ manifest, records }: FinishedRun & { records: readonly unknown[] }, planned: number): void {
  const { ok, failed, cancelled, notSent } = manifest.counts!;
  expect([manifest.counts!.planned, ok + failed + cancelled + notSent, records.length]).toEqual([
    planned,
    planned,
    planned,
  ]);
}

const RATE = '{ type: constant, interval: 0, num_workers: 1, stages: [{ rate: 60, duration: 2 }] }';

describe('a storm of 429', () => {
  it('without a breaker: each refusal is a failure with its label, what was answered is measured', async () => {
    const url = await serve((response, number) => {
      if (number >= 20 && number < 100) response.writeHead(429).end('{"error":{"message":"slow down"}}');
      else stream(response, event('a'), event('b'), END);
      response.end();
    });
    const run = await h.ran(configOf({ url, load: RATE }));
    accounted(run, 120);
    expect(run.manifest.counts).toMatchObject({ ok: 40, failed: 80, notSent: 0 });
    expect(run.manifest.state).toBe('complete');
    const summary = readJson(run.folder, 'summary_lifecycle_metrics.json') as {
      successes: { count: number };
      failures: { count: number; by_label: Record<string, { count: number }> };
    };
    expect([summary.successes.count, summary.failures.count]).toEqual([40, 80]);
    expect(summary.failures.by_label['429 - Rate Limit']!.count).toBe(80);
  });

  it('with a breaker: the run stops with its name, the rest is not sent', async () => {
    const url = await serve((response) => response.writeHead(429).end());
    const load = RATE.replace('num_workers: 1', 'num_workers: 1, circuit_breakers: [storm]');
    const breaker = `circuit_breakers: [{ name: storm, metrics: { matches: ["error.error_type == 'HTTP Error 429'"], rules: [] },
      triggers: [{ type: consecutive, threshold: 10 }] }]\n`;
    const run = await h.ran(configOf({ url, load }) + breaker);
    accounted(run, 120);
    expect(run.manifest.counts!.notSent).toBeGreaterThan(60);
    expect(run.manifest).toMatchObject({
      state: 'incomplete',
      stateReason: expect.stringContaining('storm') as string,
    });
    expect(run.invalid).toContain('incomplete');
  });
});

describe('usage that grows with every event', () => {
  it('counts by its last value, once', async () => {
    const usage = (tokens: number): object => ({
      usage: { prompt_tokens: 9, completion_tokens: tokens, total_tokens: 9 + tokens },
    });
    const url = await serve((response) => {
      stream(response, event('a', usage(1)), event('b', usage(2)), event('c', usage(3)), END);
      response.end();
    });
    const run = await h.ran(configOf({ url }));
    accounted(run, 40);
    expect(run.records.every((record) => record.usage?.completionTokens === 3)).toBe(true);
    expect(run.records.every(({ chunkSeconds }) => chunkSeconds.length === 3)).toBe(true);
    expect(run.summary!.successes.output_tokens).toMatchObject({ total: 120, mean: 3 });
  });
});

describe('answers that end at once', () => {
  it('with finish reason stop and no token are answers of length 0, named, without a time to first token', async () => {
    const url = await serve((response) => {
      stream(response, END.replace('"length"', '"stop"'));
      response.end();
    });
    const run = await h.run(configOf({ url, load: RATE }));
    if (run.kind !== 'ran') throw new Error('refused');
    expect(run.run.manifest).toMatchObject({
      state: 'complete',
      counts: { ok: 120, failed: 0 },
      answers: { empty: 120 },
    });
    expect(run.run.invalid).toBeUndefined();
    expect(run.run.summary!.successes.latency.time_to_first_token).toBeNull();
    const said = run.problems.find(({ code }) => code === 'RUN049')!;
    expect(said.message).toMatch(/^120 of 120 answers ended at once/);
    // ignore_eos was sent: nobody is told to set what is set.
    expect(said.remedy).not.toContain('Set server.ignore_eos');
    const notices = (await runNotices(run.run.folder, h.folder)).map(({ message }) => message).join('\n');
    expect(notices).not.toContain('were not streamed');
  });
});

describe('streams that hang', () => {
  it('end at the request timeout with what had come, and hold up nobody else', async () => {
    const url = await serve((response, number) => {
      stream(response, event('a'), event('b'));
      if (number % 4 !== 0) response.end(END);
    });
    const load = RATE.replace('interval: 0', 'interval: 0, request_timeout: 0.6');
    const run = await h.ran(configOf({ url, load }));
    accounted(run, 120);
    expect(run.manifest.counts).toMatchObject({ ok: 90, failed: 30 });
    const hung = run.records.filter(({ outcome }) => outcome.kind === 'failed');
    for (const { outcome, chunkSeconds, sentSeconds, endSeconds } of hung) {
      expect(outcome).toMatchObject({ label: 'Timeout', message: expect.stringMatching(/2 token events/) as string });
      expect(chunkSeconds).toHaveLength(2);
      // The timeout counts from the attempt; opening the connection, which is late on a busy machine, is before the sending.
      expect(endSeconds! - sentSeconds!).toBeGreaterThan(0.3);
    }
  });
});

describe('a server that dies', () => {
  it('in the middle of a run: what was open broke, what came after found nobody, all is kept', async () => {
    const sockets = new Set<Socket>();
    let answered = 0;
    const url = await serve((response) => {
      if (++answered <= 40) {
        stream(response, event('a'), event('b'), END);
        response.end();
        return;
      }
      stream(response, event('a'));
      if (answered < 45) return;
      server!.close();
      for (const socket of sockets) socket.destroy();
    });
    server!.on('connection', (socket: Socket) => {
      sockets.add(socket);
    });
    const run = await h.ran(configOf({ url, load: RATE }));
    accounted(run, 120);
    const { ok, failed, notSent, cancelled } = run.manifest.counts!;
    expect([ok, failed, notSent, cancelled]).toEqual([40, 80, 0, 0]);
    const labels = new Set(run.records.flatMap(({ outcome }) => (outcome.kind === 'failed' ? [outcome.label] : [])));
    expect([...labels].every((label) => /connection|closed|reset|ended/i.test(label))).toBe(true);
    expect(run.manifest.state).toBe('complete');
  });

  it('whose name does not resolve is refused before anything is sent, with the name', async () => {
    const result = await h.run(configOf({ url: 'http://no-such-host.invalid:8000' }));
    expect(result).toMatchObject({ kind: 'refused', why: 'failed' });
    const text = result.problems.map(({ message }) => message).join('\n');
    expect(text).toMatch(/no-such-host\.invalid/);
    expect(text).toMatch(/DNS|name server|resolve/);
  });
});

describe('fewer connections than requests in flight', () => {
  it('are all that is opened; who waited for one was sent late, which is recorded', async () => {
    const open = new Set<Socket>();
    let most = 0;
    const url = await serve((response) => {
      setTimeout(() => {
        stream(response, event('a'), END);
        response.end();
      }, 100);
    });
    server!.on('connection', (socket: Socket) => {
      most = Math.max(most, open.add(socket).size);
      socket.on('close', () => open.delete(socket));
    });
    const load = `{ type: concurrent, interval: 0, num_workers: 1, worker_max_concurrency: 8, worker_max_tcp_connections: 2,
      stages: [{ num_requests: 16, concurrency_level: 8 }] }`;
    // Reading /metrics beside the load takes a connection of its own.
    const run = await h.ran(configOf({ url, load }), { serverMetrics: false });
    accounted(run, 16);
    expect(most).toBe(2);
    expect(run.manifest.counts!.ok).toBe(16);
    expect(run.records.filter((record) => record.sentSeconds! - record.scheduledSeconds > 0.09).length).toBeGreaterThan(
      8,
    );
    expect(run.manifest.problems.some(({ code }) => code === 'RUN033')).toBe(true);
  });
});

describe('the server’s own metrics', () => {
  it('are not asked for when the run was told so, which its report says', async () => {
    const asked: string[] = [];
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.method !== 'POST') {
        response.end(request.url === '/metrics' ? 'vllm:num_requests_running 1\n' : '{"data":[{"id":"m"}]}');
        return;
      }
      request.resume().on('end', () => {
        stream(response, event('a'), END);
        response.end();
      });
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const silent = await h.ran(configOf({ url }), { serverMetrics: false });
    expect(asked).not.toContain('/metrics');
    expect(silent.manifest.serverMetrics).toBeUndefined();
    expect(readJson(path.join(silent.folder), 'run.json')).not.toHaveProperty('serverMetrics');
    await h.ran(configOf({ url }), { out: 'second' });
    expect(asked).toContain('/metrics');
  });
});
