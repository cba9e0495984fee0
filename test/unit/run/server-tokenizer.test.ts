// Neither usage nor a tokenizer: the server's own /tokenize is asked when the run has ended, under a name of its own.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { findServerTokenizer } from '../../../src/client/server-tokenizer';
import { createClient } from '../../../src/client/http-client';
import { compare } from '../../../src/comparability/compare';
import type { RequestRecord } from '../../../src/metrics/record';
import { readRun } from '../../../src/readers/read';
import { accessTo } from '../../../src/cli/access';
import { MOST_SECONDS, ServerCount } from '../../../src/run/server-count';
import type { SimulatorOptions } from '../../../src/simulator/options';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { configOf, harness, SAMPLE_TOKENIZER, type Harness } from './harness';

let h: Harness;
const servers: Simulator[] = [];
afterEach(async () => {
  h.remove();
  await Promise.all(servers.splice(0).map((each) => each.close()));
});

async function serve(options: Partial<SimulatorOptions> = {}): Promise<string> {
  const started = await startSimulator({
    ttftSeconds: 0.003,
    tokenSeconds: 0.001,
    usage: false,
    models: ['m'],
    ...options,
  });
  servers.push(started);
  return started.url;
}

const LOAD = '{ type: constant, interval: 0, num_workers: 1, stages: [{ rate: 10, duration: 1 }] }';

describe('the server’s own tokenizer', () => {
  it.each(['vllm', 'tgi', 'llama.cpp'] as const)('of %s counts prompts and answers after the run', async (route) => {
    h = harness();
    const url = await serve({ tokenizeRoute: route });
    const run = await h.ran(configOf({ url, load: LOAD }));
    const counted = { source: 'server-tokenizer', serverCounted: 0, clientCounted: 10 };
    expect(run.manifest.tokens).toMatchObject({ output: counted, input: counted, itl: 'chunks' });
    expect(run.manifest.tokens!.output.tokenizer).toBeUndefined();
    expect(run.records.map(({ clientOutputTokens }) => clientOutputTokens)).toEqual(new Array(10).fill(8));
    expect(run.records.map(({ clientPromptTokens }) => clientPromptTokens)).toEqual(new Array(10).fill(16));
    expect(run.summary!.successes.throughput.output_tokens_per_sec).toBeGreaterThan(0);
    expect(run.summary!.successes.latency.time_per_output_token).not.toBeNull();
    expect(servers[0]!.stats().received).toBe(10);
  });

  it('counts an answer that was not streamed, and the turns of a conversation as they were sent', async () => {
    h = harness();
    const url = await serve();
    const plain = await h.ran(configOf({ url, load: LOAD, api: '{ type: completion, streaming: false }' }));
    expect(plain.records.every(({ clientOutputTokens }) => clientOutputTokens === 8)).toBe(true);
    const data =
      '{ type: shared_prefix, shared_prefix: { num_groups: 1, num_prompts_per_group: 2, system_prompt_len: 8, question_len: 8, output_len: 8, enable_multi_turn_chat: true } }';
    const turns = await h.ran(configOf({ url, load: LOAD, data }), { out: 'turns' });
    expect(turns.manifest.tokens!.input).toMatchObject({ source: 'server-tokenizer', clientCounted: 10 });
    const lengths = turns.records.map(({ clientPromptTokens }) => clientPromptTokens!);
    expect(Math.max(...lengths)).toBeGreaterThan(2 * Math.min(...lengths));
  });

  it('is not asked where usage or a tokenizer of this machine counts', async () => {
    h = harness();
    const url = await serve({ usage: true });
    const run = await h.ran(configOf({ url, load: LOAD }));
    expect(run.manifest.tokens!.output).toMatchObject({ source: 'server-usage', clientCounted: 0 });
    const own = await h.ran(configOf({ url: await serve(), load: LOAD, tokenizer: SAMPLE_TOKENIZER }), { out: 'own' });
    expect(own.manifest.tokens!.output.source).toBe('client-tokenizer');
  });

  it('is another counter than a client’s, and the same as itself', async () => {
    h = harness();
    const url = await serve();
    const compared = async (tokenizer?: string) => {
      const b = await h.ran(configOf({ url, load: LOAD, ...(tokenizer ? { tokenizer } : {}) }), {
        out: `b${tokenizer?.length ?? 0}`,
      });
      const runs = await Promise.all([a.folder, b.folder].map((folder) => readRun(accessTo(folder, h.folder))));
      const [x, y] = runs.map((each) => {
        if (!each.ok) throw new Error(JSON.stringify(each.problems));
        return each.value;
      });
      return compare(x!, y!, { resamples: 20 }).findings.find(({ dimension }) => dimension === 'token-source')!;
    };
    const a = await h.ran(configOf({ url, load: LOAD }), { out: 'a' });
    expect(await compared()).toMatchObject({
      state: 'same',
      message: expect.stringContaining('the server’s own tokenizer, asked after the run') as string,
    });
    expect(await compared(SAMPLE_TOKENIZER)).toMatchObject({
      state: 'confounds',
      message: expect.stringMatching(
        /server’s own tokenizer, asked after the run on A, the client’s tokenizer on B/,
      ) as string,
    });
  });

  it('is found by what it answers, and nowhere else', async () => {
    for (const [tokenizeRoute, dialect] of [
      ['vllm', 'vLLM'],
      ['tgi', 'TGI'],
      ['llama.cpp', 'llama.cpp'],
      ['none', undefined],
    ] as const) {
      const client = createClient({ baseUrl: await serve({ tokenizeRoute }), headers: {}, connections: 1 });
      const found = await findServerTokenizer(client, 'm');
      expect(found === 'silent' ? found : found?.dialect).toBe(dialect);
      await client.close();
    }
    // Special tokens of TGI stand for no part of the text.
    const tgi = {
      ask: (_route: string, body: string) =>
        Promise.resolve(
          body.includes('inputs') ? '[{"id":1,"start":0,"stop":0},{"id":7,"start":0,"stop":4}]' : 'no such field',
        ),
    };
    const found = await findServerTokenizer(tgi, 'm');
    if (found === undefined || found === 'silent') throw new Error('none');
    expect([await found.count('word', false), await found.count('word', true)]).toEqual([1, 2]);
  });
});

