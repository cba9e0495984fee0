// SGLang's bench_serving: where requests go, what is sent, and what is kept of it, in both directions.
import { withoutSecretText } from '../config/secret-names';
import { own } from '../own';
import { countIn, stageOf } from './bench-counts';
import { put, type Draft } from './draft';
import { refuse, say } from './sheet';
import type { Back, Row } from './tool';
import { goodputFrom, goodputTo, jsonOf, sampled } from './vllm-rows';

/** Backends that speak the two routes, and their port where none is given. */
const BACKENDS: Readonly<Record<string, readonly ['completion' | 'chat', number]>> = {
  'sglang-oai': ['completion', 30_000],
  'sglang-oai-chat': ['chat', 30_000],
  vllm: ['completion', 8000],
  'vllm-chat': ['chat', 8000],
  lmdeploy: ['completion', 23_333],
  'lmdeploy-chat': ['chat', 23_333],
};

export const ADDRESS: Row = {
  flags: ['base-url', 'host', 'port', 'backend', 'disable-stream'],
  keys: ['server.base_url', 'api.type', 'api.streaming'],
  from(draft) {
    const { given } = draft;
    const backend = given.get('backend')?.[0] ?? 'sglang';
    const [type, standard] = own(BACKENDS, backend) ?? [undefined, 30_000];
    if (type === undefined) {
      refuse(
        draft,
        '--backend',
        `${backend} speaks its own route, and inference-perf does not.`,
        'Use --backend sglang-oai, which sends to /v1/completions.',
      );
    } else {
      put(draft, 'api.type', type);
      say(draft, 'lossless', '--backend', `api.type ${type}`);
    }
    const url =
      given.get('base-url')?.[0] ??
      `http://${given.get('host')?.[0] ?? '127.0.0.1'}:${given.get('port')?.[0] ?? standard}`;
    if (!URL.canParse(url))
      refuse(draft, '--base-url', `${withoutSecretText(url)} is no address.`, 'Write http://host:port.');
    else {
      put(draft, 'server.base_url', url.replace(/\/+$/, ''));
      const isGiven = ['base-url', 'host', 'port'].some((flag) => given.has(flag));
      say(draft, isGiven ? 'lossless' : 'assumed', '--base-url', isGiven ? 'server.base_url' : `not given: ${url}`);
    }
    const streams = !given.has('disable-stream');
    put(draft, 'api.streaming', streams);
    say(
      draft,
      streams ? 'assumed' : 'lossless',
      '--disable-stream',
      streams ? 'not given: api.streaming true' : 'api.streaming false',
    );
    put(draft, 'server.type', backend.startsWith('vllm') ? 'vllm' : 'sglang');
  },
  to(back) {
    const { server, api } = back.loaded.config;
    const backend = api.type === 'chat' ? 'sglang-oai-chat' : 'sglang-oai';
    if (server) back.words.push('--base-url', server.base_url);
    else refuse(back, 'server', 'The config names no server.', 'Add server.base_url.');
    if (api.type !== 'completion' && api.type !== 'chat') {
      refuse(back, 'api.type', `bench_serving does not speak ${api.type}.`, 'Use completion or chat.');
    }
    if (api.response_format !== null) {
      refuse(back, 'api.response_format', 'It has no flag.', 'Leave it out, or give --extra-request-body by hand.');
    }
    back.words.push('--backend', backend, ...(api.streaming ? [] : ['--disable-stream']));
    say(back, 'lossless', 'server.base_url, api', '--base-url, --backend, --disable-stream');
  },
};

