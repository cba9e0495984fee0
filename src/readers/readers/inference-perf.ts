// Reader of inference-perf's report folders, every generation: lifecycle, Prometheus, session, adapter and validation files.
import type { CanonicalReport, ReportScope } from '../canonical';
import type { Problem } from '../../problem';
import { adapterFacts, sessionFacts, validationVerdict } from './inference-perf-extras';
import { sessionsOf } from './inference-perf-evidence';
import { PLACE_IN_QUEUE, scopeOf, type ScopeSource } from './inference-perf-scope';
import { isPrometheusReport, telemetryOf } from './inference-perf-server';
import { meaningOf, versionOf } from './inference-perf-version';
import type { ReaderInput, Recognition, ReportReader, SourceDocument } from './reader';
import { at, numberAt, textAt, type Json } from './values';
import { isObject } from '../../own';

type Document = ReaderInput['documents'][number];

/** The stage, the adapter and the prefix are nowhere but in the file's name. */
const NAME =
  /^(?<prefix>.*?)(?:(?<summary>summary)|adapter_(?<adapter>.+?)(?:_stage_(?<adapterStage>\d+))?|stage_(?<stage>\d+)|per_request|per_session)(?<session>_session)?(?:_lifecycle_metrics|_prometheus_metrics)\.(?:json|ya?ml)$/;

interface Named {
  readonly prefix: string;
  readonly stage?: number;
  readonly adapter?: string;
  readonly summary: boolean;
}

function named(file: string): Named | undefined {
  const groups = NAME.exec(file)?.groups;
  if (!groups) return undefined;
  const stage = groups['stage'] ?? groups['adapterStage'];
  return {
    prefix: groups['prefix'] ?? '',
    ...(stage === undefined ? {} : { stage: Number(stage) }),
    ...(groups['adapter'] === undefined ? {} : { adapter: groups['adapter'] }),
    summary: groups['summary'] !== undefined,
  };
}

function recognise({ value }: SourceDocument): Recognition | undefined {
  if (Array.isArray(value)) return recogniseList(value);
  if (!isObject(value)) return undefined;
  if (isObject(value['load_summary']) && isObject(at(value, 'successes', 'latency'))) {
    return { role: 'lifecycle', evidence: 'load_summary and successes.latency' };
  }
  if (isPrometheusReport(value)) return { role: 'prometheus', evidence: 'load_summary, successes.rate, no latency' };
  if (Object.hasOwn(value, 'num_sessions') && Object.hasOwn(value, 'num_sessions_succeeded')) {
    return { role: 'sessions', evidence: 'num_sessions' };
  }
  if (isObject(value['global']) && isObject(value['reports']) && Array.isArray(at(value, 'global', 'errors'))) {
    return { role: 'validation', evidence: 'global.errors and reports' };
  }
  return undefined;
}

function recogniseList(value: readonly unknown[]): Recognition | undefined {
  const first = value[0];
  if (!isObject(first)) return undefined;
  if (Object.hasOwn(first, 'start_time') && Object.hasOwn(first, 'end_time') && Object.hasOwn(first, 'request')) {
    return { role: 'records', evidence: 'a list with start_time, end_time and request' };
  }
  if (Object.hasOwn(first, 'session_id') && Object.hasOwn(first, 'num_events')) {
    return { role: 'session-list', evidence: 'a list with session_id and num_events' };
  }
  return undefined;
}

function read(input: ReaderInput): ReturnType<ReportReader['read']> {
  const prefixes = new Map<string, Document[]>();
  for (const document of input.documents) {
    const prefix = named(document.file)?.prefix ?? '';
    prefixes.set(prefix, [...(prefixes.get(prefix) ?? []), document]);
  }
  const only = [...prefixes.keys()].filter((prefix) => prefix !== '');
  // A validation.json carries no prefix of its own: it belongs to the only run there is.
  const strays = prefixes.get('');
  if (only.length === 1 && strays && !strays.some(({ recognition }) => recognition.role === 'lifecycle')) {
    prefixes.set(only[0]!, [...prefixes.get(only[0]!)!, ...strays]);
    prefixes.delete('');
  }
  const problems: Problem[] = [];
  const reports = [...prefixes].flatMap(([prefix, documents]) => {
    const report = oneRun(input, prefix, documents);
    return report ? [report] : [];
  });
  return { reports, problems };
}

