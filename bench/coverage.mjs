// `node bench/coverage.mjs [PAIRS]`: two honest runs of one law, PAIRS times (200): what is called different or confounded, and how
// often a 95 % interval holds the truth: of differences, of the ratio where B is twice A, of rates, and of pairs of requests that
// share nothing but their stream, or their sizes and their queue as well. In brackets how often an interval was given at all.
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
  const head =
    'law, different, confounded, claims at 2 % noise, beyond known noise, differences, ratio at B = 2 A, rates, pairs, pairs of one queue';
  console.log(row(head.split(', ')));
  console.log(row(head.split(', ').map(() => '---')));
  Object.entries(laws(tools)).forEach(([name, law], i) => console.log(line(name, law, 1_000_000 * i, tools)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function row(cells) {
  return `| ${cells.join(' | ')} |`;
}

/** Each a source of latencies in sending order, seconds; `own` shakes each request by itself, `shared` is of both sides. */
function laws({ normalFrom }) {
  const ar = (phi, sigma) => (shared, own) => {
    const random = own ?? shared;
    let state = normalFrom(random);
    return () => {
      state = phi * state + Math.sqrt(1 - phi * phi) * normalFrom(random);
      return 0.05 * Math.exp(sigma * state + (own ? 0.5 * normalFrom(shared) : 0));
    };
  };
  const queue = (load) => (shared, own) => {
    let wait = 0;
    const next = () => {
      const size = own ? Math.exp(0.05 * normalFrom(own)) : 1;
      const latency = wait - Math.log(1 - shared()) * load * 0.05 * size;
      wait = Math.max(0, latency + Math.log(1 - shared()) * 0.05);
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

function line(name, law, first, { compare, normalFrom, randomStream, syntheticRun }) {
  const run = (seed, next, factor = 1) => {
    const own = syntheticRun({ seed: first + seed, stages: STAGES, maxTokens: 1, law: 'poisson-per-second' });
    const records = own.records.map((record) => {
      const end = record.sentSeconds + factor * next();
      return { ...record, firstTokenSeconds: end, chunkSeconds: [end], lastTokenSeconds: end, endSeconds: end };
    });
    return { ...own, records };
  };
  const stream = (seed) => randomStream(first + seed);
  const held = { difference: [0, 0, 0], ratio: [0, 0, 0], rate: [0, 0, 0], pair: [0, 0, 0], queue: [0, 0, 0] };
  let [different, confounded, rows] = [0, 0, 0];
  // With 2 % of noise from run to run: numbers that are claimed, and pairs of runs that are said to differ beyond known noise.
  const noisy = [0, 0];
  const why = {};
  const count = (entry, bounds, truth) => {
    entry[2]++;
    if (!bounds) return;
    entry[1]++;
    if (bounds.low <= truth && bounds.high >= truth) entry[0]++;
  };
  const claims = ({ metrics }) => metrics.filter(({ difference }) => difference?.answer.kind === 'different').length;
  const beyond = ({ metrics }) =>
    metrics.filter(({ difference }) => difference?.answer.reason === 'beyond-known-noise').length;
  const latencies = ({ metrics }) =>
    metrics.filter(({ metric, statistic }) => metric === 'ttft' && statistic !== 'p99').map((own) => own.difference);
  for (let k = 1; k <= PAIRS; k++) {
    const options = { resamples: 400 };
    const luck = (i) => law(stream(8 * k + i));
    const a = run(2 * k, luck(0));
    const honest = compare(a, run(2 * k + 1, luck(1)), options);
    const faults = honest.findings.filter(({ state }) => state === 'confounds');
    if (faults.length > 0) confounded++;
    for (const { dimension } of faults) why[dimension] = (why[dimension] ?? 0) + 1;
    rows += honest.metrics.filter(({ difference }) => difference).length;
    different += claims(honest) + beyond(honest);
    for (const difference of latencies(honest)) count(held.difference, difference?.interval, 0);
    for (const { metric, difference } of honest.metrics) {
      if (metric === 'requests_per_sec') count(held.rate, difference?.interval, 0);
    }
    const shaken = stream(8 * k + 7);
    const noise = () => Math.exp(0.02 * normalFrom(shaken));
    const shakenA = run(2 * k, luck(0), noise());
    const shakenPair = compare(shakenA, run(2 * k + 1, luck(1), noise()), options);
    noisy[0] += claims(shakenPair);
    noisy[1] += beyond(shakenPair) > 0 ? 1 : 0;
    const doubled = compare(a, run(2 * k + 1, luck(2), 2), options);
    for (const difference of latencies(doubled)) count(held.ratio, difference?.interval?.percentOfA, 100);
    for (const difference of latencies(compare(a, run(2 * k, luck(3)), options)))
      count(held.pair, difference?.interval, 0);
    const side = (i) => run(2 * k, law(stream(8 * k + 4), stream(8 * k + i)));
    for (const difference of latencies(compare(side(5), side(6), options))) count(held.queue, difference?.interval, 0);
  }
  const percent = (hits, n) => (n === 0 ? '–' : `${((100 * hits) / n).toFixed(1)} %`);
  const shares = Object.values(held).map(([hits, given, asked]) =>
    given === asked ? percent(hits, given) : `${percent(hits, given)} (${Math.round((100 * given) / asked)} %)`,
  );
  const of = Object.entries(why).map(([dimension, times]) => `${dimension} ${times}`);
  if (of.length > 0) console.error(`${name}: confounded by ${of.join(', ')}`);
  return row([
    name,
    percent(different, rows),
    percent(confounded, PAIRS),
    noisy[0],
    percent(noisy[1], PAIRS),
    ...shares,
  ]);
}
