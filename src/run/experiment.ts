// Runs an experiment: one step after another, each written to the journal before the next, so that a kill loses one slot at most.
import type { Slot } from '../experiment/design';
import { progressOf, type JournalEntry, type SlotResult } from '../experiment/journal';
import { blocksOf, nextStep, type Step } from '../experiment/next';
import type { Experiment } from '../experiment/read';
import { alphaOf, reportOf, valuesOf } from '../experiment/report';
import { blockDifferences, steinBlocks, marginOfShare } from '../experiment/statistics';
import type { ExperimentFolder } from './experiment-folder';

export interface ExperimentPorts {
  /** Sends one slot. A text: why it could not be run at all; the experiment stops there and can be resumed. */
  readonly run: (slot: Slot, attempt: number) => Promise<SlotResult | string>;
  readonly say: (
    step:
      Exclude<Step, { kind: 'slot' }> | { readonly kind: 'ended'; readonly slot: Slot; readonly result: SlotResult },
  ) => void;
  readonly now: () => Date;
  /** Whether somebody asked to stop. */
  readonly isStopped: () => boolean;
}

export type ExperimentEnd = { readonly kind: 'closed' } | { readonly kind: 'stopped'; readonly reason: string };

/** @param entries what the journal holds already: nothing of it is run again */
export async function runExperiment(
  experiment: Experiment,
  folder: ExperimentFolder,
  entries: readonly JournalEntry[],
  { secondsOfBlock, ports }: { readonly secondsOfBlock: number; readonly ports: ExperimentPorts },
): Promise<ExperimentEnd> {
  const journal = [...entries];
  const write = (entry: JournalEntry): void => {
    folder.write(entry);
    journal.push(entry);
  };
  for (;;) {
    const progress = progressOf(journal);
    const step = nextStep(experiment, progress, secondsOfBlock);
    if (step === undefined) return { kind: 'closed' };
    if (step.kind !== 'slot') ports.say(step);
    switch (step.kind) {
      case 'slot': {
        if (ports.isStopped()) return { kind: 'stopped', reason: 'it was stopped' };
        const { slot, attempt } = step;
        write({ type: 'started', slot: slot.id, attempt, at: ports.now().toISOString() });
        const result = await ports.run(slot, attempt);
        if (typeof result === 'string') {
          write({ type: 'failed', slot: slot.id, attempt, reason: result });
          return { kind: 'stopped', reason: result };
        }
        write({ type: 'ended', slot: slot.id, attempt, result });
        ports.say({ kind: 'ended', slot, result });
        break;
      }
      case 'look':
        write({ type: 'look', blocks: step.blocks, settled: step.last || isSettled(experiment, journal) });
        break;
      case 'size':
        write({ type: 'size', blocks: sizeOf(experiment, journal) });
        break;
      case 'close':
        write({ type: 'closed', at: ports.now().toISOString(), why: step.why });
        break;
    }
  }
}

/** Every primary number has its answer, by the blocks alone: what else stands in the way, more blocks would not move. */
function isSettled(experiment: Experiment, journal: readonly JournalEntry[]): boolean {
  const progress = progressOf(journal);
  const { primary } = reportOf({ experiment, hash: '', progress, evidence: { obstacles: [] } });
  return primary.every(({ kind, why }) => kind !== 'inconclusive' || (why !== 'chance' && why !== 'not-a-look'));
}

/** Of Stein's second stage: what the pilot's most uncertain number needs. */
function sizeOf(experiment: Experiment, journal: readonly JournalEntry[]): number {
  const stein = experiment.stein!;
  const { whole } = blocksOf(experiment, 'block', progressOf(journal));
  const stages = whole[0]?.slots[0]?.result.stages ?? [];
  const needed = experiment.primary.flatMap(({ metric }) => {
    const width = stein.widths.get(metric.key);
    if (!width) return [];
    return stages.map((_, stage) => {
      const values = valuesOf(whole, stage, metric.key);
      const { values: pilot, scale } = blockDifferences(values);
      const level = values.flatMap(({ a }) => a).reduce((sum, value, _i, all) => sum + value / all.length, 0);
      const reach =
        scale === 'ratio'
          ? marginOfShare(width.share ?? width.absolute! / level).high
          : (width.absolute ?? width.share! * level);
      return steinBlocks(pilot, reach, alphaOf(experiment) / (experiment.primary.length * stages.length));
    });
  });
  return Math.min(stein.most, Math.max(stein.pilot, ...needed));
}