export const MODEL: Row = {
  flags: ['model', 'served-model-name', 'tokenizer'],
  keys: ['server.model_name', 'tokenizer'],
  from(draft) {
    const { given } = draft;
    const model = given.get('model')?.[0];
    const name = given.get('served-model-name')?.[0] ?? model;
    if (name === undefined)
      say(draft, 'assumed', '--model', 'not given: the first name at /v1/models is asked for, by both');
    else {
      put(draft, 'server.model_name', name);
      say(draft, 'lossless', '--model', 'server.model_name');
    }
    const tokenizer = given.get('tokenizer')?.[0] ?? model;
    if (tokenizer !== undefined) put(draft, 'tokenizer.pretrained_model_name_or_path', tokenizer);
    if (given.has('tokenizer')) say(draft, 'lossless', '--tokenizer', 'tokenizer.pretrained_model_name_or_path');
  },
  to(back) {
    const { server, tokenizer } = back.loaded.config;
    const name = server?.model_name ?? undefined;
    const path = tokenizer?.pretrained_model_name_or_path ?? undefined;
    if (name !== undefined) back.words.push('--model', path ?? name);
    if (path !== undefined) back.words.push('--tokenizer', path);
    if (name !== undefined && path !== undefined && path !== name) back.words.push('--served-model-name', name);
    say(back, 'lossless', 'server.model_name, tokenizer', '--model, --served-model-name, --tokenizer');
  },
};

const RANDOM = ['random', 'random-ids'];
const GROUPS = 'generated-shared-prefix';

export const DATA: Row = {
  flags: [
    ...['dataset-name', 'random-input-len', 'random-output-len', 'random-range-ratio', 'disable-ignore-eos'],
    ...['gsp-num-groups', 'gsp-prompts-per-group', 'gsp-system-prompt-len', 'gsp-question-len', 'gsp-output-len'],
    ...['gsp-range-ratio', 'gsp-num-turns', 'gsp-group-distribution'],
  ],
  keys: ['data', 'server.ignore_eos'],
  from(draft) {
    const { given } = draft;
    const name = given.get('dataset-name')?.[0] ?? 'sharegpt';
    if (RANDOM.includes(name)) randomFrom(draft);
    else if (name === GROUPS) groupsFrom(draft);
    else {
      const isDefault = !given.has('dataset-name');
      refuse(
        draft,
        '--dataset-name',
        `${isDefault ? 'Not given, it is sharegpt, which' : name} is cut and sampled here as inference-perf does not.`,
        `Use --dataset-name random-ids or ${GROUPS}.`,
      );
    }
    const eos = !given.has('disable-ignore-eos');
    put(draft, 'server.ignore_eos', eos);
    say(
      draft,
      eos ? 'assumed' : 'lossless',
      '--disable-ignore-eos',
      eos ? 'not given: server.ignore_eos true' : 'server.ignore_eos false',
    );
    if (given.get('backend')?.[0]?.endsWith('-chat') === true) {
      refuse(
        draft,
        '--backend',
        'inference-perf has no generator of such text with api.type chat.',
        'Use --backend sglang-oai.',
      );
    }
    for (const flag of given.keys()) {
      const of = flag.startsWith('gsp-')
        ? GROUPS
        : flag.startsWith('random-') && flag !== 'random-image-count'
          ? 'random'
          : undefined;
      if (of !== undefined && !name.startsWith(of))
        say(draft, 'dropped', `--${flag}`, `it belongs to --dataset-name ${of}, which is not used`);
    }
  },
  to(back) {
    const { data, server } = back.loaded.config;
    if (data.type === 'random') randomTo(back);
    else if (data.type === 'shared_prefix') groupsTo(back);
    else refuse(back, 'data.type', `bench_serving has no counterpart of ${data.type}.`, 'Use random or shared_prefix.');
    if (server?.ignore_eos === false) back.words.push('--disable-ignore-eos');
    say(back, 'lossless', 'server.ignore_eos', server?.ignore_eos === false ? '--disable-ignore-eos' : 'its default');
  },
};

function ratioIn(draft: Draft, flag: string, otherwise: number): number {
  const text = draft.given.get(flag)?.[0];
  const ratio = text === undefined ? otherwise : Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  refuse(draft, `--${flag}`, `'${text}' is no ratio from 0 to 1.`, `Write --${flag} ${otherwise}.`);
  return otherwise;
}

