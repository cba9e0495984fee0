// Every code has its place in the documentation, and every documented code is given.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

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
