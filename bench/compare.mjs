// `node bench/compare.mjs [RUNS]`: how long a comparison of two runs of 100,000 requests takes with 2,000 resamples, and how long its
// view takes to open in a browser. Goals on an idle machine: under 2 s, and under 1 s. Medians; the processor time is shown beside the
// clock's, as machines are shared. The view wants a build (`node esbuild.mjs`) and Chromium; without them it is left out.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { loadTests, startBrowser } from '../scripts/floor.mjs';

const root = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-compare-'));
const RUNS = Number(process.argv[2] ?? 5);
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const ms = (values) => `${Math.round(median(values))} ms`;

try {
  const { compare, comparisonView, syntheticRun } = await bundled();
  const stages = [{ rateRps: 100, durationSeconds: 1000 }];
  const made = { compare: timer(), view: timer() };
  let view;
  let requests = 0;
  for (let run = 0; run < RUNS; run++) {
    // New runs each time, as a user opens them: nothing is known of them yet.
    const [a, b] = [syntheticRun({ seed: 2 * run + 1, stages }), syntheticRun({ seed: 2 * run + 2, stages })];
    requests = a.records.length;
    const comparison = made.compare.take(() => compare(a, b));
    view = made.view.take(() => comparisonView(comparison, a, b));
  }
  console.log(`2 x ${requests} requests, 32 tokens each, median of ${RUNS}:`);
  console.log(`  compared with 2,000 resamples: ${made.compare.words()}`);
  console.log(`  view made of it: ${made.view.words()}`);
  await openings(view);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function bundled() {
  const outfile = path.join(folder, 'bench.cjs');
  await build({
    stdin: {
      contents: [
        `export { compare } from './src/comparability/compare';`,
        `export { comparisonView } from './src/views/comparison/view';`,
        `export { syntheticRun } from './test/unit/support/synthetic-run';`,
      ].join('\n'),
      resolveDir: root,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'warning',
  });
  return createRequire(import.meta.url)(outfile);
}

function timer() {
  const clock = [];
  const processor = [];
  return {
    take(work) {
      const [from, used] = [performance.now(), process.cpuUsage()];
      const result = work();
      clock.push(performance.now() - from);
      const { user, system } = process.cpuUsage(used);
      processor.push((user + system) / 1000);
      return result;
    },
    words: () => `${ms(clock)} by the clock, ${ms(processor)} of processor time`,
  };
}

/** From an empty tab to the drawn page, and from the message to the drawn page; under the view's real policy. */
async function openings(view) {
  if (!existsSync(path.join(root, 'dist', 'webview.js'))) {
    console.log('  view not opened: dist/webview.js is missing, run `node esbuild.mjs` first');
    return;
  }
  let browser;
  try {
    browser = await startBrowser();
  } catch (error) {
    console.log(`  view not opened: ${error.message}`);
    return;
  }
  const { openView } = await loadTests('test/page/harness.ts', 'bench-compare');
  const restore = { kind: 'comparison', folders: ['file:///a', 'file:///b'], intended: [] };
  const text = JSON.stringify({ type: 'comparison', view, restore });
  const tab = [];
  const message = [];
  try {
    for (let run = 0; run < RUNS; run++) {
      const from = performance.now();
      const opened = await openView(browser, { kind: 'comparison', theme: 'dark' });
      message.push(await opened.page.evaluate(drawn, text));
      tab.push(performance.now() - from);
      await opened.close();
    }
  } finally {
    await browser.close();
  }
  console.log(
    `  view of ${Math.round(text.length / 1024)} KiB: ${ms(message)} from message to drawn, ${ms(tab)} with a new tab`,
  );
}

/** In the page: gives it the message, waits until charts are drawn and two frames have passed. */
function drawn(text) {
  return new Promise((resolve) => {
    const from = performance.now();
    window.postMessage(JSON.parse(text), window.origin);
    const look = () => {
      const there = document.querySelector('main.page') !== null && document.querySelector('main .busy') === null;
      if (there && document.querySelector('canvas') !== null) {
        window.requestAnimationFrame(() => window.requestAnimationFrame(() => resolve(performance.now() - from)));
      } else window.requestAnimationFrame(look);
    };
    look();
  });
}
