// Nothing of the catalogue without its two cases, nothing in the sources without an entry of the catalogue.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { pitfallByCode } from '../../../src/pitfalls/catalogue';
import { PITFALLS } from '../../../src/pitfalls/list';
import type { Pitfall } from '../../../src/pitfalls/pitfall';
import { CATALOGUE, casesOf, type Place } from './cases';

const ROOT = path.resolve(import.meta.dirname, '../../..');

function sources(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sources(name);
    return entry.name.endsWith('.ts') ? [name] : [];
  });
}

const text = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

describe('a pitfall is one file', () => {
  const names = readdirSync(CATALOGUE).filter((name) => name.endsWith('.ts'));
  it('whose name begins with its code; the list holds them all', () => {
    expect(names.map((name) => name.slice(0, 6)).sort()).toEqual(PITFALLS.map(({ code }) => code));
    const list = text('src/pitfalls/list.ts');
    for (const name of names) expect(list).toContain(`'./catalogue/${name.replace(/\.ts$/, '')}'`);
  });
  it('which alone defines the code', () => {
    const defining = sources('src').flatMap((file) =>
      [...text(file).matchAll(/\bcode: '(CMP\d{3})',\n {2}title:/g)].map(([, code]) => ({ file, code })),
    );
    expect(defining.map(({ code }) => code).sort()).toEqual(PITFALLS.map(({ code }) => code));
    for (const { file, code } of defining) expect(file).toContain(`/catalogue/${code!}-`);
  });
});

describe('each place where an entry says it is seen has a case that fires and one that is silent', () => {
  it.each<[Place, (pitfall: Pitfall) => object | undefined]>([
    ['config', ({ inConfig }) => inConfig],
    ['report', ({ inReport }) => inReport],
    ['pair', ({ between }) => between],
  ])('%s', (place, seen) => {
    const cases = casesOf(place);
    expect(cases.map(([code]) => code)).toEqual(
      PITFALLS.filter((pitfall) => seen(pitfall) !== undefined).map(({ code }) => code),
    );
    for (const [code, { fires, silent }] of cases) expect(fires, code).not.toStrictEqual(silent);
  });
  it('no entry is seen nowhere', () => {
    const unseen = PITFALLS.filter(({ inConfig, inReport, between }) => !inConfig && !inReport && !between);
    expect(unseen).toEqual([]);
  });
});

describe('every code that the sources name', () => {
  it('is in the catalogue', () => {
    const named = [...sources('src'), ...sources('webview')].flatMap((file) =>
      [...text(file).matchAll(/CMP\d{3}/g)].map(([code]) => ({ file, code })),
    );
    expect(named.length).toBeGreaterThan(150);
    expect(named.filter(({ code }) => pitfallByCode(code) === undefined)).toEqual([]);
  });
});

describe('every entry can be read', () => {
  const page = text('docs/pitfalls.md');
  it('its page has a section with every way it is seen', () => {
    const sections = page.split(/^## /m).slice(1);
    expect(sections.map((section) => section.split('\n')[0])).toEqual(PITFALLS.map(({ code }) => code));
    PITFALLS.forEach(({ inConfig, inReport, between, remedy, source = '', consequence }, index) => {
      const ways = [inConfig, inReport, between].flatMap((place) => place?.words ?? []);
      for (const words of [...ways, remedy, source, consequence]) expect(sections[index]).toContain(words);
    });
  });
  it('and it cites nothing that only its authors have', () => {
    expect(page).not.toMatch(/reference entry|\bP\d{1,2}\b|[Bb]ug reports? \d|Peers study|finding F\d/);
  });
});
