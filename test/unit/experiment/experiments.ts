// Experiments of a test's own: a file, its reading, and slots that ended with figures that the test chooses.
import type { Slot } from '../../../src/experiment/design';
import type { JournalEntry, SlotResult } from '../../../src/experiment/journal';
import { parseExperiment, type Experiment } from '../../../src/experiment/read';

export const MINIMAL = `isoperf: experiment/1
question: Is B faster?
sides:
  a: { config: base.yaml }
  b: { config: base.yaml, set: { server.base_url: "http://b:8000" } }
`;

/** @param more lines behind the minimal file */
export function experimentOf(more = '', text = MINIMAL): Experiment {
  const read = parseExperiment(`${text}${more}`);
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return read.value;
}

export function resultOf(values: Readonly<Record<string, number>>, changes: Partial<SlotResult> = {}): SlotResult {
  return {
    folder: 'slots/x',
    startedAt: '2026-01-01T00:00:00Z',
    seconds: 10,
    stages: [{ load: '8 rps', values }],
    requests: 100,
    failuresPercent: 0,
    cachedShare: 0,
    preparation: {},
    ...changes,
  };
}

export function endedEntries(
  slots: readonly Slot[],
  figures: (slot: Slot) => SlotResult = () => resultOf({ 'ttft.p95': 0.1 }),
): JournalEntry[] {
  return slots.flatMap((slot): JournalEntry[] => [
    { type: 'started', slot: slot.id, attempt: 1, at: '' },
    { type: 'ended', slot: slot.id, attempt: 1, result: figures(slot) },
  ]);
}

/** Seeded, standard normal: a test's noise is the same in every run. */
export function noise(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}
