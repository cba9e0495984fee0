// Did both sides say the same? Where the stream is one and sampling leaves nothing to chance, answers must be equal, by their hashes.
import { percent, whole } from '../figures';
import { isSuccess, outputTokens } from '../metrics/request-metrics';
import type { RequestRecord } from '../metrics/record';
import type { AnswersCompared } from './comparison';
import type { Context } from './dimension';
import { factsOn, stackOf, type Side } from './side';
import { flagsOf } from '../cluster/flags';

/** With fewer requests of the smaller side in pairs than this share, the streams are not one. */
const LEAST_MATCHED = 0.9;

interface Pair {
  readonly a: RequestRecord;
  readonly b: RequestRecord;
  /** Index of the matched stages. */
  readonly stage: number;
}

/**
 * Never a confounder: two builds of one model may answer otherwise and be what is under test. But a change that alters answers needs a
 * quality evaluation beside the speed.
 */
export function answersCompared(context: Context): AnswersCompared {
  const { a, b, matching } = context;
  const none = (reason: NonNullable<AnswersCompared['reason']>, why: string): AnswersCompared => ({
    state: 'not-comparable',
    reason,
    pairs: 0,
    words: `Answers are not comparable for equality: ${why}.`,
  });
  if (matching.pairs.length === 0) return none('other-requests', 'no stage of A has its like on B');
  const plans = matching.pairs.map((pair) => [pair.a.records, pair.b.records] as const);
  const silent = [0, 1].map((side) => plans.every((plan) => plan[side]?.some(({ answerHash }) => answerHash) !== true));
  if (silent.includes(true)) {
    const who = silent[0] && silent[1] ? 'either side' : silent[0] ? 'A' : 'B';
    return none('not-kept', `no hash of their texts was kept on ${who}`);
  }
  const [pairs, planned] = [plans.flatMap(([x, y], stage) => pairsOf(x ?? [], y ?? [], stage)), fewestOf(plans)];
  if (pairs.length < LEAST_MATCHED * planned) {
    return none(
      'other-requests',
      `${whole(pairs.length)} of ${whole(planned)} requests have their like on the other side (the same prompt and parameters)`,
    );
  }
  const answered = pairs.filter(
    (pair) => isSuccess(pair.a) && isSuccess(pair.b) && pair.a.answerHash && pair.b.answerHash,
  );
  if (answered.length === 0) return none('not-kept', 'no request was answered on both sides with a hash of its text');
  const differing = answered.filter((pair) => pair.a.answerHash !== pair.b.answerHash);
  const count = { pairs: answered.length, equal: answered.length - differing.length };
  const [first] = differing;
  if (!first) {
    return {
      state: 'equal',
      ...count,
      words: `Answers: all ${whole(answered.length)} that both sides gave to the same request are the same text.`,
    };
  }
  const certain = certaintyOf(a, b);
  if (certain === undefined) {
    return {
      ...none(
        'sampling',
        'sampling is random (neither temperature 0 nor a seed was sent), so answers may differ by chance',
      ),
      pairs: answered.length,
    };
  }
  const otherLength = differing.filter(({ a: x, b: y }) => lengthOf(x) !== lengthOf(y)).length;
  return {
    state: 'different',
    ...count,
    otherLength,
    first: { stage: first.stage, a: first.a.id, b: first.b.id },
    words: [
      `Answers: ${whole(count.equal)} of ${whole(count.pairs)} (${percent(count.equal / count.pairs)}) are the same text`,
      `the first that differs is request ${first.a.id} of A${first.a.id === first.b.id ? '' : ` (request ${first.b.id} of B)`}`,
      `${whole(otherLength)} of those that differ have another length`,
      `${certain}, so this is no chance of sampling: a quality evaluation is due beside the speed (numerics that depend on the batch can flip single answers; two runs of one side show how many)`,
    ]
      .join('; ')
      .concat('.'),
  };
}

/** The k-th time a side sends a request is the k-th time the other does; adapters are models of their own. */
function pairsOf(a: readonly RequestRecord[], b: readonly RequestRecord[], stage: number): Pair[] {
  const waiting = new Map<string, RequestRecord[]>();
  const key = ({ promptHash, adapter = '' }: RequestRecord): string => `${promptHash} ${adapter}`;
  for (const record of [...b].sort((x, y) => y.id - x.id)) {
    if (record.promptHash === '') continue;
    const list = waiting.get(key(record));
    if (list) list.push(record);
    else waiting.set(key(record), [record]);
  }
  return [...a]
    .sort((x, y) => x.id - y.id)
    .flatMap((record): Pair[] => {
      const other = waiting.get(key(record))?.pop();
      return other ? [{ a: record, b: other, stage }] : [];
    });
}

function fewestOf(
  plans: readonly (readonly [readonly unknown[] | undefined, readonly unknown[] | undefined])[],
): number {
  return plans.reduce((sum, [x, y]) => sum + Math.min(x?.length ?? 0, y?.length ?? 0), 0);
}

function lengthOf(record: RequestRecord): number | undefined {
  return outputTokens(record, 'mixed');
}

/** Why the same request must have the same answer, in words; undefined where chance may decide. */
function certaintyOf(a: Side, b: Side): string | undefined {
  const [x, y] = [greedyWords(a), greedyWords(b)];
  if (x === undefined || y === undefined) return undefined;
  return x === y ? x : `${x} on A, ${y} on B`;
}

function greedyWords(side: Side): string | undefined {
  const sent = factsOn(side).sampling.value ?? {};
  if (sent['temperature'] === 0) return 'Sampling is greedy (temperature 0)';
  if (sent['top_k'] === 1) return 'Sampling is greedy (top_k 1)';
  if (typeof sent['seed'] === 'number') return `Sampling is seeded (seed ${sent['seed']})`;
  if (sent['temperature'] !== undefined) return undefined;
  return serverDefault(side) === 0 ? 'Sampling is greedy (temperature 0 is the server’s default)' : undefined;
}

/** vLLM's `--override-generation-config '{"temperature": 0}'`. */
function serverDefault(side: Side): unknown {
  const text = flagsOf(stackOf(side)?.args ?? []).values.get('override-generation-config');
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['temperature'] : undefined;
  } catch {
    return undefined;
  }
}
