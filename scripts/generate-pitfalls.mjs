// Writes the list of all pitfalls from the folder of their files, and docs/pitfalls.md from the list. `--check` writes nothing
// and fails when one of them is stale.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-pitfalls-'));
const bundle = path.join(folder, 'page.cjs');
const page = path.join(root, 'docs', 'pitfalls.md');
const list = path.join(root, 'src', 'pitfalls', 'list.ts');
const isCheck = process.argv.includes('--check');

function write(file, text) {
  const name = path.relative(root, file);
  if (!isCheck) {
    writeFileSync(file, text);
    console.log(`${name} written`);
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${name} is stale: run npm run pitfalls`);
    process.exitCode = 1;
  }
}

function listText() {
  const names = readdirSync(path.join(root, 'src', 'pitfalls', 'catalogue'))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.slice(0, -'.ts'.length))
    .sort();
  const codes = names.map((name) => name.split('-')[0]);
  return [
    '// Every pitfall, in the order of their codes. Written by `npm run pitfalls` from the folder catalogue/.',
    ...names.map((name, index) => `import { ${codes[index]} } from './catalogue/${name}';`),
    "import type { Pitfall } from './pitfall';",
    '',
    'export const PITFALLS: readonly Pitfall[] = [',
    ...codes.map((code) => `  ${code},`),
    '];',
    '',
  ].join('\n');
}

try {
  write(list, listText());
  await build({
    absWorkingDir: root,
    entryPoints: ['src/pitfalls/page.ts'],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'warning',
  });
  write(page, createRequire(import.meta.url)(bundle).pitfallsPage());
} finally {
  rmSync(folder, { recursive: true, force: true });
}
