// Packages the extension: a production build and the files a user needs, put together in a folder of its own, so that
// dist/ and whoever uses it stay as they are. `node scripts/package.mjs [-o isoperf.vsix]`
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createVSIX } from '@vscode/vsce';
import { root } from './floor.mjs';

/** What the package holds besides the bundles; .vscodeignore has the last word. */
const FILES = ['media', 'schemas', 'docs', 'samples', 'README.md', 'CHANGELOG.md', 'LICENSE', '.vscodeignore'];

/** Writes the .vsix; throws with the tool's own words when that fails. */
export async function packageExtension(vsix) {
  const staging = mkdtempSync(path.join(os.tmpdir(), 'isoperf-package-'));
  try {
    const build = spawnSync(
      process.execPath,
      ['esbuild.mjs', '--production', `--outdir=${path.join(staging, 'dist')}`],
      {
        cwd: root,
        encoding: 'utf8',
      },
    );
    if (build.status !== 0) throw new Error(`the production build failed:\n${build.stdout}${build.stderr}`);
    for (const name of FILES) {
      if (existsSync(path.join(root, name)))
        cpSync(path.join(root, name), path.join(staging, name), { recursive: true });
    }
    writeFileSync(path.join(staging, 'package.json'), JSON.stringify(manifest(), null, 2));
    mkdirSync(path.dirname(vsix), { recursive: true });
    await createVSIX({
      cwd: staging,
      packagePath: vsix,
      dependencies: false,
      allowMissingRepository: true,
      // There is no repository address to make links absolute with; the pages they name are in the package.
      rewriteRelativeLinks: false,
    });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** The manifest without what only a checkout can use. */
function manifest() {
  const all = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const onlyForCheckouts = ['scripts', 'devDependencies', 'private'];
  return Object.fromEntries(Object.entries(all).filter(([key]) => !onlyForCheckouts.includes(key)));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const at = process.argv.indexOf('-o');
  const vsix = path.resolve(at < 0 ? path.join(root, 'isoperf.vsix') : (process.argv[at + 1] ?? ''));
  await packageExtension(vsix);
  console.log(`${vsix}: ${(statSync(vsix).size / 1024).toFixed(0)} kB`);
}