describe('its limits', () => {
  const record = { outcome: { kind: 'ok' }, chunkSeconds: [] } as unknown as RequestRecord;
  const request = (promptHash: string) => ({ promptHash, promptTexts: ['p'] });
  const answer = { id: 0, text: 'some words' };

  it('a server that stops answering is asked no more, and what is missing is said', async () => {
    let asked = 0;
    const tokenizer = { dialect: 'vLLM', count: () => Promise.resolve(++asked > 2 ? undefined : 5) };
    const count = new ServerCount(tokenizer, new AbortController().signal);
    expect(await count.counted(record, answer, request('a'))).toMatchObject({
      clientPromptTokens: 5,
      clientOutputTokens: 5,
    });
    for (const hash of ['b', 'c', 'd']) expect(await count.counted(record, answer, request(hash))).toEqual(record);
    expect(asked).toBe(3);
    expect(count.problems()).toMatchObject([
      {
        code: 'RUN066',
        message: expect.stringMatching(/counted 2 of 8 texts \(it left one without an answer for 5 s/) as string,
      },
    ]);
  });

  it('time and a stop end it; equal prompts are asked for once', async () => {
    let [asked, seconds] = [0, 0];
    const tokenizer = { dialect: 'vLLM', count: () => Promise.resolve(++asked) };
    const stop = new AbortController();
    const count = new ServerCount(tokenizer, stop.signal, () => seconds);
    await count.counted(record, answer, request('a'));
    await count.counted(record, answer, request('a'));
    expect(asked).toBe(3);
    expect(count.problems()).toEqual([]);
    seconds = MOST_SECONDS + 1;
    await count.counted(record, answer, request('b'));
    expect(asked).toBe(3);
    expect(count.problems()[0]!.message).toContain(`${MOST_SECONDS} s at most`);
    stop.abort('enough');
    await count.counted(record, answer, request('b'));
    expect(count.problems()[0]!.message).toContain('the run was stopped');
  });
});

describe('a server that never answers POST /tokenize', () => {
  it('delays a run by two seconds, is asked once, and that is said', async () => {
    h = harness();
    const url = await serve();
    const inner = createClient;
    const asked: number[] = [];
    const result = await h.run(configOf({ url, load: LOAD }), {
      clientFactory: (options) => ({
        ...inner(options),
        ask: async (_route, _body, timeoutSeconds) => {
          asked.push(timeoutSeconds);
          return Promise.resolve(undefined);
        },
      }),
    });
    if (result.kind === 'refused') throw new Error('refused');
    expect(asked).toEqual([2]);
    expect(result.problems.filter(({ code }) => code === 'RUN066')).toMatchObject([
      { severity: 'information', message: expect.stringContaining('without an answer for 2 s') as string },
    ]);
    expect(result.run.manifest.tokens!.output.source).not.toBe('server-tokenizer');
  });

  it('that holds the connection open is left after the seconds given, or at once when the run is stopped', async () => {
    h = harness();
    const held = createServer(() => undefined);
    await new Promise<void>((resolve) => held.listen(0, '127.0.0.1', resolve));
    const { port } = held.address() as AddressInfo;
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, headers: {}, connections: 1 });
    const before = performance.now();
    expect(await client.ask('/tokenize', '{}', 0.1)).toBeUndefined();
    const stop = new AbortController();
    setTimeout(() => {
      stop.abort('enough');
    }, 50);
    expect(await client.ask('/tokenize', '{}', 60, stop.signal)).toBeUndefined();
    // Long before the 60 s it was given, however busy the machine is.
    expect(performance.now() - before).toBeLessThan(30_000);
    await client.close();
    held.closeAllConnections();
    held.close();
  });
});
