// load.request_retries from the config to the reports and the judgement: one record a request, its attempts counted.
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { diskFolder } from '../../../src/cli/folder';
import { compare } from '../../../src/comparability/compare';
import { factsOf } from '../../../src/readers/facts-of';
import { readRun } from '../../../src/readers/read';
import type { Run } from '../../../src/readers/run';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { configOf, harness, readJson, type Harness } from './harness';

let flaky: Server;
let steady: Simulator;
let h: Harness;

/** In front of the simulator: of the requests that come, every third finds its connection cut before an answer. */
function cutting(target: string): Server {
  let seen = 0;
  return createServer((incoming, outgoing) => {
    if (incoming.method === 'POST' && seen++ % 3 === 0) {
      incoming.socket.destroy();
      return;
    }
    const { method, url, headers } = incoming;
    const onward = request(`${target}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
}

beforeAll(async () => {
  steady = await startSimulator({ port: 0, ttftSeconds: 0.005, tokenSeconds: 0.001 });
  flaky = cutting(steady.url);
  await new Promise<void>((resolve) => flaky.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  flaky.closeAllConnections();
  flaky.close();
  await steady.close();
});
beforeEach(() => {
  h = harness();
});
afterEach(() => {
  h.remove();
});

const address = (): string => `http://127.0.0.1:${(flaky.address() as AddressInfo).port}`;

const config = (url: string, retries: number): string =>
  configOf({
    url,
    load: `{ type: constant, interval: 0, num_workers: 1, request_retries: ${retries}, request_retry_backoff_sec: 0.002, stages: [{ rate: 60, duration: 1 }] }`,
  });

async function opened(folder: string): Promise<Run> {
  const read = await readRun(diskFolder('report', folder));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

type Info = { info: { retries_attempted?: number; retries_recovered?: boolean; retry_wasted_sec?: number } }[];
interface Summary {
  retries?: Record<string, number>;
  successes: { count: number };
  failures: { count: number };
}

describe('requests that are sent again', () => {
  it('are one record each, and are counted in reports, facts and findings', async () => {
    const { records, folder } = await h.ran(config(address(), 8));
    expect(records).toHaveLength(60);
    const again = records.filter(({ retries }) => retries);
    expect(again.length).toBeGreaterThan(5);
    const recovered = again.filter(({ retries }) => retries!.recovered);
    for (const { retries, sentSeconds, endSeconds } of again) {
      expect(retries!.wastedSeconds).toBeGreaterThan(0);
      expect(retries!.wastedSeconds).toBeLessThanOrEqual(endSeconds! - sentSeconds! + 1e-6);
    }
    const summary = readJson(folder, 'summary_lifecycle_metrics.json') as Summary;
    expect(summary.retries).toMatchObject({
      requests_retried: again.length,
      attempts: again.reduce((sum, { retries }) => sum + retries!.attempts, 0),
      recovered: recovered.length,
      failed_after_retry: again.length - recovered.length,
    });
    const entries = readJson(folder, 'per_request_lifecycle_metrics.json') as Info;
    const told = entries.filter(({ info }) => info.retries_attempted !== undefined);
    expect(told).toHaveLength(again.length);
    expect(told.every(({ info }) => typeof info.retry_wasted_sec === 'number')).toBe(true);

    const run = await opened(folder);
    expect(run.records!.filter(({ retries }) => retries)).toHaveLength(again.length);
    expect(factsOf(run).retried.value?.requests).toBe(again.length);
  });

  it('make no run without faults look different, and are judged against one that had none', async () => {
    const [a, b] = [await h.ran(config(address(), 8)), await h.ran(config(steady.url, 8), { out: 'other' })];
    expect(b.records.some(({ retries }) => retries)).toBe(false);
    expect(readJson(b.folder, 'summary_lifecycle_metrics.json')).not.toHaveProperty('retries');
    expect(path.basename(b.folder)).toBe('other');
    const comparison = compare(await opened(a.folder), await opened(b.folder), { resamples: 50 });
    const finding = comparison.findings.find(({ dimension }) => dimension === 'completeness')!;
    expect(finding.state).toBe('confounds');
    expect(finding.message).toContain('sent again');
    expect(finding.pitfall).toBe('CMP102');
  });

  it('are sent once without the key', async () => {
    const { records } = await h.ran(config(address(), 0));
    expect(records.some(({ retries }) => retries)).toBe(false);
    expect(records.some(({ outcome }) => outcome.kind === 'failed')).toBe(true);
  });
});
