// An experiment step by step: what a kill finds, what a void slot costs, when it looks, when it ends.
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Slot } from '../../../src/experiment/design';
import { progressOf, type SlotResult } from '../../../src/experiment/journal';
import type { Experiment } from '../../../src/experiment/read';
import { runExperiment, type ExperimentEnd } from '../../../src/run/experiment';
import {
  changedParts,
  ExperimentFolder,
  freeze,
  readEntries,
  type FrozenPlan,
} from '../../../src/run/experiment-folder';
import { experimentOf, resultOf } from '../experiment/experiments';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-experiment-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const PLAN: FrozenPlan = {
  format: 'isoperf-experiment-plan',
  version: 1,
  hash: 'h',
  tool: 't',
  frozenAt: '',
  file: 'e',
  parts: {},
};

class Killed extends Error {}

/** Runs on what the folder holds. @returns the slots that were sent, in their order */
async function go(
  experiment: Experiment,
  figures: (slot: Slot, sent: number) => SlotResult | string = () => resultOf({ 'ttft.p95': 0.1 }),
): Promise<{ readonly sent: string[]; readonly end?: ExperimentEnd }> {
  const store = ExperimentFolder.open(folder, PLAN);
  if (typeof store === 'number') throw new Error('locked');
  const sent: string[] = [];
  try {
    const end = await runExperiment(experiment, store, readEntries(folder), {
      secondsOfBlock: 40,
      ports: {
        run: (slot) => {
          sent.push(`${slot.id}:${slot.seed}`);
          return Promise.resolve(figures(slot, sent.length));
        },
        say: () => undefined,
        now: () => new Date(0),
        isStopped: () => false,
      },
    });
    return { sent, end };
  } catch (error) {
    if (error instanceof Killed) return { sent };
    throw error;
  } finally {
    store.close();
  }
}

const ids = (sent: readonly string[]): string[] => sent.map((entry) => entry.split(':')[0]!);

