// The catalogue as a list: complete, stable, in plain words, and the page made from it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fieldAt } from '../../../src/config/model/fields';
import { docsAnchor, pitfallByCode, pitfallsAt } from '../../../src/pitfalls/catalogue';
import { realisedMean } from '../../../src/pitfalls/lengths';
import { PITFALLS } from '../../../src/pitfalls/list';
import { pitfallsPage } from '../../../src/pitfalls/page';

const ROOT = path.resolve(import.meta.dirname, '../../..');

describe('the catalogue', () => {
  it('is numbered without gaps', () => {
    expect(PITFALLS.map((entry) => entry.code)).toEqual(
      PITFALLS.map((_entry, index) => `CMP${String(index + 1).padStart(3, '0')}`),
    );
    expect(PITFALLS.length).toBeGreaterThanOrEqual(101);
  });
  it('every entry says what happens, what to do, how it is seen and where it comes from', () => {
    for (const entry of PITFALLS) {
      const ways = [entry.inConfig, entry.inReport, entry.between].flatMap((place) => place?.words ?? []);
      expect(ways.length, entry.code).toBeGreaterThan(0);
      for (const text of [entry.consequence, entry.remedy, ...ways]) expect(text, entry.code).toMatch(/^\S.{10,}\.$/);
      expect(entry.title, entry.code).not.toMatch(/\.$/);
      expect(entry.source ?? 'none', entry.code).toMatch(/\w/);
      expect(new Set(entry.moves).size, entry.code).toBeLessThanOrEqual(entry.moves.length);
    }
    expect(new Set(PITFALLS.map((entry) => entry.title)).size).toBe(PITFALLS.length);
  });
  it('hangs on fields that exist', () => {
    for (const entry of PITFALLS) {
      for (const dotted of entry.configPaths) {
        const steps = dotted.split('.').flatMap((step) => (step === 'stages' ? [step, 0] : [step]));
        const path_ = dotted.endsWith('.stages') ? steps.slice(0, -1) : steps;
        expect(fieldAt(path_), `${entry.code} ${dotted}`).toBeDefined();
      }
    }
  });
  it('is found by code and by field', () => {
    expect(pitfallByCode('CMP008')?.title).toBe('Warm-up is measured');
    expect(pitfallByCode('CMP999')).toBeUndefined();
    expect(pitfallsAt(['load', 'stages', 3, 'rate']).map((entry) => entry.code)).toContain('CMP023');
    expect(docsAnchor('CMP008')).toBe('docs/pitfalls.md#cmp008');
  });
  it('the page is fresh (npm run pitfalls) and has an anchor for each', () => {
    const page = readFileSync(path.join(ROOT, 'docs/pitfalls.md'), 'utf8');
    expect(page).toBe(pitfallsPage());
    for (const entry of PITFALLS) expect(page).toContain(`\n## ${entry.code}\n`);
  });
});

describe('realised means', () => {
  const base = {
    min: 10,
    max: 1024,
    mean: 100,
    std_dev: 200,
    total_count: null,
    type: 'normal',
    variance: null,
    skew: 0,
  } as const;
  /** Closed form: E[clip(X)] = a Phi(a') + b (1 - Phi(b')) + m (Phi(b') - Phi(a')) + s (phi(a') - phi(b')). */
  function closed(min: number, max: number, mean: number, spread: number): number {
    const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
    const cumulative = (x: number): number => {
      let sum = 0;
      const steps = 20_000;
      for (let step = 0; step < steps; step += 1)
        sum += (density(-9 + ((x + 9) * (step + 0.5)) / steps) * (x + 9)) / steps;
      return sum;
    };
    const low = (min - mean) / spread;
    const high = (max - mean) / spread;
    return (
      min * cumulative(low) +
      max * (1 - cumulative(high)) +
      mean * (cumulative(high) - cumulative(low)) +
      spread * (density(low) - density(high))
    );
  }
  it.each([
    [10, 1024, 100, 200],
    [90, 1000, 100, 80],
    [10, 1024, 512, 200],
    [1, 50, 300, 10],
  ])('normal clamped to %i..%i, mean %i, spread %i', (min, max, mean, std_dev) => {
    expect(realisedMean({ ...base, min, max, mean, std_dev }, 'random')).toBeCloseTo(
      closed(min, max, mean, std_dev),
      1,
    );
  });
  it('the reference’s own examples', () => {
    expect(Math.round(realisedMean(base, 'random'))).toBe(143);
    // deep-research: N(300, 850) clamped to 50..4000 realises about 529.
    expect(realisedMean({ ...base, min: 50, max: 4000, mean: 300, std_dev: 850 }, 'shared')).toBeCloseTo(529, -1);
  });
  it('fixed, uniform, and lognormal without clamping', () => {
    expect(realisedMean({ ...base, type: 'fixed', mean: 64.9 }, 'random')).toBe(64);
    expect(realisedMean({ ...base, type: 'uniform', min: 10, max: 20 }, 'random')).toBe(15);
    expect(
      realisedMean({ ...base, type: 'lognormal', min: 0, max: 1e9, mean: 100, std_dev: 50 }, 'shared'),
    ).toBeCloseTo(100, 0);
    expect(
      realisedMean({ ...base, type: 'lognormal', min: 50, max: 1e9, mean: 100, std_dev: 20 }, 'random'),
    ).toBeCloseTo(100, 0);
  });
});
