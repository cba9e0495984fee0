// Nothing of the catalogue without its two cases, nothing in the sources without an entry of the catalogue.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { BETWEEN } from '../../../src/comparability/pitfalls-between';
import { pitfallByCode, PITFALLS } from '../../../src/pitfalls/catalogue';
import { codeOf, type DetectedIn } from '../../../src/pitfalls/pitfall';
import { PAIR_CASES } from './comparison-cases';
import { CONFIG_CASES } from './config-cases';
import { REPORT_CASES } from './report-cases';

const ROOT = path.resolve(import.meta.dirname, '../../..');

function claimed(where: DetectedIn): readonly string[] {
  return PITFALLS.filter(({ how }) => how[where] !== undefined).map(({ code }) => code);
}

function sorted(cases: readonly (readonly [number, ...unknown[]])[]): readonly string[] {
  return cases.map(([number]) => codeOf(number)).sort();
}

describe('each way an entry says it is seen has exactly one case that fires and one that is silent', () => {
  it('in a config', () => {
    expect(sorted(CONFIG_CASES)).toEqual(claimed('config'));
  });
  it('in a report, and so in every comparison with it', () => {
    expect(sorted(REPORT_CASES)).toEqual(claimed('report'));
  });
  it('between two runs, where the report alone does not say it or the pair says more', () => {
    expect(sorted(PAIR_CASES)).toEqual(claimed('comparison'));
    expect(BETWEEN.map(([number]) => codeOf(number)).sort()).toEqual(claimed('comparison'));
  });
  it('no entry is seen nowhere', () => {
    expect(PITFALLS.filter(({ detectedIn }) => detectedIn.length === 0)).toEqual([]);
  });
});

function sources(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sources(name);
    return entry.name.endsWith('.ts') ? [name] : [];
  });
}

describe('every code that the sources name', () => {
  it('is in the catalogue', () => {
    const texts = [...sources('src'), ...sources('webview')].map(
      (file) => [file, readFileSync(path.join(ROOT, file), 'utf8')] as const,
    );
    const named = texts.flatMap(([file, text]) => [...text.matchAll(/CMP\d{3}/g)].map(([code]) => ({ file, code })));
    expect(named.length).toBeGreaterThan(150);
    expect(named.filter(({ code }) => pitfallByCode(code) === undefined)).toEqual([]);
  });
  it('and every number of a check of configs', () => {
    const numbers = sources('src/pitfalls/checks').flatMap((file) =>
      [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(/\b(?:warning|note)\((\d+),/g)].map(([, number]) =>
        Number(number),
      ),
    );
    expect([...new Set(numbers.map(codeOf))].sort()).toEqual(claimed('config'));
  });
});

describe('every entry can be read', () => {
  it('its page has a section with every way it is seen', () => {
    const page = readFileSync(path.join(ROOT, 'docs/pitfalls.md'), 'utf8');
    const sections = page.split(/^## /m).slice(1);
    expect(sections.map((section) => section.split('\n')[0])).toEqual(PITFALLS.map(({ code }) => code));
    PITFALLS.forEach(({ how, remedy, source, consequence }, index) => {
      for (const words of [...Object.values(how), remedy, source, consequence])
        expect(sections[index]).toContain(words);
    });
  });
});
