// What a Benchmark Report's scenario says of workload and stack: the harness's own config, the standardized part, the components.
import { parseStack, type StackRecord } from '../../folder/stack';
import type { CanonicalReport, Told } from '../canonical';
import { fact, type Fact } from '../facts';
import { settingsTold } from './settings';
import { lengthLaw, toldBy } from './told';
import { at, numberAt, shown, textAt, type Json } from './values';
import { isObject } from '../../own';

type Scenario = Pick<CanonicalReport, 'told' | 'config' | 'configAt' | 'said'>;

/** Where the config of the harness stands: 0.1 calls it arguments, 0.2 has the file it ran with. */
const CONFIGS = ['scenario.load.native.config', 'scenario.load.args', 'scenario.load.native.args'] as const;

/** @param value the whole report */
export function scenarioOf(value: Json, file: string): Scenario {
  const settings = CONFIGS.flatMap((key) => {
    const found = at(value, ...key.split('.'));
    return isObject(found) && Object.keys(found).length > 0 ? [{ key, found }] : [];
  });
  // inference-perf's config is a config here as anywhere; another harness's arguments are looked through for names.
  const own = settings.find(
    ({ found }) => isObject(found['load']) || isObject(found['server']) || isObject(found['api']),
  );
  const others = settings.filter((one) => one !== own);
  const share = hitShareOf(value, file);
  const stack = stackOf(value, file);
  const said = { ...(share ? { cachedShare: share } : {}), ...(stack ? { stack } : {}) };
  return {
    told: [...others.flatMap(({ key, found }) => settingsTold(found, file, key)), ...standardTold(value, file)],
    ...(own ? { config: own.found, configAt: { file, key: own.key } } : {}),
    ...(Object.keys(said).length > 0 ? { said } : {}),
  };
}

/** Lengths in the words all harnesses share (0.2). */
function standardTold(value: Json, file: string): readonly Told[] {
  const root = 'scenario.load.standardized';
  const load = at(value, ...root.split('.'));
  const law = (key: string): Json | undefined => {
    const mean = numberAt(load, key, 'value');
    return mean === undefined ? undefined : lengthLaw(mean, numberAt(load, key, 'std_dev'), boundsOf(at(load, key)));
  };
  const rate = numberAt(load, 'rate_qps');
  const level = numberAt(load, 'concurrency');
  return toldBy(file, [
    [['data', 'input_distribution'], law('input_seq_len'), `${root}.input_seq_len`],
    [['data', 'output_distribution'], law('output_seq_len'), `${root}.output_seq_len`],
    [['data', 'type'], textAt(load, 'source'), `${root}.source`],
    [['load', 'type'], rate === undefined && level !== undefined ? 'concurrent' : undefined, `${root}.concurrency`],
  ]);
}

function boundsOf(entry: unknown): { min?: number | undefined; max?: number | undefined } {
  return { min: numberAt(entry, 'min'), max: numberAt(entry, 'max') };
}

/** Mean over the engines that were observed; in percent there. */
function hitShareOf(value: Json, file: string): Fact<number> | undefined {
  const observed = at(value, 'results', 'observability');
  const parts = at(observed, 'components');
  const engines = at(observed, 'vllm_prefix_cache_hit_rate', 'components');
  const found = [
    ...(Array.isArray(parts) ? parts : []).map((part: unknown) =>
      numberAt(part, 'aggregate', 'cache_hit_rate', 'mean'),
    ),
    ...(Array.isArray(engines) ? engines : []).map((part: unknown) => numberAt(part, 'statistics', 'mean')),
    numberAt(observed, 'vllm_prefix_cache_hit_rate', 'aggregated', 'mean'),
  ].filter((share) => share !== undefined);
  if (found.length === 0) return undefined;
  const share = found.reduce((sum, one) => sum + one, 0) / found.length / 100;
  return fact(share, file, 'results.observability, prefix cache hit rate (mean)');
}

interface Part {
  readonly label: string;
  readonly record: Json;
}

