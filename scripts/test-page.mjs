// The page floor: the webview bundle in Chromium, under its real policy. `npm run page -- [words of a test's name] [--watch]`.
// Wants a build (`node esbuild.mjs`) and Chromium. Screenshots go to shots/.
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { loadTests, reporter, root, startBrowser, wantedTests } from './floor.mjs';

const wanted = await wantedTests('scripts/test-page.mjs', ['webview']);
if (!existsSync(path.join(root, 'dist', 'webview.js'))) {
  console.error('dist/webview.js is missing: run `node esbuild.mjs` first');
  process.exit(1);
}
mkdirSync(path.join(root, 'shots'), { recursive: true });
const report = reporter();
const { PAGE_TESTS } = await loadTests('test/page/tests.ts', 'test-page');
const browser = await startBrowser();
try {
  for (const { name, body } of PAGE_TESTS) {
    if (name.toLowerCase().includes(wanted)) await report.test(name, () => body(browser), 60);
  }
} finally {
  await browser.close();
}
report.end();
