// The parts of a request stream that need no server: stages planned, the tokenizer found, requests made. Shared by `run` and `plan`.
import path from 'node:path';
import { findTokenizer, loadTokenizer, type TextTokenizer } from '../datagen/tokenizer';
import { prepareWorkload, type Workload } from '../datagen/workload';
import { planLoad, type ArrivalTrace, type PlannedLoadStage, type StageConfig } from '../loadgen/plan';
import type { Problem, Result } from '../problem';
import { noChatTemplate, withChatTemplate, withOwnSpecialTokens } from './chat-template';
import { tokenizerFromHub } from './hub-files';
import { withAdapters } from './lora';
import { pinnedSweep, type SweepFacts } from './probe-sweep';
import { pinnedRates, stageSettings } from './settings';
import type { SupportedLoadType } from './supported';
import { bodySettings } from './settings';
import type { RunInput, StreamOptions } from './types';
import { workloadData } from './workload-data';

/** Rates of a sweep that need no probe: from `--pin-sweep`, else from the directive. */
export function pinnedFor(
  { config, directives }: RunInput,
  { pinnedSweep: given }: StreamOptions,
): SweepFacts | undefined {
  const { sweep } = config.load;
  if (!sweep) return undefined;
  if (given) return pinnedSweep(sweep.type, given.ratesRps, given.source);
  const rates = pinnedRates(directives);
  return rates && pinnedSweep(sweep.type, rates, 'directive sweep-rates');
}

export function planStages(
  { config, directives, warmupStages }: RunInput,
  trace: ArrivalTrace | undefined,
  sweep: SweepFacts | undefined,
): Result<readonly PlannedLoadStage[]> {
  const { load } = config;
  const stages: readonly StageConfig[] = sweep
    ? sweep.ratesRps.map((rate) => ({ rate, duration: load.sweep!.stage_duration }))
    : (load.stages as readonly StageConfig[]);
  return planLoad({
    type: load.type as SupportedLoadType,
    stages: stages.map((stage, id) => ({ ...stage, ...stageSettings(config, directives, id) })),
    // A sweep replaces the stages, and with them what was written at them.
    warmupStages: sweep ? [] : warmupStages,
    workers: load.num_workers,
    workerMaxConcurrency: load.worker_max_concurrency,
    seed: load.base_seed,
    trace,
  });
}

export function inFlightCapOf({ load }: RunInput['config']): number {
  return load.num_workers > 0 ? Math.max(1, load.num_workers * load.worker_max_concurrency) : Number.MAX_SAFE_INTEGER;
}

export function foldersOf({ file }: RunInput, { cwd }: StreamOptions): string[] {
  return [cwd, path.resolve(cwd, path.dirname(file))];
}

export type StageToMake = Pick<PlannedLoadStage, 'name' | 'count'>;

export async function makeWorkload(
  input: RunInput,
  options: StreamOptions,
  stages: readonly StageToMake[],
  who: { readonly model: string; readonly tokenizer: TextTokenizer | undefined },
): Promise<Result<Workload>> {
  const { config } = input;
  const data = await workloadData(config, foldersOf(input, options), options, input.directives);
  if (!data.ok) return data;
  let lastShown = performance.now();
  const made = await prepareWorkload({
    data: data.value,
    body: {
      model: who.model,
      api: config.api.type,
      ...bodySettings(config, input.directives),
      cacheSalt: options.cacheSalt,
    },
    isMockServer: config.server?.type === 'mock',
    seed: config.load.base_seed,
    tokenizer: who.tokenizer,
    stages: stages.map(({ name, count }) => ({ name, count })),
    onProgress: (done, total) => {
      if (performance.now() - lastShown < 500) return;
      lastShown = performance.now();
      options.onEvent({ type: 'preparing', done, total });
    },
    isStopped: () => options.stop.noMoreSends.aborted,
  });
  return made.ok ? { ...made, problems: [...data.problems, ...made.problems] } : made;
}

export function withLora(
  { config }: RunInput,
  model: string,
  stages: readonly PlannedLoadStage[],
  workload: Workload,
): Workload {
  const shares = config.load.lora_traffic_split;
  if (!shares || shares.length === 0) return workload;
  const seed = config.load.base_seed;
  return {
    ...workload,
    stages: workload.stages.map((requests, index) => withAdapters(requests, shares, model, seed, stages[index]!.name)),
  };
}

export type TokenizerChoice =
  | { ok: true; value: TextTokenizer | undefined; reason: string | undefined; problems: readonly Problem[] }
  | { ok: false; problem: Problem };

const TOKENIZER_PLACE = ['tokenizer', 'pretrained_model_name_or_path'];

/**
 * The config's tokenizer, else one named like the model as in inference-perf: from this machine, and from the hub only when the
 * user allowed downloads. RUN024 says why there is none, RUN016 that what was found cannot be read, RUN027 that it has no chat template
 * where the config wants one.
 */
export async function tokenizerFor(input: RunInput, options: StreamOptions, model: string): Promise<TokenizerChoice> {
  const found = await plainTokenizer(input, options, model);
  if (!found.ok) return found;
  const { value, reason, problems } = found;
  if (input.frozen) {
    // Its texts were wrapped when it was frozen.
    return input.frozen.hasOwnSpecialTokens && value ? { ...found, value: withOwnSpecialTokens(value) } : found;
  }
  if (!input.config.data.use_chat_template) return found;
  if (!value) return { ok: false, problem: noChatTemplate(`there is no tokenizer: ${reason ?? ''}`) };
  const wrapped = await withChatTemplate(value);
  return wrapped.ok
    ? { ...found, value: wrapped.value, problems: [...problems, ...wrapped.problems] }
    : { ok: false, problem: wrapped.problems[0]! };
}

async function plainTokenizer(input: RunInput, options: StreamOptions, model: string): Promise<TokenizerChoice> {
  const { tokenizer } = input.config;
  const configured = tokenizer?.pretrained_model_name_or_path ?? undefined;
  const name = configured ?? model;
  const lookup = findTokenizer(name, { env: options.env, folders: foldersOf(input, options) });
  if (lookup.found) return readTokenizer(lookup.file, []);
  const hub = await tokenizerFromHub(name, options, tokenizer?.token ?? undefined, input.config.data.use_chat_template);
  if (hub.file !== undefined) return readTokenizer(hub.file, hub.problems);
  const reason = `${lookup.reason}; ${hub.reason ?? ''}`;
  const missing: Problem = {
    code: 'RUN024',
    severity: 'warning',
    path: TOKENIZER_PLACE,
    message: `No client tokenizer, so only the server counts tokens: ${reason}.`,
    remedy:
      options.download === true
        ? 'Name a folder with the model’s tokenizer.json, or set HF_ENDPOINT and HF_TOKEN to a hub that has it.'
        : 'Name a folder with the model’s tokenizer.json, or allow the download with --download.',
  };
  const isWanted = configured !== undefined || options.download === true;
  return { ok: true, value: undefined, reason, problems: isWanted ? [missing] : [] };
}

function readTokenizer(file: string, problems: readonly Problem[]): TokenizerChoice {
  try {
    return { ok: true, value: loadTokenizer(file), reason: undefined, problems };
  } catch (error) {
    const { message } = error as Error;
    const problem: Problem = {
      code: 'RUN016',
      severity: 'error',
      path: TOKENIZER_PLACE,
      message: `Nothing was sent: ${message}.`,
      remedy: 'Name another tokenizer, or remove the tokenizer section to let the server count.',
    };
    return { ok: false, problem };
  }
}
