// `node bench/compare.mjs`: how long a comparison of two runs of 100,000 requests takes with 2,000 resamples, median of 5.
// The goal is under 2 s on an idle machine; the processor time is shown beside the clock's, as machines are shared.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';

const root = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-compare-'));
const RUNS = Number(process.argv[2] ?? 5);
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

try {
  const bundle = path.join(folder, 'bench.cjs');
  await build({
    stdin: {
      contents: `export { compare } from './src/comparability/compare'; export { syntheticRun } from './test/unit/support/synthetic-run';`,
      resolveDir: root,
      loader: 'ts',
    },
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'warning',
  });
  const { compare, syntheticRun } = createRequire(import.meta.url)(bundle);
  const stages = [{ rateRps: 100, durationSeconds: 1000 }];
  const [a, b] = [syntheticRun({ seed: 1, stages }), syntheticRun({ seed: 2, stages })];
  const clock = [];
  const processor = [];
  for (let run = 0; run < RUNS; run++) {
    const [from, used] = [performance.now(), process.cpuUsage()];
    compare(a, b);
    clock.push(performance.now() - from);
    const { user, system } = process.cpuUsage(used);
    processor.push((user + system) / 1000);
  }
  console.log(`compare, 2 x ${a.records.length} requests, 32 tokens each, 2,000 resamples, median of ${RUNS}:`);
  console.log(`  ${Math.round(median(clock))} ms by the clock, ${Math.round(median(processor))} ms of processor time`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
