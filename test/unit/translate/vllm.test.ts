// vllm bench serve <-> config.yaml: what each flag becomes, what is refused and why, and what comes back the same.
import { describe, expect, it } from 'vitest';
import { shellWords } from '../../../src/cluster/shell';
import { loadConfig } from '../../../src/config/load';
import { countedStage } from '../../../src/translate/arrivals';
import { commandsOf, configOf, peerOf, type Peer, type Translated } from '../../../src/translate/translate';

const peer = (text = 'vllm@0.32'): Peer => {
  const found = peerOf(text, false);
  if (typeof found === 'string') throw new Error(found);
  return found;
};
const BASE = 'vllm bench serve --model org/m --base-url http://h:8000';
const from = (flags: string, drop: readonly string[] = []): Translated =>
  configOf(shellWords(`${BASE} ${flags}`)!, peer(), drop);

/** The effective config of a translation. */
function configFrom(flags: string) {
  const { text, refusals } = from(flags);
  if (text === undefined) throw new Error(JSON.stringify(refusals));
  const read = loadConfig(text);
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return { ...read.value, text };
}

const kinds = ({ lines }: Translated, what: string): string[] =>
  lines.filter((line) => line.what === what).map(({ kind }) => kind);

describe('a command as a config', () => {
  it('writes every default of the tool out', () => {
    const { config, seed, text } = configFrom('');
    expect(config).toMatchObject({
      api: { type: 'completion', streaming: true },
      server: { base_url: 'http://h:8000', model_name: 'org/m', ignore_eos: true },
      tokenizer: { pretrained_model_name_or_path: 'org/m' },
      data: {
        type: 'random',
        input_distribution: { type: 'fixed', mean: 1024 },
        output_distribution: { type: 'fixed', mean: 128 },
      },
      load: { type: 'constant', interval: 0, num_workers: 1, worker_max_concurrency: 1000, request_timeout: 21600 },
    });
    expect(String(seed)).toBe('0');
    expect(text).toContain('# isoperf: arrivals=burst');
  });

  it.each([
    ['--request-rate 8 --num-prompts 400', { type: 'constant', stages: [{ rate: 8, duration: 50 }] }],
    ['--request-rate=inf --num-prompts=40', { type: 'constant', stages: [{ rate: 40, duration: 1 }] }],
    [
      '--max-concurrency 16 --num-prompts 320',
      { type: 'concurrent', stages: [{ num_requests: 320, concurrency_level: 16 }] },
    ],
    [
      '--request-rate 4 --max_concurrency 8 --num-prompts 40',
      { worker_max_concurrency: 8, stages: [{ rate: 4, duration: 10 }] },
    ],
    [
      '--request-rate 4 --num-prompts 40 --num-warmups 5',
      {
        stages: [
          { rate: 5, duration: 1 },
          { rate: 4, duration: 10 },
        ],
      },
    ],
  ])('%s', (flags, load) => {
    expect(configFrom(flags).config.load).toMatchObject(load);
  });

  it('a warm-up is a stage of its own, and is marked', () => {
    const { warmupStages, text } = configFrom('--request-rate 4 --num-prompts 40 --num-warmups 5');
    expect([...warmupStages]).toEqual([0]);
    expect(text).toContain('# isoperf: warmup, arrivals=burst');
  });

  it.each([
    ['--random-input-len 100 --random-range-ratio 0.2', { type: 'uniform', min: 80, max: 120 }],
    [
      `--random-input-len 100 --random-range-ratio '{"input": 0.5, "output": 0}'`,
      { type: 'uniform', min: 50, max: 150 },
    ],
    ['--input-len 7', { type: 'fixed', mean: 7 }],
  ])('lengths: %s', (flags, input) => {
    expect(configFrom(flags).config.data.input_distribution).toMatchObject(input);
  });

  it('prefixes are groups, and a rest is said', () => {
    const { config } = configFrom(
      '--dataset-name prefix_repetition --num-prompts 103 --prefix-repetition-num-prefixes 10',
    );
    expect(config.data.shared_prefix).toMatchObject({
      num_groups: 10,
      num_prompts_per_group: 10,
      system_prompt_len: 256,
    });
    expect(config.server!.ignore_eos).toBe(false);
    const said = from('--dataset-name prefix_repetition --num-prompts 103')
      .lines.map(({ words }) => words)
      .join('\n');
    expect(said).toContain('103 is no multiple of 10');
  });

  it('adapters have equal shares that add up to exactly 1', () => {
    for (const n of [1, 2, 3, 5, 6, 7, 10, 49]) {
      const names = Array.from({ length: n }, (_, i) => `a${i}`).join(' ');
      const split = configFrom(`--lora-modules ${names}`).config.load.lora_traffic_split!;
      expect(split.reduce((sum, { split: share }) => sum + share, 0)).toBe(1);
    }
  });

  it('limits of goodput are in seconds, percentiles have the median with them', () => {
    const { config } = configFrom('--goodput ttft:200 e2el:3000 --metric-percentiles 99,90');
    expect(config.report.goodput!.constraints).toEqual({ ttft: 0.2, request_latency: 3 });
    expect(config.report.request_lifecycle.percentiles).toEqual([50, 90, 99]);
  });

  it('a body’s ignore_eos and temperature 0 have a place', () => {
    const { config, directives } = configFrom(
      `--dataset-name prefix_repetition --extra-body '{"ignore_eos": true}' --temperature 0`,
    );
    expect(config.server!.ignore_eos).toBe(true);
    expect(directives.map(({ name }) => name)).toContain('greedy');
  });

  it('secrets are written nowhere', () => {
    const words = shellWords(
      `OPENAI_API_KEY=sk-12345678 ${BASE} --header 'Authorization=Bearer sk-abcdefgh' --header X=1`,
    )!;
    const { text } = configOf(words, peer());
    expect(text).not.toMatch(/sk-/);
    expect(text).toContain('X: ');
  });

  it('only what is observed is dropped without a change of meaning', () => {
    const made = from('--label a --disable-tqdm --metadata a=b c=d --ready-check-timeout-sec 5 --probe-request-rate 0');
    for (const flag of [
      '--label',
      '--disable-tqdm',
      '--metadata',
      '--ready-check-timeout-sec',
      '--probe-request-rate',
    ]) {
      expect(kinds(made, flag), flag).toEqual(['dropped']);
    }
    expect(kinds(from('--sharegpt-output-len 5'), '--sharegpt-output-len')).toEqual(['dropped']);
  });
});

