// Everything before the clock starts: refusals, the schedule, the tokenizer, the server's own words, the request stream.
import path from 'node:path';
import { ClientProblem } from '../client/endpoint';
import { FIND_SECONDS, findServerTokenizer, type ServerTokenizer } from '../client/server-tokenizer';
import type { Client, ClientOptions, ServerFacts } from '../client/types';
import type { ThreadsChosen } from '../config/will/sending-threads';
import type { TextTokenizer } from '../datagen/tokenizer';
import { STOPPED } from '../datagen/stopped';
import type { Workload } from '../datagen/workload';
import { connectionsFor, type PlannedLoadStage } from '../loadgen/plan';
import type { WorkerPool } from '../loadgen/worker-pool';
import type { Problem, Result } from '../problem';
import { arrivalTrace } from './arrival-trace';
import { createMockClient } from './mock-client';
import { checkServed, modelFor } from './model-name';
import { proxyFor, uncheckedTls } from './proxy';
import { PROBE_NAME, probePlan, probeSweep, type SweepFacts } from './probe-sweep';
import {
  foldersOf,
  inFlightCapOf,
  makeWorkload,
  pinnedFor,
  planStages,
  tokenizerFor,
  withLora,
  type StageToMake,
} from './stream';
import { refusals } from './supported';
import type { RunInput, RunOptions, RunResult } from './types';
import { circumstancesOf, connectionLimitOf, SendingThreads } from './workers';

export interface Prepared {
  readonly stages: readonly PlannedLoadStage[];
  readonly client: Client;
  /** Threads that send; without them the engine's own loop does. */
  readonly pool?: WorkerPool | undefined;
  readonly workers: ThreadsChosen;
  readonly server: ServerFacts;
  readonly model: string;
  readonly modelSource: string;
  readonly tokenizer: TextTokenizer | undefined;
  readonly noTokenizer: string | undefined;
  /** Without a tokenizer: the server's own, where it answers. */
  readonly serverTokenizer?: ServerTokenizer | undefined;
  readonly workload: Workload;
  /** Where a sweep's rates came from. */
  readonly sweep?: SweepFacts;
}

type Refused = Extract<RunResult, { kind: 'refused' }>;

/** inference-perf's HTTP library gives up after 300 s when `load.request_timeout` is null or 0. */
const DEFAULT_TIMEOUT_SECONDS = 300;

export function timeoutSeconds(input: RunInput): number {
  const { request_timeout: timeout } = input.config.load;
  return timeout === null || timeout <= 0 ? DEFAULT_TIMEOUT_SECONDS : timeout;
}

/**
 * Prepares a run, or says why there is none. Warnings go to `note` as they are found. The client of a refused run is closed.
 * The server is asked before prompts are made: an unreachable one is found out at once.
 */
export async function prepareRun(
  input: RunInput,
  options: RunOptions,
  note: (problem: Problem) => void,
): Promise<{ ok: true; value: Prepared } | { ok: false; refused: Refused }> {
  const { config } = input;
  const found = refusals(config);
  found.filter((problem) => problem.severity !== 'error').forEach(note);
  const errors = found.filter((problem) => problem.severity === 'error');
  if (errors.length > 0 || !config.server) return unusable(errors);
  uncheckedTls(config.server.base_url, options.env).forEach(note);
  if (options.cacheSalt !== undefined && config.api.type === 'anthropic_messages') return unusable([NO_SALT]);
  const allWarm = nothingMeasured(input);
  if (allWarm) return unusable([allWarm]);
  const pinned = pinnedFor(input, options);
  const planned = planBeforehand(input, options, pinned);
  if (planned?.ok === false) return unusable(planned.problems);
  planned?.problems.forEach(note);
  const needed = planned ? connectionsFor(planned.value) : inFlightCapOf(config);
  const connections = Math.min(needed, connectionLimitOf(config));
  const connected = await connect(input, options, connections);
  if (!connected.ok) return connected;
  const { client, server } = connected;
  const threads = new SendingThreads(options.workers, connected.clientOptions, circumstancesOf(config, needed), note);
  const rest = await prepareStream(input, options, planned?.value, { client, server, threads }, note);
  if (!rest.ok) {
    await Promise.all([client.close(), threads.close()]);
    return rest;
  }
  const stages = rest.value.stages.map((plan) => ({ plan, requests: rest.value.workload.stages[plan.id]! }));
  const workers = await threads.prepareFor(stages);
  const { pool } = threads;
  return { ok: true, value: { client, pool, workers, server, ...(pinned ? { sweep: pinned } : {}), ...rest.value } };
}

