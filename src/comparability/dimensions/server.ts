// Did the same thing answer? Model, engine build and flags: what a stack record says, and what the server says of itself.
import { flagChangesOf, flagsOf } from '../../cluster/flags';
import type { StackRecord } from '../../folder/stack';
import { proportionsZ } from '../../metrics/two-samples';
import {
  isSameModel,
  modelContradiction,
  namesWords,
  otherThanAsked,
  strangersIn,
  type NamedModels,
} from '../../readers/named-models';
import { sameAddress } from '../address';
import type { Evidence } from '../comparison';
import {
  ALL,
  assumption,
  confounds,
  dimension,
  same,
  unknown,
  type Context,
  type Judgement,
  type SideEvidence,
} from '../dimension';
import { inFact, inReport } from '../evidence';
import { factsOn, stackOf, successesOf, type Side } from '../side';
import { isRecorded, stackChanges, stackWords, unrecorded } from '../stack-diff';

interface Served extends SideEvidence {
  readonly model: string | undefined;
  readonly serverType: string | undefined;
  readonly version: string | undefined;
  readonly stack: StackRecord | undefined;
  readonly named: NamedModels;
}

/** Shares of answers under another name that lie closer than this, or are no further apart than chance, are one mixture. */
const SHARE_FLOOR = 0.05;
const SHARE_Z = 4;

function servedBy(side: Side, context: Context): Served {
  const facts = factsOn(side);
  const stack = facts.stack.value;
  const [model, serverType, version] = [facts.model.value, facts.serverType.value, facts.serverVersion.value];
  const named = namedBy(side);
  const evidence: Evidence[] = [
    inFact(facts.model),
    inFact(facts.serverType),
    inFact(facts.serverVersion),
    inFact(facts.modelsListed, facts.modelsListed.value?.join(', ')),
    inFact(facts.modelsAnswered, named.answers && answersWords(named.answers)),
    ...stackEvidence(stack, stackOf(side.name === 'A' ? context.b : context.a)),
  ];
  const parts = [model, version && `version ${version}`, stack && stackWords(stack)].filter(
    (part) => part !== undefined,
  );
  return {
    model,
    serverType,
    version,
    stack,
    named,
    summary: parts.length === 0 ? 'not recorded' : parts.join('; '),
    evidence,
  };
}

/** A run that was killed has its answers' names in its records alone. */
function namedBy(side: Side): NamedModels {
  const { run, stages } = side;
  const facts = factsOn(side);
  let answers = facts.modelsAnswered.value;
  if (answers === undefined && run.manifest?.state !== 'complete') {
    // Names of strangers: a plain object answers for 'constructor' too.
    const counted = new Map<string, number>();
    for (const { answeredModel } of successesOf(stages) ?? []) {
      if (answeredModel !== undefined) counted.set(answeredModel, (counted.get(answeredModel) ?? 0) + 1);
    }
    if (counted.size > 0) answers = Object.fromEntries(counted);
  }
  // The embedded simulator serves whatever name it is asked for.
  const listed = run.manifest?.endpoint.kind === 'simulator' ? undefined : facts.modelsListed.value;
  return { asked: facts.model.value, config: run.config, answers, listed };
}

