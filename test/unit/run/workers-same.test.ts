// A run with sending threads and the same run without: the same bytes to the server, and records and reports of the same make.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunOptions } from '../../../src/run';
import { configOf, harness, SAMPLE_TOKENIZER, type ConfigParts } from './harness';
import { bundleWorker } from './worker-bundle';

const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-same-'));
const worker = path.join(folder, 'load-worker.js');
let server: Server;
let url: string;
/** What came, each request as it was on the wire; the port of the connection is no part of it. */
let wire: string[] = [];

beforeAll(async () => {
  await bundleWorker(worker);
  server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.end('{"object":"list","data":[{"id":"m"}]}');
      return;
    }
    let body = '';
    request.setEncoding('latin1').on('data', (text: string) => (body += text));
    request.on('end', () => {
      wire.push([`${request.method} ${request.url}`, ...request.rawHeaders, '', body].join('\n'));
      // How long an answer is depends on its request alone.
      const words = 2 + (body.length % 3);
      const events = Array.from({ length: words }, (_, index) => `{"choices":[{"text":" w${index}"}]}`);
      const usage = `{"choices":[],"usage":{"prompt_tokens":${body.length % 97},"completion_tokens":${words}}}`;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end([...events, usage, '[DONE]'].map((event) => `data: ${event}\n\n`).join(''));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Names of a JSON value's keys, whatever the figures: lists count by their first entry. */
function make(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [make(value[0])];
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, make(part)]));
}

/** What of a run must not depend on the number of threads. */
async function told(parts: Omit<ConfigParts, 'url'>, count: number) {
  wire = [];
  const h = harness();
  try {
    const options: Partial<RunOptions> = { workers: { count, file: worker }, apiKey: 'a-key-of-the-test' };
    const run = await h.ran(configOf({ ...parts, url, tokenizer: SAMPLE_TOKENIZER }), options);
    const { manifest, records } = run;
    expect(manifest.counts).toMatchObject({ ok: records.length, planned: records.length });
    expect(manifest.runtime.workers).toBe(count);
    const reports = readdirSync(run.folder).filter((name) => name.endsWith('_metrics.json'));
    const zeros = manifest.stages.map(({ startSeconds }) => startSeconds!);
    const isOpen = manifest.stages.every(({ requestedConcurrency }) => requestedConcurrency === undefined);
    return {
      wire: [...wire].sort(),
      workload: manifest.workload,
      records: records.map((record) => ({
        keys: Object.keys(record),
        id: record.id,
        stage: record.stage,
        adapter: record.adapter,
        promptHash: record.promptHash,
        lengths: [record.requestBytes, record.maxTokens, record.askedPromptTokens, record.clientPromptTokens],
        answer: [record.usage, record.outcome, record.clientOutputTokens, record.finishReason],
        scheduled: isOpen ? (record.scheduledSeconds - zeros[record.stage]!).toFixed(6) : undefined,
      })),
      reports: reports.map((name) => [name, make(JSON.parse(readFileSync(path.join(run.folder, name), 'utf8')))]),
    };
  } finally {
    h.remove();
  }
}

const STAGES = 'stages: [{ rate: 60, duration: 1 }, { rate: 40, duration: 1 }]';

describe('one thread and three', () => {
  it.each<[string, Omit<ConfigParts, 'url'>]>([
    [
      'an open loop of two stages, adapters and headers of its own',
      {
        load: `{ type: poisson, interval: 0, num_workers: 4, ${STAGES}, lora_traffic_split: [{ name: a, split: 0.25 }, { name: b/c, split: 0.75 }] }`,
        api: '{ type: completion, streaming: true, headers: { x-team: "one two" } }',
      },
    ],
    [
      'conversations in an open loop, with their session’s name',
      {
        load: `{ type: constant, interval: 0, num_workers: 4, ${STAGES} }`,
        api: '{ type: completion, streaming: true, session_id_header_key: x-session }',
        data: '{ type: shared_prefix, shared_prefix: { num_groups: 3, num_prompts_per_group: 4, system_prompt_len: 12, question_len: 6, output_len: 4, enable_multi_turn_chat: true } }',
      },
    ],
    [
      'a closed loop of two stages',
      {
        load: '{ type: concurrent, interval: 0, stages: [{ num_requests: 50, concurrency_level: 6 }, { num_requests: 31, concurrency_level: 5 }] }',
      },
    ],
  ])('%s: the same bytes to the server, records and reports of the same make', async (_name, parts) => {
    const one = await told(parts, 1);
    const three = await told(parts, 3);
    expect(one.wire.length).toBeGreaterThan(80);
    expect(one.wire[0]).toContain('a-key-of-the-test');
    expect(three.wire).toEqual(one.wire);
    expect(three).toEqual(one);
  });
});
