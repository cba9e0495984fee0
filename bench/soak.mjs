// `node bench/soak.mjs [--seconds 600] [--rate 500] [--streams 1000] [--heap] [--workers N]`: the whole `isoperf run` for a long time.
//
// Each answer takes streams / rate seconds, so that so many streams are open at once. Memory of the run is sampled every five seconds;
// after the first quarter it must not grow, and every planned request must be accounted for. --heap collects garbage before each
// sample (which costs the run its timing): then what is held is told from what the collector has not come to yet.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return Number(at < 0 ? fallback : process.argv[at + 1]);
};
const [SECONDS, RATE, STREAMS] = [option('seconds', 600), option('rate', 500), option('streams', 1000)];
const WORKERS = option('workers', 0);
const HEAP = process.argv.includes('--heap');
const TOKENS = 20;
const ROWS = 12;
const gapMs = ((STREAMS / RATE) * 1000) / TOKENS;
const work = mkdtempSync(path.join(os.tmpdir(), 'isoperf-soak-'));
execFileSync(process.execPath, ['esbuild.mjs', 'cli', `--outdir=${work}`], { cwd: root });
const server = spawn(process.execPath, [path.join(root, 'bench/lib/server.mjs')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const port = await new Promise((resolve) => {
  server.stdout.once('data', (text) => resolve(Number(/(\d+)/.exec(text)[1])));
});
const config = path.join(work, 'soak.yaml');
writeFileSync(
  config,
  `# isoperf: seed=1
api: { type: completion, streaming: true }
data: { type: mock }
load:
  type: constant
  num_workers: 1
  worker_max_concurrency: 20000
  interval: 0
  stages: [{ rate: ${RATE}, duration: ${SECONDS} }]
server: { type: vllm, model_name: bench-model, base_url: "http://127.0.0.1:${port}/paced-${TOKENS}-${gapMs}" }
`,
);
const report = path.join(work, 'report');
const heapFile = path.join(work, 'heap.jsonl');
const node = HEAP ? ['--expose-gc', '--import', path.join(root, 'bench/lib/heap-sampler.mjs')] : [];
const more = WORKERS > 0 ? ['--workers', String(WORKERS)] : [];
const print = (text) => process.stdout.write(`${text}\n`);
const child = spawn(
  process.execPath,
  [...node, path.join(work, 'cli.js'), 'run', config, '--out', report, '--json', ...more],
  { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ISOPERF_HEAP_FILE: heapFile } },
);
let complaints = '';
child.stderr.on('data', (text) => {
  complaints = (complaints + text).slice(-4000);
});
const samples = [];
const start = performance.now();
const sampler = setInterval(() => {
  const journal = path.join(report, 'records.jsonl');
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    samples.push({
      at: (performance.now() - start) / 1000,
      mb: Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024,
      journalMb: existsSync(journal) ? statSync(journal).size / 1e6 : 0,
    });
  } catch {
    // It has just ended, or this is no Linux.
  }
}, 5000);
const status = await new Promise((resolve) => child.on('close', resolve));
clearInterval(sampler);
server.kill();
try {
  if (!existsSync(path.join(report, 'run.json'))) throw new Error(`the run left no report:\n${complaints}`);
  const { counts, health } = JSON.parse(readFileSync(path.join(report, 'run.json'), 'utf8'));
  const { planned, ok, failed, cancelled, notSent } = counts;
  print(
    `${os.cpus()[0]?.model}, ${os.availableParallelism()} cores, Node ${process.version}; load average at the end ${os.loadavg()[0].toFixed(1)}`,
  );
  print(`${SECONDS} s at ${RATE}/s, about ${STREAMS} streams: exit code ${status}`);
  const isWhole = planned === ok + failed + cancelled + notSent;
  print(
    `planned ${planned} = ok ${ok} + failed ${failed} + cancelled ${cancelled} + not sent ${notSent}: ${isWhole ? 'nothing lost' : 'LOST'}`,
  );
  const running = samples.filter(({ at }) => at < SECONDS);
  print('\n   after  resident   journal');
  for (const { at, mb, journalMb } of thinned(running)) {
    print(`${at.toFixed(0).padStart(6)} s ${mb.toFixed(0).padStart(6)} MB ${journalMb.toFixed(0).padStart(6)} MB`);
  }
  growth('resident', running);
  const peak = Math.max(...samples.map(({ mb }) => mb));
  print(`peak ${peak.toFixed(0)} MB, the summaries after the end included`);
  if (HEAP && existsSync(heapFile)) {
    const heap = readFileSync(heapFile, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ at }) => at < SECONDS);
    const held = heap.map(({ at, heapUsed, external }) => ({ at, mb: (heapUsed + external) / 2 ** 20 }));
    growth('held after collecting', held);
  }
  const [stage] = health;
  print(
    `in flight at most ${stage.maxInFlight}, on average ${stage.littlesLaw.toFixed(0)}; event-loop use ${stage.eventLoopUse.toFixed(2)}; late p50 ${(stage.scheduleDelay.p50 * 1000).toFixed(2)} ms, p99 ${(stage.scheduleDelay.p99 * 1000).toFixed(1)} ms; verdict ${stage.verdict}`,
  );
  if (!isWhole || failed > 0) process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** A line on growth, from the first quarter on: before it the collector finds its size. */
function growth(name, list) {
  const settled = list.slice(Math.floor(list.length / 4));
  const perSecond = slope(settled);
  print(
    `${name}: ${settled[0]?.mb.toFixed(0)} MB after a quarter, ${settled.at(-1)?.mb.toFixed(0)} MB at the end; ${(perSecond * 3600).toFixed(0)} MB an hour, ${((perSecond * 2 ** 20) / RATE).toFixed(0)} bytes a request`,
  );
}

function thinned(list) {
  const step = Math.max(1, Math.floor(list.length / ROWS));
  return list.filter((_, index) => index % step === 0 || index === list.length - 1);
}

/** Least squares, MB per second. */
function slope(list) {
  const meanAt = list.reduce((sum, { at }) => sum + at, 0) / list.length;
  const meanMb = list.reduce((sum, { mb }) => sum + mb, 0) / list.length;
  const up = list.reduce((sum, { at, mb }) => sum + (at - meanAt) * (mb - meanMb), 0);
  return up / list.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0);
}
