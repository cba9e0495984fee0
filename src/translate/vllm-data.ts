// vllm bench serve: what is sent. Its data sets and lengths.
import type { Distribution } from '../config/model/schema/distribution';
import { put, type Draft } from './draft';
import { refuse, say } from './sheet';
import type { Back, Row } from './tool';
import { countIn, DEFAULTS, promptsIn, stageOf } from './bench-counts';

const SHAREGPT = 'sharegpt: vllm bench serve leaves out short and long ones and shuffles, inference-perf does neither';

export const DATA: Row = {
  flags: [
    ...['dataset-name', 'dataset-path', 'input-len', 'output-len', 'random-input-len', 'random-output-len'],
    ...['random-range-ratio', 'random-prefix-len', 'ignore-eos', 'sharegpt-output-len'],
    ...[
      'prefix-repetition-prefix-len',
      'prefix-repetition-suffix-len',
      'prefix-repetition-num-prefixes',
      'prefix-repetition-output-len',
    ],
  ],
  keys: ['data', 'server.ignore_eos'],
  from(draft) {
    const { given } = draft;
    const name = given.get('dataset-name')?.[0] ?? 'random';
    if (!given.has('dataset-name')) say(draft, 'assumed', '--dataset-name', 'not given: random');
    const eos = given.has('ignore-eos');
    switch (name) {
      case 'random':
        randomFrom(draft);
        put(draft, 'server.ignore_eos', true);
        if (!eos)
          say(draft, 'assumed', '--ignore-eos', 'not given: random sends it all the same, server.ignore_eos true');
        break;
      case 'prefix_repetition':
        prefixFrom(draft);
        put(draft, 'server.ignore_eos', eos);
        if (!eos) say(draft, 'assumed', '--ignore-eos', 'not given: server.ignore_eos false');
        break;
      case 'sharegpt':
        shareGptFrom(draft);
        put(draft, 'server.ignore_eos', eos);
        if (!eos) say(draft, 'assumed', '--ignore-eos', 'not given: server.ignore_eos false');
        break;
      default:
        refuse(
          draft,
          '--dataset-name',
          `inference-perf has no counterpart of ${name}.`,
          'Use random, prefix_repetition or sharegpt.',
        );
    }
    if (eos) say(draft, 'lossless', '--ignore-eos', 'server.ignore_eos true');
    ofOthers(draft, name);
    const isChat = given.get('backend')?.[0] === 'openai-chat';
    if (isChat) {
      const why =
        name === 'sharegpt' ? 'sends the whole conversation and asks for 30 tokens' : 'has no generator of such text';
      refuse(draft, '--backend', `inference-perf ${why} with api.type chat.`, 'Use --backend openai.');
    }
  },
  to(back) {
    const { data, server } = back.loaded.config;
    if (data.type === 'random') randomTo(back);
    else if (data.type === 'shared_prefix') prefixTo(back);
    else if (data.type === 'shareGPT') {
      back.words.push('--dataset-name', 'sharegpt', ...(data.path === null ? [] : ['--dataset-path', data.path]));
      say(back, 'changed', 'data.type', SHAREGPT);
    } else {
      refuse(
        back,
        'data.type',
        `vllm bench serve has no counterpart of ${data.type}.`,
        'Use random, shared_prefix or shareGPT.',
      );
    }
    const eos = server?.ignore_eos ?? true;
    if (eos) back.words.push('--ignore-eos');
    else if (data.type === 'random')
      refuse(back, 'server.ignore_eos', 'With random, vllm bench serve sends ignore_eos always.', 'Set it to true.');
    if (data.type !== 'random' || eos)
      say(back, 'lossless', 'server.ignore_eos', eos ? '--ignore-eos' : 'no --ignore-eos');
  },
};

/** Flags of a data set that is not used: they change nothing. */
function ofOthers(draft: Draft, used: string): void {
  const own = { random: 'random-', prefix_repetition: 'prefix-repetition-', sharegpt: 'sharegpt-' } as const;
  for (const [name, start] of Object.entries(own)) {
    if (name === used) continue;
    for (const flag of draft.given.keys()) {
      if (flag.startsWith(start) && !flag.startsWith('random-mm') && flag !== 'random-batch-size') {
        say(draft, 'dropped', `--${flag}`, `it belongs to --dataset-name ${name}, which is not used`);
      }
    }
  }
}

