// `isoperf experiment plan | run | report`: a question in, an answer with its certainty out.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { discardedSlots, SLOTS_A_BLOCK, type Slot } from '../experiment/design';
import { evidenceOf, type BlockRuns } from '../experiment/evidence';
import { progressOf, type Progress, type SlotResult } from '../experiment/journal';
import { shown } from '../experiment/keys';
import { blocksOf } from '../experiment/next';
import { parseExperiment, type Experiment } from '../experiment/read';
import { reportOf, type ExperimentReport } from '../experiment/report';
import { reportLines } from '../experiment/words';
import { percent, span, whole } from '../figures';
import { writeWhole } from '../folder/write-folder';
import { StopControl } from '../loadgen/stop';
import { formatProblem } from '../problem';
import { readRun } from '../readers/read';
import { runExperiment } from '../run/experiment';
import {
  changedParts,
  ExperimentFolder,
  freeze,
  PLAN_FILE,
  readEntries,
  readPlan,
  type FrozenPlan,
} from '../run/experiment-folder';
import { EXIT, UsageError, type CliIo, type Command } from './command';
import { estimateOf, planLines } from './experiment-plan';
import { runSlot, type SlotSetting } from './experiment-slot';
import { diskFolder } from './folder';
import { parseOptions } from './options';
import { listenForSignals } from './signals';

declare const ISOPERF_VERSION: string;

const COPY_FILE = 'experiment.yaml';

const HELP = `isoperf experiment: a question in, an answer with its certainty out.

Usage: isoperf experiment plan FILE
       isoperf experiment run FILE [--out DIR] [options]
       isoperf experiment report DIR|FILE [options]

FILE is an experiment.yaml: the question, the one change under test, two sides (a config, values over it, an endpoint, a
stack record, a command between slots), the design, the primary metrics and their margins. 'isoperf schema experiment'
has all keys. Sides take turns in blocks of A B B A, so that a steady drift cancels; the unit of every interval is the
block, never the request.

plan says what it will take (slots, minutes, requests, tokens) and the smallest difference it can see, and prints the
hash of the plan. run freezes that plan, runs slot after slot, each into a report folder of its own (DIR/slots), and
answers: different, equivalent within the margin, or inconclusive with how many further blocks would settle it. A run
that was killed goes on where it stopped when it is started again: no slot that ended is run twice. A file that was
edited since, such as by a further look, is another experiment and is refused.

Options:
  --out DIR             folder of the experiment (default: experiment, or experiment-NAME for NAME.yaml)
  --hash HASH           run only if the plan has this hash (or begins with it)
  --resume              run: go on with what is there (that is the default), and refuse to begin anew
  --format FORMAT       table, markdown, json (default: table)
  --json                the same as --format json
  --report FILE         also write the report there: .md, .json
  -h, --help            this text

API key: the environment variable ISOPERF_API_KEY, else server.api_key of the config.

Exit codes:
  0  equivalent within the margin: no difference beyond it was shown
  5  a primary metric is different
  4  inconclusive, or something that moves a primary metric was not recorded
  3  confounded: the sides differ in more than the change under test
  2  unusable: the file, a config or the command line is wrong, or the file was edited since the plan was frozen
  1  the experiment stopped before its end (run it again to go on), or a file could not be written

Examples:
  isoperf experiment plan experiment.yaml
  isoperf experiment run experiment.yaml --out results/chunked-prefill
  isoperf experiment report results/chunked-prefill --format markdown
`;

const FLAGS = {
  out: { type: 'string' },
  hash: { type: 'string' },
  resume: { type: 'boolean' },
  format: { type: 'string' },
  json: { type: 'boolean' },
  report: { type: 'string' },
} as const;

const FORMATS = ['table', 'markdown', 'json'] as const;

