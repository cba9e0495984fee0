// sglang.bench_serving <-> config.yaml: what each flag becomes, what is refused and why, and what comes back the same.
import { describe, expect, it } from 'vitest';
import { shellWords } from '../../../src/cluster/shell';
import { loadConfig } from '../../../src/config/load';
import { commandsOf, configOf, peerOf, toolOf, type Peer, type Translated } from '../../../src/translate/translate';

const peer = peerOf('sglang@0.5.23', false) as Peer;
const BASE = 'python3 -m sglang.bench_serving --backend sglang-oai --model org/m --base-url http://h:30000';
const from = (flags: string, base = BASE): Translated => configOf(shellWords(`${base} ${flags}`)!, peer);

function configFrom(flags: string, base = BASE) {
  const { text, refusals } = from(flags, base);
  if (text === undefined) throw new Error(JSON.stringify(refusals));
  const read = loadConfig(text);
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return { ...read.value, text };
}

const RANDOM = '--dataset-name random-ids --random-input-len 100 --random-output-len 20';

describe('a command as a config', () => {
  it('its defaults are not vLLM’s: lengths from 1 up, a warm-up, a seed of 42, temperature 0', () => {
    const { config, seed, warmupStages, directives } = configFrom(`${RANDOM} --request-rate 4 --num-prompts 40`);
    expect(config.data.input_distribution).toMatchObject({ type: 'uniform', min: 1, max: 100 });
    expect(config.server).toMatchObject({ ignore_eos: true, type: 'sglang', model_name: 'org/m' });
    expect(config.load.stages).toMatchObject([
      { rate: 1, duration: 1 },
      { rate: 4, duration: 10 },
    ]);
    expect([...warmupStages]).toEqual([0]);
    expect(String(seed)).toBe('42');
    expect(directives.map(({ name }) => name)).toContain('greedy');
  });

  it.each([
    [1, { type: 'fixed', mean: 100 }],
    [0.5, { type: 'uniform', min: 50, max: 100 }],
    [0, { type: 'uniform', min: 1, max: 100 }],
  ])('a ratio of %s', (ratio, input) => {
    expect(configFrom(`${RANDOM} --random-range-ratio ${ratio}`).config.data.input_distribution).toMatchObject(input);
  });

  it('groups are all sent, once each', () => {
    const { config } = configFrom(
      '--dataset-name generated-shared-prefix --gsp-num-groups 4 --gsp-prompts-per-group 10 --num-prompts 40 --request-rate 4',
    );
    expect(config.data.shared_prefix).toMatchObject({
      num_groups: 4,
      num_prompts_per_group: 10,
      system_prompt_len: 2048,
      question_len: 128,
      output_len: 256,
    });
  });

  it.each([
    ['sglang-oai', 'http://127.0.0.1:30000'],
    ['vllm', 'http://127.0.0.1:8000'],
    ['lmdeploy', 'http://127.0.0.1:23333'],
  ])('the port of %s', (backend, url) => {
    const base = `python -m sglang.bench_serving --backend ${backend}`;
    expect(configFrom(RANDOM, base).config.server!.base_url).toBe(url);
  });

  it('unstreamed, without ignore_eos, no warm-up', () => {
    const { config, warmupStages } = configFrom(`${RANDOM} --disable-stream --disable-ignore-eos --warmup-requests 0`);
    expect([config.api.streaming, config.server!.ignore_eos, warmupStages.size]).toEqual([false, false, 0]);
  });
});

const REFUSED: readonly (readonly [string, string, RegExp])[] = [
  ['--backend sglang', '--backend', /its own route/],
  ['--backend sglang-oai-chat', '--backend', /no generator/],
  ['--dataset-name sharegpt', '--dataset-name', /sampled here/],
  ['--random-range-ratio 2', '--random-range-ratio', /no ratio/],
  ['--temperature 0.8', '--temperature', /sends no temperature/],
  ['--top-p 0.9', '--top-p', /sends no top_p/],
  [`--extra-request-body '{"temperature": 0.2}'`, '--extra-request-body', /sends no temperature/],
  ['--flush-cache', '--flush-cache', /no key of a config/],
  ['--lora-name a b', '--lora-name', /other ones/],
  ['--apply-chat-template', '--apply-chat-template', /other ones/],
  ['--profile', '--profile', /profiler/],
  ['--rust-client', '--rust-client', /lateness/],
  ['--burstiness 2', '--burstiness', /no such flag/],
];

