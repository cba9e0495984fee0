// Schedules beyond inference-perf's, as a run makes them: directives, traces, sweeps, adapters, deadlines, breakers, SLO headers.
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LifecycleReport } from '../../../src/metrics/lifecycle';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { configOf, harness, readJson, type Harness } from './harness';

let h: Harness;
let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator({ port: 0, models: ['m', 'a', 'b/c'], ttftSeconds: 0.01, tokenSeconds: 0.002 });
});
afterAll(() => sim.close());
afterEach(() => {
  h.remove();
});

const scheduled = (records: readonly { scheduledSeconds: number }[]): number[] => {
  const first = records[0]!.scheduledSeconds;
  return records.map((record) => Number((record.scheduledSeconds - first).toFixed(6)));
};

describe('arrivals by directive', () => {
  it('even: equal gaps, by its name', async () => {
    h = harness();
    const run = await h.ran(`# isoperf: arrivals=even\n${configOf({ url: sim.url })}`);
    expect(scheduled(run.records)).toEqual(Array.from({ length: 40 }, (_, index) => index / 40));
    expect(run.manifest.stages[0]!.arrivalLaw).toBe('even');
    expect(run.manifest.stages[0]!.gapCv).toBeDefined();
  });

  it('a stage’s own directive wins over the document’s', async () => {
    h = harness();
    const load = `
  type: constant
  interval: 0
  num_workers: 1
  stages:
    - { rate: 20, duration: 1 } # isoperf: arrivals=burst:5
    - { rate: 10, duration: 1 }`;
    const { manifest, records } = await h.ran(`# isoperf: arrivals=burst\n${configOf({ url: sim.url, load })}`);
    expect(manifest.stages.map(({ arrivalLaw }) => arrivalLaw)).toEqual(['burst-groups-of-5', 'burst-all-at-once']);
    const [first, second] = [0, 1].map((id) => scheduled(records.filter(({ stage }) => stage === id)));
    expect(first).toEqual([0, 0.25, 0.5, 0.75].flatMap((at) => [at, at, at, at, at]));
    expect(new Set(second)).toEqual(new Set([0]));
  });
});

describe('trace_replay', () => {
  const load =
    '{ type: trace_replay, interval: 0, num_workers: 1, trace: { file: t.csv }, stages: [{ rate: 3, duration: 1 }] }';
  const trace =
    'TIMESTAMP,ContextTokens,GeneratedTokens\n2024-01-01 00:00:00,5,2\n2024-01-01 00:00:00.1,5,2\n2024-01-01 00:00:00.45,5,2\n';

  it('sends at the trace’s times', async () => {
    h = harness();
    writeFileSync(path.join(h.folder, 't.csv'), trace);
    const { manifest, records } = await h.ran(configOf({ url: sim.url, load }));
    expect(scheduled(records)).toEqual([0, 0.1, 0.45]);
    expect(manifest.stages[0]).toMatchObject({ arrivalLaw: 'trace', planned: 3, loadType: 'trace_replay' });
  });

  it('a stage that wants more than the trace has is refused before anything is sent', async () => {
    h = harness();
    writeFileSync(path.join(h.folder, 't.csv'), trace);
    const result = await h.run(configOf({ url: sim.url, load: load.replace('rate: 3', 'rate: 4') }));
    expect(result).toMatchObject({ kind: 'refused', why: 'unusable' });
    expect(result.problems.at(-1)).toMatchObject({ code: 'RUN040' });
  });
});

