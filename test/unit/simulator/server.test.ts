// The simulator seen through the real client: what is measured is what was set.
import { afterEach, describe, expect, it } from 'vitest';
import { bodyKey, planAnswer } from '../../../src/simulator/model';
import { WORDS, countTokens } from '../../../src/simulator/vocabulary';
import { bench, requestText, type Bench } from './helpers';

let under: Bench;

afterEach(() => under.close());

const prompt = (tokens: number, from = 0): string =>
  Array.from({ length: tokens }, (_, i) => WORDS[(from + i) % 1000]).join(' ');

describe('counts', () => {
  it('are exact on both sides, streaming or not, completion or chat', async () => {
    under = await bench();
    const chat = [
      { role: 'system', content: prompt(5) },
      { role: 'user', content: [{ type: 'text', text: prompt(6) }] },
    ];
    for (const stream of [true, false]) {
      for (const [asked, body] of [
        [11, { prompt: prompt(11) }],
        [11, { messages: chat }],
      ] as const) {
        const result = await under.send({ ...body, stream, max_tokens: 13 });
        expect(result.outcome).toEqual({ kind: 'ok' });
        expect(result.usage).toEqual({ promptTokens: asked, completionTokens: 13 });
        expect(countTokens(result.outputText)).toBe(13);
        expect(result.chunkSeconds).toHaveLength(stream ? 13 : 0);
        expect(result.chunkTexts.every((text) => countTokens(text) === 1)).toBe(true);
        expect(result.finishReason).toBe('length');
      }
    }
    expect(under.simulator.stats()).toMatchObject({
      received: 4,
      promptTokens: 44,
      generatedTokens: 52,
      finished: { length: 4 },
    });
  });

  it('of tokens per event are as set', async () => {
    under = await bench({ tokensPerChunk: 4 });
    const result = await under.send({ prompt: 'x', max_tokens: 10 });
    expect(result.chunkTexts.map(countTokens)).toEqual([4, 4, 2]);
    expect(result.usage?.completionTokens).toBe(10);
  });

  it('are kept back with usage off', async () => {
    under = await bench({ usage: false });
    for (const stream of [true, false]) {
      const result = await under.send({ prompt: 'x', stream });
      expect(result.outcome.kind).toBe('ok');
      expect(result.usage).toBeUndefined();
    }
  });

  it('are sent only when asked for in a stream, and in every event with continuous_usage_stats', async () => {
    under = await bench();
    expect((await under.send({ prompt: 'x', stream_options: null })).usage).toBeUndefined();
    const all = await under.send({
      prompt: 'x',
      stream_options: { include_usage: false, continuous_usage_stats: true },
    });
    expect(all.usage).toEqual({ promptTokens: 1, completionTokens: 8 });
  });

  it('of a chat include what its template adds', async () => {
    under = await bench({ templateTokens: 3 });
    const result = await under.send({
      messages: [
        { role: 'user', content: 'a b' },
        { role: 'user', content: 'c' },
      ],
    });
    expect(result.usage?.promptTokens).toBe(9);
  });

  it('are the same for token ids as for their words', async () => {
    under = await bench();
    const result = await under.send({ prompt: [5, 6, 7] });
    expect(result.usage?.promptTokens).toBe(3);
  });
});

describe('the same seed', () => {
  it('gives the same answers, whatever runs beside them', async () => {
    under = await bench({ seed: 7, ignoreEos: 'ignore', eosMean: 10 });
    const bodies = Array.from({ length: 20 }, (_, i) => ({ prompt: `p ${i}`, max_tokens: 40 }));
    const together = await Promise.all(bodies.map((body) => under.send(body)));
    const alone: string[] = [];
    for (const body of bodies) alone.push((await under.send(body)).outputText);
    expect(together.map((each) => each.outputText)).toEqual(alone);
    expect(new Set(alone).size).toBe(20);
    const plan = planAnswer(under.simulator.options, bodyKey(requestText(bodies[3]!)), {
      maxTokens: 40,
      minTokens: 0,
      ignoreEos: true,
    });
    expect(alone[3]).toBe(plan.words.join(' '));
  });

  it('is another one than another seed', async () => {
    under = await bench({ seed: 1 });
    const one = (await under.send({ prompt: 'x' })).outputText;
    await under.close();
    under = await bench({ seed: 2 });
    expect((await under.send({ prompt: 'x' })).outputText).not.toBe(one);
  });
});

