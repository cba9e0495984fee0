// `node bench/soak.mjs [--seconds 600] [--rate 500] [--streams 1000]`: the whole `isoperf run` for a long time at a high rate.
//
// Each answer takes streams / rate seconds, so that so many streams are open at once. Memory of the run is sampled every five seconds;
// it must not grow after the first quarter by more than the records need, and every planned request must be accounted for.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return Number(at < 0 ? fallback : process.argv[at + 1]);
};
const [SECONDS, RATE, STREAMS] = [option('seconds', 600), option('rate', 500), option('streams', 1000)];
const TOKENS = 20;
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
const child = spawn(process.execPath, [path.join(work, 'cli.js'), 'run', config, '--out', report, '--json'], {
  stdio: ['ignore', 'ignore', 'ignore'],
});
const samples = [];
const start = performance.now();
const sampler = setInterval(() => {
  try {
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    samples.push({ at: (performance.now() - start) / 1000, mb: Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024 });
  } catch {
    // It has just ended, or this is no Linux.
  }
}, 5000);
const status = await new Promise((resolve) => child.on('close', resolve));
clearInterval(sampler);
server.kill();
try {
  const { counts, health } = JSON.parse(readFileSync(path.join(report, 'run.json'), 'utf8'));
  const { planned, ok, failed, cancelled, notSent } = counts;
  const while_ = samples.filter(({ at }) => at < SECONDS);
  const quarter = while_.slice(Math.floor(while_.length / 4));
  const perHour = slope(quarter) * 3600;
  const perRequest = (slope(quarter) * 1024 * 1024) / RATE;
  const print = (text) => process.stdout.write(`${text}\n`);
  print(
    `${os.cpus()[0]?.model}, ${os.availableParallelism()} cores, Node ${process.version}; load average at the end ${os.loadavg()[0].toFixed(1)}`,
  );
  print(`${SECONDS} s at ${RATE}/s, about ${STREAMS} streams: exit code ${status}`);
  print(
    `planned ${planned} = ok ${ok} + failed ${failed} + cancelled ${cancelled} + not sent ${notSent}: ${planned === ok + failed + cancelled + notSent ? 'nothing lost' : 'LOST'}`,
  );
  print(
    `memory: ${shown(while_, 0)} at the beginning, ${shown(while_, 0.25)} after a quarter, ${shown(while_, 1)} at the end; ${perHour.toFixed(0)} MB an hour, ${perRequest.toFixed(0)} bytes a request (its record)`,
  );
  const [stage] = health;
  print(
    `in flight at most ${stage.maxInFlight}, on average ${stage.littlesLaw.toFixed(0)}; event-loop use ${stage.eventLoopUse.toFixed(2)}; late p50 ${(stage.scheduleDelay.p50 * 1000).toFixed(2)} ms, p99 ${(stage.scheduleDelay.p99 * 1000).toFixed(1)} ms; verdict ${stage.verdict}`,
  );
  if (planned !== ok + failed + cancelled + notSent || failed > 0) process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

function shown(list, share) {
  return `${list[Math.min(list.length - 1, Math.floor(share * list.length))]?.mb.toFixed(0)} MB`;
}

/** Least squares, MB per second. */
function slope(list) {
  const meanAt = list.reduce((sum, { at }) => sum + at, 0) / list.length;
  const meanMb = list.reduce((sum, { mb }) => sum + mb, 0) / list.length;
  const up = list.reduce((sum, { at, mb }) => sum + (at - meanAt) * (mb - meanMb), 0);
  return up / list.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0);
}