/** One engine as it is written; several, role by role, each value with the role it belongs to. */
function stackOf(value: Json, file: string): Fact<StackRecord> | undefined {
  const parts = [...componentsOf(value), ...platformOf(value)];
  const [only, ...more] = parts;
  if (!only) return undefined;
  const record = more.length === 0 ? only.record : together(parts);
  const parsed = parseStack(JSON.stringify(record), file);
  return parsed.ok ? fact({ ...parsed.value, source: file }, file, 'scenario.stack') : undefined;
}

function together(parts: readonly Part[]): Json {
  const keys = [...new Set(parts.flatMap(({ record }) => Object.keys(record)))];
  return Object.fromEntries(
    keys.flatMap((key): [string, unknown][] => {
      const values = parts.map(({ record }) => record[key]);
      const texts = new Set(values.map((one) => JSON.stringify(one)));
      if (texts.size === 1) return [[key, values[0]]];
      const words = parts.flatMap(({ label, record }) =>
        record[key] === undefined ? [] : [`${label}: ${shown(record[key])}`],
      );
      // Replicas and arguments of several engines are no one number and no one list.
      return key === 'args' || key === 'env' || key === 'replicas'
        ? [[`${key} by role`, words.join('; ')]]
        : [[key, words.join('; ')]];
    }),
  );
}

/** 0.2: components with a standardized part; routers and the like serve no model. */
function componentsOf(value: Json): readonly Part[] {
  const stack = at(value, 'scenario', 'stack');
  return (Array.isArray(stack) ? stack : []).flatMap((part: unknown, index): Part[] => {
    const standard = at(part, 'standardized');
    if (textAt(standard, 'kind') !== 'inference_engine') return [];
    const record = {
      model: textAt(standard, 'model', 'name'),
      quantization: textAt(standard, 'model', 'quantization'),
      engine: textAt(standard, 'tool'),
      engine_version: textAt(standard, 'tool_version'),
      ...acceleratorOf(at(standard, 'accelerator')),
      replicas: numberAt(standard, 'replicas'),
      args: at(part, 'native', 'args'),
      env: at(part, 'native', 'envars'),
    };
    return [
      {
        label: textAt(standard, 'role') ?? textAt(part, 'metadata', 'label') ?? `engine ${index}`,
        record: defined(record),
      },
    ];
  });
}

/** 0.1: engines and accelerators are lists of one order. */
function platformOf(value: Json): readonly Part[] {
  const engines = at(value, 'scenario', 'platform', 'engine');
  const types = at(value, 'scenario', 'host', 'type');
  return (Array.isArray(engines) ? engines : []).map((engine: unknown, index): Part => {
    const record = {
      model: textAt(value, 'scenario', 'model', 'name'),
      quantization: textAt(value, 'scenario', 'model', 'quantization'),
      engine: textAt(engine, 'name'),
      engine_version: textAt(engine, 'version') ?? numberAt(engine, 'version')?.toString(),
      ...acceleratorOf(at(value, 'scenario', 'host', 'accelerator', index)),
      args: at(engine, 'args'),
    };
    return { label: `${textAt(types, index) ?? 'engine'} ${index}`, record: defined(record) };
  });
}

function acceleratorOf(value: unknown): { accelerator?: string | undefined; parallelism?: string | undefined } {
  const [model, count] = [textAt(value, 'model'), numberAt(value, 'count')];
  const sizes = at(value, 'parallelism');
  const words = ['tp', 'pp', 'dp', 'ep'].flatMap((size) => {
    const number = numberAt(sizes, size);
    return number === undefined ? [] : [`${size} ${number}`];
  });
  return {
    accelerator: model === undefined ? undefined : count === undefined ? model : `${count} x ${model}`,
    parallelism: words.length === 0 ? undefined : words.join(', '),
  };
}

function defined(record: Json): Json {
  return Object.fromEntries(Object.entries(record).filter(([, entry]) => entry !== undefined && entry !== null));
}
