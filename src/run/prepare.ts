// Everything before the clock starts: refusals, the schedule, the tokenizer, the server's own words, the request stream.
import path from 'node:path';
import { ClientProblem } from '../client/endpoint';
import type { Client, ServerFacts } from '../client/types';
import { findTokenizer, loadTokenizer, type TextTokenizer } from '../datagen/tokenizer';
import { prepareWorkload, STOPPED, type Workload, type WorkloadData } from '../datagen/workload';
import { connectionsFor, planLoad, type PlannedLoadStage } from '../loadgen/plan';
import type { Problem } from '../problem';
import { createMockClient } from './mock-client';
import { isSupportedLoadType, refusals } from './supported';
import type { RunInput, RunOptions, RunResult } from './types';

export interface Prepared {
  readonly stages: readonly PlannedLoadStage[];
  readonly client: Client;
  readonly server: ServerFacts;
  readonly model: string;
  readonly modelSource: string;
  readonly tokenizer: TextTokenizer | undefined;
  readonly noTokenizer: string | undefined;
  readonly workload: Workload;
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
  const { type } = config.load;
  if (errors.length > 0 || !config.server || !isSupportedLoadType(type)) return unusable(errors);
  const plan = planLoad({
    type,
    stages: config.load.stages as readonly Parameters<typeof planLoad>[0]['stages'][number][],
    warmupStages: input.warmupStages,
    workers: config.load.num_workers,
    workerMaxConcurrency: config.load.worker_max_concurrency,
    seed: config.load.base_seed,
  });
  if (!plan.ok) return unusable(plan.problems);
  plan.problems.forEach(note);
  const connected = await connect(input, options, connectionsFor(plan.value));
  if (!connected.ok) return connected;
  const { client, server } = connected;
  const rest = await prepareStream(input, options, plan.value, server, note);
  if (!rest.ok) {
    await client.close();
    return rest;
  }
  return { ok: true, value: { stages: plan.value, client, server, ...rest.value } };
}

