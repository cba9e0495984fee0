// Quick fixes for pitfalls: what makes the numbers comparable, written into the config; or the pitfall accepted with a reason.
import type { Circumstances } from '../config/will/expectations';
import { realisedLengths } from '../config/will/realised';
import type { LoadedConfig, Reading } from '../config/load';
import type { Distribution } from '../config/model/schema/distribution';
import { formatPath, type ConfigPath, type Problem } from '../problem';
import type { Page } from './edits';
import { fix, type Fix } from './fix';

type Make = (problem: Problem, page: Page, loaded: LoadedConfig, given: Circumstances) => readonly Fix[];

/** Fixes by code; every pitfall may besides be accepted with a reason. */
export function pitfallFixes(problem: Problem, reading: Reading, page: Page, given: Circumstances): readonly Fix[] {
  const make = FIXES[problem.code];
  // What a fix would write rests on all of the config: of a refused one only its acceptance is offered.
  const found = make && reading.loaded ? make(problem, page, reading.loaded, given) : [];
  return [...found, ...accept(problem, page)];
}

function accept({ code }: Problem, page: Page): readonly Fix[] {
  const line = `# isoperf: disable ${code} because \${1:reason}`;
  return fix(
    `Accept ${code} in this file, with a reason`,
    [page.above(page.start(), [line], { snippet: true })],
    false,
  );
}

const SEED = 42;

const seedDirective = (page: Page): readonly Fix[] =>
  fix(
    `Fix the seed of this run (# isoperf: seed=${SEED})`,
    [page.above(page.start(), [`# isoperf: seed=${SEED}`])],
    false,
  );

const FIXES: Readonly<Record<string, Make>> = {
  CMP006: (_problem, page, _loaded, { cpus = 4 }) =>
    fix(`Write num_workers: ${cpus}`, page.set(['load', 'num_workers'], String(cpus)), false),
  CMP008: (_problem, page, loaded) => warmUp(page, loaded),
  CMP018: (problem, page) => fix('Space the rates evenly (type: linear)', page.set(problem.path, 'linear'), false),
  CMP024: (problem, page, loaded) => pinLength(problem.path, page, loaded),
  CMP025: (problem, page, loaded) => pinLength(problem.path.slice(0, -1), page, loaded),
  CMP029: (_problem, page) => [
    ...seedDirective(page),
    ...fix(`Write load.base_seed: ${SEED}`, page.set(['load', 'base_seed'], String(SEED)), false),
  ],
  CMP030: (_problem, page) => [
    ...seedDirective(page),
    ...fix(`Write data.shared_prefix.seed: ${SEED}`, page.set(['data', 'shared_prefix', 'seed'], String(SEED)), false),
  ],
  CMP042: (problem, page, { config }) => {
    const count = Math.max(config.load.sweep?.num_requests ?? 0, 10_000) + 1;
    return fix(`Write total_count: ${count}`, page.set(problem.path, String(count)), false);
  },
  CMP043: (_problem, page) =>
    fix('Set api.type: completion, which is what is sent', page.set(['api', 'type'], 'completion'), false),
  CMP047: (problem, page) =>
    fix('Send the recorded answers (disable_output_substitution: true)', page.set(problem.path, 'true'), false),
  CMP052: (_problem, page) =>
    fix('Stream the answers (streaming: true)', page.set(['api', 'streaming'], 'true'), false),
  CMP057: (_problem, page, { config }) => {
    const model = config.server?.model_name ?? undefined;
    if (model === undefined) return [];
    const value = `\n  pretrained_model_name_or_path: ${JSON.stringify(model)}`;
    return fix(`Count tokens with the tokenizer of ${model}`, page.add(['tokenizer'], value), false);
  },
  CMP063: (_problem, page, { config }) => {
    const wanted = [...new Set([...config.report.request_lifecycle.percentiles, 50, 90, 95, 99])].sort((a, b) => a - b);
    return fix(
      'Report p50, p90, p95 and p99, too',
      page.set(['report', 'request_lifecycle', 'percentiles'], `[${wanted.join(', ')}]`),
      false,
    );
  },
  CMP064: (_problem, page) =>
    fix('Write request_timeout: 300, which applies anyway', page.set(['load', 'request_timeout'], '300'), false),
  CMP074: (_problem, page) =>
    fix('Write server.model_name', page.set(['server', 'model_name'], '${1:my-model}', { snippet: true }), false),
  CMP079: (problem, page) => {
    const path = page.scalar(problem.path);
    return path === undefined
      ? []
      : fix('Add {timestamp} to the path', page.set(problem.path, JSON.stringify(`${path}-{timestamp}`)), false);
  },
  CMP084: (problem, page, { config: { load } }) => {
    const needed =
      load.type === 'concurrent'
        ? Math.max(0, ...load.stages.map((stage) => stage.concurrency_level))
        : load.worker_max_concurrency;
    const workers = load.type === 'concurrent' ? Math.max(1, load.num_workers ?? 1) : 1;
    const each = Math.ceil(needed / workers);
    return fix(`A connection for every request in flight: ${each}`, page.set(problem.path, String(each)), false);
  },
  CMP085: (problem, page) =>
    fix('Mark this stage as warm-up', [page.note(problem.range!.startLine, '# isoperf: warmup')]),
  CMP092: (problem, page) => fix("Comment out 'worker_max_concurrency'", page.commentOut(problem.path), false),
};

