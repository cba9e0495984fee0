// `isoperf run CONFIG`: runs one benchmark and writes its report folder.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { parseArgs } from 'node:util';
import { createClient } from '../client/http-client';
import { loadConfig, type LoadedConfig } from '../config/load';
import { threadsAsked, THREADS_IN_WORDS, type ThreadsAsked } from '../config/will/sending-threads';
import type { RunCommand, RunEvent } from '../events';
import { StopControl } from '../loadgen/stop';
import { problemJson, type Problem } from '../problem';
import { readFailureLimit, type FailureLimit } from '../run/failures';
import { runBenchmark, type RunOptions, type RunResult } from '../run';
import type { FrozenStream } from '../run/frozen';
import { apiKeyFor, KEY_VARIABLE } from './api-key';
import { startChildSimulator, type ChildSimulator } from './child-simulator';
import { EXIT, overheard, UsageError, type CliIo, type Command } from './command';
import { parseOptions } from './options';
import { namedConfig, runInput } from './run-input';
import { runNotices } from './run-notices';
import { createProgress } from './run-progress';
import { readPinnedSweep } from './pin-sweep';
import { compareLine, formatInvalid, reportPlaces, resultJson } from './run-result';
import { runTable } from './run-table';
import { listenForSignals } from './signals';
import { simulatorStack, stackFor } from './stack-file';

declare const ISOPERF_VERSION: string;
declare const UNDICI_VERSION: string;

