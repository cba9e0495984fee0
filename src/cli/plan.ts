// `isoperf plan CONFIG`: what a run will really send, worked out without sending anything; --freeze keeps it in one file.
import path from 'node:path';
import { expectationsOf } from '../config/will/expectations';
import { seedJson } from '../config/model/lax';
import { loadConfig, type LoadedConfig } from '../config/load';
import type { EngineStage } from '../loadgen/engine';
import { jsonText } from '../figures';
import { StopControl } from '../loadgen/stop';
import { formatProblem, problemJson, type Problem } from '../problem';
import { bucketPlaces, bucketUrl } from '../folder/storage/place';
import { bodySettings } from '../run/settings';
import { configYaml, savedConfig, withoutCredentials } from '../folder/write-config';
import { writeFrozen } from '../run/frozen';
import { figuresOf, planStream, type PlannedStream } from '../run/plan';
import { proxyFor } from '../run/proxy';
import { plannedThreads } from '../run/workers';
import type { RunInput } from '../run';
import { EXIT, UsageError, type CliIo, type Command } from './command';
import { parseOptions } from './options';
import { planJson, planText, type PlanView } from './plan-text';
import { createProgress, type Progress } from './run-progress';
import { readInput } from './read-input';
import { runInput } from './run-input';

declare const ISOPERF_VERSION: string;

