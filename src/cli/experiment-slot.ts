// One slot of an experiment: what is done before it, the run itself into a report folder of its own, and what is read out of that.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../client/http-client';
import { getText } from '../client/metrics-http';
import { parseMetricsText } from '../client/metrics-text';
import { loadConfig, type LoadedConfig } from '../config/load';
import type { Slot } from '../experiment/design';
import type { SideFile } from '../experiment/file';
import type { Preparation, SlotResult } from '../experiment/journal';
import { overridesOf } from '../experiment/overrides';
import type { Experiment } from '../experiment/read';
import { figuresOf, type RunFigures } from '../experiment/values';
import { percent, rounded } from '../figures';
import type { StopControl } from '../loadgen/stop';
import { formatProblem } from '../problem';
import { readRun } from '../readers/read';
import type { Run } from '../readers/run';
import { runBenchmark, type RunOptions } from '../run';
import { startChildSimulator } from './child-simulator';
import type { CliIo } from './command';
import { diskFolder } from './folder';
import { runInput } from './run-input';
import { createProgress } from './run-progress';
import { apiKeyFor, KEY_VARIABLE } from './api-key';
import { simulatorStack, stackFor } from './stack-file';

declare const ISOPERF_VERSION: string;
declare const UNDICI_VERSION: string;

const GRACE_SECONDS = 30;

export interface SlotSetting {
  readonly experiment: Experiment;
  /** Folder of the experiment file: what it names lies beside it. */
  readonly home: string;
  /** Folder of the experiment. */
  readonly folder: string;
  readonly texts: Readonly<Record<'a' | 'b', string>>;
  readonly hash: string;
  readonly io: CliIo;
  readonly stop: StopControl;
}

/** A run that was sent, and what was done before it. */
export interface SentSlot {
  readonly folder: string;
  readonly startedAt: string;
  readonly seconds: number;
  readonly run: Run;
  readonly preparation: Preparation;
  /** Why the run is no whole run. */
  readonly invalid?: string;
}

/** The config of a side with everything put over it, as a run reads it. */
export function loadedFor(
  { experiment, home, texts, io }: Pick<SlotSetting, 'experiment' | 'home' | 'texts' | 'io'>,
  name: 'a' | 'b',
  more: readonly string[] = [],
): { readonly loaded: LoadedConfig; readonly overrides: readonly string[]; readonly file: string } | string {
  const side = experiment.sides[name];
  const file = path.relative(io.cwd, path.resolve(home, side.config)) || side.config;
  const simulated = side.simulator === undefined ? [] : ['server.base_url=http://127.0.0.1:1'];
  const overrides = [...overridesOf(experiment, name), ...simulated, ...more];
  const read = loadConfig(texts[name], { overrides, fileName: file });
  if (!read.ok)
    return read.problems
      .filter(({ severity }) => severity === 'error')
      .map((problem) => formatProblem(problem, file))
      .join('\n');
  // A seed of the file is a seed for one run: here every block has its own.
  const loaded: LoadedConfig = { ...read.value };
  delete (loaded as { seed?: unknown }).seed;
  // The stages of a curve are the experiment’s, and none of them is a warm-up.
  return { loaded: experiment.file.curve ? { ...loaded, warmupStages: new Set() } : loaded, overrides, file };
}

/** A text: why nothing was sent. @param more overrides of this slot alone */
export async function sendSlot(
  setting: SlotSetting,
  slot: Slot,
  attempt: number,
  more: readonly string[] = [],
): Promise<SentSlot | string> {
  const { experiment, io, stop } = setting;
  const side = experiment.sides[slot.side];
  const before = side.before === undefined ? undefined : await command(side.before, slot, setting.home, io.env);
  if (before && before.exitCode !== 0) return `the command before ${slot.id} ended with ${before.exitCode}`;
  const simulator = side.simulator === undefined ? undefined : await startChildSimulator(side.simulator);
  try {
    const own = simulator ? [`server.base_url=${simulator.url}`] : [];
    const read = loadedFor(setting, slot.side, [`load.base_seed=${slot.seed}`, ...more, ...own]);
    if (typeof read === 'string') return read;
    const { loaded, overrides, file } = read;
    const url = loaded.config.server?.base_url ?? '';
    const key = simulator ? undefined : apiKeyFor(KEY_VARIABLE, loaded, io.env);
    const cooldown = simulator ? undefined : await cool(experiment, url, key, stop.noMoreSends);
    const reset = experiment.cache === 'reset' && !simulator ? await resetCache(experiment, url, key) : undefined;
    const salted = experiment.cache === 'salt' && !simulator;
    if (reset?.ok === false) {
      return `the prefix cache was not reset before ${slot.id}: ${reset.reason}`;
    }
    const preparation: Preparation = {
      ...(before ? { before } : {}),
      ...(cooldown ? { cooldown } : {}),
      ...(reset ? { reset } : {}),
      ...(salted ? { salted } : {}),
    };
    const progress = createProgress(io.isTerminal ? io : { ...io, err: () => undefined }, slot.id);
    const options: RunOptions = {
      version: { isoperf: ISOPERF_VERSION, undici: UNDICI_VERSION },
      cwd: path.dirname(path.resolve(setting.home, side.config)),
      env: io.env,
      out: path.join(setting.folder, 'slots', slot.id),
      // A salt of a slot that was killed is known to the server already.
      cacheSalt: salted ? `${setting.hash.slice(0, 12)}-${slot.id}-${attempt}` : undefined,
      endpointKind: simulator ? 'simulator' : side.endpoint === undefined ? 'config' : 'override',
      apiKey: key,
      apiKeyVariable: KEY_VARIABLE,
      stack: stackOfSide(side, setting),
      clientFactory: createClient,
      workers: { count: 'auto', file: path.join(__dirname, 'load-worker.js') },
      graceSeconds: GRACE_SECONDS,
      now: () => new Date(),
      stop,
      onEvent: (event) => {
        if (event.type === 'problem' && event.problem.severity !== 'error') return;
        progress.onEvent(event);
      },
    };
    const startedAt = new Date().toISOString();
    const zero = performance.now();
    const result = await runBenchmark(
      { ...runInput({ file, text: setting.texts[slot.side] }, loaded, overrides) },
      options,
    );
    progress.finish();
    if (result.kind === 'refused') {
      const errors = result.problems.filter(({ severity }) => severity === 'error');
      return errors.map((problem) => formatProblem(problem, file)).join('\n');
    }
    if (stop.reason !== undefined) return stop.reason;
    const { folder, invalid } = result.run;
    const run = await readRun(diskFolder(path.relative(io.cwd, folder) || '.', folder));
    if (!run.ok) return run.problems.map((problem) => formatProblem(problem, folder)).join('\n');
    return {
      folder: path.relative(setting.folder, folder),
      startedAt,
      seconds: (performance.now() - zero) / 1000 + (cooldown?.seconds ?? 0) + (before?.seconds ?? 0),
      run: run.value,
      preparation,
      ...(invalid === undefined ? {} : { invalid }),
    };
  } finally {
    await simulator?.stop();
  }
}