export const experimentCommand: Command = {
  name: 'experiment',
  summary: 'answer a question by alternating runs of two sides',
  help: HELP,
  async run(args, io) {
    const { values: flags, positionals } = parseOptions({
      args: [...args],
      options: FLAGS,
      strict: true,
      allowPositionals: true,
    });
    const [verb, name, ...more] = positionals;
    if (verb !== 'plan' && verb !== 'run' && verb !== 'report') throw new UsageError('plan, run or report is needed');
    if (name === undefined || more.length > 0)
      throw new UsageError(`one ${verb === 'report' ? 'folder or file' : 'file'} is needed`);
    const format = flags.json === true ? 'json' : (flags.format ?? 'table');
    const known = FORMATS.find((each) => each === format);
    if (!known) throw new UsageError(`--format ${format} is unknown: it is one of ${FORMATS.join(', ')}`);
    const asked: Asked = { io, format: known, report: flags.report };
    if (verb === 'report') return report(name, flags.out, asked);
    const opened = open(name, io);
    if (!opened) return EXIT.unusable;
    const estimate = await estimateOf({ ...opened, io });
    if (typeof estimate === 'string') {
      io.err(`${estimate}\n`);
      return EXIT.unusable;
    }
    const { experiment, parts } = opened;
    const frozen = freeze(parts);
    if (flags.hash !== undefined && !frozen.hash.startsWith(flags.hash)) {
      io.err(
        `isoperf experiment: error: the plan has the hash ${frozen.hash}, not ${flags.hash}: the file was edited since.\n`,
      );
      return EXIT.unusable;
    }
    if (verb === 'plan') {
      io.out(
        known === 'json'
          ? `${JSON.stringify({ hash: frozen.hash, ...estimate }, null, 2)}\n`
          : `${planLines(experiment, frozen.hash, estimate).join('\n')}\n`,
      );
      return EXIT.ok;
    }
    const folder = path.resolve(io.cwd, flags.out ?? defaultFolder(name));
    const known_ = readPlan(folder);
    if (flags.resume === true && !known_)
      throw new UsageError(`--resume: there is no experiment in ${path.relative(io.cwd, folder)}`);
    const changed = known_ ? changedParts(known_, frozen) : [];
    if (changed.length > 0) {
      io.err(
        `isoperf experiment: error: ${path.relative(io.cwd, folder)} holds another experiment: since its plan was frozen ${changed.join(', ')} changed. What was not planned before the first slot (a further look, another margin) cannot be added to it. Remedy: undo the edit, or name another folder with --out.\n`,
      );
      return EXIT.unusable;
    }
    const plan: FrozenPlan = known_ ?? {
      format: 'isoperf-experiment-plan',
      version: 1,
      ...frozen,
      tool: `isoperf ${ISOPERF_VERSION}`,
      frozenAt: new Date().toISOString(),
      file: path.relative(folder, path.resolve(io.cwd, name)),
    };
    return conduct({ ...opened, folder, plan, secondsOfSlot: estimate.secondsOfSlot }, asked);
  },
};

interface Asked {
  readonly io: CliIo;
  readonly format: (typeof FORMATS)[number];
  readonly report: string | undefined;
}

function defaultFolder(file: string): string {
  const name = path.basename(file).replace(/\.ya?ml$/, '');
  return name === 'experiment' ? 'experiment' : `experiment-${name}`;
}

interface Opened {
  readonly experiment: Experiment;
  readonly home: string;
  readonly text: string;
  readonly texts: Readonly<Record<'a' | 'b', string>>;
  /** What the hash of the plan is over. */
  readonly parts: Readonly<Record<string, unknown>>;
}

