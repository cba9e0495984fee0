// The parts of a request stream that need no server: stages planned, the tokenizer found, requests made. Shared by `run` and `plan`.
import path from 'node:path';
import { findTokenizer, loadTokenizer, type TextTokenizer } from '../datagen/tokenizer';
import { prepareWorkload, type Workload } from '../datagen/workload';
import { planLoad, type ArrivalTrace, type PlannedLoadStage, type StageConfig } from '../loadgen/plan';
import type { Problem, Result } from '../problem';
import { withAdapters } from './lora';
import { pinnedSweep, type SweepFacts } from './probe-sweep';
import { pinnedRates, stageSettings } from './settings';
import type { SupportedLoadType } from './supported';
import type { RunInput, RunOptions } from './types';
import { workloadData } from './workload-data';

/** What of a run's options a stream depends on. */
export type StreamOptions = Pick<RunOptions, 'cwd' | 'env' | 'stop' | 'onEvent' | 'pinnedSweep'>;

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
    stages: stages.map((stage, id) => ({ ...stage, ...stageSettings(directives, id) })),
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
  const format = config.api.response_format;
  const data = workloadData(config, foldersOf(input, options));
  if (!data.ok) return data;
  let lastShown = performance.now();
  const made = await prepareWorkload({
    data: data.value,
    body: {
      model: who.model,
      api: config.api.type === 'chat' ? 'chat' : 'completion',
      streaming: config.api.streaming,
      ignoreEos: config.server?.ignore_eos ?? true,
      responseFormat: format ? { type: format.type, name: format.name, jsonSchema: format.json_schema } : undefined,
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

/** The config's tokenizer, else one named like the model as in inference-perf, but only from this machine. */
export function tokenizerFor(input: RunInput, options: StreamOptions, model: string): TokenizerChoice {
  const configured = input.config.tokenizer?.pretrained_model_name_or_path ?? undefined;
  const lookup = findTokenizer(configured ?? model, { env: options.env, folders: foldersOf(input, options) });
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
