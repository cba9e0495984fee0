// Conversations, frozen streams and the server's own metrics through a whole run against the simulator.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import type { Problem } from '../../../src/problem';
import { configOf, harness, readJson, SAMPLE_TOKENIZER, type Harness } from './harness';

let sim: Simulator;
let h: Harness;
beforeAll(async () => {
  sim = await startSimulator({ port: 0, ttftSeconds: 0.005, tokenSeconds: 0.001 });
});
afterAll(() => sim.close());
beforeEach(() => {
  h = harness();
});
afterEach(() => {
  h.remove();
});

const concurrent =
  '{ type: concurrent, interval: 0, num_workers: 1, stages: [{ num_requests: 18, concurrency_level: 3 }] }';
const REPLAY = `{ type: conversation_replay, conversation_replay: { num_conversations: 3, shared_system_prompt_len: 40,
  turns_per_conversation: { type: fixed, mean: 3 }, input_tokens_per_turn: { type: fixed, mean: 10 },
  output_tokens_per_turn: { type: fixed, mean: 6 } } }`;

interface SavedRequest {
  readonly request: string;
  readonly response: string;
}

describe('conversation_replay', () => {
  it('the server counts exactly the planned prompt: system, what was said, what is asked', async () => {
    const run = await h.ran(configOf({ url: sim.url, load: concurrent, data: REPLAY, tokenizer: SAMPLE_TOKENIZER }));
    expect(run.records.map(({ usage }) => usage?.promptTokens)).toEqual(
      run.records.map(({ askedPromptTokens }) => askedPromptTokens),
    );
    expect(run.records.map(({ clientPromptTokens }) => clientPromptTokens)).toEqual(
      run.records.map(({ askedPromptTokens }) => askedPromptTokens),
    );
    // Three turns, then the slot begins its conversation anew.
    expect(run.records.filter(({ id }) => id % 3 === 0).map(({ askedPromptTokens }) => askedPromptTokens)).toEqual([
      50, 66, 82, 50, 66, 82,
    ]);
  });

  it('that its lengths are exact, and inference-perf’s are not, is said where tokens are counted', async () => {
    const config = configOf({ url: sim.url, load: concurrent, data: REPLAY, tokenizer: SAMPLE_TOKENIZER });
    const said = async (yaml: string, out: string): Promise<readonly Problem[]> => {
      const result = await h.run(yaml, { out });
      return result.problems.filter(({ code }) => code === 'RUN065');
    };
    const [counted] = await said(config, 'counted');
    expect(counted).toMatchObject({ severity: 'warning', path: ['data', 'conversation_replay'] });
    expect(counted!.message).toMatch(/decodes as many random ids .* some percent to a tenth longer/);
    expect(await said(configOf({ url: sim.url, load: concurrent, data: REPLAY }), 'words')).toEqual([]);
  });

  it('the saved request of a later turn holds the earlier question and the answer to it', async () => {
    const run = await h.ran(configOf({ url: sim.url, load: concurrent, data: REPLAY, tokenizer: SAMPLE_TOKENIZER }));
    const saved = readJson(run.folder, 'per_request_lifecycle_metrics.json') as SavedRequest[];
    const prompts = saved.map(({ request }) => (JSON.parse(request) as { prompt: string }).prompt);
    const first = prompts.find((prompt) => prompts.some((later) => later !== prompt && later.startsWith(`${prompt} `)));
    expect(first).toBeDefined();
    const longest = prompts.filter((prompt) => prompt.startsWith(first!)).sort((a, b) => b.length - a.length)[0]!;
    expect(longest.length).toBeGreaterThan(first!.length);
  });

  it('two runs of one seed plan one stream', async () => {
    const yaml = configOf({ url: sim.url, load: concurrent, data: REPLAY, tokenizer: SAMPLE_TOKENIZER });
    const [a, b] = [await h.ran(yaml), await h.ran(yaml)];
    expect(a.manifest.workload.fingerprint).toBe(b.manifest.workload.fingerprint);
    const other = await h.ran(yaml.replace('num_conversations: 3', 'num_conversations: 3, seed: 9'));
    expect(other.manifest.workload.fingerprint).not.toBe(a.manifest.workload.fingerprint);
  });
});