async function connect(
  input: RunInput,
  options: RunOptions,
  connections: number,
): Promise<{ ok: true; client: Client; server: ServerFacts } | { ok: false; refused: Refused }> {
  const { server, api } = input.config;
  if (!server) return unusable([]);
  let client: Client | undefined;
  try {
    client =
      server.type === 'mock'
        ? createMockClient()
        : options.clientFactory({
            baseUrl: server.base_url,
            headers: api.headers ?? {},
            ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
            ...(server.cert_path === null ? {} : { certPath: path.resolve(options.cwd, server.cert_path) }),
            ...(server.key_path === null ? {} : { keyPath: path.resolve(options.cwd, server.key_path) }),
            connections,
          });
    const facts = await client.probe();
    if (facts.keyRejected !== true) return { ok: true, client, server: facts };
    await client.close();
    return failed([keyRejected(facts, options)]);
  } catch (error) {
    await client?.close();
    if (error instanceof ClientProblem) return failed([error.problem]);
    throw error;
  }
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

async function prepareStream(
  input: RunInput,
  options: RunOptions,
  stages: readonly PlannedLoadStage[],
  facts: ServerFacts,
  note: (problem: Problem) => void,
): Promise<
  | { ok: true; value: Pick<Prepared, 'model' | 'modelSource' | 'tokenizer' | 'noTokenizer' | 'workload'> }
  | { ok: false; refused: Refused }
> {
  const { config } = input;
  const named = modelOf(input, facts);
  if (named === undefined) return failed([noModel(facts)]);
  const { model } = named;
  checkServed(model, facts)?.forEach(note);
  const tokenizer = tokenizerFor(input, options, model);
  if (!tokenizer.ok) return unusable([tokenizer.problem]);
  tokenizer.problems.forEach(note);
  const api = config.api.type === 'chat' ? 'chat' : 'completion';
  const format = config.api.response_format;
  let lastShown = performance.now();
  const isStopped = (): boolean => options.stop.noMoreSends.aborted;
  const workload = await prepareWorkload({
    data: workloadData(input),
    body: {
      model,
      api,
      streaming: config.api.streaming,
      ignoreEos: config.server?.ignore_eos ?? true,
      responseFormat: format ? { type: format.type, name: format.name, jsonSchema: format.json_schema } : undefined,
    },
    isMockServer: config.server?.type === 'mock',
    seed: config.load.base_seed,
    tokenizer: tokenizer.value,
    stages: stages.map(({ name, count }) => ({ name, count })),
    onProgress: (done, total) => {
      if (performance.now() - lastShown < 500) return;
      lastShown = performance.now();
      options.onEvent({ type: 'preparing', done, total });
    },
    isStopped,
  });
  // Stopped while the server was asked or prompts were made: there is nothing to keep, so no folder is made.
  if (isStopped()) return failed([stopped()]);
  if (!workload.ok) return unusable(workload.problems);
  workload.problems.forEach(note);
  return {
    ok: true,
    value: { ...named, tokenizer: tokenizer.value, noTokenizer: tokenizer.reason, workload: workload.value },
  };
}

function stopped(): Problem {
  return { code: 'RUN017', severity: 'error', path: [], message: STOPPED };
}

function modelOf(input: RunInput, facts: ServerFacts): { model: string; modelSource: string } | undefined {
  const configured = input.config.server?.model_name;
  if (configured !== null && configured !== undefined && configured !== '') {
    return { model: configured, modelSource: 'server.model_name' };
  }
  const [first] = facts.models ?? [];
  if (first !== undefined) return { model: first, modelSource: 'first model of /v1/models' };
  return input.config.server?.type === 'mock' ? { model: 'mock', modelSource: 'server.type mock' } : undefined;
}

function noModel(facts: ServerFacts): Problem {
  return {
    code: 'RUN015',
    severity: 'error',
    path: ['server', 'model_name'],
    message:
      `Nothing was sent: server.model_name is not set, and the server does not say what it serves. ${facts.notes.join(' ')}`.trim(),
    remedy: 'Set server.model_name.',
  };
}

/** A name that the server does not list usually means that every request will be a 404; aliases make it possible all the same. */
function checkServed(model: string, { models }: ServerFacts): Problem[] | undefined {
  if (!models || models.length === 0 || models.includes(model)) return undefined;
  return [
    {
      code: 'RUN025',
      severity: 'warning',
      path: ['server', 'model_name'],
      message: `The server does not list the model '${model}'; it lists ${models.slice(0, 5).join(', ')}.`,
      remedy: 'Set server.model_name to one of them if requests fail with 404.',
    },
  ];
}

type TokenizerChoice =
  | { ok: true; value: TextTokenizer | undefined; reason: string | undefined; problems: readonly Problem[] }
  | { ok: false; problem: Problem };

/** The config's tokenizer, else one named like the model as in inference-perf, but only from this machine. */
function tokenizerFor(input: RunInput, options: RunOptions, model: string): TokenizerChoice {
  const configured = input.config.tokenizer?.pretrained_model_name_or_path ?? undefined;
  const folders = [options.cwd, path.resolve(options.cwd, path.dirname(input.file))];
  const lookup = findTokenizer(configured ?? model, { env: options.env, folders });
  const place = ['tokenizer', 'pretrained_model_name_or_path'];
  if (!lookup.found) {
    const problem: Problem = {
      code: 'RUN024',
      severity: 'warning',
      path: place,
      message: `No client tokenizer: ${lookup.reason}. IsoPerf downloads none, so only the server counts tokens.`,
      remedy: 'Name a folder with the model’s tokenizer.json.',
    };
    return { ok: true, value: undefined, reason: lookup.reason, problems: configured === undefined ? [] : [problem] };
  }
  try {
    return { ok: true, value: loadTokenizer(lookup.file), reason: undefined, problems: [] };
  } catch (error) {
    const { message } = error as Error;
    const problem: Problem = {
      code: 'RUN016',
      severity: 'error',
      path: place,
      message: `Nothing was sent: ${message}.`,
      remedy: 'Name another tokenizer, or remove the tokenizer section to let the server count.',
    };
    return { ok: false, problem };
  }
}

function workloadData({ config }: RunInput): WorkloadData {
  const { data } = config;
  const prefix = data.shared_prefix;
  return {
    type: data.type,
    inputDistribution: data.input_distribution ?? undefined,
    outputDistribution: data.output_distribution ?? undefined,
    sharedPrefix: prefix
      ? {
          groups: prefix.num_groups,
          promptsPerGroup: prefix.num_prompts_per_group,
          systemPromptLength: prefix.system_prompt_len,
          // The older keys win over a plain number, as upstream.
          questionLength: prefix.question_distribution ?? prefix.question_len,
          outputLength: prefix.output_distribution ?? prefix.output_len,
          seed: prefix.seed,
        }
      : undefined,
  };
}

function unusable(problems: readonly Problem[]): { ok: false; refused: Refused } {
  return { ok: false, refused: { kind: 'refused', why: 'unusable', problems } };
}

function failed(problems: readonly Problem[]): { ok: false; refused: Refused } {
  return { ok: false, refused: { kind: 'refused', why: 'failed', problems } };
}