describe('the end of an answer', () => {
  it('is its own when ignore_eos is not honoured', async () => {
    under = await bench({ ignoreEos: 'ignore', eosMean: 5 });
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, i) => under.send({ prompt: `p ${i}`, max_tokens: 100 })),
    );
    expect(results.every((each) => each.finishReason === 'stop' && each.usage!.completionTokens! < 40)).toBe(true);
    expect(results.every((each) => each.chunkSeconds.length === each.usage!.completionTokens)).toBe(true);
    expect(new Set(results.map((each) => each.chunkSeconds.length)).size).toBeGreaterThan(3);
  });

  it('is its own when ignore_eos is not asked for', async () => {
    under = await bench({ eosMean: 5 });
    expect((await under.send({ prompt: 'x', ignore_eos: false, max_tokens: 1000, stream: false })).finishReason).toBe(
      'stop',
    );
  });
});

describe('room', () => {
  it('is for as many as there are slots; the others wait their turn', async () => {
    under = await bench({ slots: 2, ttftSeconds: 0.05, tokenSeconds: 0.001 });
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, i) => under.send({ prompt: `p ${i}`, max_tokens: 2 })),
    );
    expect(results.map(({ outcome }) => outcome.kind)).toEqual(Array(6).fill('ok'));
    expect(under.simulator.stats().maxRunning).toBe(2);
  });

  it.each([429, 503] as const)('is refused with %i when the queue is full', async (overloadStatus) => {
    // Long enough for all five to arrive while the first still runs, on a busy machine too.
    under = await bench({ slots: 1, queueLimit: 2, ttftSeconds: 0.7, overloadStatus });
    const results = await Promise.all(
      Array.from({ length: 5 }, (_, i) => under.send({ prompt: `p ${i}`, max_tokens: 2 })),
    );
    expect(results.filter((each) => each.outcome.kind === 'ok')).toHaveLength(3);
    const refused = results.filter(
      (each) => each.outcome.kind === 'failed' && each.outcome.httpStatus === overloadStatus,
    );
    expect(refused).toHaveLength(2);
    expect(under.simulator.stats().rejected).toBe(2);
  });

  it('is given back by a client that leaves, running or waiting', async () => {
    under = await bench({ slots: 1, ttftSeconds: 5 });
    const left = await Promise.all([under.send({ prompt: 'a' }, {}, 0.1), under.send({ prompt: 'b' }, {}, 0.1)]);
    expect(left.every((each) => each.outcome.kind === 'failed')).toBe(true);
    await expect.poll(() => under.simulator.stats()).toMatchObject({ running: 0, waiting: 0, finished: { abort: 2 } });
  });
});

describe('the prefix cache', () => {
  it('saves the prefill of what it knows and says how much', async () => {
    under = await bench({ prefixCache: true, ttftSeconds: 0.005, prefillSecondsPerToken: 0.001 });
    const cold = await under.send({ prompt: prompt(100), max_tokens: 1 });
    const warm = await under.send({ prompt: prompt(100), max_tokens: 1 });
    const other = await under.send({ prompt: prompt(100, 500), max_tokens: 1 });
    expect([cold, warm, other].map((each) => each.usage?.cachedPromptTokens)).toEqual([0, 96, 0]);
    expect((await under.get('/metrics')).text).toMatch(/prefix_cache_hits_total\{[^}]*\} 96\n/);
    await under.get('/reset_prefix_cache', {});
    expect((await under.send({ prompt: prompt(100), max_tokens: 1 })).usage?.cachedPromptTokens).toBe(0);
  });

  it('is not mentioned when there is none', async () => {
    under = await bench();
    expect((await under.send({ prompt: prompt(100) })).usage).not.toHaveProperty('cachedPromptTokens');
  });
});