describe('shared_prefix with several turns', () => {
  it('prefix once, a new question each turn, exact lengths; upstream’s way is named', async () => {
    const data = `{ type: shared_prefix, shared_prefix: { num_groups: 1, num_prompts_per_group: 2, system_prompt_len: 30,
      question_len: 8, output_len: 5, enable_multi_turn_chat: true, seed: 1 } }`;
    const load = concurrent.replace('18', '6').replace('concurrency_level: 3', 'concurrency_level: 2');
    const run = await h.ran(configOf({ url: sim.url, load, data, tokenizer: SAMPLE_TOKENIZER }));
    const lengths = run.records.map(({ usage }) => usage?.promptTokens);
    expect(lengths).toEqual(run.records.map(({ askedPromptTokens }) => askedPromptTokens));
    expect(new Set(run.records.map(({ promptHash }) => promptHash)).size).toBe(6);
    expect(run.manifest.problems.map(({ code }) => code)).toContain('RUN062');
  });
});

describe('the server’s own metrics', () => {
  it('agree with what was sent, stage by stage, and name what the server does not have', async () => {
    const load =
      '{ type: constant, interval: 0, num_workers: 1, stages: [{ rate: 20, duration: 1 }, { rate: 10, duration: 1 }] }';
    const server = `{ type: vllm, model_name: isoperf-simulated, base_url: "${sim.url}" }`;
    const run = await h.ran(configOf({ url: sim.url, load, server }));
    const windows = run.manifest.serverMetrics!;
    expect(windows.map(({ stage, source }) => [stage, source])).toEqual([
      [undefined, 'scrape'],
      [0, 'scrape'],
      [1, 'scrape'],
    ]);
    expect(windows.map(({ metrics }) => metrics['requests']?.total)).toEqual([30, 20, 10]);
    expect(windows.map(({ metrics }) => metrics['output_tokens']?.total)).toEqual([240, 160, 80]);
    expect(windows[1]!.absent.find(({ key }) => key === 'corrupted_requests')).toEqual({
      key: 'corrupted_requests',
      lookedFor: 'vllm:corrupted_requests',
      reason: 'the server has no such metric',
    });
    expect(existsSync(path.join(run.folder, 'summary_prometheus_metrics.json'))).toBe(false);
  });

  it('Prometheus’ answers are written in inference-perf’s layout, what it does not know is left out', async () => {
    const prometheus = createServer((request, response) => {
      const query = new URL(request.url!, 'http://x').searchParams.get('query')!;
      const value = query.startsWith('sum(increase(vllm:request_success') ? '40' : undefined;
      const result = value === undefined ? [] : [{ metric: {}, value: [0, value] }];
      response.end(JSON.stringify({ status: 'success', data: { result } }));
    });
    await new Promise<void>((resolve) => prometheus.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(prometheus.address() as AddressInfo).port}`;
      const yaml = `${configOf({ url: sim.url, report: '{ prometheus: { summary: true, per_stage: true } }' })}
metrics: { type: prometheus, prometheus: { url: "${url}", scrape_interval: 1 } }
`;
      const run = await h.ran(yaml);
      for (const name of ['summary', 'stage_0']) {
        expect(readJson(run.folder, `${name}_prometheus_metrics.json`)).toEqual({
          load_summary: {},
          successes: { count: 40, request_success_count: 40 },
          failures: {},
        });
      }
      const summary = run.manifest.serverMetrics!.find((w) => w.source === 'prometheus' && w.stage === undefined)!;
      expect(summary.absent.find(({ key }) => key === 'time_to_first_token.p99')!.lookedFor).toMatch(/model_name='m'/);
    } finally {
      prometheus.close();
    }
  });
});

describe('Google Managed Prometheus', () => {
  const yaml =
    (): string => `${configOf({ url: sim.url, report: '{ prometheus: { summary: true, per_stage: false } }' })}
metrics: { type: prometheus, prometheus: { google_managed: true, scrape_interval: 1 } }
`;

  it('is asked at the project’s address with the token, which is in no report', async () => {
    const asked: [string | undefined, string | undefined][] = [];
    const google = createServer((request, response) => {
      asked.push([request.url?.split('?')[0], request.headers.authorization]);
      response.end(JSON.stringify({ status: 'success', data: { result: [{ metric: {}, value: [0, '7'] }] } }));
    });
    await new Promise<void>((resolve) => google.listen(0, '127.0.0.1', resolve));
    const env = {
      GOOGLE_OAUTH_ACCESS_TOKEN: 'token-of-nobody',
      GOOGLE_CLOUD_PROJECT: 'some-project',
      CLOUDSDK_API_ENDPOINT_OVERRIDES_MONITORING: `http://127.0.0.1:${(google.address() as AddressInfo).port}/`,
    };
    const run = await h.ran(yaml(), { env });
    google.close();
    expect(asked[0]).toEqual([
      '/v1/projects/some-project/location/global/prometheus/api/v1/query',
      'Bearer token-of-nobody',
    ]);
    expect(existsSync(path.join(run.folder, 'summary_prometheus_metrics.json'))).toBe(true);
    expect(readFileSync(path.join(run.folder, 'run.json'), 'utf8')).not.toContain('token-of-nobody');
  });

  it('without a token says which variables to set', async () => {
    const run = await h.ran(yaml());
    const note = run.manifest.problems.find(({ code }) => code === 'RUN080')!.message;
    expect(note).toMatch(/GOOGLE_OAUTH_ACCESS_TOKEN.*GOOGLE_CLOUD_PROJECT/);
  });
});