describe('sweep', () => {
  const load = (sweep: string): string => `{ type: constant, interval: 0, num_workers: 2, sweep: { ${sweep} } }`;

  it('finds the rate of a server with four slots, and keeps what it found', async () => {
    h = harness();
    // 4 slots, 20 ms + 7 x 10 ms and a tick: about 40 requests/s.
    const small = await startSimulator({ port: 0, slots: 4, ttftSeconds: 0.03, tokenSeconds: 0.01 });
    try {
      const sweep = load('type: linear, num_requests: 400, timeout: 4, num_stages: 2, stage_duration: 1');
      const { manifest, records } = await h.ran(configOf({ url: small.url, load: sweep }));
      const found = manifest.sweep!;
      expect(found).toMatchObject({ source: 'probe', probe: { requests: 400, saturated: true } });
      expect(found.saturationRps).toBeGreaterThan(20);
      expect(found.saturationRps).toBeLessThan(50);
      expect(found.ratesRps).toEqual([1, Number(found.saturationRps!.toFixed(2))]);
      expect(manifest.stages.map(({ requestedRateRps }) => requestedRateRps)).toEqual(found.ratesRps);
      expect(records).toHaveLength(1 + Math.floor(found.ratesRps[1]!));
      expect(manifest.problems.map(({ code }) => code)).toContain('RUN047');
    } finally {
      await small.close();
    }
  }, 30_000);

  it.each([
    ['by directive', '# isoperf: sweep-rates=5 12.5\n', {}],
    ['from a run', '', { pinnedSweep: { ratesRps: [5, 12.5], source: 'a/run.json' } }],
  ])('pinned %s: no probe', async (_, head, changes) => {
    h = harness();
    const before = sim.stats().received;
    const sweep = load('type: geometric, num_requests: 1000, stage_duration: 1');
    const { manifest } = await h.ran(head + configOf({ url: sim.url, load: sweep }), changes);
    expect(manifest.sweep).toMatchObject({ ratesRps: [5, 12.5] });
    expect(manifest.sweep!.source).not.toBe('probe');
    expect(sim.stats().received - before).toBe(17);
  });

  it('a probe nobody answers', async () => {
    h = harness();
    const broken = await startSimulator({ port: 0, faultRate: 1, faultKinds: ['http500'] });
    try {
      const result = await h.run(
        configOf({ url: broken.url, load: load('type: linear, num_requests: 30, timeout: 1') }),
      );
      expect(result).toMatchObject({ kind: 'refused', why: 'failed' });
      expect(result.problems.at(-1)).toMatchObject({ code: 'RUN045' });
      expect(result.problems.at(-1)!.message).toMatch(/500/);
    } finally {
      await broken.close();
    }
  });
});

describe('LoRA split', () => {
  const load =
    '{ type: constant, interval: 0, num_workers: 1, stages: [{ rate: 100, duration: 1 }], lora_traffic_split: [{ name: a, split: 0.25 }, { name: b/c, split: 0.75 }] }';

  it('is seeded, near its shares, in the body and in the reports', async () => {
    h = harness();
    const wanted = '{ request_lifecycle: { per_request: true, per_adapter_stage: true } }';
    const adapters = [];
    for (const out of ['one', 'two']) {
      const run = await h.ran(configOf({ url: sim.url, load, report: wanted }), { out });
      adapters.push(run.records.map(({ adapter }) => adapter));
    }
    expect(adapters[0]).toEqual(adapters[1]);
    const share = adapters[0]!.filter((name) => name === 'a').length;
    expect(share).toBeGreaterThan(10);
    expect(share).toBeLessThan(45);
    const entries = readJson(h.folder, 'one', 'per_request_lifecycle_metrics.json') as {
      request: string;
      info: { lora_adapter: string };
    }[];
    for (const { request, info } of entries) expect(JSON.parse(request)).toMatchObject({ model: info.lora_adapter });
    const report = readJson(h.folder, 'one', 'adapter_b_c_lifecycle_metrics.json') as LifecycleReport;
    expect(report.successes.count).toBe(100 - share);
    expect(readJson(h.folder, 'one', 'adapter_a_stage_0_lifecycle_metrics.json')).toMatchObject({
      load_summary: { count: share },
    });
  });
});

describe('two deadlines', () => {
  it('ends its stage alone: what was not sent and what was cancelled is kept as such', async () => {
    h = harness();
    const slow = await startSimulator({ port: 0, ttftSeconds: 0.6, tokenSeconds: 0.001 });
    const load = `
  type: constant
  interval: 0
  num_workers: 1
  stages:
    # isoperf: deadline=0.5, grace=0.3, arrivals=even
    - { rate: 10, duration: 2 }
    - { rate: 5, duration: 1 }`;
    try {
      const { manifest, records, invalid } = await h.ran(configOf({ url: slow.url, load }));
      const kinds = records.filter(({ stage }) => stage === 0).map(({ outcome }) => outcome.kind);
      expect(kinds.filter((kind) => kind === 'notSent').length).toBeGreaterThanOrEqual(14);
      // Sent at 0, 0.1, ... 0.4; at 0.8 only the first two or so have had their 0.6 s.
      expect(kinds.filter((kind) => kind === 'cancelled').length).toBeGreaterThan(0);
      expect(records.filter(({ stage }) => stage === 1).every(({ outcome }) => outcome.kind === 'ok')).toBe(true);
      expect(manifest.stages.map(({ state }) => state)).toEqual(['cancelled', 'complete']);
      expect(manifest.stages[0]!.deadline).toEqual({ seconds: 0.5, graceSeconds: 0.3 });
      expect(invalid).toMatch(/incomplete: stage 0: stage deadline of 0\.5 s/);
      const reason = records.find(({ outcome }) => outcome.kind === 'notSent')!.outcome;
      expect(reason).toEqual({ kind: 'notSent', reason: 'stage deadline of 0.5 s' });
    } finally {
      await slow.close();
    }
  });
});

