// What an experiment will take, worked out before anything is sent: slots, minutes, requests, tokens, and the least it can see.
import os from 'node:os';
import { yardstickDeviation } from '../comparability/known-noise';
import { expectationsOf } from '../config/will/expectations';
import { discardedSlots, SLOTS_A_BLOCK } from '../experiment/design';
import type { Experiment } from '../experiment/read';
import { alphaOf } from '../experiment/report';
import { smallestSeen } from '../experiment/statistics';
import { counted, percent, span, whole } from '../figures';
import { StopControl } from '../loadgen/stop';
import { formatProblem } from '../problem';
import { planStream } from '../run/plan';
import { startChildSimulator } from './child-simulator';
import { UsageError } from './command';
import { loadedFor, type SlotSetting } from './experiment-slot';
import { runInput } from './run-input';

export interface Estimate {
  readonly slots: number;
  readonly secondsOfSlot: number;
  readonly seconds: number;
  readonly requests: number;
  /** Asked prompt tokens and most output tokens; absent where the data fixes none. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** A share, by primary key: what four of five such experiments see at the public yardstick's noise. */
  readonly smallest: Readonly<Record<string, number>>;
}

/** How long an answer takes, where only that says how long a closed loop does. */
const ASSUMED_LATENCY_SECONDS = 5;

/** A text: why it cannot be run. */
export async function estimateOf(
  setting: Pick<SlotSetting, 'experiment' | 'home' | 'texts' | 'io'>,
): Promise<Estimate | string> {
  const { experiment, io, texts } = setting;
  const names = ['a', 'b'] as const;
  const targets: string[] = [];
  let secondsOfSlot = 0;
  let requests = 0;
  const tokens = { input: 0, output: 0, known: true };
  for (const name of names) {
    const read = loadedFor(setting, name, [`load.base_seed=1`]);
    if (typeof read === 'string') return read;
    const { loaded, overrides, file } = read;
    const simulator = await takesFlags(experiment.sides[name].simulator);
    if (simulator !== undefined) return `sides.${name}.simulator: ${simulator}`;
    if (loaded.config.load.sweep !== null) {
      return `${file}: error EXP004 load.sweep: A sweep finds other rates in every run, and no two slots would share one. Remedy: write curve: {rates: [...]} in the experiment, or load.stages in the config.`;
    }
    targets.push(loaded.target);
    const input = runInput({ file, text: texts[name] }, loaded, overrides);
    const stream = await planStream(input, {
      cwd: io.cwd,
      env: io.env,
      stop: new StopControl(),
      onEvent: () => undefined,
    });
    if (!stream.ok)
      return stream.problems
        .filter(({ severity }) => severity === 'error')
        .map((problem) => formatProblem(problem, file))
        .join('\n');
    const made = Object.values(stream.value.workload.stages).flat();
    const expected = expectationsOf(loaded.config, {
      cpus: os.availableParallelism(),
      assumedLatencySeconds: ASSUMED_LATENCY_SECONDS,
    });
    const closed = expected.stages.reduce(
      (sum, { requests: own = 0, concurrency = 1 }) => sum + (own / concurrency) * ASSUMED_LATENCY_SECONDS,
      0,
    );
    secondsOfSlot = Math.max(secondsOfSlot, expected.durationSeconds ?? closed);
    requests += made.length / names.length;
    for (const { askedPromptTokens, maxTokens } of made) {
      tokens.known &&= askedPromptTokens !== undefined;
      tokens.input += (askedPromptTokens ?? 0) / names.length;
      tokens.output += maxTokens / names.length;
    }
  }
  if (new Set(targets).size > 1) {
    return `The configs are for two versions of inference-perf (${targets.join(', ')}): they define metrics otherwise. Remedy: name one target in both.`;
  }
  const most = experiment.stein?.most ?? experiment.blocks;
  const slots = discardedSlots(experiment).length + SLOTS_A_BLOCK * (most + experiment.calibrate);
  return {
    slots,
    secondsOfSlot,
    seconds: slots * secondsOfSlot,
    requests: Math.round(requests * slots),
    ...(tokens.known ? { inputTokens: Math.round(tokens.input * slots) } : {}),
    outputTokens: Math.round(tokens.output * slots),
    smallest: Object.fromEntries(
      experiment.primary.map(({ metric: { key, statistic } }) => [
        key,
        Math.expm1(smallestSeen(yardstickDeviation(statistic), most, alphaOf(experiment) / experiment.primary.length)),
      ]),
    ),
  };
}

/** Why a simulator does not start with them; undefined where it does, or where none is asked for. */
async function takesFlags(flags: string | undefined): Promise<string | undefined> {
  if (flags === undefined) return undefined;
  try {
    await (await startChildSimulator(flags)).stop();
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

export function planLines(experiment: Experiment, hash: string, estimate: Estimate): string[] {
  const { order, cache, workload, discard, calibrate, cooldown, looks, stein, primary, file } = experiment;
  const { slots, secondsOfSlot, seconds, requests, inputTokens, outputTokens } = estimate;
  const pause =
    file.sides.a.simulator === undefined ? ` and up to ${span(slots * cooldown.seconds)} of cooling down` : '';
  const orders = {
    abba: 'A B B A',
    'balanced-random': 'A B B A or B A A B by chance',
    'a-then-b': 'A A B B (drift stays in)',
  };
  const streams = {
    'new-per-block': 'one stream for the slots of a block, another for the next',
    'new-per-slot': 'another stream for every slot',
    same: 'one stream for all slots',
  };
  return [
    experiment.question,
    '',
    `  Slots       ${slots}: ${counted(discard, 'discarded slot')}, ${calibrate > 0 ? `${counted(calibrate, 'block')} of A against A, ` : ''}${stein ? `${stein.pilot} to ${stein.most} blocks` : counted(experiment.blocks, 'block')} of ${orders[order]}`,
    `  Stream      ${streams[workload]}; cache: ${cache}`,
    `  Takes       ${span(seconds)} of sending (${span(secondsOfSlot)} a slot)${pause}; ${whole(requests)} requests${inputTokens === undefined ? '' : `, ${whole(inputTokens)} prompt tokens`}${outputTokens === undefined ? '' : `, at most ${whole(outputTokens)} output tokens`}`,
    `  Looks       ${stein ? `one, after the number of blocks that the pilot asks for` : `after ${looks.join(', ')} blocks`}, each at ${percent(alphaOf(experiment))}`,
    ...primary.map(({ metric, margin }) => {
      const least = estimate.smallest[metric.key];
      const sees =
        least === undefined
          ? 'what it can see is not known before its first blocks'
          : `sees a difference of ${percent(least)} in four of five cases at the noise that identical runs showed in public`;
      return `  Primary     ${metric.label}${margin ? `, margin ${margin.text}` : ', no margin: equality cannot be shown'}; ${sees}`;
    }),
    `  Hash        ${hash}`,
  ];
}