const REFUSED: readonly (readonly [string, string, RegExp])[] = [
  ['--burstiness 2 --request-rate 4', '--burstiness', /gamma/],
  ['--backend tgi', '--backend', /does not speak tgi/],
  ['--backend openai-chat --endpoint /v1/chat/completions', '--backend', /no generator/],
  ['--endpoint /v2/completions', '--endpoint', /api\.type completion sends to \/v1\/completions/],
  ['--dataset-name burstgpt', '--dataset-name', /burstgpt/],
  ['--dataset-name sharegpt', '--dataset-path', /needs its file/],
  ['--dataset-name sharegpt --dataset-path f --sharegpt-output-len 9', '--sharegpt-output-len', /recorded answers/],
  ['--random-prefix-len 9 --random-range-ratio 0.1', '--random-prefix-len', /no counterpart/],
  ['--random-range-ratio 1.5', '--random-range-ratio', /no ratio/],
  ['--random-input-len many', '--random-input-len', /no whole number/],
  ['--request-rate -1', '--request-rate', /no rate/],
  ['--num-prompts 0', '--num-prompts', /no whole number from 1/],
  ['--max-concurrency 0', '--max-concurrency', /no whole number from 1/],
  ['--metric-percentiles 0,50', '--metric-percentiles', /above 0/],
  ['--temperature 0.7', '--temperature', /sends no temperature/],
  ['--top-p 0.9', '--top-p', /drawn otherwise/],
  [`--extra-body '{"top_k": 4}'`, '--extra-body', /sends no top_k/],
  ['--extra-body nonsense', '--extra-body', /no JSON/],
  ['--lora-modules a b --lora-assignment round-robin', '--lora-assignment', /by chance only/],
  ['--tokenizer-mode mistral', '--tokenizer-mode', /tokenizer mode/],
  ['--insecure', '--insecure', /checks certificates/],
  ['--profile', '--profile', /profiler/],
  ['--ramp-up-strategy linear', '--ramp-up-strategy', /rises/],
  ['--probe-request-rate 1', '--probe-request-rate', /second stream/],
  ['--goodput itl:5', '--goodput', /no limit/],
  ['--seed x', '--seed', /no whole number/],
  ['--num-prompt 5', '--num-prompt', /no such flag/],
  ['--request-rate', '--request-rate', /no value/],
  ['--insecure=yes', '--insecure', /takes no value/],
  ['--model $MODEL', '--model', /filled in by a shell/],
  ['stray', 'stray', /no flag/],
  ['--base-url nowhere', '--base-url', /no address/],
];

