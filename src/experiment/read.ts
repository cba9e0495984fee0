// From the text of experiment.yaml to an experiment with nothing left open, or to problems with their line, key and remedy.
import type * as z from 'zod';
import { nearest } from '../config/model/suggest';
import { isSecretName, withoutSecretText } from '../config/secret-names';
import { redactText } from '../config/secrets';
import { parsePath } from '../config/overrides';
import { parseDocument } from '../config/yaml/document';
import { own } from '../own';
import { formatPath, type ConfigPath, type Problem, type Result } from '../problem';
import { parseBound, parseKey, type Bound, type MetricKey } from './keys';
import { experimentSchema, FORMAT, type ExperimentFile, type SideFile, type SideName } from './file';
import { FEWEST_BLOCKS } from './statistics';

export interface Primary {
  readonly metric: MetricKey;
  readonly margin?: Bound;
}

export interface Experiment {
  readonly file: ExperimentFile;
  readonly question: string;
  readonly sides: Readonly<Record<SideName, SideFile>>;
  readonly order: 'abba' | 'balanced-random' | 'a-then-b';
  readonly blocks: number;
  readonly discard: number;
  readonly seed: number;
  readonly workload: 'new-per-block' | 'new-per-slot' | 'same';
  readonly cache: 'salt' | 'reset' | 'restart' | 'keep';
  readonly cooldown: { readonly seconds: number; readonly until: 'idle' | 'time' };
  readonly health: { readonly lagP99Seconds: number; readonly failuresPercent: number };
  readonly primary: readonly Primary[];
  /** After how many blocks; the last is the number of blocks, but where Stein's rule fixes that. */
  readonly looks: readonly number[];
  readonly alpha: number;
  readonly stein?: { readonly pilot: number; readonly most: number; readonly widths: ReadonlyMap<string, Bound> };
  readonly calibrate: number;
  readonly budgetSeconds?: number;
}

export const CODES = { form: 'EXP001', value: 'EXP002', design: 'EXP003' } as const;

/** Problems: EXP001 (no mapping, an unknown key), EXP002 (a value that means nothing here), EXP003 (a design that answers nothing). */
export function parseExperiment(text: string): Result<Experiment> {
  const document = parseDocument(text);
  const at = (problem: Problem, part: 'key' | 'value' = 'value'): Problem => {
    const range = document.range(problem.path, part);
    return range ? { ...problem, range } : problem;
  };
  const { value } = document;
  const broken = document.problems.filter(({ severity }) => severity === 'error');
  if (broken.length > 0) return { ok: false, problems: broken };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, problems: [say('form', [], 'This is no experiment: it is no mapping of keys.', EXAMPLE)] };
  }
  const read = experimentSchema.safeParse(value);
  if (!read.success) {
    const problems = read.error.issues.map((issue) => {
      const problem = issueOf(issue, value);
      return at(problem, issue.code === 'unrecognized_keys' ? 'key' : 'value');
    });
    return { ok: false, problems };
  }
  const problems: Problem[] = [];
  const experiment = complete(read.data, (...words) => problems.push(at(say(...words))));
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: experiment, problems: [] };
}

const EXAMPLE = `Write isoperf: ${FORMAT}, question: and sides: {a: {config: base.yaml}, b: {config: base.yaml, set: {...}}}; isoperf schema experiment has all keys.`;

type Say = (code: keyof typeof CODES, path: ConfigPath, message: string, remedy: string) => void;

function say(code: keyof typeof CODES, path: ConfigPath, message: string, remedy: string): Problem {
  return { code: CODES[code], severity: 'error', path, message, remedy };
}

function issueOf(issue: z.core.$ZodIssue, whole: object): Problem {
  const steps = issue.path.filter((step) => typeof step !== 'symbol');
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const known = keysAt(steps);
    const near = nearest(key, known);
    const remedy = near === undefined ? `The keys here are ${known.join(', ')}.` : `Did you mean ${near}?`;
    return say('form', [...steps, key], `'${formatPath([...steps, key])}' is no key of an experiment.`, remedy);
  }
  const name = formatPath(steps);
  const isMissing = steps.length > 0 && valueAt(whole, steps) === undefined;
  const about = describedAt(steps);
  if (isMissing) return say('value', steps, `'${name}' is missing.`, about ?? EXAMPLE);
  return say('value', steps, `'${name}' has a value that means nothing here: ${issue.message}.`, about ?? EXAMPLE);
}

function valueAt(value: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string | number, unknown>)[step] : undefined,
    value,
  );
}

