// What AIPerf's and genai-perf's `input_config` says about the workload: its nesting changed between versions, its meaning did not.
import type { ReportScope, Told } from '../canonical';
import { settingsTold } from './settings';
import { lengthLaw, parametersOf, samplingOf, switchOf, TOLD, toldBy } from './told';
import { at, numberOf, shown, textOf, type Json } from './values';
import { isObject, own } from '../../own';

interface Found {
  readonly value: unknown;
  /** Dotted, from the top of the file. */
  readonly key: string;
}

/** First value of a key anywhere in the input config. Bounded depth. */
export function findKey(value: unknown, name: string, key = 'input_config', depth = 0): Found | undefined {
  if (depth > 6 || !isObject(value)) return undefined;
  if (Object.hasOwn(value, name) && value[name] !== null) return { value: value[name], key: `${key}.${name}` };
  for (const [step, entry] of Object.entries(value)) {
    const found = findKey(entry, name, `${key}.${step}`, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Of the phases (schema 1.4 and after), the one that was measured and those before it. */
function phasesOf(input: unknown): { readonly measured?: Json; readonly key: string; readonly warm: readonly Json[] } {
  const phases = at(input, 'phases');
  const list = Array.isArray(phases) ? phases.filter(isObject) : [];
  const index = list.findIndex(
    (phase) => textOf(phase['kind']) === 'profiling' || textOf(phase['name']) === 'profiling',
  );
  const measured = list[index];
  return {
    ...(measured ? { measured } : {}),
    key: `input_config.phases[${Math.max(0, index)}]`,
    warm: list.filter((phase) => textOf(phase['kind']) === 'warmup' || textOf(phase['name']) === 'warmup'),
  };
}

/** @param asked flags of the command line, for what the input config leaves out */
export function aiperfLoad(value: Json, asked: Json = {}): ReportScope['load'] {
  const input = value['input_config'];
  const { measured, key } = phasesOf(input);
  const number = (names: readonly string[]): number | undefined => {
    for (const name of names) {
      const found = measured?.[name] ?? findKey(input, name)?.value;
      const varied = at(value, 'run_info', 'variation_values', `phases.profiling.${name}`);
      // A list of a sweep says nothing of one of its runs.
      const given = numberOf(found) ?? numberOf(varied) ?? numberOf(asked[name.replaceAll('_', '-')], true);
      if (given !== undefined) return given;
    }
    return undefined;
  };
  const rate = number(measured ? ['rate', 'request_rate'] : ['request_rate']);
  const level = number(['concurrency']);
  if (rate !== undefined) {
    const cap = level === undefined ? {} : { cap: { value: level, from: `${key}.concurrency ${level}` } };
    return { model: 'open', requestedRateRps: rate, words: `${rate} requests/s asked`, ...cap };
  }
  if (level !== undefined) return { model: 'closed', concurrency: level, words: `${level} concurrent` };
  return { model: 'not recorded', words: 'not recorded' };
}

/** AIPerf's own words for a law -> ours; without a mode, a rate is Poisson (its default). */
const LAWS: Readonly<Record<string, string>> = {
  poisson: 'exponential-gaps',
  constant: 'even',
  gamma: 'gamma gaps',
};

const APIS: Readonly<Record<string, string>> = { completions: 'completion', chat: 'chat' };

export function modelsOf(input: unknown): Found | undefined {
  const items = at(input, 'models', 'items');
  if (Array.isArray(items)) {
    const names = items.flatMap((item) => textOf(isObject(item) ? item['name'] : item) ?? []);
    if (names.length > 0) return { value: names.join(', '), key: 'input_config.models.items' };
  }
  const found = findKey(input, 'model_names') ?? findKey(input, 'model');
  if (!found) return undefined;
  const words = Array.isArray(found.value) ? found.value.map(shown).join(', ') : shown(found.value);
  return words === '' ? undefined : { value: words, key: found.key };
}

/** @param asked flags of the command line: they say what the input config leaves out, and all of it where there is none */
export function aiperfTold(value: Json, file: string, asked: Json): readonly Told[] {
  const input = value['input_config'];
  const told = isObject(input) ? inputTold(value, input, file) : loadTold(value, asked, file);
  return [...told, ...commandTold(value, asked, file)];
}

const COMMAND = 'run_info.cli_command';

/** Without an input config: a command that names no rate has the concurrency it names, or one. */
function loadTold(value: Json, asked: Json, file: string): readonly Told[] {
  const load = aiperfLoad(value, asked);
  const named = textOf(asked['arrival-pattern']) ?? textOf(asked['request-rate-mode']);
  const mode = named ?? (namesConfig(asked) ? undefined : 'poisson');
  const law = lawOf(load, mode);
  return toldBy(file, [
    [['load', 'type'], typeOf(load, mode), COMMAND],
    [TOLD.arrivalLaw, law, COMMAND],
  ]);
}

function namesConfig(asked: Json): boolean {
  return ['config', 'config-file', 'f'].some((flag) => typeof asked[flag] === 'string');
}

function commandTold(value: Json, asked: Json, file: string): readonly Told[] {
  if (Object.keys(asked).length === 0) return [];
  const { streaming, goodput, ...rest } = asked;
  // What a command does not ask for is off, unless a file that it names asks for it.
  const off = <T>(value: T): T | undefined => (namesConfig(asked) ? undefined : value);
  return [
    ...settingsTold(rest, file, COMMAND),
    ...toldBy(file, [
      [TOLD.streaming, streaming === true || isObject(value['time_to_first_token']) || off(false), COMMAND],
      [TOLD.warmupRequests, 'warmup-duration' in asked ? undefined : off(0), COMMAND],
      [TOLD.goodput, goodput === undefined ? off({}) : limitsOf(Object.entries(parametersOf(goodput))), COMMAND],
    ]),
  ];
}

function inputTold(value: Json, input: Json, file: string): readonly Told[] {
  const load = aiperfLoad(value);
  const { measured, key, warm } = phasesOf(input);
  const mode = textOf(measured?.['type']) ?? textOf(findKey(input, 'request_rate_mode')?.value) ?? 'poisson';
  const law = lawOf(load, mode);
  const models = modelsOf(input);
  const urls = findKey(input, 'urls') ?? findKey(input, 'url') ?? findKey(input, 'u');
  return toldBy(file, [
    [['load', 'type'], typeOf(load, mode), measured ? `${key}.type` : 'input_config.loadgen'],
    [TOLD.arrivalLaw, law, measured ? `${key}.type` : 'input_config.loadgen.request_rate_mode'],
    [['server', 'model_name'], models?.value, models?.key ?? ''],
    [
      ['server', 'base_url'],
      Array.isArray(urls?.value) ? urls.value.map(shown).join(', ') : urls?.value,
      urls?.key ?? '',
    ],
    ...tokenizerTold(input),
    ...endpointTold(value, input),
    ...dataTold(input),
    warmupTold(input, measured, warm),
    limitsTold(input),
  ]);
}

/** AIPerf's names of what a limit is on -> those of inference-perf; its inter token latency is TPOT. */
const LIMITS: Readonly<Record<string, string>> = {
  time_to_first_token: 'ttft',
  inter_token_latency: 'tpot',
  request_latency: 'request_latency',
};

/** Milliseconds there, seconds here. */
function limitsTold(input: Json): Entry {
  const slos = findKey(input, 'slos');
  const given: unknown = slos?.value ?? input['goodput'];
  const key = slos?.key ?? (isObject(input['goodput']) ? 'input_config.goodput' : 'input_config.slos');
  return [TOLD.goodput, limitsOf(Object.entries(isObject(given) ? given : {})), key];
}

/** What was not asked for is not written: no entry is no limit. */
function limitsOf(entries: readonly (readonly [name: string, milliseconds: unknown])[]): Json {
  return Object.fromEntries(
    entries.flatMap(([name, value]) => {
      const limit = numberOf(value);
      return limit === undefined ? [] : [[own(LIMITS, name) ?? name, limit / 1000]];
    }),
  );
}

type Entry = readonly [path: Told['path'], value: unknown, key: string];

function lawOf(load: ReportScope['load'], mode: string | undefined): string | undefined {
  if (load.model === 'open') return mode && (own(LAWS, mode) ?? mode);
  return load.model === 'closed' ? 'closed-loop' : undefined;
}

function typeOf(load: ReportScope['load'], mode: string | undefined): string | undefined {
  if (load.model === 'open') return mode && (mode === 'constant' ? 'constant' : 'poisson');
  return load.model === 'closed' ? 'concurrent' : undefined;
}

function tokenizerTold(input: Json): readonly Entry[] {
  const name = textOf(at(input, 'tokenizer', 'name')) ?? textOf(at(input, 'tokenizer'));
  return [[['tokenizer', 'pretrained_model_name_or_path'], name, 'input_config.tokenizer.name']];
}

function endpointTold(value: Json, input: Json): readonly Entry[] {
  const endpoint = at(input, 'endpoint');
  if (!isObject(endpoint)) return flatEndpointTold(input);
  const type = textOf(endpoint['type']);
  const extraKey = Object.hasOwn(endpoint, 'extra') || !isObject(at(input, 'input')) ? 'endpoint.extra' : 'input.extra';
  const parameters = parametersOf(endpoint['extra'] ?? at(input, 'input', 'extra'));
  // Keys left at their default are not written; a first token was only timed when answers were streamed.
  const timed = isObject(value['time_to_first_token']) ? true : undefined;
  const streaming = typeof endpoint['streaming'] === 'boolean' ? endpoint['streaming'] : timed;
  return [
    [['api', 'type'], type && (own(APIS, type) ?? type), 'input_config.endpoint.type'],
    [
      ['api', 'streaming'],
      streaming,
      typeof endpoint['streaming'] === 'boolean' ? 'input_config.endpoint.streaming' : 'time_to_first_token',
    ],
    [['server', 'ignore_eos'], switchOf(parameters, 'ignore_eos'), `input_config.${extraKey}`],
    [TOLD.parameters, samplingOf(parameters), `input_config.${extraKey}`],
  ];
}

/** genai-perf wrote its options side by side until 2025. */
function flatEndpointTold(input: Json): readonly Entry[] {
  const type = textOf(input['endpoint_type']);
  const extra = input['extra_inputs'];
  const isSaid = extra !== undefined && extra !== null;
  const parameters = parametersOf(extra);
  return [
    [['api', 'type'], type && (own(APIS, type) ?? type), 'input_config.endpoint_type'],
    [
      ['api', 'streaming'],
      typeof input['streaming'] === 'boolean' ? input['streaming'] : undefined,
      'input_config.streaming',
    ],
    [['server', 'ignore_eos'], isSaid ? switchOf(parameters, 'ignore_eos') : undefined, 'input_config.extra_inputs'],
    [TOLD.parameters, isSaid ? samplingOf(parameters) : undefined, 'input_config.extra_inputs'],
  ];
}

function flatDataTold(input: Json): readonly Entry[] {
  const source = textOf(input['prompt_source']);
  const law = (mean: string, spread: string): Json | undefined =>
    lengthLaw(numberOf(input[mean]), numberOf(input[spread]));
  const seed = input['random_seed'];
  return [
    [['data', 'type'], source && `genai-perf’s ${source}`, 'input_config.prompt_source'],
    [
      ['data', 'input_distribution'],
      law('synthetic_input_tokens_mean', 'synthetic_input_tokens_stddev'),
      'input_config.synthetic_input_tokens_mean',
    ],
    [
      ['data', 'output_distribution'],
      (numberOf(input['output_tokens_mean']) ?? -1) < 0 ? undefined : law('output_tokens_mean', 'output_tokens_stddev'),
      'input_config.output_tokens_mean',
    ],
    [['load', 'base_seed'], seed, 'input_config.random_seed'],
  ];
}

function dataTold(input: Json): readonly Entry[] {
  if (!isObject(at(input, 'endpoint')) && (input['prompt_source'] ?? input['endpoint_type']) !== undefined)
    return flatDataTold(input);
  const seed = findKey(input, 'random_seed');
  const datasets = at(input, 'datasets');
  if (Array.isArray(datasets)) {
    const key = 'input_config.datasets[0]';
    const first: unknown = datasets[0];
    const law = (which: string): Json | undefined =>
      lengthLaw(
        numberOf(at(first, 'prompts', which, 'mean')),
        numberOf(at(first, 'prompts', which, 'stddev')) ?? numberOf(at(first, 'prompts', which, 'std')),
      );
    const type = textOf(at(first, 'type'));
    return [
      [['data', 'type'], type && `AIPerf’s ${type}`, `${key}.type`],
      [['data', 'input_distribution'], law('isl'), `${key}.prompts.isl`],
      [['data', 'output_distribution'], law('osl'), `${key}.prompts.osl`],
      [['load', 'base_seed'], seed?.value, seed?.key ?? ''],
    ];
  }
  const prompt = at(input, 'input', 'prompt');
  const law = (which: string): Json | undefined =>
    lengthLaw(numberOf(at(prompt, which, 'mean')), numberOf(at(prompt, which, 'stddev')));
  const custom = textOf(at(input, 'input', 'custom_dataset_type'));
  return [
    [['data', 'type'], isObject(prompt) ? `AIPerf’s ${custom ?? 'synthetic'}` : undefined, 'input_config.input'],
    [['data', 'input_distribution'], law('input_tokens'), 'input_config.input.prompt.input_tokens'],
    [['data', 'output_distribution'], law('output_tokens'), 'input_config.input.prompt.output_tokens'],
    [['load', 'base_seed'], seed?.value, seed?.key ?? ''],
  ];
}

/** Warm-up requests are not in AIPerf's numbers; without a warm-up phase there were none. */
function warmupTold(input: Json, measured: Json | undefined, warm: readonly Json[]): Entry {
  if (measured) {
    const counts = warm.map((phase) => numberOf(phase['requests']));
    const known = counts.every((count) => count !== undefined);
    return [
      TOLD.warmupRequests,
      known ? counts.reduce((sum, count) => sum + count, 0) : undefined,
      'input_config.phases',
    ];
  }
  const count = findKey(input, 'warmup_request_count');
  const loadgen = isObject(at(input, 'loadgen'));
  return [TOLD.warmupRequests, count?.value ?? (loadgen ? 0 : undefined), count?.key ?? 'input_config.loadgen'];
}

/** Requests that were asked for; a run bound by time asks for none. */
export function aiperfPlanned(input: unknown, asked: Json): number | undefined {
  const { measured } = phasesOf(input);
  if (measured) return numberOf(measured['requests']);
  return numberOf(at(input, 'loadgen', 'request_count')) ?? numberOf(asked['request-count'], true);
}