function oneRun(input: ReaderInput, prefix: string, documents: readonly Document[]): CanonicalReport | undefined {
  const of = (role: string): Document[] => documents.filter(({ recognition }) => recognition.role === role);
  const lifecycle = withoutCopies(of('lifecycle'));
  if (lifecycle.length === 0 && of('records').length === 0 && of('sessions').length === 0) return undefined;
  const config = input.config;
  const own = config?.value;
  const main = lifecycle.filter(({ file }) => named(file)?.adapter === undefined);
  const version = versionOf(
    (main.length > 0 ? main : lifecycle).map(({ value }) => value),
    own,
  );
  const streamed = lifecycle.some(({ value }) => isObject(at(value, 'successes', 'latency', 'time_to_first_token')));
  const meaning = meaningOf(version.generation, own, streamed);
  const telemetry = of('prometheus');
  const scopes = lifecycle
    .map((document) => sourceOf(document))
    .sort((a, b) => order(a) - order(b))
    .map((source) => attachServer(scopeOf(source, meaning, config), source, telemetry, own));
  const sessions = sessionsOf(of('sessions'), of('session-list'));
  const verdict = of('validation').flatMap(({ value, file }) => validationVerdict(value, file));
  return {
    tool: 'inference-perf',
    versionClass: version.versionClass,
    place: input.place,
    name: prefix === '' ? input.place : `${input.place} (prefix '${prefix}')`,
    files: documents.map(({ file }) => file),
    ...configFacts(own),
    scopes,
    assumptions: [...meaning.assumptions, ...assumptionsOf(scopes, config)],
    notRecorded: notRecorded(version.generation, of('records').length > 0, config !== undefined, telemetry.length > 0),
    facts: [...sessionFacts(of('sessions')), ...adapterFacts(lifecycle.length - main.length)],
    ...(own ? { config: own, configAt: { file: config.file, key: '' } } : {}),
    problems: [],
    ...(sessions.length > 0 ? { sessions } : {}),
    ...(verdict.length > 0 ? { ownVerdict: verdict } : {}),
  };
}

/** The same stage as JSON and as a YAML copy: one of them. */
function withoutCopies(documents: readonly Document[]): Document[] {
  const seen = new Map<string, Document>();
  for (const document of documents) {
    const key = document.file.replace(/\.(?:json|ya?ml)$/, '');
    const before = seen.get(key);
    if (!before || document.format === 'json') seen.set(key, document);
  }
  return [...seen.values()];
}

function sourceOf({ file, value }: Document): ScopeSource {
  const name = named(file);
  const isStage = numberAt(value, 'load_summary', 'send_duration') !== undefined;
  if (name?.adapter !== undefined) {
    const label = `adapter ${name.adapter}${name.stage === undefined ? '' : `, stage ${name.stage}`}`;
    return { file, value, kind: 'adapter', label };
  }
  if (name?.stage !== undefined) return { file, value, kind: 'stage', stage: name.stage, label: `stage ${name.stage}` };
  return isStage && name?.summary !== true
    ? { file, value, kind: 'stage', label: file }
    : { file, value, kind: 'summary', label: 'summary' };
}

function order(source: ScopeSource): number {
  if (source.kind === 'adapter') return 1e9;
  return source.kind === 'summary' ? 1e8 : (source.stage ?? 1e7);
}

function attachServer(
  scope: ReportScope,
  source: ScopeSource,
  telemetry: readonly Document[],
  config: Json | undefined,
): ReportScope {
  if (scope.kind === 'adapter') return scope;
  const found = telemetry.find(({ file }) => {
    const name = named(file);
    return name !== undefined && name.stage === source.stage && name.summary === (scope.kind === 'summary');
  });
  return found ? { ...scope, server: telemetryOf(found.value, found.file, config) } : scope;
}

function configFacts(config: Json | undefined): Partial<CanonicalReport> {
  const model = textAt(config, 'server', 'model_name');
  const endpoint = textAt(config, 'server', 'base_url');
  const tokenizer = textAt(config, 'tokenizer', 'pretrained_model_name_or_path');
  const seed = numberAt(config, 'load', 'base_seed');
  return {
    ...(model === undefined ? {} : { model }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(tokenizer === undefined ? {} : { tokenizer }),
    ...(seed === undefined ? {} : { seed: String(seed) }),
  };
}

function assumptionsOf(scopes: readonly ReportScope[], config: ReaderInput['config']): string[] {
  return [
    'no warm-up was left out: inference-perf measures every stage',
    ...(config?.assumed ? [`${config.file} is this run's config: nothing in either file says so`] : []),
    ...(scopes.some((scope) => scope.windowSeconds && scope.windowSeconds.from !== 'benchmark_time_seconds')
      ? ['the window is successes / requests_per_sec: this version does not record it']
      : []),
    ...(scopes.some(({ unmeasured }) => unmeasured?.schedule_delay !== undefined)
      ? [`schedule_delay is left out: ${PLACE_IN_QUEUE}`]
      : []),
  ];
}

function notRecorded(generation: string, records: boolean, config: boolean, telemetry: boolean): string[] {
  return [
    'wall-clock start',
    'tool version',
    'host of the client',
    'server version and flags',
    'hardware',
    'standard deviations',
    ...(config ? [] : ['config (lengths, load type, token source, seed, client cap, endpoint, model)']),
    ...(records
      ? ['scheduled time and stage of each request']
      : ['per-request records (no intervals, no recomputation)']),
    ...(telemetry ? [] : ['server telemetry']),
    ...(/^v0\.[1-4]/.test(generation) ? ['length of the window'] : []),
    'sampling parameters sent',
    'finish reasons',
  ];
}

export const inferencePerfReader: ReportReader = { tool: 'inference-perf', recognise, read };
