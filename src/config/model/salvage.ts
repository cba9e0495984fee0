// What can still be judged of a config that main's model refuses: the rest, once the refused values are set aside.
// Every refused value gets a stand-in or is taken out, and its path is remembered: nothing may be said that rests on it.
import type { ConfigPath } from '../../problem';
import { valueAt, type ModelIssue } from './issues';
import { Placeholder } from './lax';
import { configSchema, type Config } from './schema';
import type { Target } from './target';
import { judgeValues } from './values-of-version';

export interface Salvage {
  readonly config: Config;
  /** Paths whose values in `config` are not the file's. */
  readonly refused: readonly ConfigPath[];
  /** Findings that the model came to only after the first ones were set aside; true of the file as it stands. */
  readonly findings: readonly ModelIssue[];
}

const MAX_ROUNDS = 6;

/** `findings` are those of the values; undefined when what is left cannot be read either. */
export function salvage(values: unknown, target: Target, findings: readonly ModelIssue[]): Salvage | undefined {
  const aside = new Aside(values);
  const later: ModelIssue[] = [];
  let open = errorsOf(findings);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    open.forEach((finding) => aside.put(finding));
    const verdict = judgeValues(aside.values, target);
    if (verdict.config) return { config: verdict.config, refused: aside.refused, findings: later };
    if (verdict.more > 0) return undefined;
    open = errorsOf(verdict.findings);
    later.push(...open.filter((finding) => !restsOn(finding, aside.written)));
  }
  return undefined;
}

function errorsOf(findings: readonly ModelIssue[]): readonly ModelIssue[] {
  return findings.filter(({ problem }) => problem.severity === 'error');
}

/** Is a finding about a path, or only because of what stands there? */
function restsOn({ problem: { path }, between }: ModelIssue, open: readonly ConfigPath[]): boolean {
  return open.some(
    (other) =>
      startsWith(path, other) ||
      // The type decides what a stage is.
      (other.join('.') === 'load.type' && startsWith(path, ['load', 'stages'])) ||
      between?.some((keys) => overlap(other, [...path, ...keys.split('.')])) === true,
  );
}

/** The same for values that are to be filled: a key is unknown whatever will stand there. */
export function restsOnOpen(finding: ModelIssue, open: readonly ConfigPath[]): boolean {
  const { problem, rule } = finding;
  const isOfKey = rule === 'unknown-key' || rule === 'ignored' || rule === 'newer';
  return restsOn(finding, isOfKey ? open.filter((path) => path.length !== problem.path.length) : open);
}

export function startsWith(path: ConfigPath, start: ConfigPath): boolean {
  return path.length >= start.length && start.every((step, index) => step === path[index]);
}

/** Is one of the two part of the other? */
export function overlap(left: ConfigPath, right: ConfigPath): boolean {
  return startsWith(left, right) || startsWith(right, left);
}

/** Values with refused ones set aside: first by a stand-in, then, when that does not do either, by taking out more and more around it. */
class Aside {
  readonly refused: ConfigPath[] = [];
  /** Those without the ones that a key of another name may have been meant for. */
  readonly written: ConfigPath[] = [];
  private readonly tries = new Map<string, number>();

  constructor(public values: unknown) {}

  put({ problem: { path }, rule, between, fix }: ModelIssue): void {
    // Only the two types can contradict each other over sections.
    if (path.length === 0) {
      const isLoadGone = this.written.some((other) => overlap(other, ['load', 'type']));
      if (isLoadGone) this.values = replaced(this.values, ['load'], { type: 'trace_session_replay' });
      else this.takeOut(['data']);
      this.refuse(['load', 'type']);
      return;
    }
    const key = JSON.stringify(path);
    const before = this.tries.get(key) ?? 0;
    this.tries.set(key, before + 1);
    if (between && before === 0) {
      between.forEach((keys) => this.takeOut([...path, ...keys.split('.')]));
      return;
    }
    const tried = between ? before - 1 : before;
    this.refuse(path);
    if (rule === 'unknown-key') {
      // Perhaps it is the value of what its writer meant.
      if (fix?.rename !== undefined) this.refuse([...path.slice(0, -1), fix.rename], true);
      if (fix?.moveTo) this.refuse(fix.moveTo, true);
      if (path.length === 1 && !fix?.rename && !fix?.moveTo) this.doubtSections(path);
    }
    const isScalar = !['unknown-key', 'shape', 'cross-field'].includes(rule);
    if (isScalar && tried === 0) this.values = replaced(this.values, path, new Placeholder(''));
    else this.takeOut(path.slice(0, Math.max(1, path.length - tried + (isScalar ? 1 : 0))));
  }

  /** A whole block of an unknown name may hold, in its writer's mind, any of the sections that are not there. */
  private doubtSections(path: ConfigPath): void {
    const block = valueAt(this.values, path);
    if (typeof block !== 'object' || block === null) return;
    for (const name of Object.keys(configSchema.shape)) {
      if (valueAt(this.values, [name]) === undefined) this.refuse([name], true);
    }
  }

  /** An entry of a list goes with its list: the others keep their numbers, or there are none. */
  private takeOut(path: ConfigPath): void {
    const index = path.findIndex((step, at) => typeof step === 'number' && at === path.length - 1);
    const whole = index < 0 ? path : path.slice(0, index);
    this.refuse(whole);
    this.values = replaced(this.values, whole, undefined);
  }

  private refuse(path: ConfigPath, isMeant = false): void {
    this.refused.push(path);
    if (!isMeant) this.written.push(path);
    // Without its type no stage can be read.
    if (path.join('.') === 'load.type') this.refused.push(['load', 'stages']);
  }
}

/** A copy with another value at a path; undefined takes the key out. */
function replaced(values: unknown, [step, ...rest]: ConfigPath, value: unknown): unknown {
  if (step === undefined) return value;
  const inner = replaced(valueAt(values, [step]), rest, value);
  if (Array.isArray(values)) return values.map((item: unknown, index) => (index === step ? inner : item));
  if (typeof values !== 'object' || values === null) return values;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [key, entry] of Object.entries(values)) if (key !== step) copy[key] = entry;
  if (inner !== undefined) copy[String(step)] = inner;
  return copy;
}
