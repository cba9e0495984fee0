// The comparison view: order, words and places; and on real comparisons, that nothing is lost on the way to it.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import { comparisonView, placeOf } from '../../../src/views/comparison/view';
import { metricExtras } from '../../../src/views/comparison/extras';
import { movesWords } from '../../../src/views/comparison/words';
import { COMPARISON, RUN_A, RUN_B } from '../../page/sample-comparison';

const view = comparisonView(COMPARISON, RUN_A, RUN_B);

describe('the comparison view', () => {
  it('groups findings worst first, each with its index into the comparison', () => {
    expect(view.groups.map(({ state, findings }) => [state, findings.map((finding) => finding.index)])).toEqual([
      ['confounds', [0, 1]],
      ['unknown', [2]],
      ['same', [3]],
    ]);
  });

  it('says which metrics a difference moves', () => {
    expect(view.groups[0]!.findings[0]!.moves).toBe('TTFT (p95, p99); request latency, requests/s');
    expect(movesWords([{ metric: 'tpot' }])).toBe('TPOT');
    expect(view.groups[2]!.findings[0]!.moves).toBe('');
  });

  it('shows missing evidence and missing numbers as what they are', () => {
    const [unknown] = view.groups[1]!.findings;
    expect(unknown!.evidence[0]).toMatchObject({ b: 'not recorded', isEqual: false });
    const p99 = view.metrics[0]!.rows.find((row) => row.label === 'TTFT p99')!;
    expect(p99.a).toMatchObject({ text: '–', weak: true });
    expect(p99.a.note).toContain('n = 100 is under the 299 that p99 needs');
  });

  it('names what stands behind each verdict', () => {
    const words = view.metrics[0]!.rows.map((row) => row.verdictWords);
    expect(words[0]).toBe('confounded by warm-up');
    expect(words[3]).toBe('comparable');
    expect(words[4]).toBe('undetermined: client limit');
  });

  it('marks the fields of the two heads that differ', () => {
    expect(view.heads.filter((row) => row.differs).map((row) => row.label)).toEqual(['Load']);
  });

  it('has the answer of the first screen: chips, the next step, and key numbers that name their findings', () => {
    const { chips, next, word } = view.verdict;
    expect(word).toBe('Not comparable');
    expect(chips.map(({ title, state }) => [title, state])).toEqual([
      ['Warm-up', 'confounds'],
      ['Token source', 'confounds'],
      ['Client limit', 'unknown'],
    ]);
    expect(next).toMatch(/^Mark the same stage/);
    expect(view.groups.flatMap(({ findings }) => findings.map(({ number }) => number))).toEqual([1, 2, 3, undefined]);
    const ttft = view.key.rows.find(({ label }) => label === 'TTFT p95')!;
    expect(ttft).toMatchObject({ verdict: 'confounded', words: 'by 1' });
    expect(ttft.bar!.at).toBeCloseTo((98.8 / 88.2 - 1) * 100, 6);
  });

  it('opens the config where there is a place in it, else a file of the folder, else nothing', () => {
    expect(placeOf(COMPARISON.findings[0]!.a, RUN_A)?.configPath).toEqual(['load', 'type']);
    expect(placeOf(COMPARISON.findings[0]!.b, RUN_B)?.file).toBe('run.json');
    expect(placeOf({ summary: '', evidence: [{ file: 'elsewhere.json', key: 'x' }] }, RUN_B)).toBeUndefined();
  });

  it('keeps every finding and every metric of a real comparison', () => {
    const real = compare(RUN_A, RUN_B);
    const shown = comparisonView(real, RUN_A, RUN_B);
    expect(shown.groups.flatMap((group) => group.findings)).toHaveLength(real.findings.length);
    expect(shown.metrics.flatMap((table) => table.rows)).toHaveLength(real.metrics.length);
    expect(shown.charts.map((group) => group.id)).toContain('overlay');
  });

  it('offers what can be aligned, and shows on real runs what each step took away', () => {
    const switches = (align: readonly ('token-source' | 'warmup-window')[]) => {
      const real = compare(RUN_A, RUN_B, { resamples: 50, align });
      return { real, shown: comparisonView(real, RUN_A, RUN_B) };
    };
    const before = switches([]).shown;
    expect(before.alignment.map(({ id, on }) => [id, on])).toEqual(
      expect.arrayContaining([
        ['token-source', false],
        ['warmup-window', false],
      ]),
    );
    expect(before.alignment.every(({ words }) => words !== '')).toBe(true);
    const { real, shown } = switches(['warmup-window']);
    // A box that is ticked stays where it is, whatever its finding became.
    const order = (one: typeof shown): readonly string[] => one.alignment.map(({ id }) => id);
    for (const align of [['token-source'], ['warmup-window'], ['token-source', 'warmup-window']] as const) {
      expect(order(switches(align).shown)).toEqual(order(before));
    }
    expect(shown.alignment.find(({ id }) => id === 'warmup-window')).toMatchObject({
      on: true,
      words: real.alignment![0]!.words,
    });
    const words = shown.metrics.flatMap(({ rows }) => rows).map((row) => row.words);
    expect(words.some((text) => /% of A before alignment, .* % after/.test(text))).toBe(
      real.metrics.some((metric) => metric.alignment !== undefined),
    );
  });

  it('shows no residue of subtracting', () => {
    const [row] = COMPARISON.metrics;
    const shares = [{ dimension: 'warmup-window', percentOfA: 8.88e-16 } as const];
    const alignment = { beforePercentOfA: 12, afterPercentOfA: 12, shares, words: '' };
    const words = metricExtras({ ...row!, alignment }, new Map([['warmup-window', 'Warm-up']]));
    expect(words).toEqual(['12.0 % of A before alignment, 12.0 % after: warm-up 0 points']);
  });

  it('draws A and B in one frame', () => {
    const [ttft] = view.charts.find((group) => group.id === 'overlay')!.choices;
    expect(ttft!.series.map((series) => series.tone)).toEqual(['a', 'b']);
    expect(ttft!.sentence).toMatch(/^TTFT: median .* in A, .* in B; p95 /);
  });
});