/** The schema below the unions and options of a path; undefined where the path leaves it. */
export function schemaAt(path: ConfigPath): z.ZodType | undefined {
  let current: z.ZodType | undefined = experimentSchema;
  for (const step of path) {
    const bare: z.ZodType | undefined = current && unwrapped(current);
    if (!bare) return undefined;
    if (bare.def.type === 'object') {
      current = own((bare as z.ZodObject).shape as Readonly<Record<string, z.ZodType>>, String(step));
    } else if (bare.def.type === 'record') {
      current = (bare as z.ZodRecord).valueType as z.ZodType;
    } else if (bare.def.type === 'array') {
      current = (bare as z.ZodArray).element as z.ZodType;
    } else return undefined;
  }
  return current;
}

export function unwrapped(schema: z.ZodType): z.ZodType {
  return schema.def.type === 'optional' ? unwrapped((schema as z.ZodOptional).unwrap() as z.ZodType) : schema;
}

/** Keys of a mapping at a path. */
export function keysAt(path: ConfigPath): string[] {
  const schema = schemaAt(path);
  const bare = schema && unwrapped(schema);
  return bare?.def.type === 'object' ? Object.keys((bare as z.ZodObject).shape) : [];
}

/** What a key means, in the schema's words; of the nearest key above that has some. */
export function describedAt(path: ConfigPath): string | undefined {
  for (let length = path.length; length > 0; length--) {
    const found = schemaAt(path.slice(0, length))?.meta()?.description;
    if (found !== undefined) return found;
  }
  return undefined;
}

function complete(file: ExperimentFile, refuse: Say): Experiment {
  const { design = {}, stop = {}, sides } = file;
  const primary = primaries(file, refuse);
  const alpha = stop.alpha ?? 0.05;
  const pilot = stop.pilot ?? 4;
  const widths = boundsOf(stop.width, ['stop', 'width'], refuse);
  const looks = stop.looks ?? [widths.size > 0 ? (stop.most ?? 12) : (design.blocks ?? 4)];
  const experiment: Experiment = {
    file,
    question: file.question,
    sides,
    order: design.order ?? 'abba',
    blocks: looks.at(-1)!,
    discard: design.discard ?? 2,
    seed: design.seed ?? 1,
    workload: design.workload ?? 'new-per-block',
    cache: design.cache ?? 'salt',
    cooldown: { seconds: 20, until: 'idle', ...design.cooldown } as Experiment['cooldown'],
    health: {
      lagP99Seconds: (design.health?.lag_p99_ms ?? 10) / 1000,
      failuresPercent: design.health?.failures_percent ?? 1,
    },
    primary,
    looks,
    alpha,
    ...(widths.size > 0 ? { stein: { pilot, most: looks.at(-1)!, widths } } : {}),
    calibrate: file.calibrate?.aa ?? 0,
    ...(file.budget ? { budgetSeconds: file.budget.minutes * 60 } : {}),
  };
  checkDesign(experiment, refuse);
  checkSides(file, refuse);
  return experiment;
}

function list<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

function primaries(file: ExperimentFile, refuse: Say): Primary[] {
  const asked = file.primary ?? ['ttft.p95', 'tpot.mean', 'output_tokens_per_sec'];
  const margins = boundsOf(file.margin, ['margin'], refuse);
  const found = list(asked).flatMap((text, i): Primary[] => {
    const path = Array.isArray(file.primary) ? ['primary', i] : ['primary'];
    const metric = parseKey(text);
    if (typeof metric === 'string') {
      refuse('value', path, metric, 'Write for instance primary: [ttft.p95, output_tokens_per_sec].');
      return [];
    }
    const margin = margins.get(metric.key);
    return [{ metric, ...(margin ? { margin } : {}) }];
  });
  for (const key of margins.keys()) {
    if (found.some(({ metric }) => metric.key === key)) continue;
    refuse(
      'value',
      ['margin', key],
      `A margin for ${key}, which is no primary metric.`,
      `Add ${key} to primary, or leave its margin out.`,
    );
  }
  return found;
}

function boundsOf(
  given: Readonly<Record<string, string | number>> | undefined,
  path: ConfigPath,
  refuse: Say,
): Map<string, Bound> {
  const bounds = new Map<string, Bound>();
  for (const [name, value] of Object.entries(given ?? {})) {
    const metric = parseKey(name);
    const bound = typeof metric === 'string' ? undefined : parseBound(metric, String(value));
    if (typeof metric !== 'string' && typeof bound === 'object') bounds.set(metric.key, bound);
    else {
      const why = typeof metric === 'string' ? metric : (bound as string);
      refuse('value', [...path, name], why, `Write for instance ${path.join('.')}: {ttft.p95: 5%}.`);
    }
  }
  return bounds;
}

