// run.json while a run goes on: one draft that is completed step by step and rewritten in one piece each time.
import { seedJson } from '../config/model/lax';
import { createHash, randomUUID } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import type { Problem } from '../problem';
import { MANIFEST_FILE, MANIFEST_FORMAT, MANIFEST_VERSION, type RunManifest } from '../folder/manifest';
import { savedConfig, withoutCredentials } from '../folder/write-config';
import { jsonFile, writeWhole } from '../folder/write-folder';
import {
  askedLengths,
  bodyParameters,
  mediaFacts,
  plannedStageManifest,
  workloadHashes,
  type PlannedStage,
} from './describe';
import { mediaFilling } from './media-plans';
import { timeoutSeconds, type Prepared } from './prepare';
import { checksCertificates, proxyFor } from './proxy';
import { withoutSecret } from './secrets';
import { sloOf } from './slo';
import type { RunInput, RunOptions } from './types';

/** The manifest of a run that is planned and about to start. */
export function plannedManifest(
  input: RunInput,
  options: RunOptions,
  prepared: Prepared,
  stages: readonly PlannedStage[],
  problems: readonly Problem[],
): RunManifest {
  const { config } = input;
  const seed = config.load.base_seed;
  const warmups = stages.filter(({ plan }) => plan.warmup);
  const slo = sloOf(config);
  return {
    format: MANIFEST_FORMAT,
    version: MANIFEST_VERSION,
    id: randomUUID(),
    name: path.basename(input.file).replace(/\.ya?ml$/i, ''),
    state: 'running',
    tool: { name: 'isoperf', version: options.version.isoperf },
    runtime: { ...runtimeFacts(options), workers: prepared.workers.count, workersReason: prepared.workers.reason },
    clock: { startedAt: options.now().toISOString(), zeroMonotonicSeconds: performance.now() / 1000 },
    config: {
      file: input.file,
      sha256: createHash('sha256').update(input.text).digest('hex'),
      target: input.target,
      overrides: input.overrides.map(withoutSecret),
      directives: input.directives.map(({ name, value, path: place }) => ({
        name,
        ...(value === undefined ? {} : { value }),
        path: [...place],
      })),
      ...(input.suppressions === undefined || input.suppressions.length === 0
        ? {}
        : { suppressions: input.suppressions.map(({ codes, reason }) => ({ codes: [...codes], reason })) }),
      effective: savedConfig(config, Math.max(...stages.map(({ plan }) => plan.count))),
    },
    workload: {
      ...workloadHashes(stages),
      seed: seedJson(seed),
      seedSource: seedSource(input),
      dataType: config.data.type,
      lengthUnit: prepared.workload.lengthUnit,
      ...askedLengths(stages),
      ...bodyParameters(stages, config.api.response_format?.json_schema),
      ...(prepared.workload.sharedPrefixLength === undefined || prepared.workload.lengthUnit !== 'tokens'
        ? {}
        : { sharedPrefixTokens: prepared.workload.sharedPrefixLength }),
      ...mediaFacts(stages, config.data.type, mediaFilling(input.directives)),
      ...(input.frozen ? { frozen: { file: input.frozen.file, sha256: input.frozen.sha256 } } : {}),
    },
    ...(prepared.sweep ? { sweep: prepared.sweep } : {}),
    ...(slo ? { slo } : {}),
    stages: stages.map(({ plan }) => plannedStageManifest(plan, config.load.type, seed)),
    window: {
      warmupStages: warmups.map(({ plan }) => plan.id),
      warmupRequests: warmups.reduce((sum, { plan }) => sum + plan.count, 0),
    },
    health: [],
    endpoint: endpointFacts(input, options, prepared),
    ...(options.stack ? { stack: options.stack } : {}),
    problems: problems.map(problemFacts),
  };
}

function runtimeFacts({ version, env }: RunOptions): RunManifest['runtime'] {
  const cpus = os.cpus();
  const [first] = cpus;
  return {
    node: process.version,
    undici: version.undici,
    platform: process.platform,
    arch: process.arch,
    cpus: cpus.length,
    ...(first ? { cpuModel: first.model.trim() } : {}),
    host: os.hostname(),
    memoryBytes: os.totalmem(),
    // Every pod has this variable.
    inCluster: env['KUBERNETES_SERVICE_HOST'] !== undefined,
  };
}

function seedSource({ config, seedSource: source }: RunInput): string {
  const own = config.data.type === 'shared_prefix' ? config.data.shared_prefix?.seed : null;
  return own === null || own === undefined ? source : `${source}; prompts from data.shared_prefix.seed ${own}`;
}

function endpointFacts(input: RunInput, options: RunOptions, prepared: Prepared): RunManifest['endpoint'] {
  const { config } = input;
  const baseUrl = withoutCredentials(config.server?.base_url ?? '').replace(/\/+$/, '');
  const { version, models, notes } = prepared.server;
  const maxModelTokens = prepared.server.maxModelTokens?.get(prepared.model);
  return {
    kind: options.endpointKind,
    baseUrl,
    route: prepared.workload.stages.flat()[0]?.route ?? '',
    serverType: config.server?.type ?? '',
    // The protocol that was really spoken: shared_prefix ignores api.type.
    apiType: prepared.workload.api,
    streaming: config.api.streaming,
    model: prepared.model,
    modelSource: prepared.modelSource,
    ignoreEos: config.server?.ignore_eos ?? true,
    requestTimeoutSeconds: timeoutSeconds(input),
    server: {
      ...(version === undefined ? {} : { version }),
      ...(models === undefined ? {} : { models: [...models] }),
      ...(maxModelTokens === undefined ? {} : { maxModelTokens }),
      notes: [...notes],
    },
    tls: baseUrl.startsWith('https:'),
    ...(baseUrl.startsWith('https:') ? { tlsChecks: checksCertificates(options.env) ? 'on' : 'off' } : {}),
    ...proxyFacts(baseUrl, options.env),
  };
}

function proxyFacts(baseUrl: string, env: RunOptions['env']): { proxy?: string } {
  const proxy = proxyFor(baseUrl, env);
  return proxy ? { proxy: proxy.inWords } : {};
}

export function problemFacts({ code, severity, message }: Problem): RunManifest['problems'][number] {
  return { code, severity, message };
}

/** Throws what the file system throws. */
export function writeManifest(folder: string, manifest: RunManifest): void {
  writeWhole(path.join(folder, MANIFEST_FILE), jsonFile(manifest));
}
