// Writes docs/pitfalls.md from the catalogue. `--check` writes nothing and fails when the page is stale.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-pitfalls-'));
const bundle = path.join(folder, 'page.cjs');
const page = path.join(root, 'docs', 'pitfalls.md');

try {
  await build({
    absWorkingDir: root,
    entryPoints: ['src/pitfalls/page.ts'],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'warning',
  });
  const text = createRequire(import.meta.url)(bundle).pitfallsPage();
  if (!process.argv.includes('--check')) {
    writeFileSync(page, text);
    console.log('docs/pitfalls.md written');
  } else if (readFileSync(page, 'utf8') !== text) {
    console.error('docs/pitfalls.md is stale: run npm run pitfalls');
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