/** A design that answers nothing, whatever comes of it. */
function checkDesign(experiment: Experiment, refuse: Say): void {
  const { file, blocks, looks, order, cache, workload, stein, sides } = experiment;
  const { design = {}, stop = {} } = file;
  if (file.curve && (file.curve.rates === undefined) === (file.curve.concurrency === undefined)) {
    refuse('design', ['curve'], 'A curve has either rates or concurrency.', 'Write curve: {rates: [1, 2, 4, 8]}.');
  }
  if (order === 'a-then-b' && design.reason === undefined) {
    refuse(
      'design',
      ['design', 'order'],
      'One side after the other cannot be told from drift: 0.2 % a run makes 78 % of honest pairs differ.',
      'Write order: abba; or design.reason why it must be, and the answer stays inconclusive.',
    );
  }
  if (cache === 'keep' && workload !== 'new-per-slot' && design.reason === undefined) {
    refuse(
      'design',
      ['design', 'cache'],
      'cache: keep sends the same prompts to the same address again: what is found in the prefix cache would pass for a gain.',
      'Write cache: salt, reset or restart; or workload: new-per-slot; or design.reason why it must be.',
    );
  }
  if (
    cache === 'restart' &&
    [sides.a, sides.b].some((side) => side.before === undefined && side.simulator === undefined)
  ) {
    refuse(
      'design',
      ['design', 'cache'],
      'cache: restart needs a command that restarts the server before every slot.',
      'Write before: on each side, or cache: salt.',
    );
  }
  if (blocks < FEWEST_BLOCKS) {
    const where = stop.looks ? ['stop', 'looks'] : ['design', 'blocks'];
    refuse('design', where, `${blocks} blocks give no interval worth its name.`, `Ask for at least ${FEWEST_BLOCKS}.`);
  }
  if (looks.some((look, i) => look < FEWEST_BLOCKS || (i > 0 && look <= looks[i - 1]!))) {
    refuse(
      'design',
      ['stop', 'looks'],
      `Looks come after rising numbers of blocks, the first after at least ${FEWEST_BLOCKS}.`,
      'Write for instance looks: [4, 8].',
    );
  }
  if (stop.looks && design.blocks !== undefined && design.blocks !== blocks) {
    refuse(
      'design',
      ['design', 'blocks'],
      `The last look is after ${blocks} blocks, and design.blocks says ${design.blocks}.`,
      'Leave design.blocks out, or make them one.',
    );
  }
  if (stein && stop.looks) {
    refuse('design', ['stop', 'looks'], 'Stein’s two stages have one look, at their end.', 'Leave looks or width out.');
  }
  if (stein && (stein.pilot < FEWEST_BLOCKS || stein.pilot > stein.most)) {
    refuse(
      'design',
      ['stop', 'pilot'],
      `A pilot has at least ${FEWEST_BLOCKS} blocks and no more than the experiment.`,
      'Write pilot: 4, most: 12.',
    );
  }
  for (const key of stein?.widths.keys() ?? []) {
    if (experiment.primary.some(({ metric }) => metric.key === key)) continue;
    refuse(
      'design',
      ['stop', 'width', key],
      `A width for ${key}, which is no primary metric.`,
      `Add ${key} to primary.`,
    );
  }
}

function checkSides({ sides }: ExperimentFile, refuse: Say): void {
  for (const name of ['a', 'b'] as const) {
    const side = sides[name];
    if (side.endpoint !== undefined && side.simulator !== undefined) {
      refuse(
        'design',
        ['sides', name, 'simulator'],
        'A side is served by its endpoint or by a simulator.',
        'Leave one out.',
      );
    }
    if (side.endpoint !== undefined && !URL.canParse(side.endpoint)) {
      refuse('value', ['sides', name, 'endpoint'], 'This is no address.', 'Write http://host:port.');
    }
    if (side.endpoint !== undefined && redactText(side.endpoint) !== side.endpoint) {
      refuse(
        'value',
        ['sides', name, 'endpoint'],
        'A secret stands in the address.',
        'Give it by the environment (ISOPERF_API_KEY).',
      );
    }
    if (side.before !== undefined && withoutSecretText(side.before) !== side.before) {
      refuse(
        'value',
        ['sides', name, 'before'],
        'A secret stands in the command.',
        'Let the command read it from the environment.',
      );
    }
    for (const [key, value] of Object.entries(side.set ?? {})) {
      const path = ['sides', name, 'set', key];
      const steps = parsePath(key);
      if (!steps)
        refuse(
          'value',
          path,
          `'${key}' is no path of keys and indexes.`,
          'Write server.base_url or load.stages[0].rate.',
        );
      else if (isSecretName(String(steps.at(-1))) && value !== null) {
        refuse(
          'value',
          path,
          'A secret stands in an experiment that is kept and shared.',
          'Give it by the environment (ISOPERF_API_KEY).',
        );
      }
    }
  }
}
