// What GuideLLM's benchmarks.json says about the workload; the same facts nested in another way before version 0.6.
import type { Told } from '../canonical';
import { lengthLaw, parametersOf, samplingOf, switchOf, TOLD, toldBy } from './told';
import { at, isObject, numberAt, numberOf, textAt, textOf, type Json } from './values';

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
  const types = new Set(strategies.map((strategy) => STRATEGIES[strategy ?? '']?.[0] ?? strategy));
  const laws = new Set(strategies.map((strategy) => STRATEGIES[strategy ?? '']?.[1]));
  const strategyKey = isObject(at(first, 'config', 'strategy'))
    ? 'benchmarks[0].config.strategy.type_'
    : 'benchmarks[0].args.strategy.type_';
  const backend = at(config, 'backend');
  const route = textAt(backend, 'request_format') ?? textAt(config, 'request_type');
  return toldBy(file, [
    [['load', 'type'], types.size === 1 ? [...types][0] : undefined, strategyKey],
    [TOLD.arrivalLaw, laws.size === 1 ? [...laws][0] : undefined, strategyKey],
    [
      ['server', 'model_name'],
      textAt(backend, 'model') ?? textAt(first, 'worker', 'backend_model'),
      `${root}.backend.model`,
    ],
    [
      ['server', 'base_url'],
      textAt(backend, 'target') ?? textAt(config, 'target') ?? textAt(first, 'worker', 'backend_target'),
      isObject(backend) ? `${root}.backend.target` : `${root}.target`,
    ],
    [['api', 'type'], route && (ROUTES[route] ?? route), `${root}.backend.request_format`],
    [['api', 'streaming'], at(backend, 'stream'), `${root}.backend.stream`],
    [
      ['tokenizer', 'pretrained_model_name_or_path'],
      textAt(config, 'tokenizer', 'model') ?? textAt(config, 'processor'),
      `${root}.tokenizer.model`,
    ],
    [
      ['load', 'base_seed'],
      numberAt(config, 'seed', 'value') ?? numberAt(config, 'seed') ?? numberAt(config, 'random_seed'),
      `${root}.seed`,
    ],
    ...bodyTold(first, backend, root),
    ...dataTold(config, root),
    warmupTold(benchmarks),
  ]);
}

type Entry = readonly [path: Told['path'], value: unknown, key: string];

function strategyOf(benchmark: Json): string | undefined {
  const strategy = at(benchmark, 'config', 'strategy') ?? at(benchmark, 'args', 'strategy');
  return textAt(strategy, 'type_') ?? textAt(strategy, 'kind');
}

/** What every body carried: of a kept request where there is one, else of the settings. */
function bodyTold(benchmark: Json | undefined, backend: unknown, root: string): readonly Entry[] {
  const body = sentBody(benchmark);
  const key = 'benchmarks[0].requests.successful[0].request_args';
  if (body) {
    return [
      [['server', 'ignore_eos'], switchOf(body, 'ignore_eos'), key],
      [TOLD.parameters, samplingOf(parametersOf(body)), key],
    ];
  }
  const extras = at(backend, 'extras', 'body') ?? at(backend, 'extras');
  return isObject(extras) ? [[TOLD.parameters, samplingOf(parametersOf(extras)), `${root}.backend.extras`]] : [];
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

function dataTold(config: unknown, root: string): readonly Entry[] {
  const data = at(config, 'data');
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
    [['data', 'type'], kind && `GuideLLM’s ${kind}`, `${root}.data`],
    [['data', 'input_distribution'], law('prompt'), `${root}.data`],
    [['data', 'output_distribution'], law('output'), `${root}.data`],
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

/** Warm-up is a span of time at the start that the numbers leave out; how many requests it had is not in the file. */
function warmupTold(benchmarks: readonly Json[]): Entry {
  const spans = benchmarks.map((benchmark) => numberAt(benchmark, 'warmup_duration'));
  const none = spans.length > 0 && spans.every((span) => span === 0);
  return [TOLD.warmupRequests, none ? 0 : undefined, 'benchmarks[0].warmup_duration'];
}