const NO_SALT: Problem = {
  code: 'RUN067',
  severity: 'error',
  path: ['api', 'type'],
  message: 'Nothing was sent: the Messages API has no field for a cache salt.',
  remedy: 'Leave --salt out and send other prompts ("# isoperf: seed=N"), or empty the cache before the run.',
};

/** Warm-up marks stick to the place of a stage: over a file that marks the first, `--set load.stages=[...]` may leave nothing else. */
function nothingMeasured({ config, warmupStages }: RunInput): Problem | undefined {
  const { length } = config.load.stages;
  if (config.load.sweep !== null || length === 0) return undefined;
  if (!config.load.stages.every((_, index) => warmupStages.includes(index))) return undefined;
  return {
    code: 'RUN008',
    severity: 'error',
    path: ['load', 'stages'],
    message:
      length === 1
        ? 'Nothing was sent: the only stage is a warm-up, so nothing would be measured.'
        : `Nothing was sent: all ${length} stages are warm-ups, so nothing would be measured.`,
    remedy:
      'Add a stage without "# isoperf: warmup", or remove the mark. It belongs to a place in load.stages, also when --set replaces the stages.',
  };
}

/** Prompts the server says it has no room for: it would refuse each of them. Lengths without the chat template, so a lower bound. */
function roomFor(workload: Workload, { maxModelTokens }: ServerFacts, model: string): Problem[] {
  const room = maxModelTokens?.get(model);
  if (room === undefined || workload.lengthUnit !== 'tokens') return [];
  const requests = workload.stages.flat();
  const needed = requests.map(({ askedPromptTokens, maxTokens }) => (askedPromptTokens ?? 0) + maxTokens);
  const tooLong = needed.filter((tokens) => tokens > room).length;
  if (tooLong === 0) return [];
  const most = needed.reduce((a, b) => Math.max(a, b));
  const isEach = tooLong === requests.length;
  return [
    {
      code: 'RUN009',
      severity: isEach ? 'error' : 'warning',
      path: ['data'],
      message: `${isEach ? 'Nothing was sent, because every request would be refused: p' : `${tooLong} of ${requests.length} requests will be refused: p`}rompt and answer need up to ${most} tokens, and the server's max_model_len is ${room}.`,
      remedy: 'Ask for shorter prompts or answers, or serve the model with a larger context (--max-model-len).',
    },
  ];
}

/** The stages, when they are known before the server was asked: all but those of a sweep that must probe. */
function planBeforehand(
  input: RunInput,
  options: RunOptions,
  pinned: SweepFacts | undefined,
): Result<readonly PlannedLoadStage[]> | undefined {
  const { config, frozen } = input;
  if (frozen) return { ok: true, value: frozen.stages, problems: [] };
  if (config.load.sweep !== null && !pinned) return undefined;
  const trace = arrivalTrace(config, foldersOf(input, options));
  if (!trace.ok) return trace;
  const planned = planStages(input, trace.value, pinned);
  return { ...planned, problems: [...trace.problems, ...planned.problems] };
}

async function connect(
  input: RunInput,
  options: RunOptions,
  connections: number,
): Promise<
  | { ok: true; client: Client; server: ServerFacts; clientOptions: ClientOptions | undefined }
  | { ok: false; refused: Refused }
