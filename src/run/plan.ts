// What a run would send, made without asking the server: the stages, the requests, and what they come to.
import type { TextTokenizer } from '../datagen/tokenizer';
import type { Workload } from '../datagen/workload';
import type { PlannedLoadStage } from '../loadgen/plan';
import { distributionOf } from '../metrics/statistics';
import type { Problem, Result } from '../problem';
import type { Distribution } from '../folder/manifest';
import { arrivalTrace } from './arrival-trace';
import { workloadHashes } from './describe';
import { foldersOf, makeWorkload, pinnedFor, planStages, tokenizerFor, withLora } from './stream';
import { refusals } from './supported';
import type { RunInput, StreamOptions } from './types';

export interface PlannedStream {
  readonly stages: readonly PlannedLoadStage[];
  readonly workload: Workload;
  readonly tokenizer: TextTokenizer | undefined;
  readonly noTokenizer: string | undefined;
  /** Without warm-up stages, as run.json will have them. */
  readonly hashes: ReturnType<typeof workloadHashes>;
}

/** Name in bodies while no server was asked for its models; no hash depends on it. */
const UNKNOWN_MODEL = 'model';

/**
 * Makes the stream that `isoperf run` would send. Errors are the run's own (codes RUN0xx); RUN071: a sweep whose rates are not pinned
 * is known only after its probe.
 */
export async function planStream(input: RunInput, options: StreamOptions): Promise<Result<PlannedStream>> {
  const { config } = input;
  // A stream needs nowhere to go to.
  const problems: Problem[] = refusals(config).filter(({ code }) => code !== 'RUN001');
  if (problems.some(({ severity }) => severity === 'error')) return { ok: false, problems };
  const trace = arrivalTrace(config, foldersOf(input, options));
  if (!trace.ok) return { ok: false, problems: [...problems, ...trace.problems] };
  problems.push(...trace.problems);
  const pinned = pinnedFor(input, options);
  if (config.load.sweep && !pinned) return { ok: false, problems: [...problems, SWEEP] };
  const stages = planStages(input, trace.value, pinned);
  if (!stages.ok) return { ok: false, problems: [...problems, ...stages.problems] };
  const configured = config.server?.model_name ?? '';
  const model = configured === '' ? UNKNOWN_MODEL : configured;
  const tokenizer = await tokenizerFor(input, options, model);
  if (!tokenizer.ok) return { ok: false, problems: [...problems, tokenizer.problem] };
  problems.push(...stages.problems, ...tokenizer.problems);
  const made = await makeWorkload(input, options, stages.value, { model, tokenizer: tokenizer.value });
  if (!made.ok) return { ok: false, problems: [...problems, ...made.problems] };
  const workload = withLora(input, model, stages.value, made.value);
  const planned = stages.value.map((plan) => ({ plan, requests: workload.stages[plan.id]! }));
  return {
    ok: true,
    value: {
      stages: stages.value,
      workload,
      tokenizer: tokenizer.value,
      noTokenizer: tokenizer.reason,
      hashes: workloadHashes(planned),
    },
    problems: [...problems, ...made.problems],
  };
}

const SWEEP: Problem = {
  code: 'RUN071',
  severity: 'error',
  path: ['load', 'sweep'],
  message: 'The requests are not known before the run: a sweep finds its rates by probing the server.',
  remedy: 'Run the sweep once and pin the rates it found, or write load.stages.',
};

export interface StageFigures {
  readonly id: number;
  readonly requests: number;
  /** In the workload's unit; absent where the data type fixes none. */
  readonly promptLength?: Distribution;
  readonly maxTokens?: Distribution;
  readonly distinctPrompts: number;
  /** Requests whose prompt and parameters an earlier request of the run had, in this stage or before it. */
  readonly repeated: number;
  /** Seconds from the stage's zero to its last arrival; absent for a closed loop. */
  readonly lastArrivalSeconds?: number;
}

/** What the requests really are, after drawing, clamping and making them. */
export function figuresOf({ stages, workload }: Pick<PlannedStream, 'stages' | 'workload'>): readonly StageFigures[] {
  const seen = new Set<string>();
  return stages.map(({ id, pacing }) => {
    const requests = workload.stages[id]!;
    const own = new Set<string>();
    let repeated = 0;
    for (const { promptHash } of requests) {
      if (seen.has(promptHash)) repeated++;
      seen.add(promptHash);
      own.add(promptHash);
    }
    const promptLength = distributionOf(
      requests.flatMap(({ askedPromptTokens }) => (askedPromptTokens === undefined ? [] : [askedPromptTokens])),
    );
    const maxTokens = distributionOf(requests.map((request) => request.maxTokens));
    return {
      id,
      requests: requests.length,
      ...(promptLength ? { promptLength } : {}),
      ...(maxTokens ? { maxTokens } : {}),
      distinctPrompts: own.size,
      repeated,
      ...(pacing.kind === 'open' && requests.length > 0 ? { lastArrivalSeconds: pacing.offsets.at(-1)! } : {}),
    };
  });
}
