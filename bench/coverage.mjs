// `node bench/coverage.mjs [PAIRS]`: two honest runs of one law, PAIRS times (200): what is called different or confounded, and how
// often a 95 % interval holds the truth: of differences, of the ratio where B is twice A, of rates, and of pairs of requests.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';

const root = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-coverage-'));
const PAIRS = Number(process.argv[2] ?? 200);
const STAGES = [{ rateRps: 20, durationSeconds: 20 }];

try {
  const outfile = path.join(folder, 'bench.cjs');
  await build({
    stdin: {
      contents: `export { compare } from './src/comparability/compare';
export { normalFrom, randomStream, syntheticRun } from './test/unit/support/synthetic-run';`,
      resolveDir: root,
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
    logLevel: 'error',
  });
  const tools = createRequire(import.meta.url)(outfile);
  console.log(
    '| law | different | confounded | differences | ratio at B = 2 A | rates | pairs of requests | withheld |\n| --- | --- | --- | --- | --- | --- | --- | --- |',
  );
  for (const [name, law] of Object.entries(laws(tools))) console.log(line(name, law, tools));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Each a source of latencies in sending order, seconds. */
function laws({ normalFrom }) {
  const ar = (phi, sigma) => (random) => {
    let state = normalFrom(random);
    return () => {
      state = phi * state + Math.sqrt(1 - phi * phi) * normalFrom(random);
      return 0.05 * Math.exp(sigma * state);
    };
  };
  const queue = (load) => (random) => {
    let wait = 0;
    const next = () => {
      const latency = wait - Math.log(1 - random()) * load * 0.05;
      wait = Math.max(0, latency + Math.log(1 - random()) * 0.05);
      return latency;
    };
    for (let i = 0; i < 2000; i++) next();
    return next;
  };
  return {
    independent: ar(0, 0.5),
    'heavy tail': ar(0, 1),
    'AR 0.8': ar(0.8, 0.5),
    'queue 0.75': queue(0.75),
    'queue 0.9': queue(0.9),
  };
}

function line(name, law, { compare, randomStream, syntheticRun }) {
  const run = (seed, luck, factor = 1) => {
    const own = syntheticRun({ seed, stages: STAGES, maxTokens: 1, law: 'poisson-per-second' });
    const next = law(randomStream(luck));
    const records = own.records.map((record) => {
      const end = record.sentSeconds + factor * next();
      return { ...record, firstTokenSeconds: end, chunkSeconds: [end], lastTokenSeconds: end, endSeconds: end };
    });
    return { ...own, records };
  };
  const held = { difference: [0, 0], ratio: [0, 0], rate: [0, 0], pair: [0, 0] };
  let [different, confounded, rows, withheld] = [0, 0, 0, 0];
  const count = (entry, bounds, truth) => {
    if (!bounds) return void withheld++;
    entry[1]++;
    if (bounds.low <= truth && bounds.high >= truth) entry[0]++;
  };
  const latencies = ({ metrics }) =>
    metrics.filter(({ metric, statistic }) => metric === 'ttft' && statistic !== 'p99');
  for (let k = 1; k <= PAIRS; k++) {
    const options = { resamples: 400 };
    const a = run(2 * k, 4 * k);
    const honest = compare(a, run(2 * k + 1, 4 * k + 1), options);
    if (honest.findings.some(({ state }) => state === 'confounds')) confounded++;
    for (const { difference } of honest.metrics) {
      rows++;
      if (difference?.answer.kind === 'different') different++;
    }
    for (const { difference } of latencies(honest)) count(held.difference, difference?.interval, 0);
    for (const { metric, difference } of honest.metrics) {
      if (metric === 'requests_per_sec') count(held.rate, difference?.interval, 0);
    }
    const doubled = compare(a, run(2 * k + 1, 4 * k + 2, 2), options);
    for (const { difference } of latencies(doubled)) count(held.ratio, difference?.interval?.percentOfA, 100);
    const paired = compare(a, run(2 * k, 4 * k + 3), options);
    for (const { difference } of latencies(paired)) if (difference?.paired) count(held.pair, difference.interval, 0);
  }
  const percent = (hits, n) => (n === 0 ? '–' : `${((100 * hits) / n).toFixed(1)} %`);
  const shares = [held.difference, held.ratio, held.rate, held.pair].map(([hits, n]) => percent(hits, n));
  return `| ${[name, percent(different, rows), percent(confounded, PAIRS), ...shares, withheld].join(' | ')} |`;
}