> {
  const clientOptions = clientOptionsOf(input, options, connections);
  let client: Client | undefined;
  try {
    client = clientOptions ? options.clientFactory(clientOptions) : createMockClient();
    const facts = await client.probe();
    if (facts.keyRejected !== true) return { ok: true, client, server: facts, clientOptions };
    await client.close();
    return failed([keyRejected(facts, options)]);
  } catch (error) {
    await client?.close();
    if (error instanceof ClientProblem) {
      // What the config says (address, certificate file, header) cannot be used; a server that does not answer failed.
      const ofConfig = ['RUN101', 'RUN102', 'RUN103'].includes(error.problem.code);
      return ofConfig ? unusable([error.problem]) : failed([error.problem]);
    }
    throw error;
  }
}

/** Plain data, so that every sending thread can make a client of its own; undefined for the mock server. */
function clientOptionsOf(
  { config: { server, api, load } }: RunInput,
  { apiKey, caPath, cwd, env }: RunOptions,
  connections: number,
): ClientOptions | undefined {
  if (!server || server.type === 'mock') return undefined;
  const proxy = proxyFor(server.base_url, env)?.url;
  return {
    baseUrl: server.base_url,
    ...(proxy === undefined ? {} : { proxy }),
    headers: api.headers ?? {},
    api: api.type,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(caPath === undefined ? {} : { caPath: path.resolve(cwd, caPath) }),
    ...(api.session_id_header_key === null ? {} : { sessionIdHeader: api.session_id_header_key }),
    ...(api.session_token_header_key === null ? {} : { sessionTokenHeader: api.session_token_header_key }),
    ...(server.cert_path === null ? {} : { certPath: path.resolve(cwd, server.cert_path) }),
    ...(server.key_path === null ? {} : { keyPath: path.resolve(cwd, server.key_path) }),
    ...(load.request_retries > 0
      ? { retries: { times: load.request_retries, backoffSeconds: load.request_retry_backoff_sec } }
      : {}),
    connections,
  };
}

function keyRejected(facts: ServerFacts, options: RunOptions): Problem {
  const has = options.apiKey !== undefined && options.apiKey !== '';
  const answer = facts.notes.find((text) => /\b40[13]\b/.test(text)) ?? 'The server answered 401.';
  return {
    code: 'RUN105',
    severity: 'error',
    path: ['server', 'api_key'],
    message: `Nothing was sent, because every request would fail: ${answer}`,
    remedy: has
      ? `The API key that was sent is not the server's: put the right one into the environment variable ${options.apiKeyVariable}.`
      : `Put the server's API key into the environment variable ${options.apiKeyVariable}.`,
  };
}

type StreamPart = Pick<
  Prepared,
  'stages' | 'model' | 'modelSource' | 'tokenizer' | 'noTokenizer' | 'serverTokenizer' | 'workload'
> & {
  readonly sweep?: SweepFacts;
};

interface Connected {
  readonly client: Client;
  readonly server: ServerFacts;
  readonly threads: SendingThreads;
}

