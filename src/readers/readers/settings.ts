// Settings by the names that tools share, wherever a file has them: metadata a user added, flags of a command line, nested arguments.
import { shellWords } from '../../cluster/shell';
import type { StackRecord } from '../../folder/stack';
import type { ConfigPath } from '../../problem';
import type { Told } from '../canonical';
import { fact, type Fact } from '../facts';
import { literal, parametersOf, samplingOf, TOLD } from './told';
import { numberOf, textOf, type Json } from './values';
import { isObject } from '../../own';

/** A value by its last name: lower case, `_` between words, without the dashes of a flag. */
interface Named {
  readonly name: string;
  readonly value: unknown;
  /** Dotted, as it stands in the file. */
  readonly key: string;
}

const MAX_DEPTH = 5;
const MAX_NAMES = 2000;

/** Parts of a file that are about something beside the requests and what served them: the sender, another run. */
const ELSEWHERE =
  /^(?:(?:bench(?:mark)?|load|test|client)_)?(?:client|host|env|environment|load_?gen|load_generator|generator|harness|runner|machine|driver|baseline|previous|reference)(?:_(?:host|machine|info|env|environment|config))?$/;

function namesIn(value: unknown, key: string, depth = 0, found: Named[] = []): Named[] {
  if (!isObject(value) || depth > MAX_DEPTH) return found;
  for (const [step, entry] of Object.entries(value)) {
    if (found.length >= MAX_NAMES) return found;
    const place = key === '' ? step : `${key}.${step}`;
    const name = plainName(step);
    const read = BODIES.has(name) || BODY_HOLDERS.has(name) ? parametersOf(entry) : entry;
    if (ELSEWHERE.test(name) && isObject(read)) continue;
    if (read !== null) found.push({ name, value: read, key: place });
    namesIn(read, place, depth + 1, found);
  }
  return found;
}

function plainName(name: string): string {
  const words = name.replace(/^-+/, '').replace(/([a-z])([A-Z])/g, '$1_$2');
  return words.toLowerCase().replaceAll('-', '_');
}

function word(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof first === 'number' ? String(first) : textOf(first);
}

function address(value: unknown): string | undefined {
  const text = word(value);
  return text !== undefined && /^(?:https?:\/\/|[\w.-]+:\d+$)/.test(text) ? text : undefined;
}

function route(value: unknown): string | undefined {
  const text = word(value);
  return text !== undefined && /^\/[^/\s]\S*$/.test(text) ? text : undefined;
}

function count(value: unknown): number | undefined {
  const number = numberOf(value, true);
  return number === undefined || number < 0 ? undefined : number;
}

function onOff(value: unknown): boolean | undefined {
  const read = typeof value === 'string' ? literal(value.toLowerCase()) : value;
  return typeof read === 'boolean' ? read : read === 1 ? true : read === 0 ? false : undefined;
}

function lengthOf(value: unknown): Json | undefined {
  const mean = count(value);
  return mean === undefined || mean === 0 ? undefined : { mean };
}

function kindOf(value: unknown): string | undefined {
  const text = word(value)?.toLowerCase() ?? '';
  return text.includes('chat') ? 'chat' : /completions?$|^text$/.test(text) ? 'completion' : undefined;
}

function chatOrNot(value: unknown): string | undefined {
  const chat = onOff(value);
  return chat === undefined ? undefined : chat ? 'chat' : 'completion';
}

interface Rule {
  readonly path: ConfigPath;
  readonly names: readonly string[];
  /** Undefined: it is no value of that setting. */
  readonly as: (value: unknown) => unknown;
}

/** The first name that has a value wins. */
const RULES: readonly Rule[] = [
  {
    path: ['server', 'model_name'],
    names: ['model_name', 'model_id', 'model', 'served_model_name', 'model_path', 'm'],
    as: word,
  },
  {
    path: ['server', 'base_url'],
    names: ['base_url', 'url', 'u', 'target', 'server_url', 'endpoint_url'],
    as: address,
  },
  { path: ['server', 'ignore_eos'], names: ['ignore_eos'], as: onOff },
  {
    path: ['server', 'version'],
    names: ['server_version', 'engine_version', 'vllm_version', 'sglang_version'],
    as: word,
  },
  { path: ['api', 'streaming'], names: ['streaming', 'stream'], as: onOff },
  { path: ['api', 'route'], names: ['endpoint', 'request_format', 'route', 'endpoint_path'], as: route },
  { path: ['api', 'type'], names: ['request_format', 'endpoint_type', 'api_type', 'endpoint'], as: kindOf },
  { path: ['api', 'type'], names: ['use_chat_completions', 'use_chat'], as: chatOrNot },
  {
    path: ['tokenizer', 'pretrained_model_name_or_path'],
    names: [
      'pretrained_model_name_or_path',
      'tokenizer_id',
      'tokenizer_name',
      'tokenizer_path',
      'tokenizer',
      'processor',
    ],
    as: word,
  },
  { path: ['load', 'base_seed'], names: ['base_seed', 'random_seed', 'seed'], as: count },
  {
    path: TOLD.warmupRequests,
    names: ['warmup_request_count', 'num_warmups', 'warmup_requests', 'num_warmup_requests'],
    as: count,
  },
  {
    path: ['data', 'input_distribution'],
    names: ['random_input_len', 'synthetic_input_tokens_mean', 'mean_input_tokens', 'input_len', 'isl'],
    as: lengthOf,
  },
  {
    path: ['data', 'output_distribution'],
    names: ['random_output_len', 'output_tokens_mean', 'mean_output_tokens', 'output_len', 'osl'],
    as: lengthOf,
  },
  { path: ['data', 'type'], names: ['dataset_name', 'dataset_type', 'prompt_source'], as: word },
  { path: ['data', 'path'], names: ['dataset_path', 'input_file'], as: word },
];