describe('circuit breakers', () => {
  it('stop the run, which keeps what it had', async () => {
    h = harness();
    const broken = await startSimulator({ port: 0, faultRate: 1, faultKinds: ['http500'] });
    const load =
      '{ type: constant, interval: 0, num_workers: 1, circuit_breakers: [b], stages: [{ rate: 50, duration: 4 }, { rate: 5, duration: 1 }] }';
    const breaker = `circuit_breakers: [{ name: b, metrics: { matches: ['end_time'], rules: ["error.error_type == 'HTTP Error 500'"] }, triggers: [{ type: consecutive, threshold: 5 }] }]\n`;
    try {
      const { manifest, records } = await h.ran(configOf({ url: broken.url, load }) + breaker);
      expect(manifest.state).toBe('incomplete');
      expect(manifest.stateReason).toMatch(/circuit breaker 'b' opened: 5 hits in a row/);
      const { failed, notSent, planned } = manifest.counts!;
      expect(planned).toBe(205);
      expect(records).toHaveLength(205);
      expect(failed).toBeGreaterThanOrEqual(5);
      expect(notSent).toBeGreaterThan(150);
      expect(manifest.problems.map(({ code }) => code)).toContain('RUN042');
    } finally {
      await broken.close();
    }
  });
});

describe('SLO headers', () => {
  it('are sent, recorded and judged', async () => {
    h = harness();
    const api = '{ type: completion, streaming: true, headers: { X-SLO-TTFT-MS: "0.001", x-slo-tpot-ms: "10000" } }';
    const { manifest, summary } = await h.ran(configOf({ url: sim.url, api }));
    expect(manifest.slo).toEqual({ ttftSeconds: 0.000001, tpotSeconds: 10 });
    expect(summary!.successes.goodput_metrics).toMatchObject({
      ttft_attainment_percentage: 0,
      tpot_attainment_percentage: 100,
      good_requests: 0,
    });
  });
});

describe('Anthropic Messages', () => {
  it('a run speaks it from the body to the report', async () => {
    h = harness();
    const event = (value: { type: string; [key: string]: unknown }): string =>
      `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
    const bodies: unknown[] = [];
    const server = http.createServer((request, response) => {
      let body = '';
      request.on('data', (text: Buffer) => (body += text.toString()));
      request.on('end', () => {
        if (request.method === 'GET' || request.url === '/tokenize') {
          response.writeHead(404).end();
          return;
        }
        bodies.push({ url: request.url, ...(JSON.parse(body) as object) });
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(event({ type: 'message_start', message: { usage: { input_tokens: 9, output_tokens: 1 } } }));
        response.write(event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello' } }));
        response.write(
          event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } }),
        );
        response.end(event({ type: 'message_stop' }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const api = '{ type: anthropic_messages, streaming: true }';
      const { manifest, summary } = await h.ran(configOf({ url, api, data: '{ type: mock }' }), {
        env: { HTTP_PROXY: 'http://proxy.invalid:1' },
      });
      expect(bodies[0]).toEqual({
        url: '/v1/messages',
        model: 'm',
        messages: [{ role: 'user', content: 'mock prompt 1' }],
        max_tokens: 30,
        stream: true,
      });
      expect(manifest.endpoint).toMatchObject({ route: '/v1/messages', apiType: 'anthropic_messages' });
      expect(manifest.endpoint.proxy).toBe('not used, though HTTP_PROXY is set: 127.0.0.1 is a local address');
      expect(summary!.successes.count).toBe(40);
      expect(manifest.lengths).toMatchObject({
        output: { mean: 7 },
        prompt: { mean: 9 },
        finishReasons: { end_turn: 40 },
      });
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});

describe('latency from the scheduled time', () => {
  it('stands beside latency from the send time, larger by the lateness', async () => {
    h = harness();
    // At the cap requests are sent late: what the server is given the blame for and what a user waits differ.
    const load =
      '{ type: constant, interval: 0, num_workers: 1, worker_max_concurrency: 1, stages: [{ rate: 40, duration: 1 }] }';
    const { summary } = await h.ran(configOf({ url: sim.url, load }));
    const from = summary!.isoperf!.from_scheduled_time!;
    const sent = summary!.successes.latency;
    expect(from.request_latency!['mean']!).toBeGreaterThan(sent.request_latency!['mean']!);
    const lateness = summary!.load_summary.schedule_delay!['mean']!;
    expect(from.request_latency!['mean']! - sent.request_latency!['mean']!).toBeCloseTo(lateness, 6);
    expect(from.time_to_first_token!['mean']! - sent.time_to_first_token!['mean']!).toBeCloseTo(lateness, 6);
  });
});

it('the manifest of all this is one its own schema takes', () => {
  h = harness();
  const schema = JSON.parse(
    readFileSync(path.resolve(import.meta.dirname, '../../../schemas/run-manifest.schema.json'), 'utf8'),
  ) as { properties: Record<string, unknown> };
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(['sweep', 'slo']));
});