/** The model, its tokenizer, the stages (after a sweep's probe, when they are not planned yet), and every request. */
async function prepareStream(
  input: RunInput,
  options: RunOptions,
  planned: readonly PlannedLoadStage[] | undefined,
  { client, server, threads }: Connected,
  note: (problem: Problem) => void,
): Promise<{ ok: true; value: StreamPart } | { ok: false; refused: Refused }> {
  const model = modelFor(input, server);
  if (!model.ok) return failed(model.problems);
  const named = model.value;
  const tokenizer = await tokenizerFor(input, options, named.model);
  if (!tokenizer.ok) return unusable([tokenizer.problem]);
  tokenizer.problems.forEach(note);
  const make = (of: readonly StageToMake[]): Promise<Result<Workload>> =>
    makeWorkload(input, options, of, { model: named.model, tokenizer: tokenizer.value });
  const found = planned ? undefined : await findStages(input, options, { client, threads }, make);
  if (found?.ok === false) return found;
  found?.problems.forEach(note);
  const stages = planned ?? found!.stages;
  const workload: Result<Workload> = input.frozen
    ? { ok: true, value: input.frozen.workloadFor(named.model, options.cacheSalt), problems: [] }
    : await make(stages);
  // Stopped while the server was asked or prompts were made: there is nothing to keep, so no folder is made.
  if (options.stop.noMoreSends.aborted) return failed([STOPPED]);
  if (!workload.ok) return unusable(workload.problems);
  workload.problems.forEach(note);
  const fits = roomFor(workload.value, server, named.model);
  if (fits.some(({ severity }) => severity === 'error')) return failed(fits);
  fits.forEach(note);
  const served = await checkServed(input, options, client, server, named.model);
  if (served.some(({ severity }) => severity === 'error')) return failed(served);
  served.forEach(note);
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a stop may have come while the server was asked
  if (options.stop.noMoreSends.aborted) return failed([STOPPED]);
  const serverTokenizer = tokenizer.value
    ? undefined
    : await findServerTokenizer(client, named.model, options.stop.noMoreSends);
  if (serverTokenizer === 'silent') note(SILENT_TOKENIZER);
  return {
    ok: true,
    value: {
      ...named,
      stages,
      tokenizer: tokenizer.value,
      noTokenizer: tokenizer.reason,
      serverTokenizer: serverTokenizer === 'silent' ? undefined : serverTokenizer,
      workload: input.frozen ? workload.value : withLora(input, named.model, stages, workload.value),
      ...(found ? { sweep: found.sweep } : {}),
    },
  };
}

const SILENT_TOKENIZER: Problem = {
  code: 'RUN066',
  severity: 'information',
  path: ['tokenizer'],
  message: `The server left POST /tokenize without an answer for ${FIND_SECONDS} s and is not asked again: where it reports no usage, tokens are not counted.`,
  remedy: 'Name the model’s tokenizer in the tokenizer section, or let the server report usage.',
};

/** Sends the probe of a sweep and plans the stages it asks for. */
async function findStages(
  input: RunInput,
  options: RunOptions,
  { client, threads }: Pick<Connected, 'client' | 'threads'>,
  make: (of: readonly StageToMake[]) => Promise<Result<Workload>>,
): Promise<
  | { ok: true; stages: readonly PlannedLoadStage[]; sweep: SweepFacts; problems: readonly Problem[] }
  | { ok: false; refused: Refused }
> {
  const { load } = input.config;
  const isStopped = (): boolean => options.stop.noMoreSends.aborted;
  const sweep = load.sweep!;
  const workload = await make([{ name: PROBE_NAME, count: sweep.num_requests }]);
  if (isStopped()) return failed([STOPPED]);
  if (!workload.ok) return unusable(workload.problems);
  const requests = workload.value.stages[0]!;
  const inFlightCap = inFlightCapOf(input.config);
  const plan = probePlan({ sweep, requests, inFlightCap, seed: load.base_seed });
  // The probe brings more than any stage will: sent by fewer threads it would find the client's limit.
  await threads.prepareFor([{ plan, requests }]);
  const probed = await probeSweep({
    sweep,
    stage: { plan, requests },
    client,
    pool: threads.pool,
    inFlightCap,
    timeoutSeconds: timeoutSeconds(input),
    stop: options.stop,
  });
  if (isStopped()) return failed([STOPPED]);
  if (!probed.ok) return failed(probed.problems);
  const planned = planStages(input, undefined, probed.value);
  if (!planned.ok) return unusable(planned.problems);
  const problems = [...workload.problems, ...probed.problems, ...planned.problems];
  return { ok: true, stages: planned.value, sweep: probed.value, problems };
}

function unusable(problems: readonly Problem[]): { ok: false; refused: Refused } {
  return { ok: false, refused: { kind: 'refused', why: 'unusable', problems } };
}

function failed(problems: readonly Problem[]): { ok: false; refused: Refused } {
  return { ok: false, refused: { kind: 'refused', why: 'failed', problems } };
}