describe('refused, with a reason and a remedy', () => {
  it.each(REFUSED)('%s', (flags, what, words) => {
    const { refusals, text } = from(`${RANDOM} ${flags}`);
    expect(text).toBeUndefined();
    const found = refusals.find((one) => one.what === what);
    expect(found?.why).toMatch(words);
    expect(found?.remedy).toBeTruthy();
  });

  it.each([
    ['--gsp-range-ratio 0.5', '--gsp-range-ratio'],
    ['--gsp-num-turns 3', '--gsp-num-turns'],
    ['--gsp-group-distribution zipf', '--gsp-group-distribution'],
    ['--num-prompts 7', '--num-prompts'],
  ])('of groups: %s', (flags, what) => {
    const { refusals } = from(
      `--dataset-name generated-shared-prefix ${flags.includes('num-prompts') ? '' : '--num-prompts 1024'} ${flags}`,
    );
    expect(refusals.map((one) => one.what)).toContain(what);
  });

  it('what is sent by default is refused too, where nothing is given', () => {
    expect(from('').refusals.find(({ what }) => what === '--dataset-name')!.why).toContain('Not given, it is sharegpt');
  });
});

const CONFIG = `# isoperf: seed=3, greedy
load: { type: constant, interval: 0, num_workers: 1, worker_max_concurrency: 400, request_timeout: 21600, stages: [{ rate: 8, duration: 50 }] }
api: { type: completion, streaming: true }
server: { type: sglang, base_url: "http://h:30000", model_name: org/m, ignore_eos: true }
tokenizer: { pretrained_model_name_or_path: org/m }
data: { type: random, input_distribution: { type: fixed, mean: 64 }, output_distribution: { type: fixed, mean: 32 } }
`;

describe('there and back is the same config', () => {
  it.each([
    ['a rate', CONFIG],
    [
      'a closed loop',
      CONFIG.replace('type: constant', 'type: concurrent').replace(
        'rate: 8, duration: 50',
        'num_requests: 64, concurrency_level: 8',
      ),
    ],
    [
      'uniform lengths',
      CONFIG.replace('type: fixed, mean: 64', 'type: uniform, min: 32, max: 64, mean: 48').replace(
        'type: fixed, mean: 32',
        'type: uniform, min: 16, max: 32, mean: 24',
      ),
    ],
    ['unstreamed', CONFIG.replace('streaming: true', 'streaming: false')],
    ['without ignore_eos', CONFIG.replace('ignore_eos: true', 'ignore_eos: false')],
    [
      'groups',
      CONFIG.replace(
        /data: .*\n/,
        'data: { type: shared_prefix, shared_prefix: { num_groups: 4, num_prompts_per_group: 100, system_prompt_len: 64, question_len: 32, output_len: 16 } }\n',
      ),
    ],
  ])('%s', (_, text) => {
    const first = loadConfig(text);
    if (!first.ok) throw new Error(first.problems.map(({ message }) => message).join('\n'));
    const made = commandsOf(first.value, peer);
    expect(made.refusals).toEqual([]);
    const words = shellWords(made.text!.trim())!;
    expect(toolOf(words)?.name).toBe('sglang');
    const returned = configOf(words, peer);
    expect(returned.refusals).toEqual([]);
    const second = loadConfig(returned.text!);
    if (!second.ok) throw new Error('not read');
    const of = ({ config, seed }: typeof first.value) => ({
      ...{ api: config.api, server: config.server, tokenizer: config.tokenizer, data: config.data, seed: String(seed) },
      load: { type: config.load.type, stages: config.load.stages },
    });
    expect(of(second.value)).toEqual(of(first.value));
  });

  it('lengths of two ratios have no one flag', () => {
    const text = CONFIG.replace('type: fixed, mean: 64', 'type: uniform, min: 32, max: 64, mean: 48');
    const read = loadConfig(text);
    if (!read.ok) throw new Error('not read');
    expect(commandsOf(read.value, peer).refusals.map(({ what }) => what)).toContain('data.output_distribution');
  });
});
