// What GuideLLM's benchmarks.json says about the workload; the same facts nested in another way before version 0.6.
import type { Told } from '../canonical';
import { lengthLaw, parametersOf, samplingOf, switchOf, TOLD, toldBy } from './told';
import { at, numberAt, numberOf, textAt, textOf, type Json } from './values';
import { isObject, own } from '../../own';

/** Strategies -> inference-perf's load types and the law gaps follow. `throughput` sends as much as may be in flight. */
const STRATEGIES: Readonly<Record<string, readonly [type: string, law?: string]>> = {
  constant: ['constant', 'even'],
  poisson: ['poisson', 'exponential-gaps'],
  async: ['constant', 'even'],
  concurrent: ['concurrent'],
  synchronous: ['concurrent'],
  throughput: ['concurrent'],
};

const ROUTES: Readonly<Record<string, string>> = {
  '/v1/completions': 'completion',
  text_completions: 'completion',
  '/v1/chat/completions': 'chat',
  chat_completions: 'chat',
};

/**
 * @param config settings of the whole file: `config.spec` (0.6 and after), else `args`
 * @param root dotted key of `config` in the file
 */
export function guidellmTold(
  benchmarks: readonly Json[],
  config: unknown,
  root: string,
  file: string,
): readonly Told[] {
  const first = benchmarks[0];
  const strategies = benchmarks.map(strategyOf);
  const types = new Set(strategies.map((strategy) => own(STRATEGIES, strategy ?? '')?.[0] ?? strategy));
  const laws = new Set(strategies.map((strategy) => own(STRATEGIES, strategy ?? '')?.[1]));
  const strategyKey = isObject(at(first, 'config', 'strategy'))
    ? 'benchmarks[0].config.strategy.type_'
    : 'benchmarks[0].args.strategy.type_';
  const backend = at(config, 'backend');
  const kept: unknown = at(first, 'requests', 'successful', 0);
  const route = firstText([
    [at(backend, 'request_format'), `${root}.backend.request_format`],
    [at(config, 'data_request_formatter'), `${root}.data_request_formatter`],
    [at(config, 'request_format'), `${root}.request_format`],
    [at(config, 'request_type'), `${root}.request_type`],
    [at(kept, 'request_type'), 'benchmarks[0].requests.successful[0].request_type'],
  ]);
  const model = firstText([
    [at(backend, 'model'), `${root}.backend.model`],
    [at(first, 'config', 'backend', 'model'), 'benchmarks[0].config.backend.model'],
    [at(config, 'model'), `${root}.model`],
    [at(first, 'worker', 'backend_model'), 'benchmarks[0].worker.backend_model'],
  ]);
  const target = firstText([
    [at(backend, 'target'), `${root}.backend.target`],
    [at(config, 'target'), `${root}.target`],
    [at(first, 'worker', 'backend_target'), 'benchmarks[0].worker.backend_target'],
  ]);
  const tokenizer = firstText([
    [at(config, 'tokenizer', 'model'), `${root}.tokenizer.model`],
    [at(config, 'processor'), `${root}.processor`],
    [at(first, 'request_loader', 'processor'), 'benchmarks[0].request_loader.processor'],
  ]);
  return toldBy(file, [
    [['load', 'type'], types.size === 1 ? [...types][0] : undefined, strategyKey],
    [TOLD.arrivalLaw, laws.size === 1 ? [...laws][0] : undefined, strategyKey],
    [['server', 'model_name'], model?.value, model?.key ?? ''],
    [['server', 'base_url'], target?.value, target?.key ?? ''],
    [['api', 'type'], route && (own(ROUTES, route.value) ?? route.value), route?.key ?? ''],
    [['api', 'route'], route?.value.startsWith('/') === true ? route.value : undefined, route?.key ?? ''],
    [TOLD.streaming, at(backend, 'stream') ?? at(config, 'backend_kwargs', 'stream'), `${root}.backend.stream`],
    [['tokenizer', 'pretrained_model_name_or_path'], tokenizer?.value, tokenizer?.key ?? ''],
    [['load', 'base_seed'], guidellmSeed(config, first), `${root}.seed`],
    ...bodyTold(first, config, root),
    ...dataTold(config, first, root),
    ...warmupTold(benchmarks),
    // A first token is timed only where answers were streamed.
    [TOLD.streaming, timesFirstToken(first) ? true : undefined, 'benchmarks[0].metrics.time_to_first_token_ms'],
    [TOLD.goodput, {}, 'no key: it has no goodput'],
  ]);
}