/** The experiment and what it names; undefined after having said what is wrong. */
function open(name: string, io: CliIo): Opened | undefined {
  const place = path.resolve(io.cwd, name);
  const text = readText(place, name, io);
  if (text === undefined) return undefined;
  const parsed = parseExperiment(text);
  if (!parsed.ok) {
    for (const problem of parsed.problems) io.err(`${formatProblem(problem, name)}\n`);
    return undefined;
  }
  const experiment = parsed.value;
  const home = path.dirname(place);
  const { a, b } = experiment.sides;
  const files = {
    'config of a': a.config,
    'config of b': b.config,
    ...(a.stack === undefined ? {} : { 'stack of a': a.stack }),
    ...(b.stack === undefined ? {} : { 'stack of b': b.stack }),
  };
  const texts = new Map<string, string>();
  for (const [what, file] of Object.entries(files)) {
    const content = readText(path.resolve(home, file), file, io);
    if (content === undefined) return undefined;
    texts.set(what, content);
  }
  return {
    experiment,
    home,
    text,
    texts: { a: texts.get('config of a')!, b: texts.get('config of b')! },
    parts: { ...experiment.file, ...Object.fromEntries(texts) },
  };
}

function readText(place: string, name: string, io: CliIo): string | undefined {
  try {
    return readFileSync(place, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : message;
    io.err(`isoperf experiment: error: ${name} cannot be read: ${why}.\n`);
    return undefined;
  }
}

interface Conducted extends Opened {
  readonly folder: string;
  readonly plan: FrozenPlan;
  readonly secondsOfSlot: number;
}

async function conduct(opened: Conducted, asked: Asked): Promise<number> {
  const { experiment, folder, plan, home, texts, text } = opened;
  const { io } = asked;
  const store = ExperimentFolder.open(folder, plan);
  if (typeof store === 'number') {
    io.err(
      `isoperf experiment: error: process ${store} is at work in ${path.relative(io.cwd, folder)}: wait for its end, or name another folder with --out.\n`,
    );
    return EXIT.failed;
  }
  const stop = new StopControl();
  const unlisten = listenForSignals(stop, io, 'isoperf experiment');
  try {
    if (!existsSync(path.join(folder, COPY_FILE))) writeWhole(path.join(folder, COPY_FILE), text);
    const entries = readEntries(folder);
    if (entries.length === 0) store.write({ type: 'opened', at: new Date().toISOString(), hash: plan.hash });
    const setting: SlotSetting = { experiment, home, folder, texts, hash: plan.hash, io, stop };
    let total = discardedSlots(experiment).length + SLOTS_A_BLOCK * (experiment.blocks + experiment.calibrate);
    const { ended } = progressOf(entries);
    let done = ended.size;
    // A void slot ends its block, and the whole of it comes again.
    for (const [id, { void: isVoid }] of ended) if (isVoid) total += Number(id.split('.')[1]);
    if (done > 0) io.err(`${done} slots have ended already and are not run again.\n`);
    const end = await runExperiment(experiment, store, entries, {
      secondsOfBlock: SLOTS_A_BLOCK * opened.secondsOfSlot,
      ports: {
        run: async (slot, attempt) => {
          const own = following(stop);
          try {
            return await runSlot({ ...setting, stop: own.control }, slot, attempt);
          } finally {
            own.leave();
          }
        },
        say: (step) => {
          if (step.kind !== 'ended') return;
          if (step.result.void) total += step.slot.place;
          io.err(`${slotLine(experiment, step.slot, step.result, ++done, total)}\n`);
        },
        now: () => new Date(),
        isStopped: () => stop.reason !== undefined,
      },
    });
    if (end.kind === 'stopped') {
      io.err(
        `isoperf experiment: stopped: ${end.reason}\nThe same command goes on with it; slots that ended are kept.\n`,
      );
      return EXIT.failed;
    }
    return await answer(folder, experiment, plan.hash, asked);
  } finally {
    unlisten();
    store.close();
  }
}

/** A control of one slot's own: what listens to it goes with the slot, and does not pile up over a long experiment. */
function following(stop: StopControl): { readonly control: StopControl; readonly leave: () => void } {
  const control = new StopControl();
  const [soon, now] = [false, true].map((isNow) => () => {
    control.stop(stop.reason ?? 'stopped', isNow);
  }) as [() => void, () => void];
  stop.noMoreSends.addEventListener('abort', soon);
  stop.giveUp.addEventListener('abort', now);
  return {
    control,
    leave: () => {
      stop.noMoreSends.removeEventListener('abort', soon);
      stop.giveUp.removeEventListener('abort', now);
    },
  };
}

function slotLine(
  { primary }: Experiment,
  { id, side, kind }: Slot,
  result: SlotResult,
  done: number,
  total: number,
): string {
  const last = result.stages.at(-1);
  const figures = primary.flatMap(({ metric }) => {
    const value = last?.values[metric.key];
    return value === undefined ? [] : [`${metric.label} ${shown(metric, value)}`];
  });
  const state = result.void ? `void: ${result.void.join('; ')}` : kind === 'discard' ? 'discarded' : figures.join(', ');
  return `${String(done).padStart(String(total).length)}/${total}  ${id.padEnd(5)} ${side.toUpperCase()}  ${state} (${whole(result.requests)} requests, ${percent(result.failuresPercent / 100)} failed, ${span(result.seconds)})`;
}

async function report(name: string, out: string | undefined, asked: Asked): Promise<number> {
  const { io } = asked;
  const place = path.resolve(io.cwd, name);
  const folder = existsSync(path.join(place, PLAN_FILE)) ? place : path.resolve(io.cwd, out ?? defaultFolder(name));
  const plan = readPlan(folder);
  if (!plan) {
    io.err(
      `isoperf experiment report: error: there is no experiment in ${path.relative(io.cwd, folder) || '.'}. Run 'isoperf experiment run FILE' first.\n`,
    );
    return EXIT.unusable;
  }
  const text = readText(path.join(folder, COPY_FILE), COPY_FILE, io);
  const parsed = text === undefined ? undefined : parseExperiment(text);
  if (parsed?.ok !== true) {
    for (const problem of parsed?.problems ?? []) io.err(`${formatProblem(problem, COPY_FILE)}\n`);
    return EXIT.unusable;
  }
  return answer(folder, parsed.value, plan.hash, asked);
}

async function answer(
  folder: string,
  experiment: Experiment,
  hash: string,
  { io, format, report: file }: Asked,
): Promise<number> {
  const progress = progressOf(readEntries(folder));
  const evidence = evidenceOf(experiment, await runsOf(folder, experiment, progress, io));
  const made = reportOf({ experiment, hash, progress, evidence });
  io.out(rendered(made, format));
  if (file !== undefined) {
    const kind = file.endsWith('.json') ? 'json' : 'markdown';
    try {
      writeFileSync(path.resolve(io.cwd, file), rendered(made, kind));
    } catch (error) {
      io.err(`isoperf experiment: error: ${file} could not be written: ${(error as Error).message}\n`);
      return EXIT.failed;
    }
  }
  return made.exitCode;
}

function rendered(made: ExperimentReport, format: Asked['format']): string {
  if (format === 'json') return `${JSON.stringify(made, null, 2)}\n`;
  return `${reportLines(made, format === 'markdown').join('\n')}\n`;
}

async function runsOf(folder: string, experiment: Experiment, progress: Progress, io: CliIo): Promise<BlockRuns[]> {
  const { whole: blocks } = blocksOf(experiment, 'block', progress);
  const read = async (result: SlotResult) => {
    const place = path.join(folder, result.folder);
    const run = await readRun(diskFolder(path.relative(io.cwd, place), place));
    return run.ok ? [run.value] : [];
  };
  const made: BlockRuns[] = [];
  for (const { slots } of blocks) {
    const of = async (role: 'a' | 'b') =>
      (await Promise.all(slots.filter(({ slot }) => slot.role === role).map(({ result }) => read(result)))).flat();
    made.push({ a: await of('a'), b: await of('b') });
  }
  return made;
}
