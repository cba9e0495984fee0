// What may be the change under test: a change to what is measured. How it was measured cannot be declared away.
import type { DimensionId } from './comparison';

/** Dimensions of one group are one change: a load is its model, its arrivals and its rate. */
const GROUPS = {
  server: ['server'],
  topology: ['topology'],
  'network path': ['network-path'],
  'prefix cache': ['cache-state'],
  sampling: ['sampling'],
  'endpoint mode': ['endpoint-mode'],
  load: ['load-model', 'arrival-process', 'offered-load'],
  lengths: ['input-length', 'output-length'],
} as const satisfies Readonly<Record<string, readonly DimensionId[]>>;

export type Intendable = (typeof GROUPS)[keyof typeof GROUPS][number];

export const INTENDABLE: readonly Intendable[] = Object.values(GROUPS).flat();

export function isIntendable(dimension: string): dimension is Intendable {
  return INTENDABLE.some((id) => id === dimension);
}

/** Names of the changes that these dimensions are: several of one group are one. */
export function changesOf(dimensions: readonly DimensionId[]): readonly string[] {
  return Object.entries(GROUPS).flatMap(([name, ids]: readonly [string, readonly DimensionId[]]) =>
    ids.some((id) => dimensions.includes(id)) ? [name] : [],
  );
}

/** Why a dimension cannot be declared, for messages. */
export const NOT_INTENDABLE = 'says how the numbers were measured, which cannot be the change under test';