function timesFirstToken(benchmark: unknown): boolean {
  return (numberAt(benchmark, 'metrics', 'time_to_first_token_ms', 'successful', 'mean') ?? 0) > 0;
}

/** The first that is a text, with its place. */
function firstText(candidates: readonly (readonly [unknown, string])[]): { value: string; key: string } | undefined {
  for (const [value, key] of candidates) {
    const text = textOf(value);
    if (text !== undefined) return { value: text, key };
  }
  return undefined;
}

export function guidellmSeed(config: unknown, benchmark: unknown): number | undefined {
  return (
    numberAt(config, 'seed', 'value') ??
    numberAt(config, 'seed') ??
    numberAt(config, 'random_seed') ??
    numberAt(benchmark, 'args', 'profile', 'random_seed')
  );
}

type Entry = readonly [path: Told['path'], value: unknown, key: string];

function strategyOf(benchmark: Json): string | undefined {
  const strategy = at(benchmark, 'config', 'strategy') ?? at(benchmark, 'args', 'strategy');
  return textAt(strategy, 'type_') ?? textAt(strategy, 'kind');
}

/** What every body carried: of a kept request where there is one, else of the settings. */
function bodyTold(benchmark: Json | undefined, config: unknown, root: string): readonly Entry[] {
  const body = sentBody(benchmark);
  const key = 'benchmarks[0].requests.successful[0].request_args';
  if (body) {
    return [
      [['server', 'ignore_eos'], switchOf(body, 'ignore_eos'), key],
      [TOLD.streaming, body['stream'], key],
      [TOLD.parameters, samplingOf(parametersOf(body)), key],
    ];
  }
  const asked = pythonSwitch(at(benchmark, 'requests', 'successful', 0, 'request_args'));
  return [[['server', 'ignore_eos'], asked, key], ...extrasTold(config, root)];
}

/** What the settings add to every body; nothing is said of what GuideLLM itself puts there. */
function extrasTold(config: unknown, root: string): readonly Entry[] {
  return ['backend', 'backend_kwargs'].flatMap((name): Entry[] => {
    const given = at(config, name);
    const settings = parametersOf(given);
    const extras = settings['extras'];
    const isBody = isObject(extras) && !['body', 'headers', 'params'].some((part) => Object.hasOwn(extras, part));
    const body = at(extras, 'body') ?? settings['extra_body'] ?? (isBody ? extras : undefined);
    return isObject(body) ? [[TOLD.parameters, samplingOf(body), `${root}.${name}`]] : [];
  });
}

function sentBody(benchmark: Json | undefined): Json | undefined {
  const args: unknown = at(benchmark, 'requests', 'successful', 0, 'request_args');
  const text = textOf(args);
  let value = args;
  if (text !== undefined) {
    try {
      value = JSON.parse(text) as unknown;
    } catch {
      return undefined; // Before 0.4 it is Python's own notation.
    }
  }
  const body = at(value, 'body') ?? at(value, 'json');
  return isObject(body) ? body : undefined;
}

/** `'ignore_eos': True` before the texts of a body in Python's notation. */
function pythonSwitch(value: unknown): boolean | undefined {
  const head = textOf(value)?.split(/'(?:messages|prompt)': /)[0];
  const found = head === undefined ? undefined : /'ignore_eos': (True|False)/.exec(head)?.[1];
  return found === undefined ? undefined : found === 'True';
}

