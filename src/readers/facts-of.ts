// The facts of a run, each looked up where its tool keeps it: our run.json, a config.yaml, another tool's own words.
import { sloLimits } from '../config/slo';
import { MANIFEST_FILE, type RunManifest } from '../folder/manifest';
import { NO_MEDIA } from '../metrics/media';
import type { ConfigPath } from '../problem';
import { cacheCounters } from './cache-counters';
import type { CanonicalReport } from './canonical';
import {
  fact,
  known,
  mapped,
  missing,
  type Fact,
  type FactId,
  type FactTypes,
  type Known,
  type RunFacts,
} from './facts';
import { counterOf, failuresByLabel, gapsOf, hitShareOf, mediaOf, retriedOf } from './facts-in-report';
import type { Run } from './run';
import { isObject } from '../own';

/** What facts are looked up in: a run, or a report that was only imported. */
export type FactSource = Pick<
  Run,
  'tool' | 'files' | 'manifest' | 'config' | 'configFile' | 'stack' | 'canonical' | 'damaged'
>;

interface Spec<T> {
  /** What it is called where no key is. */
  readonly words: string;
  /** Dotted key of run.json, and the value there. */
  readonly own?: readonly [key: string, of: (manifest: RunManifest) => T | null | undefined];
  /** Key of inference-perf's config that sets it; other tools' settings are told under the same key. */
  readonly path?: ConfigPath;
  /** A setting as a value of the fact; undefined when it is none. */
  readonly as?: (value: unknown) => T | undefined;
  /** Of another tool's report as a whole, where neither it nor a config names a key. */
  readonly report?: (report: CanonicalReport) => T | undefined;
  /** Of another tool's report, with its place. */
  readonly read?: (report: CanonicalReport) => Fact<T> | undefined;
  /** What is known of a tool without being in any file: how it always does it. */
  readonly always?: (source: FactSource) => { readonly value: T; readonly because: string } | undefined;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const flag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** A number while a double has all its digits, else its digits. */
function seed(value: unknown): number | string | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint' && typeof value !== 'string') return undefined;
  if (value === '' || !Number.isFinite(Number(value))) return undefined;
  return typeof value === 'number' || Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
const json = (value: unknown): Readonly<Record<string, unknown>> | undefined => (isObject(value) ? value : undefined);

const isInferencePerf = ({ tool, manifest }: FactSource): boolean => !manifest && tool.name === 'inference-perf';

/** One entry a fact; a reader that knows better gives the fact itself (`CanonicalReport.said`). */
const SPECS: { readonly [K in FactId]: Spec<FactTypes[K]> } = {
  tool: { words: 'tool', own: ['tool.name', ({ tool }) => tool.name], report: ({ tool }) => tool },
  toolVersion: {
    words: 'tool version',
    own: ['tool.version', ({ tool }) => tool.version],
    report: ({ toolVersion }) => toolVersion,
  },
  startedAt: {
    words: 'start of the run',
    own: ['clock.startedAt', ({ clock }) => clock.startedAt],
    report: ({ startedAt }) => startedAt,
  },
  endedAt: { words: 'end of the run', own: ['clock.endedAt', ({ clock }) => clock.endedAt] },
  complete: {
    words: 'whether the run came to its end',
    own: ['state', ({ state }) => state === 'complete'],
    report: ({ ended }) => ended?.complete,
  },
  model: {
    words: 'model',
    own: ['endpoint.model', ({ endpoint }) => endpoint.model],
    path: ['server', 'model_name'],
    as: text,
    report: ({ model }) => model,
  },
  modelsListed: {
    words: 'models at /v1/models',
    own: ['endpoint.server.models (/v1/models)', ({ endpoint }) => endpoint.server?.models],
  },
  modelsAnswered: {
    words: 'models that answers name',
    own: ['answers.models', ({ answers }) => (hasEntries(answers?.models) ? answers?.models : undefined)],
  },
  unsaidEnds: {
    words: 'answers without a finish reason',
    own: [
      'answers.withoutFinishReason',
      ({ answers }) =>
        answers && {
          answered: answers.answered,
          without: answers.withoutFinishReason ?? 0,
          cutShort: answers.cutShort ?? 0,
        },
    ],
  },
  serverType: {
    words: 'type of the server',
    own: ['endpoint.serverType', ({ endpoint }) => endpoint.serverType],
    path: ['server', 'type'],
    as: text,
  },
  serverVersion: {
    words: 'version of the server',
    own: ['endpoint.server.version (/version)', ({ endpoint }) => endpoint.server?.version],
    path: ['server', 'version'],
    as: text,
  },
  stack: { words: 'stack record', own: ['stack', ({ stack }) => stack] },
  endpoint: {
    words: 'address of the server',
    own: ['endpoint.baseUrl', ({ endpoint }) => endpoint.baseUrl],
    path: ['server', 'base_url'],
    as: text,
    report: ({ endpoint }) => endpoint,
  },
  tls: { words: 'TLS', own: ['endpoint.tls', ({ endpoint }) => endpoint.tls] },
  tlsChecks: { words: 'certificate checks', own: ['endpoint.tlsChecks', ({ endpoint }) => endpoint.tlsChecks] },
  proxy: { words: 'proxy', own: ['endpoint.proxy', ({ endpoint }) => endpoint.proxy ?? 'none used'] },
  clientInCluster: {
    words: 'whether the client was in the cluster',
    own: ['runtime.inCluster', ({ runtime }) => runtime.inCluster],
  },
  networkRoute: {
    words: 'route to the server',
    own: ['route.kind', ({ route, stack }) => route?.kind ?? stack?.route],
  },
  apiType: {
    words: 'kind of request',
    own: ['endpoint.apiType', ({ endpoint }) => endpoint.apiType],
    path: ['api', 'type'],
    as: text,
  },
  apiRoute: {
    words: 'path of the request',
    own: ['endpoint.route', ({ endpoint }) => endpoint.route],
    path: ['api', 'route'],
    as: text,
  },
  streaming: {
    words: 'streaming',
    own: ['endpoint.streaming', ({ endpoint }) => endpoint.streaming],
    path: ['api', 'streaming'],
    as: flag,
  },
  tokenizer: {
    words: 'tokenizer',
    own: ['tokens.output.tokenizer', ({ tokens }) => tokens?.output.tokenizer?.source],
    path: ['tokenizer', 'pretrained_model_name_or_path'],
    as: text,
    report: ({ tokenizer }) => tokenizer,
  },
  inputCounter: {
    words: 'who counted input tokens',
    own: ['tokens.input.source', ({ tokens }) => tokens?.input],
    read: (report) => counterOf(report, ['input_tokens_per_sec', 'prompt_tokens']),
  },
  outputCounter: {
    words: 'who counted output tokens',
    own: ['tokens.output.source', ({ tokens }) => tokens?.output],
    read: (report) => counterOf(report, ['output_tokens_per_sec', 'output_tokens', 'tpot']),
  },
  gapBasis: { words: 'what gaps are between', own: ['tokens.itl', ({ tokens }) => tokens?.itl], read: gapsOf },
  loadType: {
    words: 'load type',
    own: ['stages[].loadType', ({ stages }) => oneOrAll(stages.map(({ loadType }) => loadType))],
    path: ['load', 'type'],
    as: text,
  },
  arrivalLaw: {
    words: 'law of the arrivals',
    own: ['stages[].arrivalLaw', ({ stages }) => oneOrAll(stages.map(({ arrivalLaw }) => arrivalLaw))],
    path: ['load', 'arrival_law'],
    as: text,
  },
  seed: {
    words: 'seed',
    own: ['workload.seed', ({ workload }) => workload.seed],
    path: ['load', 'base_seed'],
    as: seed,
    report: (report) => seed(report.seed),
  },
  seedSource: {
    words: 'where the seed came from',
    own: ['workload.seedSource', ({ workload }) => workload.seedSource],
  },
  sweep: { words: 'sweep', path: ['load', 'sweep'], as: json },
  clientWorkers: { words: 'workers of the client', path: ['load', 'num_workers'], as: number },
  clientCap: { words: 'most in flight of a worker', path: ['load', 'worker_max_concurrency'], as: number },
  requestTimeoutSeconds: {
    words: 'timeout of a request',
    own: ['endpoint.requestTimeoutSeconds', ({ endpoint }) => endpoint.requestTimeoutSeconds],
    path: ['load', 'request_timeout'],
    as: number,
  },
  inputAsked: { words: 'prompt length asked for', path: ['data', 'input_distribution'], as: json },
  outputAsked: { words: 'answer length asked for', path: ['data', 'output_distribution'], as: json },
  ignoreEos: {
    words: 'ignore_eos',
    own: ['endpoint.ignoreEos', ({ endpoint }) => endpoint.ignoreEos],
    path: ['server', 'ignore_eos'],
    as: flag,
  },
  sampling: {
    words: 'sampling parameters',
    own: ['workload.parameters', ({ workload }) => workload.parameters],
    path: ['api', 'parameters'],
    as: json,
    always: (source) =>
      isInferencePerf(source) && source.config ? { value: {}, because: 'inference-perf sends none' } : undefined,
  },
  promptsHash: { words: 'hash of the prompts', own: ['workload.promptsHash', ({ workload }) => workload.promptsHash] },
  dataType: {
    words: 'source of the prompts',
    own: ['workload.dataType', ({ workload }) => workload.dataType],
    path: ['data', 'type'],
    as: text,
  },
  dataPath: { words: 'data set', path: ['data', 'path'], as: text },
  distinctPrompts: {
    words: 'different prompts',
    own: ['workload.distinctPrompts', ({ workload }) => workload.distinctPrompts],
  },
  media: {
    words: 'images, videos and sounds',
    own: ['workload.media', ({ workload }) => workload.media ?? NO_MEDIA],
    read: mediaOf,
  },
  sharedPrefixTokens: {
    words: 'tokens of the shared prefix',
    own: ['workload.sharedPrefixTokens', ({ workload }) => workload.sharedPrefixTokens],
  },
  goodputLimits: { words: 'limits of a good request', path: ['report', 'goodput', 'constraints'], as: json },
  sloLimits: {
    words: 'limits in SLO headers',
    own: ['slo', ({ slo }) => slo],
    path: ['api'],
    as: (value) => (json(value) ? sloLimits(value as object) : undefined),
  },
  warmupRequests: {
    words: 'requests of a warm-up',
    own: ['window.warmupRequests', warmupRequests],
    path: ['load', 'warmup_requests'],
    as: number,
    always: (source) =>
      isInferencePerf(source) && (source.canonical?.scopes.some(({ kind }) => kind === 'stage') ?? false)
        ? { value: 0, because: 'warm-up: this tool leaves none out' }
        : undefined,
  },
  warmupStages: { words: 'warm-up stages', own: ['window.warmupStages', warmupStages] },
  warmupSeconds: { words: 'seconds of a warm-up', path: ['load', 'warmup_seconds'], as: number },
  cachedShare: { words: 'share of cached prompt tokens', read: hitShareOf },
  cacheCounters: {
    words: 'hits and queries of the prefix cache',
    own: ['serverMetrics[].metrics.prefix_cache_hits', (manifest) => cacheCounters(manifest, warmupStages(manifest))],
  },
  mediaCacheCounters: {
    words: 'hits and queries of the media cache',
    own: [
      'serverMetrics[].metrics.mm_cache_hits',
      (manifest) => cacheCounters(manifest, warmupStages(manifest), 'media'),
    ],
  },
  clientHost: { words: 'host of the client', own: ['runtime', ({ runtime }) => runtime] },
  retried: {
    words: 'requests sent again',
    own: ['answers.retried', ({ answers }) => answers?.retried],
    read: retriedOf,
  },
  failuresByLabel: { words: 'failures by label', report: failuresByLabel },
  percentiles: {
    words: 'percentiles asked for',
    path: ['report', 'request_lifecycle', 'percentiles'],
    as: (value) => value,
  },
  metricsType: { words: 'server metrics', path: ['metrics', 'type'], as: text },
};

/** Asked hundreds of times in a comparison. */
const FACTS = new WeakMap<FactSource, RunFacts>();

/** Looked up when asked for: a run with something changed has other facts. */
export function factsOf(source: FactSource): RunFacts {
  const known = FACTS.get(source);
  if (known) return known;
  const facts = {};
  for (const id of Object.keys(SPECS) as FactId[]) {
    Object.defineProperty(facts, id, { enumerable: true, get: () => find(source, id) });
  }
  FACTS.set(source, facts as RunFacts);
  return facts as RunFacts;
}

function find<K extends FactId>(source: FactSource, id: K): Known<FactTypes[K]> {
  const spec: Spec<FactTypes[K]> = SPECS[id];
  const { manifest, canonical } = source;
  if (id === 'stack' && source.stack) return fact(source.stack as FactTypes[K], source.stack.source, 'stack record');
  if (id === 'networkRoute' && source.stack?.route !== undefined && !manifest?.route) {
    return fact(source.stack.route as FactTypes[K], source.stack.source, 'route');
  }
  if (manifest && spec.own) {
    const [key, of] = spec.own;
    return known(of(manifest), MANIFEST_FILE, key, { configPath: spec.path });
  }
  const said = canonical?.said?.[id];
  if (said?.value !== undefined) return said;
  if (spec.path && spec.as) {
    const setting = mapped(settingOf(source, spec.path), spec.as);
    if (setting.value !== undefined) return setting as Known<FactTypes[K]>;
  }
  const read = canonical && spec.read?.(canonical);
  if (read) return read;
  const whole = canonical && spec.report?.(canonical);
  if (whole !== undefined) return fact(whole, mainFile(source), spec.words);
  const always = spec.always?.(source);
  if (always) return fact(always.value, mainFile(source), always.because);
  if (said) return said;
  if (spec.path) return mapped(settingOf(source, spec.path), () => undefined) as Known<FactTypes[K]>;
  return missing(reasonFor(source), placeless(source), spec.words);
}

/** What ran, under a key of inference-perf's config: as the config says, or as another tool's file told it. */
export function settingOf(source: FactSource, path: ConfigPath): Known<unknown> {
  const { manifest, config, configFile, canonical } = source;
  const key = path.map(String).join('.');
  let value: unknown = config;
  for (const step of path) {
    value = typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[step] : undefined;
  }
  const own = canonical?.configAt;
  const file = configFile ?? own?.file ?? 'config.yaml';
  const prefix = configFile === undefined && own && own.key !== '' ? `${own.key}.` : '';
  if (manifest) return known(value, MANIFEST_FILE, `config.effective.${key}`, { configPath: path });
  if (value !== undefined && value !== null) return fact(value, file, `${prefix}${key}`, path);
  const told = canonical?.told?.find(
    (entry) => entry.path.length === path.length && entry.path.every((step, i) => step === path[i]),
  );
  if (told) return fact(told.value, told.file, told.key);
  if (config || isInferencePerf(source) || !canonical) {
    const reason = config ? 'not set in the config' : 'no config.yaml in the folder';
    return missing(reason, file, `${prefix}${key}`, path);
  }
  return missing(reasonFor(source), mainFile(source), key);
}

/** The file a report's own words stand in. */
export function mainFile({ canonical, files }: Pick<FactSource, 'canonical' | 'files'>): string {
  return canonical?.scopes[0]?.file ?? canonical?.files[0] ?? files[0] ?? 'report';
}

function placeless(source: FactSource): string {
  return source.manifest || source.damaged === true ? MANIFEST_FILE : mainFile(source);
}

function reasonFor({ manifest, damaged, tool }: FactSource): string {
  if (manifest) return 'not in run.json';
  return damaged === true ? 'run.json is damaged' : `not in the files of ${tool.name}`;
}

function hasEntries(value: object | undefined): boolean {
  return value !== undefined && Object.keys(value).length > 0;
}

function oneOrAll(values: readonly string[]): string | undefined {
  return values.length === 0 ? undefined : [...new Set(values)].join(', ');
}

function warmupStages({ stages, window }: RunManifest): readonly number[] {
  const marked = stages.filter(({ warmup }) => warmup).map(({ id }) => id);
  return [...new Set([...window.warmupStages, ...marked])].sort((a, b) => a - b);
}

function warmupRequests(manifest: RunManifest): number {
  const ids = warmupStages(manifest);
  const planned = manifest.stages.reduce((sum, { id, planned }) => sum + (ids.includes(id) ? planned : 0), 0);
  return Math.max(planned, manifest.window.warmupRequests);
}
