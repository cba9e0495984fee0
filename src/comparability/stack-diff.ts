// What differs between two stack records, in words: flags parsed, image tags apart from names, mistakes in argv.
import { flagChangesOf, flagsOf } from '../cluster/flags';
import { enginesOf } from '../cluster/record';
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
  if (a.args && b.args) changes.push(...flagChanges(a.args, b.args));
  changes.push(...roleChanges(a, b));
  if (a.env && b.env) changes.push(...variableChanges(a.env, b.env));
  compare('topology', 'accelerator', a.accelerator, b.accelerator);
  compare('topology', 'replicas', a.replicas, b.replicas);
  compare('topology', 'parallelism', a.parallelism, b.parallelism);
  compare('route', 'route', a.route, b.route);
  for (const name of Object.keys(a.other ?? {}))
    compare('server', `stack record’s ${name}`, a.other?.[name], b.other?.[name]);
  return changes;
}

/** Prefill beside decode: every engine but the one whose flags the record itself has, by role. */
function roleChanges(a: StackRecord, b: StackRecord): StackChange[] {
  if (!a.kubernetes || !b.kubernetes) return [];
  const [left, right] = [enginesOf(a.kubernetes.start), enginesOf(b.kubernetes.start)];
  const others = [...new Set([...left, ...right].map(({ role }) => role))].filter(
    (role) => role !== left[0]?.role || role !== right[0]?.role,
  );
  return others.flatMap((role): StackChange[] => {
    const [x, y] = [left, right].map((all) => all.find((one) => one.role === role));
    if (x && y) return [...imageChange(x.image, y.image), ...flagChanges(x.args, y.args, `${role}: `)];
    return [{ of: 'topology', words: `${role} ${x ? 'on A' : 'not on A'}, ${y ? 'on B' : 'not on B'}` }];
  });
}

/** Where both digests are known they decide: another tag of one digest is the same, one tag of two digests is not. */
function imageChange(a: string | undefined, b: string | undefined): StackChange[] {
  if (a === undefined || b === undefined || a === b) return [];
  const [left, right] = [imageParts(a), imageParts(b)];
  if (left.digest !== undefined && left.digest === right.digest) return [];
  const both = left.digest !== undefined && right.digest !== undefined;
  if (!both && left.name === right.name && left.tag === right.tag && left.tag !== undefined) return [];
  const said = ({ tag, digest }: ImageParts, other: ImageParts): string =>
    [
      tag === other.tag && digest !== undefined ? undefined : (tag ?? (digest === undefined ? 'no tag' : undefined)),
      digest,
    ]
      .filter((one) => one !== undefined)
      .join('@');
  const words =
    left.name === right.name
      ? `engine version (image ${left.name}) ${said(left, right)} on A, ${said(right, left)} on B`
      : `image ${a} on A, ${b} on B`;
  return [{ of: 'server', words }];
}

interface ImageParts {
  readonly name: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** A tag follows the last colon after the last slash; a digest follows an @. */
function imageParts(image: string): ImageParts {
  const [bare = '', digest] = image.split('@');
  const colon = bare.indexOf(':', bare.lastIndexOf('/') + 1);
  return { name: colon < 0 ? bare : bare.slice(0, colon), tag: colon < 0 ? undefined : bare.slice(colon + 1), digest };
}

function flagChanges(a: readonly string[], b: readonly string[], role = ''): StackChange[] {
  const changes = flagChangesOf(a, b).map(({ name, left, right }): StackChange => {
    const of = PARALLEL.test(name) ? 'topology' : 'server';
    return { of, words: `${role}flag --${name} ${left ?? 'not given'} on A, ${right ?? 'not given'} on B` };
  });
  for (const [side, own, other] of [
    ['A', flagsOf(a).broken, flagsOf(b).broken],
    ['B', flagsOf(b).broken, flagsOf(a).broken],
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

/** What stands behind a tag: a tag can be moved. */
const DIGEST = 'image digest';

function hasDigest({ image = '' }: StackRecord): boolean {
  return image.includes('@');
}

/** Does the record say what `unrecorded` calls by this name? */
export function isRecorded(stack: StackRecord | undefined, key: string): boolean {
  if (!stack) return false;
  return key === DIGEST ? hasDigest(stack) : (stack[key as keyof StackRecord] ?? stack.other?.[key]) !== undefined;
}

/** Keys that one record has and the other lacks: there the two may differ. */
export function unrecorded(a: StackRecord, b: StackRecord, of: 'server' | 'topology'): string[] {
  const keys = of === 'server' ? SERVER_KEYS : TOPOLOGY_KEYS;
  // Where both record their arguments, those say model and engine; a manifest names them beside, a plain list does not.
  const inArgs = (key: string): boolean => (key === 'model' || key === 'engine') && !!a.args && !!b.args;
  const missing: string[] = keys.filter((key) => (a[key] === undefined) !== (b[key] === undefined) && !inArgs(key));
  if (of === 'topology') return missing;
  if (a.image !== undefined && b.image !== undefined && hasDigest(a) !== hasDigest(b)) {
    const [left, right] = [imageParts(a.image), imageParts(b.image)];
    if (left.name === right.name && left.tag === right.tag && left.tag !== undefined) missing.push(DIGEST);
  }
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
