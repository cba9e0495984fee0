// `# isoperf: disable CODE because ...`: silences a config's finding where it stands, never a comparison.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import { comparisonTable } from '../../../src/cli/compare-table';
import { comparisonMarkdown } from '../../../src/views/comparison/markdown';
import { configFindings } from '../../../src/pitfalls/check';
import { memoryFolder } from '../support/memory-folder';
import { perfFolder } from '../support/perf-folder';
import { readRun } from '../../../src/readers/read';
import { syntheticRun } from '../support/synthetic-run';
import { CLEAN, with_ } from './configs';

const NO_WARMUP = with_(CLEAN, ' # isoperf: warmup', '');
const codes = (text: string): readonly string[] => configFindings(text).map(({ code }) => code);
const because = (line: string): string => NO_WARMUP.replace('# isoperf: seed=1', `# isoperf: seed=1\n${line}`);

describe('in a config', () => {
  it('silences what it names, with a reason', () => {
    expect(codes(NO_WARMUP)).toContain('CMP085');
    expect(codes(because('# isoperf: disable CMP085 because the server was warm'))).not.toContain('CMP085');
    expect(codes(because('# isoperf: disable CMP009 because the server was warm'))).toContain('CMP085');
  });

  it('without a reason it silences nothing and is an error', () => {
    const found = configFindings(because('# isoperf: disable CMP085'));
    expect(found.map(({ code }) => code)).toContain('CMP085');
    expect(found.find(({ code }) => code === 'CFG022')).toMatchObject({ severity: 'error', range: { startLine: 1 } });
  });

  it('a code that does not exist is a warning at its place, also beside one that does', () => {
    const found = configFindings(because('# isoperf: disable CMP085, CMP999 because the server was warm'));
    expect(found.map(({ code }) => code)).not.toContain('CMP085');
    const unknown = found.find(({ code }) => code === 'CFG022');
    expect(unknown).toMatchObject({ severity: 'warning', range: { startLine: 1 } });
    expect(unknown?.message).toContain('CMP999');
    expect(codes(because('# isoperf: disable CMP085 because the server was warm'))).not.toContain('CFG022');
  });

  it('inside a ConfigMap it is that config’s, and not its neighbour’s', () => {
    const inner = (text: string): string => text.replace(/^(?=.)/gm, '    ');
    const map = (first: string, second: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\ndata:\n  one.yaml: |\n${inner(first)}  two.yaml: |\n${inner(second)}`;
    const silent = because('# isoperf: disable CMP085 because the server was warm');
    const at = (text: string): readonly (number | undefined)[] =>
      configFindings(text)
        .filter(({ code }) => code === 'CMP085')
        .map(({ range }) => range?.startLine);
    expect(at(map(NO_WARMUP, NO_WARMUP))).toHaveLength(2);
    const left = at(map(silent, NO_WARMUP));
    expect(left).toHaveLength(1);
    expect(left[0]).toBeGreaterThan(20);
    expect(at(map(silent, silent))).toEqual([]);
  });
});

const REASON = 'there is only one cluster';

function accepting(...accepted: readonly string[]) {
  return syntheticRun({
    manifest: (manifest) => ({
      ...manifest,
      config: { ...manifest.config, suppressions: [{ codes: [...accepted], reason: REASON }] },
    }),
  });
}

describe('in a comparison', () => {
  it('the pitfall is listed all the same, with who accepted it and why', () => {
    const comparison = compare(accepting('CMP080'), syntheticRun({ seed: 2 }), { resamples: 20 });
    const seen = comparison.pitfalls.find(({ code }) => code === 'CMP080');
    expect(seen?.accepted).toBe(`A’s config accepts it because ${REASON}`);
    expect(comparison.notes.join('\n')).toMatch(
      /A’s config accepts CMP080 \(The system under test is not recorded\) because there is only one cluster/,
    );
    for (const text of [comparisonTable(comparison, 100, false), comparisonMarkdown(comparison)]) {
      expect(text.replace(/\s+/g, ' ')).toContain(`accepts it because ${REASON}; it is listed all the same`);
    }
    const others = compare(accepting('CMP008'), syntheticRun({ seed: 2 }), { resamples: 20 });
    expect(others.pitfalls.find(({ code }) => code === 'CMP080')).not.toHaveProperty('accepted');
    expect(others.verdict).toEqual(comparison.verdict);
  });

  it('it changes no verdict: a warm-up on one side confounds although it was accepted', () => {
    const cold = { coldSeconds: 0.2, coldRequests: 60 };
    const stages = [
      { rateRps: 5, durationSeconds: 5, warmup: true },
      { rateRps: 20, durationSeconds: 20 },
    ] as const;
    const plain = compare(syntheticRun({ stages }), syntheticRun(cold), { resamples: 20 });
    const accepted = compare(
      syntheticRun({ stages }),
      syntheticRun({
        ...cold,
        manifest: (manifest) => ({
          ...manifest,
          config: { ...manifest.config, suppressions: [{ codes: ['CMP008'], reason: REASON }] },
        }),
      }),
      { resamples: 20 },
    );
    expect(plain.verdict.exitCode).toBe(3);
    expect(accepted.verdict).toEqual(plain.verdict);
    expect(accepted.findings).toEqual(plain.findings);
    expect(accepted.notes.join('\n')).toContain('B’s config accepts CMP008');
    expect(plain.notes.join('\n')).not.toContain('accepts');
  });

  it('a comment in the config of a foreign folder counts as well', async () => {
    const files = perfFolder({});
    const text = `# isoperf: disable CMP012 because it is a smoke test\n${files['config.yaml']!}`;
    const read = await readRun(memoryFolder({ ...files, 'config.yaml': text }));
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const comparison = compare(read.value, read.value, { resamples: 20 });
    expect(comparison.notes.filter((note) => note.includes('CMP012')).map((note) => note.slice(0, 24))).toEqual([
      'A’s config accepts CMP01',
      'B’s config accepts CMP01',
    ]);
  });
});