describe('the hub', () => {
  it('is asked only when downloads are allowed, with the token, and what was fetched is said and kept', async () => {
    const asked: [string | undefined, string | undefined][] = [];
    const dataset = JSON.stringify([
      {
        conversations: [
          { from: 'human', value: 'skipped' },
          { from: 'gpt', value: 'x' },
        ],
      },
      {
        conversations: [
          { from: 'human', value: 'What is it?' },
          { from: 'gpt', value: 'A thing.' },
        ],
      },
    ]);
    const mirror = createServer((request, response) => {
      asked.push([request.url, request.headers.authorization]);
      if (request.url === '/own/model/resolve/main/tokenizer.json')
        response.end(readFileSync(path.join(SAMPLE_TOKENIZER, 'tokenizer.json')));
      else if (request.url!.startsWith('/datasets/anon8231489123/')) response.end(dataset);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
    try {
      const env = {
        HF_ENDPOINT: `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`,
        HF_TOKEN: 'hf_secret',
        HF_HOME: path.join(h.folder, 'none'),
        XDG_CACHE_HOME: path.join(h.folder, 'cache'),
      };
      const yaml = configOf({ url: sim.url, tokenizer: 'own/model', data: '{ type: shareGPT }' });
      const refused = await h.run(yaml, { env });
      expect(refused.kind).toBe('refused');
      expect(refused.problems.at(-1)!.remedy).toMatch(/--download/);
      expect(asked).toEqual([]);
      const run = await h.ran(yaml, { env, download: true });
      expect(asked.map(([url]) => url)).toEqual([
        '/own/model/resolve/main/tokenizer.json',
        '/own/model/resolve/main/tokenizer_config.json',
        '/datasets/anon8231489123/ShareGPT_Vicuna_unfiltered/resolve/main/ShareGPT_V3_unfiltered_cleaned_split.json',
      ]);
      expect(new Set(asked.map(([, token]) => token))).toEqual(new Set(['Bearer hf_secret']));
      expect(run.manifest.problems.filter(({ code }) => code === 'RUN073')).toHaveLength(2);
      expect(run.manifest.tokens!.output.tokenizer!.source).toContain(path.join('cache', 'isoperf'));
      expect(JSON.stringify(run.manifest)).not.toContain('hf_secret');
      // What is in the cache is on this machine: nothing is asked again.
      await h.ran(yaml, { env });
      expect(asked).toHaveLength(3);
    } finally {
      mirror.close();
    }
  });

  it('gives cnn_dailymail part by part: the next one is fetched when the ones before are used up', async () => {
    const asked: string[] = [];
    const part = (name: string): Buffer =>
      readFileSync(path.join(import.meta.dirname, '../../fixtures/parquet', `${name}.parquet`));
    const parts: Record<string, Buffer> = { '00000': part('news-0'), '00001': part('news-1') };
    const mirror = createServer((request, response) => {
      if (request.url!.startsWith('/datasets/')) asked.push(request.url!);
      const number = /^\/datasets\/abisee\/cnn_dailymail\/resolve\/main\/3\.0\.0\/train-(\d+)-of-00003\.parquet$/.exec(
        request.url!,
      )?.[1];
      const bytes = parts[number ?? ''];
      if (bytes) response.end(bytes);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
    try {
      const env = {
        HF_ENDPOINT: `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`,
        XDG_CACHE_HOME: path.join(h.folder, 'news-cache'),
        HF_HOME: path.join(h.folder, 'none'),
      };
      const yaml = (count: number): string =>
        configOf({
          url: sim.url,
          data: '{ type: cnn_dailymail }',
          load: `{ type: concurrent, stages: [{ num_requests: ${count}, concurrency_level: 1 }] }`,
        });
      const refused = await h.run(yaml(1), { env });
      expect(refused.problems.at(-1)!.message).toContain('abisee/cnn_dailymail');
      const first = await h.ran(yaml(1), { env, download: true });
      expect(asked).toHaveLength(1);
      expect(first.manifest.problems.filter(({ code }) => code === 'RUN073')).toHaveLength(1);
      // Of six records three can be sent: without leave the second part is not fetched, and a lost third part is said.
      const offline = await h.run(yaml(2), { env });
      expect(offline.problems.find(({ code }: Problem) => code === 'RUN072')!.message).toMatch(
        /train-00001.*not downloaded/,
      );
      const second = await h.ran(yaml(3), { env, download: true });
      expect(asked).toHaveLength(2);
      expect(second.manifest.problems.find(({ code }) => code === 'RUN073')!.message).toContain('train-00001-of-00003');
      const lost = await h.run(yaml(4), { env, download: true });
      expect(lost.problems.find(({ code }: Problem) => code === 'RUN072')!.message).toMatch(
        /train-00002.*answered 404/,
      );
    } finally {
      mirror.close();
    }
  });

  it('gives the chat template where the config wants one', async () => {
    const asked: string[] = [];
    const files: Record<string, string> = {
      '/own/chat/resolve/main/tokenizer.json': readFileSync(path.join(SAMPLE_TOKENIZER, 'tokenizer.json'), 'utf8'),
      '/own/chat/resolve/main/chat_template.jinja': 'one two {{ messages[0].content }} three',
    };
    const mirror = createServer((request, response) => {
      asked.push(request.url!);
      const file = files[request.url!];
      if (file === undefined) response.writeHead(404).end();
      else response.end(file);
    });
    await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
    try {
      const env = {
        HF_ENDPOINT: `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`,
        XDG_CACHE_HOME: path.join(h.folder, 'chat-cache'),
        HF_HOME: path.join(h.folder, 'none'),
      };
      const data = `{ type: random, use_chat_template: true, input_distribution: { type: fixed, mean: 16 },
  output_distribution: { type: fixed, mean: 8 } }`;
      const yaml = configOf({ url: sim.url, tokenizer: 'own/chat', data });
      const run = await h.ran(yaml, { env, download: true });
      expect(asked.map((url) => path.basename(url))).toEqual([
        'tokenizer.json',
        'tokenizer_config.json',
        'chat_template.jinja',
      ]);
      // The server counts the template too, and nothing else.
      expect(new Set(run.records.map(({ usage }) => usage?.promptTokens))).toEqual(new Set([16]));
      expect(new Set(run.records.map(({ clientPromptTokens }) => clientPromptTokens))).toEqual(new Set([16]));
      expect(run.manifest.problems.find(({ code }) => code === 'RUN028')!.message).toContain('3 tokens of it');
      expect(run.manifest.workload.parameters).toMatchObject({ add_special_tokens: false });
    } finally {
      mirror.close();
    }
  });

  it('an answer that is not the file leaves nothing behind and says what the hub said', async () => {
    const mirror = createServer((_, response) => void response.writeHead(401).end('no'));
    await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
    try {
      const HF_ENDPOINT = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`;
      const env = { HF_ENDPOINT, XDG_CACHE_HOME: path.join(h.folder, 'cache'), HF_HOME: h.folder };
      const result = await h.run(configOf({ url: sim.url, data: '{ type: shareGPT }' }), { env, download: true });
      const problem = result.problems.find(({ code }: Problem) => code === 'RUN072')!;
      expect(problem.message).toMatch(/answered 401.*HF_TOKEN/);
      expect(existsSync(path.join(h.folder, 'cache'))).toBe(false);
    } finally {
      mirror.close();
      writeFileSync(path.join(h.folder, 'done'), '');
    }
  });
});