describe('refused, with a reason and a remedy', () => {
  it.each(REFUSED)('%s', (flags, what, words) => {
    const { refusals, text } = from(flags);
    expect(text).toBeUndefined();
    const found = refusals.find((one) => one.what === what);
    expect(found?.why).toMatch(words);
    expect(found?.remedy).toBeTruthy();
  });

  it('a typo has its neighbour', () => {
    expect(from('--num-prompt 5').refusals[0]!.remedy).toBe('Did you mean --num-prompts?');
  });

  it('but dropped knowingly it is a change that is said', () => {
    const made = from('--insecure --frobnicate 3', ['--insecure', 'frobnicate']);
    expect(made.text).toBeDefined();
    expect(kinds(made, '--insecure')).toEqual(['changed']);
    expect(kinds(made, '--frobnicate')).toEqual(['changed']);
  });

  it('another program', () => {
    expect(configOf(['ab', '-n', '5'], peer()).refusals[0]!.why).toContain('no command of vllm bench serve');
  });
});

describe('N requests at a rate', () => {
  it('are exactly N in whole seconds, whatever the floats do', () => {
    for (let count = 1; count < 4000; count += 7) {
      for (const rate of [0.3, 0.7, 1, 3.3, 7.9, 13, 101.7]) {
        const stage = countedStage(count, rate);
        expect(Math.floor(stage.rate * stage.duration)).toBe(count);
        expect(Number.isInteger(stage.duration)).toBe(true);
        expect(stage.isOff).toBe(Math.abs(stage.rate / rate - 1) > 0.005);
      }
    }
  });
});

const CONFIG = `# isoperf: seed=3
load: { type: constant, interval: 0, num_workers: 1, worker_max_concurrency: 400, request_timeout: 21600, stages: [{ rate: 8, duration: 50 }] }
api: { type: completion, streaming: true }
server: { type: vllm, base_url: "http://h:8000", model_name: org/m, ignore_eos: true }
tokenizer: { pretrained_model_name_or_path: org/m }
data: { type: random, input_distribution: { type: fixed, mean: 64 }, output_distribution: { type: fixed, mean: 32 } }
`;

function back(text: string): Translated {
  const read = loadConfig(text);
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return commandsOf(read.value, peer());
}