const FLAGS = {
  set: { type: 'string', multiple: true },
  out: { type: 'string' },
  region: { type: 'string' },
  'api-key-env': { type: 'string' },
  workers: { type: 'string' },
  'no-server-metrics': { type: 'boolean' },
  simulator: { type: 'string' },
  stack: { type: 'string' },
  'pin-sweep': { type: 'string' },
  'ca-file': { type: 'string' },
  frozen: { type: 'string' },
  download: { type: 'boolean' },
  'max-failures': { type: 'string' },
  salt: { type: 'string' },
  events: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

const GRACE_SECONDS = 30;

const HELP = `isoperf run: runs the benchmark of a config.yaml and writes a report folder.

Usage: isoperf run CONFIG [options]
       isoperf run --frozen FILE [options]

  --set path=value      puts a value over the config's; repeat for more.
                        --set server.base_url=http://127.0.0.1:8000 --set 'load.stages[0].rate=5'
  --out DIR             report folder (default: storage.local_storage.path, else reports-YYYYMMDD-HHMMSS).
                        A folder that holds a run is never overwritten: the next free of DIR-2, DIR-3, ... is taken
  --region NAME         which config to take from a file that holds several (Helm values, ConfigMaps)
  --simulator           run against the embedded simulator, started for this run;
                        --simulator='--ttft-ms 50 --tpot-ms 10' gives it flags of "isoperf simulate"
  --stack FILE          what serves (model, engine, image, args, accelerator, replicas): a stack.yaml, a Kubernetes manifest,
                        what "kubectl get -o yaml" (or json) prints, or a list of server arguments. Kept in run.json, so that a comparison knows what changed
                        (default: stack.yaml beside the config, if there is one)
  --frozen FILE         send the stream of "isoperf plan --freeze FILE", request by request, instead of a config's; --set says
                        which server, and cannot change what is sent
  --download            allow fetching the tokenizer and a public data set from the Hugging Face hub (HF_ENDPOINT, HF_TOKEN)
  --pin-sweep FILE      rates of a sweep from an earlier run's run.json (or its folder): no probe is sent
  --ca-file FILE        certificate authorities (PEM) that may have signed the server's certificate, beside the system's
                        (Node's own NODE_EXTRA_CA_CERTS works as well)
  --workers N           threads that send, each with connections and an event loop of its own; the requests are the same for any
                        number. 1 is the engine's own loop. Default "auto": as many as the planned tokens per second need,
                        at most one less than there are cores (or than a container's CPU quota gives)
  --no-server-metrics   do not read the server's /metrics (before, during and after each stage, at most every few seconds)
  --api-key-env NAME    environment variable that holds the server's API key
  --salt TEXT           send TEXT as cache_salt with every request (vLLM): a repeat of the same prompts then finds none of the
                        earlier ones in the prefix cache. "auto" makes a new one. Recorded and compared
  --max-failures N      most failed requests of a valid run: a share (25%, 0.25) or a number. Default 50%. Whatever it says, a run in
                        which nothing succeeded after some moment is not valid
  --events              print the run's events as JSON lines on standard output, and read commands as JSON lines
                        from standard input: {"type":"stop","now":false}
  --json                print the result as one JSON object on standard output

API key: the variable of --api-key-env, else ${KEY_VARIABLE}, else server.api_key; OPENAI_API_KEY only for hosts of
openai.com. A key never reaches a report or a log.

Buckets of the config (storage.google_cloud_storage, storage.simple_storage_service) get a copy when the run has ended; the
local folder is always written first and stays. Credentials come from the environment as with the stores' own tools
(AWS_ACCESS_KEY_ID and so on, GOOGLE_APPLICATION_CREDENTIALS, a pod's or machine's role). Nothing is uploaded with --simulator.

Ctrl+C once: nothing more is sent, what is in flight may end (${GRACE_SECONDS} s). Twice: what is in flight is cancelled.
Either way the report is written and says "incomplete".

What can be run: load types constant, poisson, concurrent, trace_replay, sweeps; data types mock, random, synthetic,
shared_prefix (with conversations), conversation_replay, and shareGPT, cnn_dailymail, billsum_conversations, infinity_instruct
from JSON or Parquet files (shareGPT and cnn_dailymail with --download from the hub too). Everything else is refused before anything is sent.

Exit codes: 0 every planned request was sent and answered or failed, and at least one measured request succeeded;
1 the run is incomplete, nothing succeeded or too much failed (--max-failures), the server or the disk did not take part, or an upload failed; 2 the config cannot be used.

Examples:
  isoperf run config.yaml --set server.base_url=http://127.0.0.1:8000
  isoperf run config.yaml --simulator='--ttft-ms 50 --tpot-ms 10' --out reports/try
  isoperf plan config.yaml --freeze stream.jsonl && isoperf run --frozen stream.jsonl --set server.base_url=http://b:8000
`;

export const runCommand: Command = {
  name: 'run',
  summary: 'run the benchmark of a config.yaml and write a report folder',
  help: HELP,
  async run(args, io) {
    const { values: flags, positionals } = parseOptions({
      args: withSimulatorFlags(args),
      options: FLAGS,
      strict: true,
      allowPositionals: true,
    });
    const heard = overheard(io);
    const named = await namedConfig(positionals, flags, heard.io);
    if (named === undefined) {
      refusedJson({ flags, io }, [], heard.said);
      return EXIT.unusable;
    }
    const simulator = flags.simulator === undefined ? undefined : await startChildSimulator(flags.simulator);
    try {
      return await runFile({ ...named, flags, io, simulator });
    } finally {
      await simulator?.stop();
    }
  },
};

/** `--simulator` may stand alone, and its flags begin with dashes themselves: parseArgs takes neither as it is. */
function withSimulatorFlags(args: readonly string[]): string[] {
  const words = [...args];
  const at = words.indexOf('--simulator');
  if (at < 0) return words;
  const next = words[at + 1];
  const isFlags = next !== undefined && (next === '' || /\s/.test(next)) && !next.endsWith('.yaml');
  words.splice(at, isFlags ? 2 : 1, `--simulator=${isFlags ? next : ''}`);
  return words;
}

type Flags = ReturnType<typeof parseArgs<{ options: typeof FLAGS; allowPositionals: true }>>['values'];

interface Invocation {
  readonly file: string;
  readonly text: string;
  readonly flags: Flags;
  readonly io: CliIo;
  readonly simulator: ChildSimulator | undefined;
  readonly frozen?: FrozenStream | undefined;
}

async function runFile(invocation: Invocation): Promise<number> {
  const { file, text, flags, io, simulator } = invocation;
  const overrides = [...(flags.set ?? []), ...(simulator ? [`server.base_url=${simulator.url}`] : [])];
  if (text.trim() === '' && overrides.length === 0) {
    const reason = `${file}: error: the file is empty: there is nothing to run.`;
    io.err(`${reason}\n`);
    refusedJson(invocation, [], [reason]);
    return EXIT.unusable;
  }
  const loaded = loadConfig(text, {
    overrides,
    fileName: file,
    ...(flags.region === undefined ? {} : { region: flags.region }),
  });
  const say = speaker(invocation);
  loaded.problems.forEach((problem) => {
    say.onEvent({ type: 'problem', problem: invocation.frozen ? withoutPlace(problem) : problem });
  });
  if (!loaded.ok) {
    io.err(`isoperf run: nothing was sent, because ${file} has errors.\n`);
    refusedJson(invocation, loaded.problems);
    return EXIT.unusable;
  }
  const stop = new StopControl();
  const unlisten = listenForStops(stop, io, flags.events === true);
  const place = (problem: Problem): Problem =>
    invocation.frozen ? withoutPlace(problem) : placed(problem, loaded.value);
  const onEvent = (event: RunEvent): void => {
    say.onEvent(event.type === 'problem' ? { ...event, problem: place(event.problem) } : event);
  };
  try {
    const result = await runBenchmark(
      { ...runInput(invocation, loaded.value, overrides), frozen: invocation.frozen },
      {
        ...optionsOf(invocation, loaded.value),
        stop,
        onEvent,
      },
    );
    say.finish();
    if (result.kind === 'ran') {
      const notices = await runNotices(result.run.folder, io.cwd);
      for (const problem of notices) onEvent({ type: 'problem', problem });
      return conclude({ ...result, problems: [...result.problems, ...notices] }, invocation, onEvent);
    }
    return conclude(result, invocation, onEvent);
  } finally {
    unlisten();
  }
}

/** A frozen stream holds its config as one string: lines of that are no lines of the file. */
function withoutPlace({ code, severity, path: key, message, remedy }: Problem): Problem {
  return { code, severity, path: key, message, ...(remedy === undefined ? {} : { remedy }) };
}

/** A problem of the run, at the line of the key it is about; of the nearest written key above it when it is a default. */
function placed(problem: Problem, loaded: LoadedConfig): Problem {
  const [section] = problem.path;
  if (problem.range || section === undefined || !loaded.isWritten([section])) return problem;
  const range = loaded.range(problem.path);
  return range ? { ...problem, range } : problem;
}

/** Where events go: JSON lines for a program, progress for a person. */
function speaker({ file, flags, io }: Invocation): { onEvent: (event: RunEvent) => void; finish: () => void } {
  const progress = createProgress(io, file);
  if (flags.events !== true) return progress;
  return {
    onEvent: (event) => {
      io.out(`${JSON.stringify(event)}\n`);
      if (event.type === 'problem' && event.problem.severity === 'error') progress.onEvent(event);
    },
    finish: () => undefined,
  };
}

function optionsOf(
  { file, flags, io, simulator }: Invocation,
  loaded: LoadedConfig,
): Omit<RunOptions, 'stop' | 'onEvent'> {
  const isOverridden = (flags.set ?? []).some((text) => /^\s*server(\.base_url)?\s*=/.test(text));
  const variable = flags['api-key-env'] ?? KEY_VARIABLE;
  return {
    version: { isoperf: ISOPERF_VERSION, undici: UNDICI_VERSION },
    cwd: io.cwd,
    env: io.env,
    out: flags.out,
    download: flags.download,
    cacheSalt: flags.salt === 'auto' ? randomUUID() : saltFrom(flags.salt),
    pinnedSweep: flags['pin-sweep'] === undefined ? undefined : readPinnedSweep(flags['pin-sweep'], io.cwd),
    caPath: flags['ca-file'],
    endpointKind: simulator ? 'simulator' : isOverridden ? 'override' : 'config',
    // A key of a real server has no business at the simulator.
    apiKey: simulator && flags['api-key-env'] === undefined ? undefined : apiKeyFor(variable, loaded, io.env),
    apiKeyVariable: variable,
    stack:
      flags.stack === undefined && simulator
        ? simulatorStack(flags.simulator ?? '', ISOPERF_VERSION)
        : stackFor(flags.stack, file, io),
    clientFactory: createClient,
    serverMetrics: flags['no-server-metrics'] !== true,
    workers: { count: workerCount(flags.workers), file: path.join(__dirname, 'load-worker.js') },
    maxFailures: failureLimit(flags['max-failures']),
    graceSeconds: GRACE_SECONDS,
    now: () => new Date(),
  };
}

function saltFrom(text: string | undefined): string | undefined {
  if (text === '') throw new UsageError('--salt needs a text, or auto for a new one');
  return text;
}

function failureLimit(text: string | undefined): FailureLimit | undefined {
  if (text === undefined) return undefined;
  const limit = readFailureLimit(text);
  if (limit) return limit;
  throw new UsageError(`--max-failures needs a share (25%, 0.25) or a number of requests, not '${text}'`);
}

/** Throws UsageError for what is no number of threads. */
function workerCount(text: string | undefined): ThreadsAsked {
  const asked = threadsAsked(text ?? 'auto');
  if (asked === undefined) throw new UsageError(`--workers needs ${THREADS_IN_WORDS}, not '${text ?? ''}'`);
  return asked;
}

/** Signals, and with --events commands on standard input. Returns how to stop listening. */
function listenForStops(stop: StopControl, io: CliIo, readCommands: boolean): () => void {
  const unlisten = listenForSignals(stop, io, 'isoperf run');
  const reader = readCommands ? createInterface({ input: process.stdin }) : undefined;
  // A program that forked us and is gone cannot stop us any more: nobody would see the load we go on sending.
  const onParentGone = (): void => {
    stop.stop('the program that started the run ended', true);
  };
  if (readCommands) process.once('disconnect', onParentGone);
  reader?.on('line', (line) => {
    const command = parseCommand(line);
    if (command) stop.stop('stopped by the user', command.now);
    else io.err(`isoperf run: not a command: ${line.slice(0, 200)}\n`);
  });
  return () => {
    unlisten();
    process.off('disconnect', onParentGone);
    reader?.close();
    if (reader) process.stdin.destroy();
  };
}

function parseCommand(line: string): RunCommand | undefined {
  try {
    const value = JSON.parse(line) as Partial<RunCommand>;
    return value.type === 'stop' ? { type: 'stop', now: value.now === true } : undefined;
  } catch {
    return undefined;
  }
}

function conclude(result: RunResult, { file, flags, io }: Invocation, onEvent: (event: RunEvent) => void): number {
  if (result.kind === 'refused') {
    const errors = result.problems.filter((problem) => problem.severity === 'error');
    errors.forEach((problem) => {
      onEvent({ type: 'problem', problem });
    });
    refusedJson({ flags, io }, result.problems);
    return result.why === 'unusable' ? EXIT.unusable : EXIT.failed;
  }
  const { run, problems } = result;
  if (flags.json === true) io.out(`${JSON.stringify(resultJson(run, problems), null, 2)}\n`);
  else if (flags.events !== true)
    io.out(`\n${runTable(run, Math.max(80, io.columns))}\n${reportPlaces(run, io)}${compareLine(run, io)}`);
  if (run.invalid !== undefined) io.err(`isoperf run: ${formatInvalid(run.invalid)} (${file})\n`);
  const lost = run.uploads.filter(({ failure }) => failure !== undefined);
  for (const { to, failure } of lost) {
    io.err(`isoperf run: the report is in ${run.folder} only, not in ${to}: ${failure ?? ''}\n`);
  }
  return run.invalid === undefined && lost.length === 0 ? EXIT.ok : EXIT.failed;
}

/** With --json a refusal is JSON too, so that a script need not read the error stream. */
function refusedJson(
  { flags, io }: Pick<Invocation, 'flags' | 'io'>,
  problems: readonly Problem[],
  reasons: readonly string[] = problems.filter(({ severity }) => severity === 'error').map(({ message }) => message),
): void {
  if (flags.json === true)
    io.out(`${JSON.stringify({ state: 'refused', reasons, problems: problems.map(problemJson) }, null, 2)}\n`);
}
