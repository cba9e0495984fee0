// `node bench/engine.mjs [--rounds 5] [--only instant,paced,lag,delay,memory] [--no-inference-perf] [--nice N]`
//
// What the engine costs and how exact it is, side by side in one run on loopback: the engine's own client and dispatcher ("ours"; "one
// worker", "two workers": in its sending threads, records' lines included), a client on bare sockets ("bare", the limit), the whole
// `isoperf run`, and the real inference-perf 0.7. Medians of the rounds with
// their spread; beside every rate the event-loop use of the client and the CPU of the server, to show that neither was the limit.
// --nice N starts client and server with that priority (-20 needs the rights): on a machine that others use, lags and delays are
// otherwise theirs. The environment variable INFERENCE_PERF names the program; without it /tmp/ipvenv is looked for, then PyPI is asked.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { findInferencePerf } from './lib/inference-perf.mjs';

const root = path.resolve(import.meta.dirname, '..');
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : process.argv[at + 1];
};
const ROUNDS = Number(option('rounds', 5));
const ONLY = option('only', 'instant,paced,lag,delay,memory').split(',');
const NICE = option('nice', undefined);
/** Command and arguments of a Node process, with its priority. */
const node = (args) =>
  NICE === undefined ? [process.execPath, args] : ['nice', ['-n', NICE, process.execPath, ...args]];
const work = mkdtempSync(path.join(os.tmpdir(), 'isoperf-bench-'));
const bundle = path.join(work, 'engine.cjs');
const define = { ISOPERF_VERSION: '"bench"', UNDICI_VERSION: '"bench"' };
await build({
  absWorkingDir: root,
  entryPoints: ['bench/lib/engine-entry.ts'],
  outfile: bundle,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  mainFields: ['module', 'main'],
  define,
  logLevel: 'warning',
});

const workerFile = path.join(work, 'load-worker.js');
await build({
  absWorkingDir: root,
  entryPoints: ['src/loadgen/load-worker.ts'],
  outfile: workerFile,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  mainFields: ['module', 'main'],
  define,
  logLevel: 'warning',
});