function answersWords(answers: Readonly<Record<string, number>>): string {
  return Object.entries(answers)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

function stackEvidence(stack: StackRecord | undefined, other: StackRecord | undefined): Evidence[] {
  if (!stack) return [inReport('stack.yaml', 'model, engine, image, args', undefined)];
  const { source } = stack;
  const keys = ['model', 'revision', 'quantization', 'engine', 'engineVersion', 'image'] as const;
  return [
    ...keys.filter((key) => stack[key] !== undefined).map((key) => inReport(source, key, stack[key])),
    ...flagRows(stack, other),
    ...(stack.args
      ? [inReport(source, 'args', stack.args.map((arg) => (/\s/.test(arg) ? `'${arg}'` : arg)).join(' '))]
      : []),
    ...Object.entries(stack.env ?? {}).map(([name, value]) => inReport(source, `env ${name}`, value)),
  ];
}

/** Each flag that the other side gives otherwise, alone: in a line of thirty nobody finds it. */
function flagRows({ source, args }: StackRecord, other: StackRecord | undefined): Evidence[] {
  if (!args || !other?.args) return [];
  return flagChangesOf(args, other.args).map(({ name, left }) =>
    inReport(source, `flag --${name}`, left === undefined ? `--${name} not given` : `--${name}=${left}`),
  );
}

export const server = dimension<Served>({
  id: 'server',
  title: 'Server',
  question: 'Did the same model, engine build and flags answer?',
  tolerance: `The same model, server type, version and stack record, word by word; the same names in the answers, shares within ${SHARE_FLOOR * 100} percentage points or apart by no more than chance (z <= ${SHARE_Z}). Without a stack record, the same address with the same model and version is taken for the same server, as an assumption that is named.`,
  pitfall: 'CMP080',
  affects: ALL,
  remedy:
    'Change one thing of the server at a time and declare it (--intended server); put a stack.yaml (engine, image, args) beside both configs, or give --stack, so that the run records it.',
  evidence: servedBy,
  judge,
});

function judge(a: Served, b: Served, context: Context) {
  const changes = changesOf(a, b);
  const note = noteOf(a, b);
  if (changes.length > 0) {
    const count = changes.length > 1 ? `${changes.length} things of the server differ` : 'The server differs';
    return confounds(`${count}: ${changes.join('; ')}.`, { changes, ...note });
  }
  if (a.model === undefined || b.model === undefined) {
    return unknown('Which model was served', a.model !== undefined, b.model !== undefined, note);
  }
  if ((a.serverType === undefined) !== (b.serverType === undefined)) {
    return unknown(
      'Which engine was served (server.type)',
      a.serverType !== undefined,
      b.serverType !== undefined,
      note,
    );
  }
  if ((a.version === undefined) !== (b.version === undefined)) {
    return unknown('The server’s version', a.version !== undefined, b.version !== undefined, note);
  }
  if ((a.stack === undefined) !== (b.stack === undefined)) {
    return unknown('The stack (image, flags)', a.stack !== undefined, b.stack !== undefined, note);
  }
  const isNamed = (side: Served): boolean => side.named.answers !== undefined;
  // Where both stack records say what was served, names in the answers of one side add nothing, unless they contradict it.
  const hasStranger = [a, b].some(({ named }) => strangersIn(named).size > 0);
  if (isNamed(a) !== isNamed(b) && (hasStranger || !a.stack || !b.stack)) {
    return unknown('Which model the answers name', isNamed(a), isNamed(b), note);
  }
  if (a.stack && b.stack) {
    const missing = unrecorded(a.stack, b.stack, 'server');
    const open = unsaid(a);
    if (missing.length === 0 && open.length === 0) {
      return same(`The same model and the same stack record (${stackWords(a.stack)}).`, note);
    }
    if (missing.length === 0) return unnamed(a, open.join(' and '), context, note);
    const has = ({ stack }: Served): boolean => missing.every((key) => isRecorded(stack, key));
    return unknown(`In the stack record, ${missing.join(', ')}`, has(a), has(b), note);
  }
  return unnamed(a, 'build and flags', context, note);
}

/** What the stack records of both leave open. */
function unsaid({ stack, version }: Served): string[] {
  const build = stack?.image ?? stack?.engineVersion ?? version;
  return [...(build === undefined ? ['build'] : []), ...(stack?.args === undefined ? ['flags'] : [])];
}

/** Neither side says which build with which flags answered. */
function unnamed(a: Served, open: string, context: Context, note: { note?: string }): Judgement {
  const address = sameAddress(context.a, context.b);
  if (address === false) {
    return {
      state: 'unknown' as const,
      message: `A and B were sent to different addresses, and ${open} ${areOrIs(open)} recorded on neither side: nothing says that the same thing answered there.`,
      ...note,
    };
  }
  const version = a.version === undefined ? 'the same model' : `the same model and version (${a.version})`;
  const where = address === true ? 'The same address served' : 'Both sides asked for';
  return assumption(
    `${where} ${version}; ${open} ${areOrIs(open)} recorded on neither side.`,
    `that the server’s ${open} ${open === 'build' ? 'was' : 'were'} the same (${address === true ? 'one address and model' : 'one model'}, no stack record of ${open === 'build' ? 'it' : 'them'})`,
    note,
  );
}

function areOrIs(open: string): string {
  return open === 'build' ? 'is' : 'are';
}

function changesOf(a: Served, b: Served): string[] {
  const changes: string[] = [];
  const compare = (what: string, left: string | undefined, right: string | undefined): void => {
    if (left !== undefined && right !== undefined && left !== right)
      changes.push(`${what} ${left} on A, ${right} on B`);
  };
  compare('model', a.model, b.model);
  changes.push(...answeredChanges(a.named, b.named));
  compare('server.type', a.serverType, b.serverType);
  compare('version', a.version, b.version);
  if (a.stack && b.stack) {
    changes.push(...stackChanges(a.stack, b.stack).flatMap((change) => (change.of === 'server' ? [change.words] : [])));
  }
  return changes;
}

/** Names in the answers that nobody asked for, on one side or in another share; lists of models in which the asked one is on one side alone. */
function answeredChanges(a: NamedModels, b: NamedModels): string[] {
  if (a.answers && b.answers) {
    const [x, y] = [strangersIn(a), strangersIn(b)];
    const [n, m] = [totalOf(a.answers), totalOf(b.answers)];
    const apart = [...new Set([...x.keys(), ...y.keys()])].some((name) => {
      const [hits, others] = [x.get(name) ?? 0, y.get(name) ?? 0];
      if ((hits === 0) !== (others === 0)) return true;
      return Math.abs(hits / n - others / m) > SHARE_FLOOR && Math.abs(proportionsZ(hits, n, others, m)) > SHARE_Z;
    });
    if (apart) return [`answers name ${answersWords(a.answers)} on A, ${answersWords(b.answers)} on B`];
  }
  if (!a.listed?.length || !b.listed?.length) return [];
  const [x, y] = [otherThanAsked(a), otherThanAsked(b)];
  if (x?.join() === y?.join()) return [];
  return [`/v1/models lists ${namesWords(a.listed)} on A, ${namesWords(b.listed)} on B`];
}

function totalOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** What a run says against itself: another model answered or is recorded than was asked for, a flag that the server cannot read. */
function noteOf(a: Served, b: Served): { note?: string } {
  const notes = [
    ...[a, b].flatMap(({ named }, i) => {
      const found = modelContradiction(named);
      return found === undefined ? [] : [`${i === 0 ? 'A' : 'B'}: ${found}`];
    }),
    ...[a, b].flatMap((side, i) => {
      const name = i === 0 ? 'A' : 'B';
      const served = servedModel(side.stack);
      if (served === undefined || side.model === undefined || isSameModel(side.model, served)) return [];
      return /\$[({]/.test(served)
        ? [
            `${name}: the config asks for ${side.model}, the stack record serves ${served}, a variable that nobody filled in: which model answered is not recorded`,
          ]
        : [`${name}: the config asks for ${side.model}, but the stack record serves ${served}`];
    }),
    ...[a, b].flatMap((side, i) =>
      flagsOf(side.stack?.args ?? []).broken.map(
        (element) =>
          `${i === 0 ? 'A' : 'B'}: '${element}' is one argv element: the server does not read it as a flag with a value`,
      ),
    ),
  ];
  return notes.length > 0 ? { note: `${notes.join('. ')}.` } : {};
}

/** What the stack record says was served; undefined under a served name, which is anything the operator likes. */
export function servedModel(stack: StackRecord | undefined): string | undefined {
  if (!stack) return undefined;
  const flags = flagsOf(stack.args ?? []).values;
  if (flags.has('served-model-name')) return undefined;
  return stack.model ?? flags.get('model') ?? flags.get('model-path') ?? flags.get('model-id');
}
