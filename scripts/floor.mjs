// Runs one floor of tests written in TypeScript: bundles its entry for Node, gives it the browser, ends with its counts.
import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { mkdirSync, watch } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { findChromium } from './chromium.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/**
 * The words after a floor's name: of the tests that are wanted. With `--watch` among them the floor runs again, built anew, whenever a
 * source or a test changes, and this never resolves.
 */
export async function wantedTests(script, bundles) {
  const words = process.argv.slice(2).filter((word) => word !== '--watch');
  if (!process.argv.includes('--watch')) return words.join(' ').toLowerCase();
  let changed = () => {};
  for (const folder of ['src', 'webview', 'test', 'samples'])
    watch(path.join(root, folder), { recursive: true }, () => changed());
  const run = (...args) =>
    new Promise((resolve) => {
      spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }).on('close', resolve);
    });
  for (;;) {
    const change = new Promise((resolve) => (changed = resolve));
    if ((await run('esbuild.mjs', ...bundles)) === 0) await run(script, ...words);
    console.log('watching src, webview, test and samples ... (Ctrl+C ends it)');
    await change;
    // An editor saves several files in one go.
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** Bundles a TypeScript file for Node and imports it. */
export async function loadTests(entry, name) {
  const outfile = path.join(root, 'out', `${name}.mjs`);
  mkdirSync(path.dirname(outfile), { recursive: true });
  process.env['ISOPERF_ROOT'] = root;
  await build({
    entryPoints: [path.join(root, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return import(pathToFileURL(outfile).href);
}

export async function startBrowser() {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('no Chromium found: install it, or set CHROMIUM to its path');
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--force-color-profile=srgb'],
  });
}

/** Collects results, prints a line for each, and ends the process with the floor's last line. */
export function reporter() {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  return {
    async test(name, body, limitSeconds = 60) {
      const started = performance.now();
      let timer;
      const limit = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`did not end within ${limitSeconds} s`)), limitSeconds * 1000);
      });
      try {
        await Promise.race([body(), limit]);
        counts.passed++;
        console.log(`ok   ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
        return true;
      } catch (error) {
        counts.failed++;
        console.log(`FAIL ${name}\n${String(error?.stack ?? error).replace(/^/gm, '     ')}`);
        return false;
      } finally {
        clearTimeout(timer);
      }
    },
    skip(name, reason) {
      counts.skipped++;
      console.log(`skip ${name}: ${reason}`);
    },
    counts,
    end() {
      console.log(
        `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
      );
      process.exit(counts.failed > 0 || counts.passed === 0 ? 1 : 0);
    },
  };
}

/** Bundles the tests that run inside the extension host. Returns the file VS Code is to load. */
export async function buildSuite() {
  const outfile = path.join(root, 'out', 'host-suite.cjs');
  await build({
    entryPoints: [path.join(root, 'test', 'host', 'suite', 'index.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode', 'mocha'],
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return outfile;
}