/** Whole numbers from int(ratio x length) to the length, each as often: 1 is fixed, and 0 from 1 on. */
function lengthsOf(length: number, ratio: number): object {
  const min = Math.max(1, Math.trunc(length * ratio));
  return min >= length
    ? { type: 'fixed', mean: length }
    : { type: 'uniform', min, max: length, mean: Math.round((min + length) / 2) };
}

function randomFrom(draft: Draft): void {
  const input = countIn(draft, 'random-input-len', 1024);
  const output = countIn(draft, 'random-output-len', 1024);
  const ratio = ratioIn(draft, 'random-range-ratio', 0);
  for (const flag of ['random-input-len', 'random-output-len']) {
    if (!draft.given.has(flag)) say(draft, 'assumed', `--${flag}`, 'not given: 1024');
  }
  if (!draft.given.has('random-range-ratio'))
    say(draft, 'assumed', '--random-range-ratio', 'not given: 0, every length from 1 up');
  put(draft, 'data.type', 'random');
  put(draft, 'data.input_distribution', lengthsOf(input, ratio));
  put(draft, 'data.output_distribution', lengthsOf(output, ratio));
  say(
    draft,
    'changed',
    '--random-input-len',
    'data.input_distribution: other texts; bench_serving takes the tokenizer’s special tokens off the length, inference-perf counts them in it',
  );
  if (ratio < 1)
    say(
      draft,
      'changed',
      '--random-range-ratio',
      'uniform lengths: inference-perf draws the two end values half as often',
    );
}

function groupsFrom(draft: Draft): void {
  const groups = countIn(draft, 'gsp-num-groups', 64, 1);
  const perGroup = countIn(draft, 'gsp-prompts-per-group', 16, 1);
  if (ratioIn(draft, 'gsp-range-ratio', 1) < 1) {
    refuse(draft, '--gsp-range-ratio', 'Lengths that vary within a group have no counterpart.', 'Leave it at 1.');
  }
  if (countIn(draft, 'gsp-num-turns', 1) > 1)
    refuse(draft, '--gsp-num-turns', 'Its turns have no counterpart.', 'Leave it at 1.');
  if ((draft.given.get('gsp-group-distribution')?.[0] ?? 'uniform') !== 'uniform') {
    refuse(draft, '--gsp-group-distribution', 'Groups of unequal weight have no counterpart.', 'Leave it uniform.');
  }
  put(draft, 'data.type', 'shared_prefix');
  put(draft, 'data.shared_prefix', {
    num_groups: groups,
    num_prompts_per_group: perGroup,
    system_prompt_len: countIn(draft, 'gsp-system-prompt-len', 2048),
    question_len: countIn(draft, 'gsp-question-len', 128),
    output_len: countIn(draft, 'gsp-output-len', 256),
  });
  say(
    draft,
    'changed',
    '--dataset-name',
    'data.shared_prefix: the same lengths and groups, other texts in another order',
  );
  const prompts = countIn(draft, 'num-prompts', 1000);
  if (prompts !== groups * perGroup) {
    refuse(
      draft,
      '--num-prompts',
      `${GROUPS} sends its ${groups} x ${perGroup} prompts, whatever --num-prompts says.`,
      `Write --num-prompts ${groups * perGroup}, or other groups.`,
    );
  }
}

function lengthsTo(
  back: Back,
  key: 'input_distribution' | 'output_distribution',
): readonly [number, number] | undefined {
  const value = back.loaded.config.data[key];
  if (value?.type === 'fixed') return [value.mean, 1];
  if (value?.type === 'uniform') return [value.max, Number((value.min / value.max + 1e-9).toPrecision(9))];
  refuse(
    back,
    `data.${key}`,
    `bench_serving draws uniform or fixed lengths, not ${value?.type ?? 'a trace’s'}.`,
    'Use type: fixed or uniform.',
  );
  return undefined;
}

