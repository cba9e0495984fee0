// Time to first visible content: a number of its own beside TTFT, absent with a reason where it would be TTFT again.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import { QUANTITIES } from '../../../src/metrics/quantities';
import type { RequestRecord } from '../../../src/metrics/record';
import { summarize } from '../../../src/metrics/summarize';
import { parseLifecycle } from '../../../src/readers/read-lifecycle';
import { reportOf } from '../../../src/readers/own';
import type { Run } from '../../../src/readers/run';
import { syntheticRun } from '../support/synthetic-run';

/** Content begins so much after the first token; NaN: it never does. */
function thinking(run: Run, seconds: number): Run {
  const records = run.records!.map((record): RequestRecord => {
    const { firstContentSeconds, ...rest } = record;
    if (firstContentSeconds === undefined || Number.isNaN(seconds)) return rest;
    return { ...rest, firstContentSeconds: firstContentSeconds + seconds };
  });
  return { ...run, records };
}

const OPTIONS = { percentiles: [50, 99], outputTokenSource: 'server-usage' } as const;
const KEY = 'isoperf.time_to_first_content';

describe('in a report', () => {
  it('stands beside TTFT where answers reason', () => {
    const report = summarize(thinking(syntheticRun(), 0.5).records!, OPTIONS);
    const { time_to_first_token: ttft } = report.successes.latency;
    expect(report.isoperf!.time_to_first_content!['mean']! - ttft!['mean']!).toBeCloseTo(0.5, 6);
    expect(report.isoperf!.not_measured[KEY]).toBeUndefined();
    const read = parseLifecycle(JSON.stringify(report), 'x');
    expect(read.ok && read.value.isoperf!.time_to_first_content).toEqual(report.isoperf!.time_to_first_content);
  });

  it('is absent with its reason where nothing came before the content, and where content never came', () => {
    const plain = summarize(syntheticRun().records!, OPTIONS).isoperf!;
    expect(plain).not.toHaveProperty('time_to_first_content');
    expect(plain.not_measured[KEY]).toContain('time to first token');
    const never = summarize(thinking(syntheticRun(), NaN).records!, OPTIONS).isoperf!;
    expect(never).not.toHaveProperty('time_to_first_content');
    expect(never.not_measured[KEY]).toBe('400 of 400 answers never came to visible content');
    const whole = summarize(syntheticRun({ streaming: false }).records!, OPTIONS).isoperf!;
    expect(whole).not.toHaveProperty('time_to_first_content');
  });

  it('becomes a quantity of our own folders', () => {
    const run = thinking(syntheticRun(), 0.5);
    const { records, ...folder } = run;
    const report = reportOf({ ...folder, stages: new Map([[0, summarize(records!, OPTIONS)]]) });
    expect(report.scopes[0]!.measures.find(({ quantity }) => quantity === 'ttfc')).toMatchObject({
      source: { key: `${QUANTITIES.ttfc.key}.*` },
      definition: { anchor: 'first-content' },
    });
  });
});

describe('in a comparison', () => {
  const rows = (a: Run, b: Run) => compare(a, b, { resamples: 50 }).metrics.filter(({ metric }) => metric === 'ttfc');
  const plain = syntheticRun({ seed: 1, promptSeed: 1 });
  const other = syntheticRun({ seed: 2, promptSeed: 1 });

  it('has rows where either side reasons, and none where neither does', () => {
    expect(rows(plain, other)).toEqual([]);
    const mean = rows(plain, thinking(other, 0.5)).find(({ statistic }) => statistic === 'mean')!;
    expect(mean.label).toBe('Time to first content mean');
    expect(mean.difference!.absolute).toBeGreaterThan(450);
    expect(rows(thinking(plain, 0.5), thinking(other, 0.5)).length).toBeGreaterThan(0);
  });

  it('has no value where content never came: the reason, not 0', () => {
    const [mean] = rows(thinking(plain, NaN), thinking(other, 0.5));
    expect(mean!.a).toEqual({ n: 0, missing: 'no answer came to visible content' });
  });

  it('is moved by what moves TTFT or the latency', () => {
    const [mean] = rows(
      thinking(syntheticRun({ seed: 1, maxTokens: 32 }), 0.5),
      thinking(syntheticRun({ seed: 2, maxTokens: 64 }), 0.5),
    );
    expect(mean!.verdict).toBe('confounded');
  });
});