interface Ratios {
  readonly input: number;
  readonly output: number;
}

function ratiosIn(draft: Draft): Ratios {
  const text = draft.given.get('random-range-ratio')?.[0] ?? '0';
  const read = parsedRatio(text);
  const fits = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value < 1;
  if (fits(read)) return { input: read, output: read };
  if (typeof read === 'object' && read !== null) {
    const { input = 0, output = 0 } = read as { input?: unknown; output?: unknown };
    if (fits(input) && fits(output)) return { input, output };
  }
  refuse(
    draft,
    '--random-range-ratio',
    `'${text}' is no ratio from 0 up to 1.`,
    'Write 0.1, or {"input": 0.1, "output": 0.2}.',
  );
  return { input: 0, output: 0 };
}

function parsedRatio(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function lengthsOf(mean: number, ratio: number, least: number): Partial<Distribution> {
  if (ratio === 0) return { type: 'fixed', mean };
  const min = Math.max(least, Math.floor(mean * (1 - ratio)));
  return { type: 'uniform', min, max: Math.ceil(mean * (1 + ratio)), mean };
}

function randomFrom(draft: Draft): void {
  const { given } = draft;
  const input = countIn(draft, 'input-len', countIn(draft, 'random-input-len', DEFAULTS.input));
  const output = countIn(draft, 'output-len', countIn(draft, 'random-output-len', DEFAULTS.output));
  const ratio = ratiosIn(draft);
  const prefix = countIn(draft, 'random-prefix-len', 0);
  const isGiven = ['input-len', 'random-input-len'].some((flag) => given.has(flag));
  if (!isGiven) say(draft, 'assumed', '--random-input-len', `not given: ${DEFAULTS.input}`);
  if (!['output-len', 'random-output-len'].some((flag) => given.has(flag))) {
    say(draft, 'assumed', '--random-output-len', `not given: ${DEFAULTS.output}`);
  }
  if (prefix > 0) {
    if (ratio.input > 0 || ratio.output > 0) {
      refuse(
        draft,
        '--random-prefix-len',
        'A common prefix before lengths that vary has no counterpart.',
        'Leave --random-range-ratio out.',
      );
    }
    const prompts = promptsIn(draft);
    put(draft, 'data.type', 'shared_prefix');
    put(draft, 'data.shared_prefix', {
      num_groups: 1,
      num_prompts_per_group: prompts,
      system_prompt_len: prefix,
      question_len: input,
      output_len: output,
    });
    say(
      draft,
      'changed',
      '--random-prefix-len',
      'data.shared_prefix with one group: the same lengths, other texts in another order',
    );
    return;
  }
  put(draft, 'data.type', 'random');
  put(draft, 'data.input_distribution', lengthsOf(input, ratio.input, 1));
  put(draft, 'data.output_distribution', lengthsOf(output, ratio.output, 1));
  say(
    draft,
    'changed',
    '--random-input-len',
    'data.input_distribution: other texts; vllm bench serve takes the tokenizer’s special tokens off the length, inference-perf counts them in it',
  );
  if (ratio.input > 0 || ratio.output > 0) {
    say(
      draft,
      'changed',
      '--random-range-ratio',
      'uniform lengths: inference-perf draws the two end values half as often',
    );
  }
}

function prefixFrom(draft: Draft): void {
  const prompts = promptsIn(draft);
  const groups = countIn(draft, 'prefix-repetition-num-prefixes', DEFAULTS.prefixes, 1);
  const perGroup = Math.floor(prompts / groups);
  if (perGroup === 0) {
    refuse(
      draft,
      '--prefix-repetition-num-prefixes',
      `${groups} prefixes for ${prompts} prompts: some would have none.`,
      'Ask for no more prefixes than prompts.',
    );
    return;
  }
  put(draft, 'data.type', 'shared_prefix');
  put(draft, 'data.shared_prefix', {
    num_groups: groups,
    num_prompts_per_group: perGroup,
    system_prompt_len: countIn(draft, 'prefix-repetition-prefix-len', DEFAULTS.prefix),
    question_len: countIn(draft, 'prefix-repetition-suffix-len', DEFAULTS.suffix),
    output_len: countIn(draft, 'prefix-repetition-output-len', DEFAULTS.prefixOutput),
  });
  const rest = prompts % groups === 0 ? '' : `; ${prompts} is no multiple of ${groups}, so ${perGroup * groups} differ`;
  say(
    draft,
    'changed',
    '--dataset-name',
    `data.shared_prefix: the same lengths and groups, other texts in another order${rest}`,
  );
}

function shareGptFrom(draft: Draft): void {
  const path = draft.given.get('dataset-path')?.[0];
  if (path === undefined) refuse(draft, '--dataset-path', 'sharegpt needs its file.', 'Add --dataset-path FILE.');
  if (draft.given.has('sharegpt-output-len')) {
    refuse(
      draft,
      '--sharegpt-output-len',
      'inference-perf takes the lengths of the recorded answers.',
      'Leave it out.',
    );
  }
  put(draft, 'data.type', 'shareGPT');
  if (path !== undefined) put(draft, 'data.path', path);
  say(draft, 'changed', '--dataset-name', SHAREGPT);
}

/** Fixed or uniform, which is all that the flags can say. */
function flagLengths(
  back: Back,
  key: 'input_distribution' | 'output_distribution',
): { mean: number; ratio: number } | undefined {
  const value = back.loaded.config.data[key];
  const what = `data.${key}`;
  if (value?.type === 'fixed') return { mean: value.mean, ratio: 0 };
  if (value?.type === 'uniform') {
    const mean = (value.min + value.max) / 2;
    return { mean: Math.round(mean), ratio: Number(((value.max - value.min) / 2 / mean).toPrecision(12)) };
  }
  refuse(
    back,
    what,
    `vllm bench serve draws fixed or uniform lengths, not ${value?.type ?? 'a trace’s'}.`,
    'Use type: fixed or uniform.',
  );
  return undefined;
}

function randomTo(back: Back): void {
  const [input, output] = [flagLengths(back, 'input_distribution'), flagLengths(back, 'output_distribution')];
  if (!input || !output) return;
  const { words } = back;
  words.push(
    '--dataset-name',
    'random',
    '--random-input-len',
    String(input.mean),
    '--random-output-len',
    String(output.mean),
  );
  say(
    back,
    'changed',
    'data.input_distribution',
    '--random-input-len: other texts; the tokenizer’s special tokens are taken off the length',
  );
  if (input.ratio === 0 && output.ratio === 0) return;
  words.push(
    '--random-range-ratio',
    input.ratio === output.ratio ? String(input.ratio) : JSON.stringify({ input: input.ratio, output: output.ratio }),
  );
  say(
    back,
    'changed',
    'data.input_distribution.type',
    '--random-range-ratio: whole numbers, both ends as often as the others',
  );
}

function prefixTo(back: Back): void {
  const shared = back.loaded.config.data.shared_prefix;
  const lengths = [shared?.system_prompt_len, shared?.question_len, shared?.output_len];
  if (
    !shared ||
    shared.multimodal !== null ||
    shared.enable_multi_turn_chat ||
    lengths.some((length) => typeof length !== 'number')
  ) {
    refuse(
      back,
      'data.shared_prefix',
      'prefix_repetition has fixed lengths, one turn and text only.',
      'Write numbers for the lengths, without media or turns.',
    );
    return;
  }
  const [prefix, suffix, output] = lengths as number[];
  const all = shared.num_groups * shared.num_prompts_per_group;
  const { requests } = stageOf(back);
  if (requests !== undefined && requests > all) {
    refuse(
      back,
      'data.shared_prefix',
      `${requests} requests of ${all} prompts: they would be sent again, and prefix_repetition makes new ones.`,
      'Raise num_prompts_per_group.',
    );
    return;
  }
  back.words.push('--dataset-name', 'prefix_repetition');
  back.words.push(
    '--prefix-repetition-num-prefixes',
    String(shared.num_groups),
    '--prefix-repetition-prefix-len',
    String(prefix),
  );
  back.words.push('--prefix-repetition-suffix-len', String(suffix), '--prefix-repetition-output-len', String(output));
  say(
    back,
    'changed',
    'data.shared_prefix',
    'prefix_repetition: the same lengths and groups, other texts in another order',
  );
}
