// A saved comparison, opened again: what files from before there were answers lack is filled in from what they say.
import type { Answer, Comparison } from './comparison';
import { comparisonSchema } from './comparison-schema';
import { isObject } from '../own';

/** The comparison, or why it is none that IsoPerf wrote. */
export function openComparison(value: unknown): Comparison | string {
  const checked = comparisonSchema.safeParse(filled(value));
  if (checked.success) return checked.data as Comparison;
  const [issue] = checked.error.issues;
  return `at '${issue?.path.join('.') ?? ''}': ${issue?.message ?? ''}`;
}

type Loose = Readonly<Record<string, unknown>>;

function filled(saved: unknown): unknown {
  if (!isObject(saved) || !Array.isArray(saved['metrics'])) return saved;
  const { repeats } = saved;
  const metrics = saved['metrics'].map((row: unknown) =>
    isObject(row) && isObject(row['difference'])
      ? { ...row, difference: filledDifference(row['difference'], isObject(repeats)) }
      : row,
  );
  // Which runs took turns was not kept: drift is not excluded.
  return { ...saved, metrics, ...(isObject(repeats) ? { repeats: { balance: 'open', ...repeats } } : {}) };
}

function filledDifference(difference: Loose, repeated: boolean): Loose {
  const { paired } = difference;
  return {
    answer: answerOf(difference, repeated),
    ...difference,
    ...(isObject(paired) ? { paired: { together: 'apart' in paired, ...paired } } : {}),
  };
}

/** What an interval, and whether there were repeats, allow to be said. */
function answerOf({ interval, detected }: Loose, repeated: boolean): Answer {
  if (interval === undefined) return { kind: 'inconclusive', reason: 'no-interval' };
  if (detected !== true) return { kind: 'inconclusive', reason: 'chance' };
  return { kind: 'inconclusive', reason: repeated ? 'drift' : 'single-runs' };
}
