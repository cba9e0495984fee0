// Writes schemas/*.json from the zod models. `--check` writes nothing and fails when a file is stale.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const check = process.argv.includes('--check');
const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-schemas-'));
const bundle = path.join(folder, 'schema.cjs');

try {
  await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/schema.ts'],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'warning',
  });
  const { SCHEMAS } = createRequire(import.meta.url)(bundle);
  let stale = 0;
  for (const { file, make } of Object.values(SCHEMAS)) {
    const place = path.join(root, 'schemas', file);
    const text = `${JSON.stringify(make(), undefined, 2)}\n`;
    let before;
    try {
      before = readFileSync(place, 'utf8');
    } catch {
      before = undefined;
    }
    if (before === text) continue;
    stale += 1;
    if (check) console.error(`schemas/${file} is stale: run npm run schemas`);
    else {
      writeFileSync(place, text);
      console.log(`schemas/${file} written`);
    }
  }
  if (check && stale > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