describe('a config as commands', () => {
  it('one for each measured stage, a warm-up with the one behind it', () => {
    const block = CONFIG.replace(
      /load: \{[\s\S]*?\]\s*\}\n/,
      'load:\n  type: constant\n  stages:\n    - { rate: 10, duration: 3 } # isoperf: warmup\n    - { rate: 8, duration: 50 }\n    - { rate: 16, duration: 50 }\n',
    );
    const { text: commands, isChanged } = back(block);
    const lines = commands!.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('--num-prompts 400 --request-rate 8 --burstiness 1 --num-warmups 30');
    expect(lines[1]).not.toContain('--num-warmups');
    expect(isChanged).toBe(true);
  });

  it.each<[string | RegExp, string, string]>([
    ['stages: [{ rate: 8, duration: 50 }]', 'sweep: { type: linear }', 'load.sweep'],
    ['streaming: true', 'streaming: false', 'api.streaming'],
    [/data: .*/, 'data: { type: mock }', 'data.type'],
    ['type: fixed, mean: 64', 'type: normal, mean: 64', 'data.input_distribution'],
    ['ignore_eos: true', 'ignore_eos: false', 'server.ignore_eos'],
    [
      /api: [^]*$/,
      `api: { type: anthropic_messages, streaming: true }\nserver: { type: vllm, base_url: "http://h" }\ndata: { type: mock }\n`,
      'api.type',
    ],
  ])('refuses %s -> %s', (a, b, what) => {
    const read = loadConfig(CONFIG.replace(a, b));
    if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
    const { refusals, text } = commandsOf(read.value, peer());
    expect(text).toBeUndefined();
    expect(refusals.map((one) => one.what)).toContain(what);
  });

  it.each([
    ['a rate', CONFIG],
    [
      'a burst',
      CONFIG.replace('# isoperf: seed=3', '# isoperf: seed=3, arrivals=burst').replace(
        'rate: 8, duration: 50',
        'rate: 40, duration: 1',
      ),
    ],
    [
      'a closed loop',
      CONFIG.replace('type: constant', 'type: concurrent').replace(
        'rate: 8, duration: 50',
        'num_requests: 64, concurrency_level: 8',
      ),
    ],
    ['uniform lengths', CONFIG.replace('type: fixed, mean: 64', 'type: uniform, min: 32, max: 96, mean: 64')],
    ['greedy', CONFIG.replace('seed=3', 'seed=3, greedy')],
    ['another name of the model', CONFIG.replace('model_name: org/m', 'model_name: served')],
    [
      'prefixes',
      CONFIG.replace(
        /data: .*\n/,
        'data: { type: shared_prefix, shared_prefix: { num_groups: 4, num_prompts_per_group: 100, system_prompt_len: 64, question_len: 32, output_len: 16 } }\n',
      ),
    ],
  ])('there and back is the same config: %s', (_, text) => {
    const first = loadConfig(text);
    if (!first.ok) throw new Error(first.problems.map(({ message }) => message).join('\n'));
    const { text: command, refusals } = back(text);
    expect(refusals).toEqual([]);
    const returned = configOf(shellWords(command!.trim())!, peer());
    expect(returned.refusals).toEqual([]);
    const second = loadConfig(returned.text!);
    if (!second.ok) throw new Error('not read');
    const of = ({ config, seed }: typeof first.value) => {
      const { load, api, server, tokenizer, data } = config;
      const { type, stages, request_timeout: timeout } = load;
      return {
        load: { type, stages, timeout },
        api,
        server,
        tokenizer,
        data,
        seed: String(seed),
      };
    };
    expect(of(second.value)).toEqual(of(first.value));
  });
});

describe('a version', () => {
  it.each([
    ['vllm', /which version of vllm/],
    ['vllm@0.8', /not known.*--assume-version reads it as 0\.33/],
    ['genai@1', /no table of 'genai'/],
  ])('%s is refused', (text, words) => {
    expect(peerOf(text, false)).toMatch(words);
  });

  it('of a patch is that of its release; another is assumed when asked', () => {
    expect(peerOf('vllm@0.32.1', false)).toMatchObject({ version: '0.32' });
    const assumed = peerOf('vllm@0.40', true);
    expect(assumed).toMatchObject({ version: '0.33', assumed: '0.40' });
    expect(configOf(shellWords(BASE)!, assumed as Peer).text).toContain('assumed version: 0.40 is not known');
  });
});
