// A floor: no run of ours, in any mode, contradicts itself when it is imported. What accuses an honest report accuses everybody's.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { judgeReport, violated } from '../../../src/audit/identities';
import { isDisagreement } from '../../../src/audit/in-one-sentence';
import { diskFolder } from '../../../src/cli/folder';
import { summarize } from '../../../src/metrics/summarize';
import { reportOf } from '../../../src/readers/own';
import { checkAgainstSummary } from '../../../src/readers/records/open-records';
import { ownRequests } from '../../../src/readers/records/requests';
import { syntheticRun } from '../support/synthetic-run';
import { openReports } from '../../../src/readers/open';
import { completeReport } from '../../../src/readers/records/complete';
import { startSimulator } from '../../../src/simulator/server';
import { configOf, harness, SAMPLE_TOKENIZER, type ConfigParts } from './harness';

type Simulated = NonNullable<Parameters<typeof startSimulator>[0]>;

interface Mode extends Omit<ConfigParts, 'url'> {
  readonly serves?: Partial<Simulated>;
  /** In place of the simulator. */
  readonly of?: (response: ServerResponse) => void;
  readonly ignoreEos?: boolean;
  /** Lines before the config. */
  readonly head?: string;
}

const CHAT = '{ type: chat, streaming: true }';
const MOCK = '{ type: mock }';
const SPREAD =
  '{ type: random, input_distribution: { type: uniform, min: 8, max: 40, mean: 24 }, output_distribution: { type: uniform, min: 2, max: 16, mean: 9 } }';
const stages = (...each: string[]): string =>
  `{ type: constant, interval: 0, num_workers: 1, stages: [${each.map((one) => `{ ${one} }`).join(', ')}] }`;