function dataTold(config: unknown, benchmark: Json | undefined, root: string): readonly Entry[] {
  const own = at(config, 'data');
  const data = own ?? at(benchmark, 'request_loader', 'data');
  const key = own === undefined ? 'benchmarks[0].request_loader.data' : `${root}.data`;
  const first: unknown = Array.isArray(data) ? data[0] : data;
  const source = isObject(first) ? first : wordsOf(textOf(first));
  if (!source) return [];
  const kind = textOf(source['kind']) ?? (source['prompt_tokens'] === undefined ? undefined : 'synthetic_text');
  const law = (which: string): Json | undefined =>
    lengthLaw(numberOf(source[`${which}_tokens`]), numberOf(source[`${which}_tokens_stdev`]), {
      min: numberOf(source[`${which}_tokens_min`]),
      max: numberOf(source[`${which}_tokens_max`]),
    });
  return [
    [['data', 'type'], kind && `GuideLLM’s ${kind}`, key],
    [['data', 'input_distribution'], law('prompt'), key],
    [['data', 'output_distribution'], law('output'), key],
  ];
}

/** "prompt_tokens=256,output_tokens=128" or the same as JSON, as the command line takes it. */
function wordsOf(text: string | undefined): Json | undefined {
  if (text === undefined || !/prompt_tokens/.test(text) || text.length > 10_000) return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    return isObject(value) ? value : undefined;
  } catch {
    const pairs = text.split(',').map((pair) => pair.split('='));
    return Object.fromEntries(
      pairs.flatMap(([key, value]) => (value === undefined ? [] : [[key!.trim(), Number(value)]])),
    );
  }
}

/** Warm-up is a share or a span at the start that the numbers leave out: counted where every request was kept. */
function warmupTold(benchmarks: readonly Json[]): readonly Entry[] {
  const old = isObject(at(benchmarks[0], 'args', 'strategy'));
  const key = old ? 'benchmarks[0].args.warmup_duration' : 'benchmarks[0].config.warmup';
  if (benchmarks.length === 0) return [];
  if (benchmarks.every(hasNoWarmup)) return [[TOLD.warmupRequests, 0, key]];
  const left = benchmarks.map(leftOut);
  const total = left.includes(undefined) ? undefined : left.reduce<number>((sum, count) => sum + count!, 0);
  const seconds = numberAt(benchmarks[0], 'warmup_duration');
  return [
    [TOLD.warmupRequests, total, 'benchmarks[*].requests.successful against metrics.request_totals'],
    [TOLD.warmupSeconds, benchmarks.length === 1 ? seconds : undefined, 'benchmarks[0].warmup_duration'],
  ];
}

/** Before 0.4 it is asked for in `args`, null where it was not; after that as a share or seconds, and the span is written down. */
function hasNoWarmup(benchmark: Json): boolean {
  const args = benchmark['args'];
  if (isObject(args) && Object.hasOwn(args, 'warmup_duration')) {
    return args['warmup_duration'] === null && (args['warmup_number'] ?? null) === null;
  }
  const asked = at(benchmark, 'config', 'warmup');
  if (asked === null) return true;
  if (isObject(asked)) return (asked['percent'] ?? null) === null && (asked['value'] ?? null) === null;
  return numberAt(benchmark, 'warmup_duration') === 0;
}

/** Requests that succeeded and are in no number; with a cool-down beside the warm-up, nobody can tell them apart. */
function leftOut(benchmark: Json): number | undefined {
  const kept = at(benchmark, 'requests', 'successful');
  const made = numberAt(benchmark, 'scheduler_metrics', 'requests_made', 'successful');
  const counted = numberAt(benchmark, 'metrics', 'request_totals', 'successful');
  const cooldown = at(benchmark, 'config', 'cooldown');
  const isCooled = isObject(cooldown) ? (cooldown['percent'] ?? cooldown['value'] ?? null) !== null : false;
  if (counted === undefined || isCooled || !Array.isArray(kept)) return undefined;
  return kept.length === made ? kept.length - counted : undefined;
}
