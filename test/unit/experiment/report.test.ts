// The answer: what it says, and what takes it away: an obstacle, a warm cache, A against A that differs, an order that lets drift in.
import { describe, expect, it } from 'vitest';
import { discardedSlots, slotsOfBlock, type Slot } from '../../../src/experiment/design';
import type { Evidence } from '../../../src/experiment/evidence';
import { progressOf, type JournalEntry, type SlotResult } from '../../../src/experiment/journal';
import { reportOf, type ExperimentReport } from '../../../src/experiment/report';
import { answerSentence, reportLines } from '../../../src/experiment/words';
import { endedEntries, experimentOf, resultOf } from './experiments';

const PRIMARY = 'primary: ttft.p95\nmargin: { ttft.p95: 5% }\n';
/** Of each slot: one part in a thousand, so that an interval has a width. */
const WOBBLE = [1, 1.001, 0.999, 1.0005, 1.002];

interface Case {
  readonly more?: string;
  /** B over A. */
  readonly ratio?: number;
  readonly blocks?: number;
  readonly slot?: (slot: Slot) => Partial<SlotResult>;
  readonly evidence?: Evidence;
  readonly extra?: readonly JournalEntry[];
}

function report({
  more = '',
  ratio = 1,
  blocks = 4,
  slot,
  evidence = { obstacles: [] },
  extra = [],
}: Case): ExperimentReport {
  const experiment = experimentOf(PRIMARY + more);
  const all = (kind: 'aa' | 'block', count: number): Slot[] =>
    Array.from({ length: count }, (_, i) => slotsOfBlock(experiment, kind, i + 1)).flat();
  const slots = [...discardedSlots(experiment), ...all('aa', experiment.calibrate), ...all('block', blocks)];
  const entries = endedEntries(slots, (own) => {
    const wobble = WOBBLE[(own.block * 3 + own.place) % WOBBLE.length]!;
    return resultOf({ 'ttft.p95': 0.1 * wobble * (own.side === 'b' ? ratio : 1) }, slot?.(own));
  });
  const progress = progressOf([
    ...entries,
    { type: 'look', blocks, settled: true },
    { type: 'closed', at: '', why: 'looks' },
    ...extra,
  ]);
  return reportOf({ experiment, hash: 'h', progress, evidence });
}

describe('the answer', () => {
  it.each([
    [1, 'equivalent', 0, /^Equivalent within the margin\./],
    [0.8, 'different', 5, /^Different\..*−20.* on B.*better, beyond the margin 5%/],
    [1.3, 'different', 5, /30.* on B.*worse/],
  ] as const)('%s times as long: %s, exit %d', (ratio, answer, exitCode, words) => {
    const made = report({ ratio });
    expect([made.answer, made.exitCode]).toEqual([answer, exitCode]);
    expect(answerSentence(made)).toMatch(words);
  });

  it('of two blocks of four is open: what is looked at in between would be a look that nobody planned', () => {
    const experiment = experimentOf(PRIMARY);
    const slots = [1, 2].flatMap((block) => slotsOfBlock(experiment, 'block', block));
    const progress = progressOf(endedEntries(slots));
    const made = reportOf({ experiment, hash: 'h', progress, evidence: { obstacles: [] } });
    expect(made.exitCode).toBe(4);
    expect(made.primary[0]!.why).toBe('not-a-look');
  });

  it('is taken away by what else differs and moves it, and not by what moves another metric', () => {
    const obstacle = { state: 'confounds', dimension: 'output-length', title: 'Answer length', message: 'x' } as const;
    const moved = report({ ratio: 0.5, evidence: { obstacles: [{ ...obstacle, moves: [{ metric: 'ttft' }] }] } });
    expect([moved.answer, moved.exitCode]).toEqual(['confounded', 3]);
    const other = report({ ratio: 0.5, evidence: { obstacles: [{ ...obstacle, moves: [{ metric: 'tpot' }] }] } });
    expect(other.answer).toBe('different');
    const open = report({
      ratio: 0.5,
      evidence: { obstacles: [{ ...obstacle, state: 'unknown', moves: [{ metric: 'ttft' }] }] },
    });
    expect([open.answer, open.exitCode]).toEqual(['inconclusive', 4]);
  });

  it('is no claim on TTFT where a later slot of a block found the earlier one’s prompts in the cache', () => {
    const warm = report({ ratio: 0.5, slot: ({ place }) => ({ cachedShare: place > 2 ? 0.9 : 0 }) });
    expect([warm.answer, warm.exitCode]).toEqual(['confounded', 3]);
    const silent = report({ ratio: 0.5, slot: () => ({ cachedShare: undefined as unknown as number }) });
    expect(silent.exitCode).toBe(4);
    expect(silent.obstacles[0]!.message).toContain('prefix cache');
    const reset = report({
      more: 'design: { cache: reset }\n',
      ratio: 0.5,
      slot: () => ({ cachedShare: undefined as unknown as number, preparation: { reset: { ok: true } } }),
    });
    expect(reset.answer).toBe('different');
  });

  it('is no claim where A against A differs as well, or is wider than the margin', () => {
    const apart = report({
      more: 'calibrate: { aa: 3 }\n',
      ratio: 0.9,
      slot: ({ kind, role, block }) =>
        kind === 'aa'
          ? { stages: [{ load: '8 rps', values: { 'ttft.p95': role === 'b' ? 0.12 + block / 1e4 : 0.1 } }] }
          : {},
    });
    expect(apart.primary[0]!.why).toBe('aa-shows-a-difference');
    expect(apart.exitCode).toBe(4);
    const wide = report({
      more: 'calibrate: { aa: 3 }\n',
      slot: ({ kind, role, block }) =>
        kind === 'aa'
          ? { stages: [{ load: '8 rps', values: { 'ttft.p95': role === 'b' ? 0.05 + block * 0.03 : 0.1 } }] }
          : {},
    });
    expect(wide.primary[0]!.why).toBe('aa-wider-than-the-margin');
  });

  it('of one side after the other stays open, whatever its interval', () => {
    const made = report({ more: 'design: { order: a-then-b, reason: one GPU }\n', ratio: 0.5 });
    expect([made.answer, made.primary[0]!.why]).toEqual(['inconclusive', 'drift']);
  });

  it('is none where nothing recorded shows the declared change, or more changed', () => {
    const with_ = (state: 'absent' | 'more'): ExperimentReport =>
      report({ ratio: 0.5, evidence: { obstacles: [], change: { state, words: 'seed changed too' } } });
    expect(with_('absent').answer).toBe('inconclusive');
    expect([with_('more').answer, with_('more').exitCode]).toEqual(['confounded', 3]);
  });

  it('stands in text and Markdown with what it rests on', () => {
    for (const markdown of [true, false]) {
      const text = reportLines(report({ ratio: 0.8 }), markdown).join('\n');
      expect(text).toContain('4 whole blocks of 4');
      expect(text).toContain('exact sign-flip p 0.125');
      expect(text).not.toMatch(/undefined|NaN|\[object/);
    }
  });
});
