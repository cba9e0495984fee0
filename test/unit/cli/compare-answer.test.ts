// The one screen that `isoperf compare` answers on.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareCommand } from '../../../src/cli/compare';
import type { CliIo } from '../../../src/cli/command';
import type { Comparison } from '../../../src/comparability/comparison';
import type { Run } from '../../../src/readers/run';
import { called, type Said } from '../support/cli-call';
import { syntheticRun } from '../support/synthetic-run';
import { writeRun } from '../support/write-run';

const home = mkdtempSync(path.join(os.tmpdir(), 'isoperf-compare-answer-'));
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

const write = (name: string, run: Run): void => writeRun(path.join(home, name), run);
const call = (...args: string[]): Promise<Said> => called(compareCommand, home, args);
const callIn = (more: Partial<CliIo>, ...args: string[]): Promise<Said> => called(compareCommand, home, args, more);

const STAGE = { rateRps: 20, durationSeconds: 20 };

beforeAll(() => {
  const stages = [{ rateRps: 5, durationSeconds: 5, warmup: true }, STAGE];
  write('a', syntheticRun({ seed: 1, stages }));
  write('a2', syntheticRun({ seed: 2, stages }));
  write('b', syntheticRun({ seed: 3, usage: false, maxTokens: { from: 8, to: 56 }, stages: [STAGE] }));
});

describe('the answer', () => {
  const rows = (out: string): string[] => out.split('\n');

  it('fits one screen: verdict first and last, a line for each thing that differs, the key numbers, the claim', async () => {
    const { out } = await callIn({ columns: 80 }, 'a', 'b');
    const lines = rows(out);
    expect(lines.length).toBeLessThanOrEqual(31);
    expect(lines[0]).toMatch(/^Not comparable: A and B differ in/);
    expect(lines.at(-2)).toBe('Verdict: not comparable');
    expect(out).toMatch(/^1 {2}Warm-up and window .* warmup-window$/m);
    expect(out).toMatch(/^2 {2}Answer length .* –$/m);
    expect(out).toMatch(/^3 {2}Token counter .* token-source$/m);
    for (const label of ['TTFT p50', 'TTFT p95', 'TPOT mean', 'Request latency p95', 'Output tokens/s']) {
      expect(out).toMatch(new RegExp(`^~ {2}${label}.* by [123]`, 'm'));
    }
    expect(out).toMatch(/^No claim can be made/m);
    expect(out).toMatch(/--all shows evidence, remedies/);
    expect((await callIn({ columns: 80 }, 'a', 'b', '--all')).out.length).toBeGreaterThan(3 * out.length);
  });

  it('names no number that is not on the screen: what is not recorded has none, and further differences have theirs', async () => {
    const { out } = await call('a', 'b', '--json');
    const shown = async (change: (all: Comparison) => Comparison): Promise<string> => {
      writeFileSync(path.join(home, 'many.json'), JSON.stringify(change(JSON.parse(out) as Comparison)));
      return (await call('many.json')).out;
    };
    const open = await shown((all) => ({
      ...all,
      metrics: all.metrics.map((row) => ({ ...row, verdict: 'undetermined' as const })),
    }));
    expect(open).toMatch(/^\? {2}TPOT mean, ms .* cannot be told$/m);
    expect(open).not.toMatch(/undetermined: \d/);
    const many = await shown((all) => {
      const confounded = all.findings
        .filter(({ assumed }) => assumed === undefined)
        .map((finding, i) => (i < 8 ? { ...finding, state: 'confounds' as const } : finding));
      return { ...all, findings: confounded };
    });
    expect(many).toMatch(/^6 {2}\S/m);
    expect(many).toMatch(/^ {3}and in .* \(7\), .* \(8\)$/m);
  });

  it('of an honest repeat has nothing that differs, and says what the intervals are within', async () => {
    const { out } = await callIn({ columns: 80 }, 'a', 'a2');
    expect(rows(out).length).toBeLessThanOrEqual(31);
    expect(out).toMatch(/^Comparable: no difference found/);
    expect(out).not.toMatch(/differs in/);
    expect(out).toMatch(/With one run a side/);
  });

  it('takes the load where a key number differs most, and says of how many', async () => {
    const stages = [STAGE, { rateRps: 40, durationSeconds: 20 }];
    write('two-loads', syntheticRun({ seed: 21, stages }));
    write('two-loads-b', syntheticRun({ seed: 22, stages, maxTokens: { from: 8, to: 56 } }));
    const { out } = await call('two-loads', 'two-loads-b');
    const { stages: matched, metrics } = JSON.parse(
      (await call('two-loads', 'two-loads-b', '--json')).out,
    ) as Comparison;
    const most = (stage: number): number =>
      Math.max(
        ...metrics
          .filter(
            (row) => row.stage === stage && /^(ttft|tpot|request_latency|output_tokens_per_sec)$/.test(row.metric),
          )
          .filter(({ statistic }) => ['p50', 'mean', 'p95', 'value'].includes(statistic))
          .filter(({ metric, statistic }) => !(metric === 'ttft' && statistic === 'mean'))
          .filter(({ metric, statistic }) => !(metric === 'tpot' && statistic !== 'mean'))
          .filter(({ metric, statistic }) => !(metric === 'request_latency' && statistic !== 'p95'))
          .map(({ difference }) => Math.abs(difference?.percentOfA ?? 0)),
      );
    const stage = most(0) >= most(1) ? 0 : 1;
    expect(out).toContain(`At ${matched[stage]!.label}, of 2 loads the one where they differ most:\n`);
  });

  it('says whether the answers were the same, where that could be told', async () => {
    const { out } = await call('a', 'a2', '--json');
    const shown = async (answers: Comparison['answers']): Promise<string> => {
      writeFileSync(path.join(home, 'answers.json'), JSON.stringify({ ...(JSON.parse(out) as Comparison), answers }));
      return (await call('answers.json')).out;
    };
    const words = 'Answers: 2 of 3 are the same text';
    expect(await shown({ state: 'different', pairs: 3, equal: 2, words })).toContain(words);
    expect(await shown({ state: 'not-comparable', reason: 'sampling', pairs: 3, words })).not.toContain(words);
  });

  it('colours the verdict’s word where the terminal has colours, and nothing else', async () => {
    const { out } = await callIn({ columns: 80, isColoured: true }, 'a', 'b');
    // eslint-disable-next-line no-control-regex
    expect(out.match(/\u001b\[1;31m[^\u001b]*\u001b\[0m/g)).toEqual([
      '\u001b[1;31mNot comparable\u001b[0m',
      '\u001b[1;31mnot comparable\u001b[0m',
    ]);
    const plain = (await callIn({ columns: 80 }, 'a', 'b')).out;
    // eslint-disable-next-line no-control-regex
    expect(out.replaceAll(/\u001b\[[0-9;]*m/g, '')).toBe(plain);
  });
});