describe('an experiment that runs', () => {
  it('sends discarded slots, then its blocks, looks once and ends', async () => {
    const { sent, end } = await go(experimentOf());
    expect(end).toEqual({ kind: 'closed' });
    expect(ids(sent)).toEqual([...['d1', 'd2'], ...[1, 2, 3, 4].flatMap((b) => [1, 2, 3, 4].map((p) => `b${b}.${p}`))]);
    const progress = progressOf(readEntries(folder));
    expect(progress.looks).toEqual([4]);
    expect(progress.closed).toBe('looks');
    expect((await go(experimentOf())).sent).toEqual([]);
  });

  it.each([1, 7, 12, 18])(
    'killed in its slot %d: goes on with the same slots and streams, and runs none twice',
    async (at) => {
      const whole = (await go(experimentOf())).sent;
      rmSync(folder, { recursive: true });
      const first = await go(experimentOf(), (_slot, sent) => {
        if (sent === at) throw new Killed();
        return resultOf({ 'ttft.p95': 0.1 });
      });
      const second = await go(experimentOf());
      expect([...first.sent.slice(0, -1), ...second.sent]).toEqual(whole);
    },
  );

  it('killed in the middle of a line of its journal: the half line is nothing', async () => {
    await go(experimentOf(), (_slot, sent) => {
      if (sent === 5) throw new Killed();
      return resultOf({ 'ttft.p95': 0.1 });
    });
    const journal = path.join(folder, 'journal.jsonl');
    appendFileSync(journal, '{"type":"ended","slot":"b1.3","attem');
    const { sent } = await go(experimentOf());
    expect(ids(sent)[0]).toBe('b1.3');
    for (const line of readFileSync(journal, 'utf8').trim().split('\n'))
      expect(() => JSON.parse(line) as unknown).not.toThrow();
  });

  it('a slot that could not be sent stops it, and is tried again', async () => {
    const first = await go(experimentOf(), (slot) =>
      slot.id === 'b2.1' ? 'no server' : resultOf({ 'ttft.p95': 0.1 }),
    );
    expect(first.end).toEqual({ kind: 'stopped', reason: 'no server' });
    const second = await go(experimentOf());
    expect(ids(second.sent)[0]).toBe('b2.1');
    expect(progressOf(readEntries(folder)).attempts.get('b2.1')).toBe(2);
  });

  it('a void slot ends its block, which is repeated behind the last with a stream of its own', async () => {
    const { sent } = await go(experimentOf(), (slot) =>
      resultOf({ 'ttft.p95': 0.1 }, slot.id === 'b2.2' ? { void: ['late'] } : {}),
    );
    expect(ids(sent)).not.toContain('b2.3');
    expect(ids(sent).slice(-4)).toEqual(['b5.1', 'b5.2', 'b5.3', 'b5.4']);
    expect(progressOf(readEntries(folder)).looks).toEqual([4]);
  });

  it('voids without end are called what they are', async () => {
    const { end, sent } = await go(experimentOf(), () => resultOf({ 'ttft.p95': 0.1 }, { void: ['late'] }));
    expect(end).toEqual({ kind: 'closed' });
    expect(progressOf(readEntries(folder)).closed).toBe('void');
    expect(sent.length).toBeLessThan(12);
  });

  it('begins no block that would end behind its budget', async () => {
    const { sent } = await go(experimentOf('budget: { minutes: 2 }\n'));
    expect(progressOf(readEntries(folder)).closed).toBe('budget');
    expect(ids(sent).at(-1)).toBe('b2.4');
  });

  it('ends at an early look that settles every primary number, and not at one that does not', async () => {
    const early = experimentOf('primary: ttft.p95\nmargin: { ttft.p95: 5% }\nstop: { looks: [3, 6] }\n');
    const wobble = (slot: Slot): number => 0.1 * (1 + ((slot.block * 7 + slot.place * 3) % 5) / 1000);
    const quiet = await go(early, (slot) => resultOf({ 'ttft.p95': wobble(slot) }));
    expect(ids(quiet.sent).at(-1)).toBe('b3.4');
    rmSync(folder, { recursive: true });
    const loud = await go(early, (slot) =>
      resultOf({ 'ttft.p95': 0.1 * (slot.side === 'b' ? 1 + 0.3 * (slot.block % 2) : 1) }),
    );
    expect(ids(loud.sent).at(-1)).toBe('b6.4');
    expect(progressOf(readEntries(folder)).looks).toEqual([3, 6]);
  });

  it('Stein’s second stage is fixed once, from the pilot', async () => {
    const stein = experimentOf('primary: ttft.p95\nstop: { width: { ttft.p95: 2% }, pilot: 4, most: 9 }\n');
    const noisy = (slot: Slot): SlotResult =>
      resultOf({ 'ttft.p95': 0.1 * (1 + (slot.side === 'b' ? (slot.block % 3) * 0.05 : 0)) });
    const { sent } = await go(stein, noisy);
    const { size } = progressOf(readEntries(folder));
    expect(size).toBeGreaterThan(4);
    expect(ids(sent).at(-1)).toBe(`b${size}.4`);
    rmSync(folder, { recursive: true });
    const still = await go(stein, (slot) => resultOf({ 'ttft.p95': 0.1 + slot.block * 1e-6 }));
    expect(ids(still.sent).at(-1)).toBe('b4.4');
  });
});

describe('the frozen plan', () => {
  it('names what was edited since: a look, a margin, a config', () => {
    const parts = { stop: { looks: [4] }, margin: { 'ttft.p95': '5%' }, 'config of a': 'load: 1' };
    const frozen = { ...PLAN, ...freeze(parts) };
    expect(changedParts(frozen, freeze({ ...parts }))).toEqual([]);
    expect(changedParts(frozen, freeze({ ...parts, stop: { looks: [4, 8] } }))).toEqual(['stop']);
    expect(changedParts(frozen, freeze({ ...parts, 'config of a': 'load: 2', calibrate: { aa: 1 } }))).toEqual([
      'calibrate',
      'config of a',
    ]);
  });

  it('does not depend on the order of keys', () => {
    expect(freeze({ a: { x: 1, y: 2 }, b: 1 }).hash).toBe(freeze({ b: 1, a: { y: 2, x: 1 } }).hash);
  });

  it('one process at a time: another that lives is named, one that died is not', () => {
    const first = ExperimentFolder.open(folder, PLAN);
    expect(typeof first).toBe('object');
    if (typeof first === 'object') first.close();
    const second = ExperimentFolder.open(folder, PLAN);
    expect(typeof second).toBe('object');
    if (typeof second === 'object') second.close();
  });
});
