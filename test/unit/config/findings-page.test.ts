// Every code has its place in the documentation, and every documented code is given.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { docsAnchor } from '../../../src/pitfalls/catalogue';
import { PITFALLS } from '../../../src/pitfalls/list';

const ROOT = path.resolve(import.meta.dirname, '../../..');

it('docs/findings.md has every YML and CFG code of the sources, and no other', () => {
  const page = readFileSync(path.join(ROOT, 'docs/findings.md'), 'utf8');
  const files = ['src/config', 'src/cli'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(path.join(ROOT, folder, name), 'utf8')),
  );
  const given = new Set(
    files.flatMap((text) => text.match(/'(?:YML|CFG)\d{3}'/g) ?? []).map((code) => code.slice(1, -1)),
  );
  const documented = [...page.matchAll(/^## ((?:YML|CFG)\d{3})$/gm)].map((match) => match[1]!);
  expect([...given].sort()).toEqual([...documented].sort());
  for (const code of documented) expect(page).toContain(`| [${code}](#${code.toLowerCase()})`);
});

it('every code that a config can get has a page with its anchor', () => {
  const pages = new Map<string, string>();
  const given = new Set(
    ['src/config', 'src/cli/validate.ts', 'src/pitfalls', 'src/language'].flatMap((place) =>
      sources(place).flatMap((text) => text.match(/(?:YML|CFG|CMP)\d{3}/g) ?? []),
    ),
  );
  for (const { code } of PITFALLS) given.add(code);
  expect(given.size).toBeGreaterThan(100);
  for (const code of given) {
    const [file = '', anchor] = docsAnchor(code).split('#');
    if (!pages.has(file)) pages.set(file, readFileSync(path.join(ROOT, file), 'utf8'));
    expect(anchor).toBe(code.toLowerCase());
    expect(pages.get(file), code).toMatch(new RegExp(`^#{2,4} ${code}\\b`, 'm'));
  }
});

function sources(place: string): readonly string[] {
  const full = path.join(ROOT, place);
  if (place.endsWith('.ts')) return [readFileSync(full, 'utf8')];
  return readdirSync(full, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(path.join(full, name), 'utf8'));
}
