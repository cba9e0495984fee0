// What differs between two stack records, in words: flags parsed, image tags apart from names, mistakes in argv.
import { flagsOf, type Flags } from '../cluster/flags';
import type { StackRecord } from '../folder/stack';

export interface StackChange {
  /** Whose question it is. */
  readonly of: 'server' | 'topology' | 'route';
  readonly words: string;
}

const PARALLEL =
  /^(?:(?:tensor|pipeline|data|expert|context)-parallel(?:-size)?|(?:tp|pp|dp|ep)(?:-size)?|enable-expert-parallel)$/;

/** Empty: nothing that both record differs. What only one side records is the caller's question (`unrecorded`). */
export function stackChanges(a: StackRecord, b: StackRecord): StackChange[] {
  const changes: StackChange[] = [];
  const compare = (
    of: StackChange['of'],
    what: string,
    left: string | number | undefined,
    right: string | number | undefined,
  ): void => {
    if (left === undefined || right === undefined || String(left) === String(right)) return;
    changes.push({ of, words: `${what} ${String(left)} on A, ${String(right)} on B` });
  };
  compare('server', 'model', a.model, b.model);
  compare('server', 'model revision', a.revision, b.revision);
  compare('server', 'quantization', a.quantization, b.quantization);
  if (a.engine?.toLowerCase() !== b.engine?.toLowerCase()) compare('server', 'engine', a.engine, b.engine);
  compare('server', 'engine version', a.engineVersion, b.engineVersion);
  changes.push(...imageChange(a.image, b.image));
  if (a.args && b.args) changes.push(...flagChanges(flagsOf(a.args), flagsOf(b.args)));
  if (a.env && b.env) changes.push(...variableChanges(a.env, b.env));
  compare('topology', 'accelerator', a.accelerator, b.accelerator);
  compare('topology', 'replicas', a.replicas, b.replicas);
  compare('topology', 'parallelism', a.parallelism, b.parallelism);
  compare('route', 'route', a.route, b.route);
  for (const name of Object.keys(a.other ?? {}))
    compare('server', `stack record’s ${name}`, a.other?.[name], b.other?.[name]);
  return changes;
}

function imageChange(a: string | undefined, b: string | undefined): StackChange[] {
  if (a === undefined || b === undefined || a === b) return [];
  const [left, right] = [imageParts(a), imageParts(b)];
  const words =
    left.name === right.name
      ? `engine version (image ${left.name}) ${left.tag} on A, ${right.tag} on B`
      : `image ${a} on A, ${b} on B`;
  return [{ of: 'server', words }];
}

/** A tag follows the last colon after the last slash; a digest follows an @. */
function imageParts(image: string): { name: string; tag: string } {
  const at = image.indexOf('@');
  const colon = image.indexOf(':', image.lastIndexOf('/') + 1);
  const cut = at >= 0 ? at : colon;
  return cut < 0 ? { name: image, tag: 'no tag' } : { name: image.slice(0, cut), tag: image.slice(cut + 1) };
}

function flagChanges(a: Flags, b: Flags): StackChange[] {
  const changes: StackChange[] = [];
  for (const name of new Set([...a.values.keys(), ...b.values.keys()])) {
    const [left, right] = [a.values.get(name), b.values.get(name)];
    if (left === right) continue;
    const of = PARALLEL.test(name) ? 'topology' : 'server';
    const words = `flag --${name} ${left ?? 'not given'} on A, ${right ?? 'not given'} on B`;
    changes.push({ of, words });
  }
  for (const [side, own, other] of [
    ['A', a.broken, b.broken],
    ['B', b.broken, a.broken],
  ] as const) {
    for (const element of own) {
      if (other.includes(element)) continue;
      changes.push({
        of: 'server',
        words: `'${element}' only on ${side}, in one argv element: the server does not read it as ${element.split(/\s/)[0]!} with a value, so very likely it never applied`,
      });
    }
  }
  return changes;
}

/** A variable that a recorded environment lacks was not set. */
function variableChanges(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): StackChange[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].flatMap((name): StackChange[] => {
    const [left, right] = [a[name], b[name]];
    if (left === right) return [];
    const words = `environment variable ${name} ${left ?? 'not set'} on A, ${right ?? 'not set'} on B`;
    return [{ of: 'server', words }];
  });
}

const SERVER_KEYS = ['model', 'revision', 'quantization', 'engine', 'engineVersion', 'image', 'args', 'env'] as const;
const TOPOLOGY_KEYS = ['accelerator', 'replicas', 'parallelism'] as const;

/** Keys that one record has and the other lacks: there the two may differ. */
export function unrecorded(a: StackRecord, b: StackRecord, of: 'server' | 'topology'): string[] {
  const keys = of === 'server' ? SERVER_KEYS : TOPOLOGY_KEYS;
  // Where both record their arguments, those say model and engine; a manifest names them beside, a plain list does not.
  const inArgs = (key: string): boolean => (key === 'model' || key === 'engine') && !!a.args && !!b.args;
  const missing: string[] = keys.filter((key) => (a[key] === undefined) !== (b[key] === undefined) && !inArgs(key));
  if (of === 'topology') return missing;
  const names = new Set([...Object.keys(a.other ?? {}), ...Object.keys(b.other ?? {})]);
  const free = [...names].filter((name) => (a.other?.[name] === undefined) !== (b.other?.[name] === undefined));
  return [...missing, ...free];
}

/** One line: "vllm/vllm-openai:v0.11.0, 6 flags". */
export function stackWords({ engine, engineVersion, image, model, args }: StackRecord): string {
  const named = [engine, engineVersion].filter(Boolean).join(' ');
  const parts = [named, image, model, args && `${args.length} arguments`];
  return parts.filter((part) => part !== undefined && part !== '').join(', ') || 'a stack record';
}