const server = spawn(...node([path.join(root, 'bench/lib/server.mjs')]), {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const port = await new Promise((resolve) => {
  server.stdout.once('data', (text) => resolve(Number(/(\d+)/.exec(text)[1])));
});
const serverStats = async () => (await globalThis.fetch(`http://127.0.0.1:${port}/stats`)).json();

/** One driver process; its figures in a list of one. */
async function drive(job) {
  await serverStats();
  const one = () =>
    new Promise((resolve, reject) => {
      const child = spawn(
        ...node([
          path.join(root, 'bench/lib/drive.mjs'),
          JSON.stringify({ port, bundle, workerFile, client: 'ours', ...job }),
        ]),
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      let said = '';
      child.stdout.on('data', (text) => {
        said += text;
      });
      child.on('close', () => {
        try {
          resolve(JSON.parse(said));
        } catch {
          reject(new Error(`a measurement failed: ${JSON.stringify(job)} ${said}`));
        }
      });
    });
  const parts = [await one()];
  const { cores } = await serverStats();
  return { parts, serverCores: cores };
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
const spread = (values, digits) =>
  `${median(values).toFixed(digits)} [${Math.min(...values).toFixed(digits)} .. ${Math.max(...values).toFixed(digits)}]`;
const total = (parts, key) => parts.reduce((sum, part) => sum + part[key], 0);
const say = (text = '') => process.stdout.write(`${text}\n`);
const goals = [];
const goal = (text, value, reached) => goals.push(`${reached ? 'reached    ' : 'NOT reached'} ${text}: ${value}`);

/** Measures every row once per round, rows in turn, so that a noisy minute hits all of them. */
async function rounds(rows) {
  for (let round = 0; round < ROUNDS; round++) {
    for (const row of rows) row.results.push(await row.measure());
  }
}
const row = (name, measure) => ({ name, measure, results: [] });

function load() {
  return os
    .loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
}

say(
  `${os.cpus()[0]?.model ?? 'unknown CPU'}, ${os.availableParallelism()} cores, Node ${process.version}. Client and server share them.`,
);
say(
  `Load average at the start: ${load()} (above 0 other programs ran; wall-clock figures then say more about them). Rounds: ${ROUNDS}.${NICE === undefined ? '' : ` Client and server at nice ${NICE}.`}`,
);

/** CPU seconds of a program and its children, by the shell's own account. */
function cpuOf(command, args, env) {
  const script = `TIMEFORMAT='cpu %U %S'; time "$@" >/dev/null 2>"$LOG"`;
  const log = path.join(work, 'program.log');
  const { stderr, status } = spawnSync('bash', ['-c', script, 'bash', command, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env, LOG: log },
  });
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(stderr) ?? [];
  if (status !== 0 || user === undefined) throw new Error(`${command} ended with ${status}: see ${log}`);
  return Number(user) + Number(system);
}

function configFile(name, route, requests, concurrency) {
  const file = path.join(work, `${name}.yaml`);
  writeFileSync(
    file,
    `api: { type: completion, streaming: true }
data: { type: mock }
load:
  type: concurrent
  num_workers: 1
  interval: 0
  base_seed: 1
  stages: [{ num_requests: ${requests}, concurrency_level: ${concurrency} }]
tokenizer: { pretrained_model_name_or_path: ${path.join(root, 'samples/tokenizer')} }
server: { type: vllm, model_name: bench-model, base_url: "http://127.0.0.1:${port}/${route}" }
report: { request_lifecycle: { summary: true, per_stage: false, per_request: false } }
storage: { local_storage: { path: ${path.join(work, `out-${name}`)} } }
`,
  );
  return file;
}

const cli = path.join(work, 'cli.js');
const programs = [{ name: 'isoperf run', command: process.execPath, args: (file) => [cli, 'run', file], env: {} }];

async function prepareTools() {
  execFileSync(process.execPath, ['esbuild.mjs', 'cli', `--outdir=${work}`], { cwd: root });
  if (process.argv.includes('--no-inference-perf')) return;
  const found = findInferencePerf(work);
  if (found.skip !== undefined) say(`inference-perf: skipped, ${found.skip}`);
  else {
    programs.push({
      name: `inference-perf ${found.version}`,
      command: found.program,
      args: (file) => ['-c', file],
      env: { HF_HUB_OFFLINE: '1', TRANSFORMERS_OFFLINE: '1' },
    });
  }
}

/**
 * CPU per token of a whole program: what more requests cost over a run of a few, so that starting it is left out. Ours gets `times` as
 * many more, which would take inference-perf minutes: of few, compiling is a large part.
 */
function programRows(route, { tokens, few, many, times = 1 }, concurrency) {
  return programs.map((program) => {
    const more = (many - few) * (program.name === 'isoperf run' ? times : 1);
    const files = [few, few + more].map((count) => configFile(`${route}-${count}`, route, count, concurrency));
    return row(program.name, () => {
      const [base, whole] = files.map((file) => cpuOf(program.command, program.args(file), program.env));
      const cpuSeconds = Math.max(whole - base, 1e-6);
      return {
        parts: [{ cpuSeconds, requests: more, tokens: more * tokens, eventLoopUse: Number.NaN }],
        serverCores: Number.NaN,
      };
    });
  });
}

async function throughputSection(title, job, scale) {
  say(`\n${title}`);
  const rows = [
    row('bare sockets', () => drive({ ...job, client: 'bare' })),
    row('ours, one engine', () => drive(job)),
    row('ours, one worker', () => drive({ ...job, workers: 1 })),
    row('ours, two workers', () => drive({ ...job, workers: 2 })),
    ...programRows(job.route, scale, job.concurrency),
  ];
  await rounds(rows);
  const figures = rows.map(({ name, results }) => ({
    name,
    perToken: results.map(({ parts }) => (total(parts, 'cpuSeconds') / total(parts, 'tokens')) * 1e6),
    requests: results.map(({ parts }) => total(parts, 'requests') / total(parts, 'cpuSeconds')),
    wall: results.map(
      ({ parts }) => total(parts, 'tokens') / Math.max(...parts.map(({ wallSeconds }) => wallSeconds ?? NaN)),
    ),
    use: results.map(({ parts }) => Math.max(...parts.map(({ eventLoopUse }) => eventLoopUse))),
    server: results.map(({ serverCores }) => serverCores),
  }));
  const bare = median(figures[0].perToken);
  for (const each of figures) {
    const own = median(each.perToken);
    const rate = Number.isNaN(each.wall[0])
      ? ''
      : `  ${(median(each.wall) / 1000).toFixed(0)}k tokens/s at event-loop use ${median(each.use).toFixed(2)}, server ${median(each.server).toFixed(2)} cores`;
    say(
      `  ${each.name.padEnd(22)} ${spread(each.perToken, 2)} us of CPU per token  ${spread(each.requests, 0)} requests/CPU-s  ${(own / bare).toFixed(1)} x bare${rate}`,
    );
  }
  const find = (start) => figures.find(({ name }) => name.startsWith(start));
  return { bare: figures[0], ours: find('ours, one'), whole: find('isoperf'), other: find('inference-perf') };
}

try {
  await prepareTools();
  if (ONLY.includes('instant')) {
    // So many that compiling the client's code is a small part of it.
    const job = { mode: 'closed', route: 'instant-128', concurrency: 64, count: 12_000 };
    const found = await throughputSection(
      'Instant server: answers of 128 tokens at once, 64 in flight (many events per read)',
      job,
      { tokens: 128, few: 64, many: 664, times: 10 },
    );
    const tokens = 1e6 / median(found.ours.perToken);
    const requests = median(found.ours.requests);
    const ratio = median(found.ours.perToken) / median(found.bare.perToken);
    goal('instant, tokens per CPU-second >= 350k', `${(tokens / 1000).toFixed(0)}k`, tokens >= 350_000);
    goal('instant, requests per CPU-second >= 2,700', requests.toFixed(0), requests >= 2700);
    goal('instant, at most 1.6 x the bare socket', `${ratio.toFixed(1)} x`, ratio <= 1.6);
    if (found.other) {
      const times = median(found.other.perToken) / median(found.ours.perToken);
      const whole = median(found.other.perToken) / median(found.whole.perToken);
      goal(
        'instant, at least 10 x inference-perf',
        `${times.toFixed(0)} x (whole run: ${whole.toFixed(1)} x)`,
        times >= 10,
      );
    }
  }
  if (ONLY.includes('paced')) {
    const job = { mode: 'closed', route: 'paced-100-20', concurrency: 500, count: 1000 };
    const found = await throughputSection('Paced server: 500 streams of 50 tokens/s (about one event per read)', job, {
      tokens: 100,
      few: 100,
      many: 1100,
    });
    const own = median(found.ours.perToken);
    goal('paced, at most 28 us of CPU per token', `${own.toFixed(1)} us`, own <= 28);
    if (found.other) {
      const share = own / median(found.other.perToken);
      const whole = median(found.whole.perToken) / median(found.other.perToken);
      goal(
        'paced, at most 0.4 of inference-perf',
        `${share.toFixed(2)} (whole run: ${whole.toFixed(2)})`,
        share <= 0.4,
      );
    }
  }
  if (ONLY.includes('lag')) await lagSection();
  if (ONLY.includes('delay')) await delaySection();
  if (ONLY.includes('memory')) await memorySection();
  say(`\nGoals on two cores (medians). Load average at the end: ${load()}`);
  for (const text of goals) say(`  ${text}`);
} finally {
  server.kill();
  if (existsSync(work)) rmSync(work, { recursive: true, force: true });
}

function quantileLine(results, key) {
  const of = (quantile) => results.map(({ parts }) => Math.max(...parts.map((part) => part[key][quantile])) * 1000);
  return `p50 ${spread(of('p50'), 3)}  p90 ${spread(of('p90'), 2)}  p99 ${spread(of('p99'), 2)} ms`;
}
function useOf(results) {
  const uses = results.map(({ parts }) => Math.max(...parts.map(({ eventLoopUse }) => eventLoopUse)));
  const cores = results.map(({ serverCores }) => serverCores);
  return `event-loop use ${median(uses).toFixed(2)}, server ${median(cores).toFixed(2)} cores`;
}

async function lagSection() {
  say('\nSend lag: handed to the socket minus scheduled, Poisson arrivals');
  const job = (rate, streams) => ({
    mode: 'lag',
    route: 'instant-1',
    rate,
    seconds: 2,
    streams,
    streamRoute: 'paced-90-80',
  });
  const rows = [
    ...[10, 100, 1000, 3000].map((rate) => row(`${rate}/s, idle`, () => drive(job(rate, 0)))),
    ...[100, 1000].map((rate) => row(`${rate}/s, 2,000 streams of 12.5/s`, () => drive(job(rate, 2000)))),
  ];
  await rounds(rows);
  for (const { name, results } of rows) say(`  ${name.padEnd(32)} ${quantileLine(results, 'lag')}  ${useOf(results)}`);
  const at = (name, quantile) =>
    median(rows.find((each) => each.name === name).results.map(({ parts }) => parts[0].lag[quantile] * 1e6));
  goal(
    'send lag p50 < 10 us at 1,000/s idle',
    `${at('1000/s, idle', 'p50').toFixed(1)} us`,
    at('1000/s, idle', 'p50') < 10,
  );
  goal(
    'send lag p99 < 1 ms at 1,000/s idle',
    `${(at('1000/s, idle', 'p99') / 1000).toFixed(2)} ms`,
    at('1000/s, idle', 'p99') < 1000,
  );
  const busy = at('1000/s, 2,000 streams of 12.5/s', 'p90');
  goal('send lag p90 < 1 ms with 2,000 streams', `${(busy / 1000).toFixed(2)} ms`, busy < 1000);
}

async function delaySection() {
  say(
    '\nReceive delay: stamp of the token minus the server’s write; streams of three seconds that begin evenly over one',
  );
  const job = (streams, perSecond) => ({
    mode: 'closed',
    route: `paced-${Math.round(perSecond * 3)}-${1000 / perSecond}`,
    concurrency: streams,
    count: streams,
    spread: true,
    delays: [1, 3],
  });
  const grid = [
    [100, 50],
    [1000, 10],
    [2000, 10],
    [5000, 4],
    [1000, 50],
  ];
  const rows = grid.map(([streams, perSecond]) =>
    row(`${streams} x ${perSecond}/s = ${(streams * perSecond) / 1000}k tokens/s`, () =>
      drive(job(streams, perSecond)),
    ),
  );
  rows.push(row('20k, bare sockets', () => drive({ ...job(2000, 10), client: 'bare' })));
  const together = { spread: false, delays: [0, 3] };
  rows.push(row('20k, all begun at once', () => drive({ ...job(2000, 10), ...together })));
  rows.push(row('the same, bare sockets', () => drive({ ...job(2000, 10), ...together, client: 'bare' })));
  rows.push(row('50k, one worker', () => drive({ ...job(1000, 50), workers: 1 })));
  rows.push(row('50k, two workers', () => drive({ ...job(1000, 50), workers: 2 })));
  await rounds(rows);
  for (const { name, results } of rows)
    say(`  ${name.padEnd(32)} ${quantileLine(results, 'delay')}  ${useOf(results)}`);
  const p90 = median(rows[2].results.map(({ parts }) => parts[0].delay.p90 * 1000));
  goal('receive delay p90 < 1 ms at 20k tokens/s', `${p90.toFixed(2)} ms`, p90 < 1);
}

async function memorySection() {
  say('\nResident memory with open streams, by what 4,000 more than 1,000 take');
  // Far apart: V8's young generation takes its full size of some 30 MB somewhere on the way, once.
  const counts = [1000, 5000];
  const clients = ['bare', 'ours'];
  const rows = clients.flatMap((client) =>
    counts.map((streams) => row(`${client} ${streams}`, () => drive({ mode: 'memory', client, streams }))),
  );
  await rounds(rows);
  for (const [index, client] of clients.entries()) {
    const [small, large] = rows
      .slice(2 * index, 2 * index + 2)
      .map(({ results }) => results.map(({ parts }) => parts[0].rssMb));
    const per = large.map((value, round) => (1000 * (value - small[round])) / (counts[1] - counts[0]));
    say(
      `  ${client.padEnd(8)} ${spread(per, 1)} MB per 1,000 streams (${median(small).toFixed(0)} MB with 1,000, ${median(large).toFixed(0)} with 5,000)`,
    );
    if (client === 'ours') goal('at most 20 MB per 1,000 streams', `${median(per).toFixed(1)} MB`, median(per) <= 20);
  }
}