const event = (name: string, value: object): string =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, ...value })}\n\n`;
const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Tokens every 20 ms, then nothing for a third of a second, then usage. */
async function lateUsage(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let i = 0; i < 8; i++) {
    const last = i === 7 ? { finish_reason: 'length' } : {};
    response.write(data({ model: 'm', choices: [{ index: 0, text: ` word${i}`, ...last }] }));
    await pause(20);
  }
  await pause(300);
  response.write(data({ model: 'm', choices: [], usage: { prompt_tokens: 16, completion_tokens: 8 } }));
  response.end('data: [DONE]\n\n');
}

/** Anthropic's Messages API, usage in two parts and at the very end. */
async function messages(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(event('message_start', { message: { model: 'm', usage: { input_tokens: 9, output_tokens: 1 } } }));
  for (let i = 0; i < 6; i++) {
    await pause(15);
    response.write(event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: ` word${i}` } }));
  }
  response.write(event('message_delta', { delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 6 } }));
  response.end(event('message_stop', {}));
}

const MODES: Readonly<Record<string, Mode>> = {
  'a completion': {},
  'a completion, client tokenizer and server usage': { tokenizer: SAMPLE_TOKENIZER, data: SPREAD },
  'chat with a template': { api: CHAT, data: MOCK, tokenizer: SAMPLE_TOKENIZER, serves: { templateTokens: 14 } },
  'chat with a template, no tokenizer': { api: CHAT, data: MOCK, serves: { templateTokens: 14 } },
  'streaming off': { api: '{ type: completion, streaming: false }', tokenizer: SAMPLE_TOKENIZER },
  'chat, streaming off': { api: '{ type: chat, streaming: false }', data: MOCK },
  reasoning: { api: CHAT, data: MOCK, serves: { reasoningTokens: 8 } },
  'reasoning, client tokenizer': { api: CHAT, data: MOCK, tokenizer: SAMPLE_TOKENIZER, serves: { reasoningTokens: 8 } },
  'reasoning that never comes to content': { api: CHAT, data: MOCK, serves: { reasoningTokens: 100 } },
  'usage missing': { serves: { usage: false }, tokenizer: SAMPLE_TOKENIZER, data: SPREAD },
  'usage missing, nobody counts': { serves: { usage: false, tokenizeRoute: 'none' } },
  'several tokens a chunk': { serves: { tokensPerChunk: 3 }, tokenizer: SAMPLE_TOKENIZER },
  'answers that end early': { ignoreEos: false, serves: { eosMean: 4 }, data: SPREAD },
  'answers of which many are empty': { ignoreEos: false, serves: { eosMean: 1 }, data: SPREAD },
  'many empty answers, usage late, client tokenizer': {
    ignoreEos: false,
    serves: { eosMean: 2, tokensPerChunk: 2 },
    tokenizer: SAMPLE_TOKENIZER,
    data: SPREAD,
  },
  'long and short answers': {
    ignoreEos: false,
    serves: { eosMean: 10, tokenSeconds: 0.01, ttftSeconds: 0.2 },
    data: '{ type: random, input_distribution: { type: fixed, mean: 16 }, output_distribution: { type: uniform, min: 1, max: 60, mean: 30 } }',
  },
  'a server that ignores ignore_eos, and gives no finish reason': {
    serves: { eosMean: 3, ignoreEos: 'ignore', finishReason: false },
  },
  'answers of one token': {
    data: '{ type: random, input_distribution: { type: fixed, mean: 16 }, output_distribution: { type: fixed, mean: 1 } }',
  },
  'a closed loop': {
    load: '{ type: concurrent, num_workers: 1, stages: [{ concurrency_level: 4, num_requests: 24 }] }',
  },
  'stages of two rates': { load: stages('rate: 8, duration: 1', 'rate: 16, duration: 1'), data: SPREAD },
  'poisson arrivals': { load: '{ type: poisson, interval: 0, num_workers: 1, stages: [{ rate: 15, duration: 1 }] }' },
  'a warm-up stage': {
    load: '\n  type: constant\n  interval: 0\n  num_workers: 1\n  stages:\n    # isoperf: warmup\n    - { rate: 10, duration: 1 }\n    - { rate: 15, duration: 1 }',
    data: SPREAD,
  },
  'a deadline that cancels': { head: '# isoperf: deadline=0.5, grace=0.1\n', serves: { tokenSeconds: 0.05 } },
  'a prefix cache': {
    serves: { prefixCache: true, prefillSecondsPerToken: 0.0002 },
    data: '{ type: shared_prefix, shared_prefix: { num_groups: 2, num_prompts_per_group: 5, system_prompt_len: 20, question_len: 10, output_len: 8 } }',
  },
  'turns of conversations': {
    data: '{ type: shared_prefix, shared_prefix: { num_groups: 2, num_prompts_per_group: 5, system_prompt_len: 20, question_len: 10, output_len: 8, enable_multi_turn_chat: true } }',
    tokenizer: SAMPLE_TOKENIZER,
  },
  'images, videos and sounds': {
    api: CHAT,
    data: '{ type: synthetic, input_distribution: { type: fixed, mean: 12 }, output_distribution: { type: fixed, mean: 7 }, multimodal: { image: { count: { type: uniform, min: 0, max: 3 } }, video: { count: { type: fixed, mean: 1 }, representation: png_frames }, audio: { count: { type: fixed, mean: 1 } } } }',
    tokenizer: SAMPLE_TOKENIZER,
  },
  errors: { serves: { faultRate: 0.4, faultKinds: ['http429', 'http500', 'truncate', 'error-in-stream', 'empty'] } },
  'errors alone': { serves: { faultRate: 1, faultKinds: ['http503'] } },
  'usage that comes late': { of: (response) => void lateUsage(response), data: SPREAD },
  'usage that comes late, client tokenizer': {
    of: (response) => void lateUsage(response),
    tokenizer: SAMPLE_TOKENIZER,
  },
  'Anthropic’s API': { api: '{ type: anthropic_messages, streaming: true }', data: MOCK, of: (r) => void messages(r) },
  'Anthropic’s API, client tokenizer': {
    api: '{ type: anthropic_messages, streaming: true }',
    data: MOCK,
    tokenizer: SAMPLE_TOKENIZER,
    of: (response) => void messages(response),
  },
};

const closing: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

async function served({ serves, of }: Mode): Promise<string> {
  if (!of) {
    const simulator = await startSimulator({
      port: 0,
      models: ['m'],
      ttftSeconds: 0.02,
      tokenSeconds: 0.015,
      ...serves,
    });
    closing.push(() => simulator.close());
    return simulator.url;
  }
  const server: Server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (request.method === 'POST') of(response);
      else response.writeHead(404).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Everything the run says against itself. */
async function contradictions(mode: Mode): Promise<string[]> {
  const h = harness();
  closing.push(() => {
    h.remove();
    return Promise.resolve();
  });
  const url = await served(mode);
  const { load, api, data: prompts, tokenizer, report, ignoreEos, head = '' } = mode;
  const parts = Object.entries({ load, api, data: prompts, tokenizer, report }).filter(
    ([, part]) => part !== undefined,
  );
  const eos = ignoreEos === undefined ? '' : `, ignore_eos: ${ignoreEos}`;
  const server = `{ type: vllm, model_name: m, base_url: "${url}"${eos} }`;
  const { folder } = await h.ran(
    `${head}${configOf({ load: stages('rate: 15, duration: 1'), ...Object.fromEntries(parts), url, server })}`,
  );
  const opened = await openReports(diskFolder('report', folder));
  if (!opened.ok) return opened.problems.map(({ message }) => message);
  const all = await Promise.all(
    opened.value.reports.map(async (one) => {
      const { report, problems } = await completeReport(one);
      const judged = judgeReport(report);
      if (judged.identities.length === 0) return ['no identity was asked of this report'];
      const broken = violated(judged).map(({ id, scope, message }) => `${scope}, ${id}: ${message ?? ''}`);
      return [...broken, ...problems.filter(isDisagreement).map(({ message }) => message)];
    }),
  );
  return [...all.flat(), ...opened.value.problems.filter(isDisagreement).map(({ message }) => message)];
}

it('chunks that were read in one moment are no contradiction', () => {
  const run = syntheticRun();
  const records = run.records!.map((record, i) =>
    i % 10 > 0
      ? record
      : {
          ...record,
          chunkSeconds: record.chunkSeconds.map(() => record.firstTokenSeconds!),
          lastTokenSeconds: record.firstTokenSeconds!,
        },
  );
  const options = { percentiles: [50, 90, 95, 99], outputTokenSource: 'server-usage' } as const;
  const report = reportOf({ ...run, summary: summarize(records, options) });
  const streamed = { requests: ownRequests(records, 'tokens'), problems: [] };
  expect(checkAgainstSummary(report, streamed, 'records.jsonl')).toEqual([]);
});

describe.concurrent('no run of ours contradicts itself', () => {
  it.each(Object.entries(MODES))('%s', { timeout: 60_000 }, async (_name, mode) => {
    expect(await contradictions(mode)).toEqual([]);
  });
});
