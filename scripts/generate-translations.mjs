// Writes docs/translate.md from the tables of src/translate. `--check` writes nothing and fails when it is stale.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { format, resolveConfig } from 'prettier';
import { root } from './floor.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-translate-'));
const page = path.join(root, 'docs', 'translate.md');
try {
  const outfile = path.join(folder, 'page.cjs');
  const entryPoints = ['src/translate/page.ts'];
  await build({
    absWorkingDir: root,
    entryPoints,
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'warning',
  });
  const text = createRequire(import.meta.url)(outfile).translationsPage();
  const written = await format(text, { ...(await resolveConfig(page)), parser: 'markdown' });
  if (!process.argv.includes('--check')) writeFileSync(page, written);
  else if (readFileSync(page, 'utf8') !== written) {
    console.error('docs/translate.md is stale: run npm run translations');
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