/** How tokens are drawn, by the names the OpenAI protocol and its servers have for it. */
const SAMPLING = new Set(
  (
    'temperature top_p top_k min_p typical_p repetition_penalty frequency_penalty presence_penalty length_penalty ' +
    'use_beam_search best_of'
  ).split(' '),
);

/** Names under which bodies, or parts of them, are given: as objects, as JSON, as "a:b" words, once or several times. */
const BODIES = new Set(['extra_inputs', 'extra_body', 'extra_request_body', 'additional_sampling_params']);
/** Names whose value may hold a body deeper inside. */
const BODY_HOLDERS = new Set(['backend_kwargs', 'backend_args']);

/**
 * What a file says under names that any tool may use, each with its place. Objects inside are looked through, lists are not. A
 * reader that knows its tool's own keys puts those before these.
 * @param root dotted key of `value` in the file, empty at its top
 */
export function settingsTold(value: unknown, file: string, root = ''): readonly Told[] {
  const names = namesIn(value, root);
  const told = RULES.flatMap(({ path, names: spellings, as }): Told[] => {
    const candidates = spellings.flatMap((spelling) => names.filter(({ name }) => name === spelling));
    const found = candidates.find((one) => as(one.value) !== undefined);
    return found ? [{ path, value: as(found.value), file, key: found.key }] : [];
  });
  return [...told, ...bodyTold(names, file)];
}

function bodyTold(names: readonly Named[], file: string): readonly Told[] {
  const sent = names.filter(({ name, value }) => SAMPLING.has(parameterName(name)) && !isObject(value));
  const bodies = names.filter(({ name }) => BODIES.has(name));
  if (sent.length + bodies.length === 0) return [];
  const inBodies = Object.fromEntries(bodies.flatMap(({ value }) => Object.entries(value as Json)));
  const eos = onOff(inBodies['ignore_eos']);
  const alone = sent.map(({ name, value }) => [
    parameterName(name),
    typeof value === 'string' ? literal(value) : value,
  ]);
  const key = [...sent, ...bodies].map((one) => one.key).join(', ');
  return [
    ...(eos === undefined ? [] : [{ path: ['server', 'ignore_eos'], value: eos, file, key: bodies[0]!.key }]),
    { path: TOLD.parameters, value: { ...Object.fromEntries(alone), ...samplingOf(inBodies) }, file, key },
  ];
}

/** llmperf writes each parameter as a key of its own: `additional_sampling_params_temperature`. */
function parameterName(name: string): string {
  return name.replace(/^additional_sampling_params_/, '');
}

/** Flags that may be given several times, or with several words after them, and mean all of them. */
const isListed = (flag: string): boolean => BODIES.has(plainName(flag)) || flag === 'goodput';

/**
 * Flags of a command line as settings: `--isl 64 --streaming --extra-inputs ignore_eos:true`. A flag without a value is on; given
 * twice, the last one counts, but of flags that add to a request's body every word does, as a list.
 */
export function settingsOfCommand(command: string): Json {
  const words = command.length > 100_000 ? [] : (shellWords(command) ?? []);
  const settings = new Map<string, unknown>();
  words.forEach((flagWord, i) => {
    const [, flag, given] = IS_FLAG.exec(flagWord) ?? [];
    if (flag === undefined) return;
    const rest = words.slice(i + 1);
    const end = rest.findIndex((one) => IS_FLAG.test(one));
    const after = end < 0 ? rest : rest.slice(0, end);
    const values = given === undefined ? after : [given, ...after];
    if (isListed(flag)) settings.set(flag, [...((settings.get(flag) as string[] | undefined) ?? []), ...values]);
    else settings.set(flag, values[0] ?? true);
  });
  return Object.fromEntries(settings);
}

const IS_FLAG = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s;

const SIZES = { tp: 'tensor', pp: 'pipeline', dp: 'data', ep: 'expert' } as const;

/** What served, by the names that stand for it beside results: engine, image, accelerator, parallel sizes. */
export function stackTold(value: unknown, file: string, root = ''): Fact<StackRecord> | undefined {
  const names = namesIn(value, root);
  const text = (...spellings: string[]): string | undefined =>
    names
      .filter(({ name }) => spellings.includes(name))
      .map((one) => word(one.value))
      .find((one) => one !== undefined);
  const sizes = Object.entries(SIZES).flatMap(([short, long]) => {
    const size = text(short, `${long}_parallel_size`, `${short}_size`);
    return size === undefined ? [] : [`${short} ${size}`];
  });
  const replicas = count(names.find(({ name }) => name === 'replicas')?.value);
  const entries: readonly (readonly [keyof StackRecord, unknown])[] = [
    ['quantization', text('quantization', 'quantisation', 'precision')],
    ['engine', text('framework', 'engine')],
    ['engineVersion', text('engine_version', 'vllm_version', 'sglang_version')],
    ['image', text('image')],
    ['accelerator', text('accelerator', 'gpu', 'gpu_type', 'hw', 'hardware', 'device')],
    ['replicas', replicas],
    ['parallelism', sizes.length === 0 ? undefined : sizes.join(', ')],
  ];
  const said = entries.filter(([, entry]) => entry !== undefined);
  return said.length === 0 ? undefined : fact({ source: file, ...Object.fromEntries(said) }, file, 'what served');
}