function randomTo(back: Back): void {
  const [input, output] = [lengthsTo(back, 'input_distribution'), lengthsTo(back, 'output_distribution')];
  if (!input || !output) return;
  if (input[1] !== output[1]) {
    refuse(
      back,
      'data.output_distribution',
      'bench_serving has one --random-range-ratio for both lengths.',
      'Give both the same share of min to max.',
    );
    return;
  }
  const { words } = back;
  words.push(
    '--dataset-name',
    'random-ids',
    '--random-input-len',
    String(input[0]),
    '--random-output-len',
    String(output[0]),
  );
  words.push('--random-range-ratio', String(input[1]));
  say(
    back,
    'changed',
    'data.input_distribution',
    '--random-input-len: other texts; the tokenizer’s special tokens are taken off the length',
  );
}

function groupsTo(back: Back): void {
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
      `${GROUPS} has fixed lengths, one turn and text only.`,
      'Write numbers for the lengths, without media or turns.',
    );
    return;
  }
  const { requests } = stageOf(back);
  const all = shared.num_groups * shared.num_prompts_per_group;
  if (requests !== all) {
    refuse(
      back,
      'data.shared_prefix',
      `${GROUPS} sends each of its ${all} prompts once, and the stage sends ${requests ?? 'another number'}.`,
      'Make groups x prompts per group the number of requests.',
    );
    return;
  }
  const [prefix, question, output] = lengths as number[];
  back.words.push('--dataset-name', GROUPS, '--gsp-num-groups', String(shared.num_groups));
  back.words.push(
    '--gsp-prompts-per-group',
    String(shared.num_prompts_per_group),
    '--gsp-system-prompt-len',
    String(prefix),
  );
  back.words.push('--gsp-question-len', String(question), '--gsp-output-len', String(output));
  say(back, 'changed', 'data.shared_prefix', `${GROUPS}: the same lengths and groups, other texts in another order`);
}

export const SAMPLING: Row = {
  flags: ['temperature', 'top-p', 'extra-request-body'],
  keys: ['# isoperf: greedy'],
  from(draft) {
    const { given } = draft;
    const body = given.get('extra-request-body')?.[0];
    const parsed = body === undefined ? {} : jsonOf(body);
    const temperature = Number(given.get('temperature')?.[0] ?? 0);
    const isOwn = typeof parsed === 'object' && parsed !== null && 'temperature' in parsed;
    // Unless the body says another, it sends temperature 0 with every request.
    if (!isOwn) sampled(draft, '--temperature', { temperature });
    if (body !== undefined) sampled(draft, '--extra-request-body', parsed);
    if (Number(given.get('top-p')?.[0] ?? 1) !== 1)
      sampled(draft, '--top-p', { top_p: Number(given.get('top-p')?.[0]) });
  },
  to(back) {
    const isGreedy = back.loaded.directives.some(({ name }) => name === 'greedy');
    say(
      back,
      isGreedy ? 'lossless' : 'changed',
      isGreedy ? '# isoperf: greedy' : 'sampling',
      isGreedy
        ? 'its default, temperature 0'
        : 'bench_serving sends temperature 0 with every request, the config leaves it to the server',
    );
  },
};

export const REPORT: Row = {
  flags: ['goodput', 'output-details'],
  keys: ['report.goodput', 'report.request_lifecycle.per_request'],
  from(draft) {
    goodputFrom(draft);
    if (!draft.given.has('output-details')) return;
    put(draft, 'report.request_lifecycle.per_request', true);
    say(draft, 'lossless', '--output-details', 'report.request_lifecycle.per_request');
  },
  to(back) {
    goodputTo(back);
    if (back.loaded.config.report.request_lifecycle.per_request === true) back.words.push('--output-details');
    say(back, 'dropped', 'report.request_lifecycle.percentiles', 'it prints its own: 50, 90, 95, 99');
  },
};
