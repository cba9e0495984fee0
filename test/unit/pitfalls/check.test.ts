// Every pitfall that a config shows: a config where it is reported, at its place, and one as near as can be where it is not.
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/load';
import { configFindings, configPitfalls } from '../../../src/pitfalls/check';
import type { Problem } from '../../../src/problem';
import { casesOf } from './cases';
import { CLEAN, CLOSED, SHARED, with_ } from './configs';

function findings(text: string): readonly Problem[] {
  const { loaded, problems } = readConfig(text);
  if (!loaded) throw new Error(problems.map((problem) => problem.message).join('\n'));
  return configPitfalls(loaded);
}

const codes = (text: string): string[] => findings(text).map((problem) => problem.code);
describe('pitfalls in a config', () => {
  it('the clean config has none', () => {
    expect(findings(CLEAN)).toEqual([]);
    expect(findings(CLOSED)).toEqual([]);
    expect(findings(SHARED).map((problem) => problem.code)).toEqual([]);
  });

  it.each(casesOf('config'))('%s', (code, { fires, at, silent }) => {
    const found = findings(fires).filter((problem) => problem.code === code);
    expect(found.map((problem) => problem.path.join('.'))).toContain(at);
    for (const problem of found) {
      expect(problem.severity).not.toBe('error');
      expect(problem.remedy).toBeTruthy();
      expect(problem.range).toBeDefined();
    }
    expect(codes(silent)).not.toContain(code);
  });
});

describe('what the messages say', () => {
  it('is this file’s own figures', () => {
    const mean = findings(with_(CLEAN, 'type: fixed, mean: 64', 'mean: 100')).find(
      (problem) => problem.code === 'CMP024',
    );
    // Reference: "mean: 100" alone realises about 143.
    expect(mean?.message).toMatch(/std_dev 200; the mean after clamping is about 14[2-4], not 100/);
    const cap = findings(with_(CLEAN, 'worker_max_concurrency: 100', 'worker_max_concurrency: 2')).find(
      (problem) => problem.code === 'CMP004',
    );
    expect(cap?.message).toMatch(/At 5 requests\/s .*8 requests in flight \(4 workers x 2\).*1\.6 s/);
    expect(cap?.severity).toBe('warning');
    const few = findings(with_(CLEAN, 'duration: 100', 'duration: 50')).find((problem) => problem.code === 'CMP012');
    expect(few?.message).toMatch(/250 requests; p99 needs 299, and p95 is the highest safe one/);
    const repeated = findings(with_(SHARED, 'num_groups: 100', 'num_groups: 10')).find(
      (problem) => problem.code === 'CMP031',
    );
    expect(repeated?.message).toMatch(/100 prompts and up to 500 requests.*5 times/);
  });
});

describe('silence', () => {
  it('by directive, for the codes it names', () => {
    const text = with_(CLEAN, ' # isoperf: warmup', '').replace(
      'seed=1',
      'seed=1\n# isoperf: disable CMP085, CMP009, CMP011, CMP012 because it is a smoke test',
    );
    expect(codes(text)).toEqual([]);
  });
  it('where a placeholder stands in for what it rests on', () => {
    expect(codes(with_(CLEAN, 'duration: 100', 'duration: REPLACE_ENV_D'))).toEqual([]);
    expect(codes(with_(CLEAN, 'worker_max_concurrency: 100', 'worker_max_concurrency: ${C}'))).toEqual([]);
  });
});

describe('a file of several configs', () => {
  it('is judged config by config', () => {
    const body = CLEAN.replace('# isoperf: seed=1\n', '').replace(/^(?=.)/gm, '    ');
    const text = `workload:\n  one:\n${body}  two:\n${body.replace('streaming: true', 'streaming: false')}`;
    const found = configFindings(text).map((problem) => problem.code);
    expect(found.filter((code) => code === 'CMP029')).toHaveLength(2);
    expect(found.filter((code) => code === 'CMP052')).toHaveLength(1);
    expect(found).not.toContain('CFG010');
  });
});