describe('what it refuses', () => {
  it.each([
    ['no JSON', '{', 400, 'not a JSON object'],
    ['no model', '{"prompt":"x"}', 400, 'model'],
    ['no prompt', '{"model":"m"}', 400, 'prompt'],
    ['two prompts', '{"model":"m","prompt":["a","b"]}', 400, 'one prompt'],
    ['two choices', '{"model":"m","prompt":"a","n":2}', 400, 'n = 1'],
    ['max_tokens 0', '{"model":"m","prompt":"a","max_tokens":0}', 400, 'max_tokens'],
    ['too long', '{"model":"m","prompt":"a","max_tokens":1000}', 400, 'maximum context length'],
    ['another model', '{"model":"x","prompt":"a"}', 404, 'No such model'],
  ])('%s', async (_name, body, status, said) => {
    under = await bench({ models: ['m', 'n'], maxModelTokens: 100 });
    const { outcome } = await under.send({}, { body });
    expect(outcome).toMatchObject({ kind: 'failed', httpStatus: status });
    expect(JSON.stringify(outcome)).toContain(said);
  });

  it('a request without the key, and takes one with it', async () => {
    under = await bench({ apiKey: 'key-123456' });
    expect((await under.send({ prompt: 'x' })).outcome).toMatchObject({ httpStatus: 401, label: '401 - other' });
    expect(await under.client.probe()).toMatchObject({ keyRejected: true });
    await under.client.close();
    const { simulator } = under;
    const keyed = await bench({ apiKey: 'key-123456' }, { apiKey: 'key-123456' });
    expect((await keyed.send({ prompt: 'x' })).outcome).toEqual({ kind: 'ok' });
    await keyed.close();
    expect(simulator.stats()).toMatchObject({ received: 0, unauthorized: 2 });
  });

  it('routes it does not have', async () => {
    under = await bench();
    expect((await under.get('/v2')).status).toBe(404);
    expect((await under.get('/v1/completions')).status).toBe(405);
  });
});

describe('what else it answers', () => {
  it('who it is', async () => {
    under = await bench({ models: ['a', 'b'] });
    expect(await under.client.probe()).toEqual({
      models: ['a', 'b'],
      maxModelTokens: new Map([
        ['a', 131_072],
        ['b', 131_072],
      ]),
      version: 'isoperf-simulator 0.0.0-test',
      notes: [],
    });
    expect((await under.get('/health')).status).toBe(200);
  });

  it("tokens of a text, in vLLM's shape, and back", async () => {
    under = await bench();
    const { text } = await under.get('/tokenize', { model: 'm', prompt: `${WORDS[3]} nope`, return_token_strs: true });
    expect(JSON.parse(text)).toEqual({
      count: 2,
      max_model_len: 131_072,
      tokens: [5, 0],
      token_strs: [WORDS[3], 'nope'],
    });
    expect(JSON.parse((await under.get('/detokenize', { tokens: [5, 0] })).text)).toEqual({
      prompt: `${WORDS[3]} <unk>`,
    });
  });

  it("metrics in vLLM's names that agree with what happened", async () => {
    under = await bench({ models: ['m'], ttftSeconds: 0.03, tokenSeconds: 0.002, ignoreEos: 'honour' });
    await Promise.all(Array.from({ length: 3 }, (_, i) => under.send({ prompt: prompt(10, i), max_tokens: 5 })));
    const { text } = await under.get('/metrics');
    const value = (pattern: string): number => Number(new RegExp(`^vllm:${pattern} (\\S+)$`, 'm').exec(text)?.[1]);
    const labels = '\\{engine="0",model_name="m"\\}';
    expect(value(`prompt_tokens_total${labels}`)).toBe(30);
    expect(value(`generation_tokens_total${labels}`)).toBe(15);
    expect(value(`num_requests_running${labels}`)).toBe(0);
    expect(value(`num_requests_waiting${labels}`)).toBe(0);
    expect(value(`kv_cache_usage_perc${labels}`)).toBe(0);
    expect(value('request_success_total\\{engine="0",model_name="m",finished_reason="length"\\}')).toBe(3);
    expect(value(`time_to_first_token_seconds_count${labels}`)).toBe(3);
    expect(value(`time_to_first_token_seconds_sum${labels}`)).toBeCloseTo(0.09, 6);
    expect(value(`inter_token_latency_seconds_count${labels}`)).toBe(12);
    expect(value(`inter_token_latency_seconds_sum${labels}`)).toBeCloseTo(0.024, 6);
    expect(value(`e2e_request_latency_seconds_sum${labels}`)).toBeCloseTo(0.114, 6);
    expect(value('time_to_first_token_seconds_bucket\\{engine="0",model_name="m",le="0.04"\\}')).toBe(3);
    expect(value('time_to_first_token_seconds_bucket\\{engine="0",model_name="m",le="0.02"\\}')).toBe(0);
    expect(value('time_to_first_token_seconds_bucket\\{engine="0",model_name="m",le="\\+Inf"\\}')).toBe(3);
  });
});