const FLAGS = {
  set: { type: 'string', multiple: true },
  region: { type: 'string' },
  latency: { type: 'string' },
  freeze: { type: 'string' },
  download: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

const DEFAULT_LATENCY_SECONDS = 10;

const HELP = `isoperf plan: what a run will really send, without sending anything.

Usage: isoperf plan CONFIG [options]

It needs no server, no address and no model name. For every stage it prints: requests, duration, the law of arrivals and
its seed; prompt and output lengths as they are after drawing and clamping; prompts that repeat; the requests in flight that a latency needs against the most the client allows;
the timeout in force; the highest percentile that the number of requests supports; and where the report will go.

  --latency SECONDS     how long a request is assumed to take (default: ${DEFAULT_LATENCY_SECONDS})
  --freeze FILE         write the exact request stream (prompts, lengths, arrival times, parameters) to FILE, to be sent to any
                        server with "isoperf run --frozen FILE". Equal hashes are equal streams
  --set path=value      puts a value over the config's; repeat for more
  --region NAME         which config to take from a file that holds several
  --download            allow fetching the tokenizer and the data set from the Hugging Face hub (HF_ENDPOINT, HF_TOKEN)
  --json                one JSON object on standard output

A sweep is planned only with pinned rates: without them it asks the server first.

Exit codes: 0 planned; 1 the stream could not be written; 2 the config cannot be used.

Examples:
  isoperf plan config.yaml --latency 2.5
  isoperf plan config.yaml --freeze stream.jsonl
  isoperf run --frozen stream.jsonl --set server.base_url=http://localhost:8000
`;

export const planCommand: Command = {
  name: 'plan',
  summary: 'say what a run will really send, and freeze it',
  help: HELP,
  async run(args, io) {
    const { values: flags, positionals } = parseOptions({
      args: [...args],
      options: FLAGS,
      strict: true,
      allowPositionals: true,
    });
    const [file, ...more] = positionals;
    if (file === undefined) throw new UsageError('no config was named');
    if (more.length > 0) throw new UsageError(`one config at a time; '${more[0] ?? ''}' is one too many`);
    const latency = Number(flags.latency ?? DEFAULT_LATENCY_SECONDS);
    if (!(latency > 0)) throw new UsageError(`--latency needs seconds above 0, not '${flags.latency ?? ''}'`);
    const text = readText(file, io);
    if (text === undefined) return EXIT.unusable;
    const overrides = flags.set ?? [];
    const loaded = loadConfig(text, {
      overrides,
      fileName: file,
      isPlanOnly: true,
      ...(flags.region === undefined ? {} : { region: flags.region }),
    });
    const problems = new ProblemPrinter(io, file, flags.json === true);
    problems.add(loaded.problems);
    if (!loaded.ok) return problems.refuse();
    const input = runInput({ file, text }, loaded.value, overrides);
    const progress = createProgress(io, file);
    const made = await planStream(input, streamOptions(io, progress, flags.download === true));
    progress.finish();
    problems.add(made.problems.map((problem) => located(problem, loaded.value)));
    if (!made.ok && !hasOnlySweep(made.problems)) return problems.refuse();
    const stream = made.ok ? made.value : undefined;
    const frozen = flags.freeze === undefined ? undefined : await freeze(flags.freeze, input, stream, io);
    if (frozen?.failed === true) return stream ? EXIT.failed : EXIT.unusable;
    const view = planView(input, loaded.value, latency, stream, frozen, io);
    if (flags.json === true) io.out(`${jsonText(planJson(view, problems.all.map(problemJson)), 2)}\n`);
    else io.out(planText(view, io.columns));
    return EXIT.ok;
  },
};

function readText(file: string, io: CliIo): string | undefined {
  try {
    const input = readInput(path.resolve(io.cwd, file));
    if ('bytes' in input) return input.bytes.toString('utf8');
    io.err(`isoperf plan: error: ${file} ${input.refused}\n`);
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    io.err(`isoperf plan: error: ${file} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : message}.\n`);
    return undefined;
  }
}

/** A sweep that must probe can still be told about, as far as its config goes. */
function hasOnlySweep(problems: readonly Problem[]): boolean {
  return problems.filter(({ severity }) => severity === 'error').every(({ code }) => code === 'RUN071');
}

function located(problem: Problem, loaded: LoadedConfig): Problem {
  const range = problem.range ?? (problem.path.length > 0 ? loaded.range(problem.path) : undefined);
  return range ? { ...problem, range } : problem;
}

function streamOptions(io: CliIo, progress: Progress, download: boolean): Parameters<typeof planStream>[1] {
  return { cwd: io.cwd, env: io.env, stop: new StopControl(), onEvent: (event) => progress.onEvent(event), download };
}

interface Frozen {
  readonly failed: boolean;
  readonly file: string;
  readonly sha256?: string;
}

async function freeze(file: string, input: RunInput, stream: PlannedStream | undefined, io: CliIo): Promise<Frozen> {
  if (!stream) {
    io.err('isoperf plan: error: nothing was frozen: the stream of this config is not known before it runs.\n');
    return { failed: true, file };
  }
  const { config } = input;
  const largest = Math.max(...stream.stages.map(({ count }) => count));
  try {
    const sha256 = await writeFrozen(
      path.resolve(io.cwd, file),
      {
        tool: `isoperf ${ISOPERF_VERSION}`,
        config: configYaml(
          savedConfig(config, largest),
          input.directives,
          `Frozen from ${input.file}; secrets removed.`,
        ),
        file: input.file,
        seed: seedJson(config.load.base_seed),
        tokenizerSha256: stream.tokenizer?.identity.sha256,
      },
      {
        api: stream.workload.api,
        ...bodySettings(config, input.directives),
      },
      stream.stages,
      stream.workload,
    );
    return { failed: false, file, sha256 };
  } catch (error) {
    io.err(`isoperf plan: error: the stream was not frozen: ${(error as Error).message}. Name another file.\n`);
    return { failed: true, file };
  }
}

function planView(
  input: RunInput,
  loaded: LoadedConfig,
  assumedLatencySeconds: number,
  stream: PlannedStream | undefined,
  frozen: Frozen | undefined,
  { env }: CliIo,
): PlanView {
  const { config } = input;
  const proxy = proxyFor(config.server?.base_url ?? '', env);
  return {
    file: input.file,
    loadType: config.load.type,
    dataType: config.data.type,
    expected: expectationsOf(loaded.config, {
      cpus: config.load.num_workers,
      assumedLatencySeconds,
      ...(loaded.seed === undefined ? {} : { seed: loaded.seed }),
      warmupStages: loaded.warmupStages,
    }),
    assumedLatencySeconds,
    seed: { value: config.load.base_seed, source: input.seedSource },
    reports: reportPlaces(config),
    ...(proxy ? { proxy: proxy.inWords } : {}),
    ...(stream ? { stream, figures: figuresOf(stream), threads: plannedThreads(config, sentStages(stream)) } : {}),
    ...(frozen?.sha256 === undefined ? {} : { frozen: { file: frozen.file, sha256: frozen.sha256 } }),
  };
}

function sentStages({ stages, workload }: PlannedStream): EngineStage[] {
  return stages.map((plan) => ({ plan, requests: workload.stages[plan.id]! }));
}

/** Local folder first; what other stores than Amazon's and Google's are asked is named. */
function reportPlaces({ storage }: RunInput['config']): string[] {
  const buckets = bucketPlaces(storage).map((place) => {
    const { endpoint } = place;
    return `${bucketUrl(place)}${endpoint === undefined ? '' : ` at ${withoutCredentials(endpoint)}`}`;
  });
  return [storage?.local_storage.path ?? 'a folder of its own here', ...buckets];
}

/** Problems go to standard error as they are found, and into the JSON. */
class ProblemPrinter {
  readonly all: Problem[] = [];

  constructor(
    private readonly io: CliIo,
    private readonly file: string,
    private readonly json: boolean,
  ) {}

  add(problems: readonly Problem[]): void {
    for (const problem of problems) {
      this.all.push(problem);
      if (!this.json) this.io.err(`${formatProblem(problem, this.file)}\n`);
    }
  }

  refuse(): number {
    if (this.json) this.io.out(`${JSON.stringify({ planned: false, problems: this.all.map(problemJson) }, null, 2)}\n`);
    else this.io.err(`isoperf plan: nothing is planned, because ${this.file} has errors.\n`);
    return EXIT.unusable;
  }
}
