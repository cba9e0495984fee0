// What will really happen: figures from the reference and from hand, one config each.
import { describe, expect, it } from 'vitest';
import { expectationsOf, type Circumstances } from '../../../src/config/will/expectations';
import { readConfig } from '../../../src/config/load';

function of(text: string, given: Circumstances = {}) {
  const { loaded, problems } = readConfig(text);
  if (!loaded) throw new Error(JSON.stringify(problems));
  return expectationsOf(loaded.config, { warmupStages: loaded.warmupStages, ...given });
}

const stages = (load: string, rest = ''): string => `load: ${load}\nserver: {base_url: 'http://h:1'}\n${rest}`;

describe('requests and time', () => {
  it('are the whole part of rate x duration, with the second before and the pause after each stage', () => {
    const found = of(
      stages('{type: poisson, interval: 5, stages: [{rate: 0.7, duration: 10}, {rate: 3.3, duration: 31}]}'),
    );
    expect(found.stages.map((stage) => stage.requests)).toEqual([7, 102]);
    expect(found.totalRequests).toBe(109);
    expect(found.durationSeconds).toBe(10 + 31 + 2 * 6);
  });
  it('per-stage Prometheus reports raise the pause', () => {
    const found = of(
      stages(
        '{stages: [{rate: 1, duration: 10}]}',
        "metrics: {type: prometheus, prometheus: {url: 'http://p:9090', scrape_interval: 30}}\nreport: {prometheus: {per_stage: true}}\n",
      ),
    );
    expect(found.durationSeconds).toBe(41);
  });
  it('a closed loop has a number and no duration; a sweep and traces have neither', () => {
    const closed = of(stages('{type: concurrent, stages: [{num_requests: 90, concurrency_level: 4}]}'));
    expect(closed).toMatchObject({ totalRequests: 90, inFlightCap: 4, durationSeconds: undefined });
    const sweep = of(stages('{sweep: {type: linear}}'));
    expect(sweep).toMatchObject({ totalRequests: undefined, durationSeconds: undefined });
    const trace = of(stages('{type: trace_replay, trace: {file: t.csv}, stages: [{rate: 1, duration: 1}]}'));
    expect(trace.totalRequests).toBeUndefined();
  });
  it('the highest percentile with enough requests', () => {
    const found = of(
      stages(
        '{stages: [{rate: 1, duration: 4}, {rate: 1, duration: 58}, {rate: 1, duration: 59}, {rate: 1, duration: 299}]}',
      ),
    );
    expect(found.stages.map((stage) => stage.safePercentile)).toEqual([undefined, 90, 95, 99]);
  });
});

describe('limits', () => {
  it('workers come from the config, else from the machine; the cap is workers x concurrency', () => {
    const text = stages('{worker_max_concurrency: 50, stages: [{rate: 20, duration: 10}]}');
    expect(of(text)).toMatchObject({ inFlightCap: undefined, workers: { count: undefined, written: false } });
    const here = of(text, { cpus: 2, assumedLatencySeconds: 4 });
    expect(here.inFlightCap).toBe(100);
    expect(here.stages[0]).toMatchObject({ inFlightNeed: 80, openUpToSeconds: 5 });
    expect(of(text.replace('{worker', '{num_workers: 0, worker'), { cpus: 2 }).inFlightCap).toBe(Infinity);
  });
  it('the effective timeout is 300 s unless one is written; 0 is none written', () => {
    expect(of(stages('{stages: []}')).timeout).toEqual({ seconds: 300, written: false });
    expect(of(stages('{request_timeout: 0, stages: []}')).timeout.seconds).toBe(300);
    expect(of(stages('{request_timeout: 20, stages: []}')).timeout).toEqual({ seconds: 20, written: true });
  });
});