/** One slot with its figures and the verdict on its health. */
export async function runSlot(setting: SlotSetting, slot: Slot, attempt: number): Promise<SlotResult | string> {
  const sent = await sendSlot(setting, slot, attempt);
  if (typeof sent === 'string') return sent;
  const { run, invalid, ...rest } = sent;
  const figures = figuresOf(run);
  const reasons = [...(invalid === undefined ? [] : [invalid]), ...unhealthy(setting.experiment, figures)];
  return { ...rest, ...figures, ...(reasons.length > 0 && slot.kind !== 'discard' ? { void: reasons } : {}) };
}

function unhealthy({ health }: Experiment, { lagP99Seconds: lag, failuresPercent }: RunFigures): string[] {
  return [
    ...(lag !== undefined && lag > health.lagP99Seconds
      ? [
          `the client sent up to ${rounded(lag * 1000, 3)} ms late (p99), more than ${rounded(health.lagP99Seconds * 1000)} ms`,
        ]
      : []),
    ...(failuresPercent > health.failuresPercent
      ? [`${percent(failuresPercent / 100)} failed, more than ${rounded(health.failuresPercent)} %`]
      : []),
  ];
}

function stackOfSide(side: SideFile, { home, io }: SlotSetting): RunOptions['stack'] {
  const file = path.relative(io.cwd, path.resolve(home, side.config));
  if (side.stack === undefined && side.simulator !== undefined) return simulatorStack(side.simulator, ISOPERF_VERSION);
  return stackFor(side.stack === undefined ? undefined : path.resolve(home, side.stack), file, io);
}

/** Its output goes to this process's error stream; what it is called with is the user's own. */
async function command(
  line: string,
  slot: Slot,
  cwd: string,
  env: CliIo['env'],
): Promise<{ readonly exitCode: number; readonly seconds: number }> {
  const zero = performance.now();
  const child = spawn(line, {
    shell: true,
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...env, ISOPERF_SIDE: slot.side, ISOPERF_SLOT: slot.id },
  });
  const exitCode = await new Promise<number>((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (code) => resolve(code ?? 128));
  });
  return { exitCode, seconds: (performance.now() - zero) / 1000 };
}

/** What engines call requests that run and that wait. */
const BUSY =
  /^(?:vllm:num_requests_(?:running|waiting)|sglang:num_(?:running|queue)_reqs|tgi_(?:batch_current_size|queue_size)|llamacpp:requests_(?:processing|deferred))$/;

/** Until the server says that nothing runs or waits; a server that says nothing gets the time. */
async function cool(
  { cooldown }: Experiment,
  url: string,
  key: string | undefined,
  signal: AbortSignal,
): Promise<NonNullable<Preparation['cooldown']>> {
  const zero = performance.now();
  const passed = (): number => (performance.now() - zero) / 1000;
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  while (cooldown.until === 'idle' && passed() < cooldown.seconds && !signal.aborted) {
    const answer = await getText(`${url.replace(/\/+$/, '')}/metrics`, { headers, timeoutSeconds: 5 });
    const busy = answer.ok ? parseMetricsText(answer.text).samples.filter(({ name }) => BUSY.test(name)) : [];
    if (busy.length === 0) break;
    if (busy.every(({ value }) => value === 0)) return { seconds: passed(), idle: true };
    await sleep(250);
  }
  const rest = cooldown.seconds - passed();
  const wasLooked = cooldown.until === 'idle' && rest <= 0;
  if (rest > 0) await sleep(rest * 1000, undefined, { signal }).catch(() => undefined);
  return { seconds: passed(), ...(wasLooked ? { idle: false } : {}) };
}

async function resetCache(
  { file }: Experiment,
  url: string,
  key: string | undefined,
): Promise<NonNullable<Preparation['reset']>> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const place = `${url.replace(/\/+$/, '')}${file.design?.reset ?? '/reset_prefix_cache'}`;
  const answer = await getText(place, { method: 'POST', headers, timeoutSeconds: 30 });
  return answer.ok ? { ok: true } : { ok: false, reason: answer.reason };
}
