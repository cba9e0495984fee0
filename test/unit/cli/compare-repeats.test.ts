// `isoperf compare` of repeats: their order, a margin, and how many further runs would settle it.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compareCommand } from '../../../src/cli/compare';
import type { Comparison } from '../../../src/comparability/comparison';
import type { Run } from '../../../src/readers/run';
import { called, type Said } from '../support/cli-call';
import { syntheticRun } from '../support/synthetic-run';
import { writeRun } from '../support/write-run';

const home = mkdtempSync(path.join(os.tmpdir(), 'isoperf-compare-repeats-'));
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

const write = (name: string, run: Run): void => writeRun(path.join(home, name), run);
const call = (...args: string[]): Promise<Said> => called(compareCommand, home, args);

describe('repeats and a margin', () => {
  /** Runs started one after the other in an order such as "ABBA"; each so much slower than the one before. */
  function started(order: string, drift: number, jitter = 0.02): { a: string; b: string } {
    const names = Array.from(order, (side, i) => {
      const name = `${order.toLowerCase()}-${String(drift)}-${String(jitter)}-${side.toLowerCase()}${i}`;
      const run = syntheticRun({ seed: 40 + i, jitter, ttftSeconds: 0.05 * (1 + drift * i) });
      const startedAt = new Date(Date.UTC(2026, 10, 29, 12, i)).toISOString();
      write(name, { ...run, manifest: { ...run.manifest!, clock: { ...run.manifest!.clock, startedAt } } });
      return { side, name };
    });
    const of = (side: string): string => names.flatMap((one) => (one.side === side ? [one.name] : [])).join(',');
    return { a: of('A'), b: of('B') };
  }
  const ttft = async (order: string, drift: number, margin: string, jitter?: number) => {
    const { a, b } = started(order, drift, jitter);
    const { out } = await call(a, b, '--margin', margin, '--json');
    const { metrics, repeats } = JSON.parse(out) as Comparison;
    const { difference } = metrics.find(({ metric, statistic }) => metric === 'ttft' && statistic === 'p95')!;
    return { ...difference!, order: repeats!.order, balance: repeats!.balance };
  };

  it('--margin ttft.p95=5%: equivalent where the runs took turns and agree', async () => {
    const { answer, words, order } = await ttft('ABBAAB', 0, 'ttft.p95=5%');
    expect(answer).toEqual({ kind: 'equivalent', reason: 'within-margin', margin: 'ttft.p95=5%' });
    expect(words).toMatch(/^equivalent within the margin ttft\.p95=5%/);
    expect(order).toBe('alternating (A B B A A B)');
    const { a, b } = started('ABBAAB', 0);
    expect((await call(a, b, '--margin', 'ttft.p95=5%', '--all')).out).toContain('equivalent');
  });

  it('A A A B B B under drift: drift not excluded, neither different nor equivalent', async () => {
    const { answer, words, balance } = await ttft('AAABBB', 0.02, 'ttft.p95=1%');
    expect(answer).toMatchObject({ kind: 'inconclusive', reason: 'drift' });
    expect(words).toContain('drift is not excluded');
    expect(balance).toBe('open');
    const { a, b } = started('AAABBB', 0.02);
    const { out } = await call(a, b, '--all');
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      'Order of the runs: one side after the other (A A A B B B). Drift of the server or the machine is not excluded',
    );
    expect(out).not.toMatch(/\b(?:better|worse)\b/);
    // Turns tell the same drift from a difference.
    expect((await ttft('ABBAAB', 0.02, 'ttft.p95=1%')).answer.reason).not.toBe('repeats');
  });

  it('inconclusive says how many further runs a side would settle it', async () => {
    const { answer, words } = await ttft('ABBAAB', 0, 'ttft.p95=0.3%', 0.3);
    expect(answer.kind).toBe('inconclusive');
    const further = /(\d+) further runs? a side would settle it/.exec(words);
    expect(answer.furtherRuns === undefined ? further : Number(further![1])).toBe(answer.furtherRuns ?? null);
    const wide = await ttft('ABBAAB', 0, 'ttft.p95=2%', 0.3);
    expect(wide.answer.kind).toBe('inconclusive');
    expect(wide.answer.furtherRuns).toBeGreaterThan(0);
    expect(wide.words).toContain(`${wide.answer.furtherRuns!} further run`);
  });
});