describe('tokens', () => {
  it('random: requests x realised means', () => {
    const found = of(
      stages(
        '{stages: [{rate: 10, duration: 10}]}',
        'data: {type: random, input_distribution: {mean: 100}, output_distribution: {type: fixed, mean: 64}}\n',
      ),
    );
    expect(found.output.totalTokens).toBe(6400);
    expect(found.input.totalTokens! / 100).toBeCloseTo(142.6, 0);
    expect(found.distributions.map((entry) => entry.path.join('.'))).toEqual([
      'data.input_distribution',
      'data.output_distribution',
    ]);
  });
  it('shared_prefix: prefix and question; its own distributions win', () => {
    const found = of(
      stages(
        '{stages: [{rate: 1, duration: 10}]}',
        'data: {type: shared_prefix, shared_prefix: {system_prompt_len: 1000, question_len: 7, question_distribution: {type: fixed, mean: 24}, output_len: 5}}\n',
      ),
    );
    expect(found.input.perRequest?.mean).toBe(1024);
    expect(found.output.totalTokens).toBe(50);
  });
  it('chat on shareGPT is capped at 30; its completion is not', () => {
    const text = stages('{stages: [{rate: 1, duration: 10}]}', 'data: {type: shareGPT}\napi: {type: chat}\n');
    expect(of(text).output).toMatchObject({ perRequest: { mean: 30 }, totalTokens: 300 });
    expect(of(text).output.note).toContain('capped at 30');
    expect(of(text.replace('type: chat', 'type: completion')).output.perRequest).toBeUndefined();
  });
  it('conversations grow turn by turn', () => {
    const found = of(
      stages(
        '{type: concurrent, stages: [{num_requests: 4, concurrency_level: 2}]}',
        'data: {type: conversation_replay, conversation_replay: {num_conversations: 2, shared_system_prompt_len: 100, input_tokens_per_turn: {type: fixed, mean: 10}, output_tokens_per_turn: {type: fixed, mean: 20}}}\n',
      ),
    );
    // First turns 110, second turns 100 + 10 + 20 + 10.
    expect(found.input.perRequest?.mean).toBe(125);
    expect(found.output.totalTokens).toBe(80);
  });
});

describe('seeds and repeats', () => {
  const shared = (seed: string, rate: number): string =>
    stages(
      `{stages: [{rate: ${rate}, duration: 10}]}`,
      `data: {type: shared_prefix, shared_prefix: {${seed}num_groups: 2, num_prompts_per_group: 5}}\n`,
    );
  it('say what the clock decides', () => {
    expect(of(shared('', 1)).seeds.join('\n')).toMatch(/arrivals: the clock[\s\S]*prompts and lengths: none/);
    expect(of(shared('seed: 7, ', 1)).seeds).toContain('prompts and lengths: 7');
    expect(of(shared('', 1), { seed: 42 }).seeds.join('\n')).toMatch(/arrivals: 42 in IsoPerf[\s\S]*lengths: 42/);
  });
  it('count the prompts', () => {
    expect(of(shared('', 1)).repeats).toBeUndefined();
    expect(of(shared('', 3)).repeats).toBe('each of the 10 prompts up to 3 times in one stage, word for word');
    expect(of(shared('', 3)).stages[0]?.sendsPerPrompt).toBe(3);
  });
});

describe('sending threads', () => {
  const sending = { asked: 'auto', cores: 16 } as const;
  const tokens = 'data: {type: random, input_distribution: {mean: 9}, output_distribution: {type: fixed, mean: 190}}\n';
  const streaming = 'api: {streaming: true}\n';
  const threads = (load: string, rest: string) => of(stages(load, rest), { sending, cpus: 4 }).threads;

  it('come from the busiest stage, where answers stream', () => {
    const load = '{type: poisson, stages: [{rate: 5, duration: 60}, {rate: 100, duration: 60}]}';
    expect(threads(load, tokens + streaming)).toMatchObject({ count: 2 });
    expect(threads(load, tokens)).toMatchObject({ count: 1 });
    expect(of(stages(load, tokens + streaming)).threads).toBeUndefined();
  });
  it('of a closed loop from its slots, never more than those', () => {
    const load = '{type: concurrent, stages: [{num_requests: 900, concurrency_level: 500}]}';
    expect(threads(load, tokens + streaming)).toMatchObject({ count: 3 });
    const asked = of(stages('{type: concurrent, stages: [{num_requests: 9, concurrency_level: 2}]}', tokens), {
      sending: { asked: 5, cores: 16 },
    });
    expect(asked.threads).toEqual({ count: 2, reason: expect.stringContaining('no more than 2 requests') as string });
  });
  it('one for conversations of a closed loop and the mock server; unknown where a sweep or data decides', () => {
    const talk =
      'data: {type: conversation_replay, conversation_replay: {num_conversations: 4, turns_per_conversation: {type: fixed, mean: 3}, input_tokens_per_turn: {type: fixed, mean: 6}, output_tokens_per_turn: {type: fixed, mean: 5}}}\n';
    const closed = '{type: concurrent, stages: [{num_requests: 900, concurrency_level: 500}]}';
    expect(threads(closed, talk + streaming)?.reason).toContain('conversations of a closed loop');
    expect(
      of("load: {stages: [{rate: 900, duration: 9}]}\nserver: {type: mock, base_url: 'http://h'}\n", { sending })
        .threads,
    ).toEqual({ count: 1, reason: 'the mock server answers within this program' });
    expect(threads('{sweep: {type: linear}}', tokens + streaming)).toBeUndefined();
  });
});