/** A marked stage of the first stage's load, put before it. */
function warmUp(page: Page, { config }: LoadedConfig): readonly Fix[] {
  const dash = page.dash(['load', 'stages', 0]);
  const { load } = config;
  if (!dash) return [];
  const lines =
    load.type === 'concurrent'
      ? [
          `- num_requests: ${4 * load.stages[0]!.concurrency_level} # isoperf: warmup`,
          `  concurrency_level: ${load.stages[0]!.concurrency_level}`,
        ]
      : load.type === 'trace_session_replay' || load.type === 'trace_replay'
        ? undefined
        : [
            `- rate: ${load.stages[0]!.rate} # isoperf: warmup`,
            `  duration: ${Math.max(30, Math.ceil(1 / load.stages[0]!.rate))}`,
          ];
  return lines ? fix('Add a warm-up stage', [page.above(dash, lines)], false) : [];
}

/** Two ways to say which lengths are meant: one length, or every figure that applies. */
function pinLength(path: ConfigPath, page: Page, { config }: LoadedConfig): readonly Fix[] {
  const value = path.reduce<unknown>(
    (node, step) => (node as Record<string, unknown> | null | undefined)?.[step],
    config,
  );
  if (typeof value !== 'object' || value === null) return [];
  const distribution = value as Distribution;
  const { min, max, mean, std_dev } = distribution;
  const real = realisedLengths(distribution, path.length === 2 ? 'presampled' : 'sampled').mean;
  const fixed = Math.round(page.has([...path, 'mean']) ? mean : real);
  const found = [...fix(`Pin ${formatPath(path)} to ${fixed} tokens`, pinned(path, fixed, page), false)];
  const figures = Object.entries({ min, max, mean, std_dev }).filter(([key]) => !page.has([...path, key]));
  const isPlain = distribution.type === 'normal' || distribution.type === 'lognormal';
  if (isPlain && figures.length > 0 && figures.length < 4 && !page.has([...path, 'variance'])) {
    const words = figures.map(([key, figure]) => `${key}: ${figure}`);
    found.push(...fix(`Write what applies: ${words.join(', ')}`, page.addAll(path, words), false));
  }
  return found;
}

/** Other figures stay as they are: a fixed length does not use them. */
function pinned(path: ConfigPath, tokens: number, page: Page): ReturnType<Page['set']> {
  const wanted = { type: 'fixed', mean: String(tokens) };
  const entries = Object.entries(wanted);
  const edits = entries.flatMap(([key, value]) =>
    page.has([...path, key]) ? (page.set([...path, key], value) ?? []) : [],
  );
  const fresh = entries.filter(([key]) => !page.has([...path, key])).map(([key, value]) => `${key}: ${value}`);
  return [...edits, ...(fresh.length === 0 ? [] : (page.addAll(path, fresh) ?? []))];
}
