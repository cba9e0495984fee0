// `node parity/parity.mjs`: the same requests to the same deterministic server, once from the real inference-perf 0.7 and once from
// ours, and every metric of the summary side by side. Skipped with a line where inference-perf cannot be had.
//
// One stream for both: a ShareGPT file made here, whose prompts both send in the file's order and whose answers' lengths both ask for.
// Bodies are compared byte for byte as JSON, counts must be equal, times must agree within the bound printed beside them.
// Exit code: 0 everything agrees or is named below, 1 something does not.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findInferencePerf } from '../bench/lib/inference-perf.mjs';

const root = path.resolve(import.meta.dirname, '..');
const work = mkdtempSync(path.join(os.tmpdir(), 'isoperf-parity-'));
const say = (text = '') => process.stdout.write(`${text}\n`);
const TIME_BOUND = { seconds: 0.012, share: 0.12 };

/** Where the two differ by definition, whatever the server does. Each is looked for in the figures below, not only believed. */
const DIFFERENCES = {
  'load_summary.schedule_delay':
    'inference-perf starts a request up to 1 ms early (timers) and late by its queue; ours is exact to the spin',
  'successes.latency.request_latency':
    'inference-perf’s end is after its own tokenization of the answer; ours is the last byte, so ours is never larger by more than noise',
  'successes.latency.normalized_time_per_output_token': 'follows request_latency',
  benchmark_time_seconds: 'arrivals are drawn anew by each tool, and the last answer ends accordingly',
  'successes.throughput': 'counts over benchmark_time_seconds',
  'load_summary.send_duration': 'first to last send of other arrivals of the same law',
  'load_summary.achieved_rate': 'count over send_duration',
  'successes.request_size_bytes':
    'inference-perf counts a body with a blank after every comma and colon, ours the bytes that are sent',
};

/** What inference-perf writes and ours leaves out, because it is 0 or null for anything this engine sends or was told. */
const LEFT_OUT = {
  'successes.image': 'no media are sent',
  'successes.video': 'no media are sent',
  'successes.audio': 'no media are sent',
  'successes.throughput.images_per_sec': 'no media are sent',
  'successes.throughput.videos_per_sec': 'no media are sent',
  'successes.throughput.audios_per_sec': 'no media are sent',
  'successes.prompt_tokens.cached': 'the server reported no cached tokens: ours leaves it out, inference-perf writes 0',
  'successes.prompt_tokens.uncached': 'as for cached',
  'successes.client_fallback_requests': 'run.json tokens: serverCounted and clientCounted',
};

function words(count, seed) {
  const list = ['alpha', 'river', 'stone', 'cloud', 'green', 'paper', 'light', 'seven', 'north', 'bread'];
  return Array.from({ length: count }, (_, index) => list[(index * 7 + seed * 3) % list.length]).join(' ');
}

function config(file, base, out) {
  const name = path.join(work, file);
  writeFileSync(
    name,
    `api: { type: completion, streaming: true }
data: { type: shareGPT, path: ${path.join(work, 'sharegpt.json')} }
load:
  type: constant
  num_workers: 1
  worker_max_concurrency: 512
  interval: 0
  base_seed: 7
  stages: [{ rate: 20, duration: 6 }]
tokenizer: { pretrained_model_name_or_path: ${path.join(root, 'samples/tokenizer')} }
server: { type: vllm, model_name: parity, base_url: "${base}" }
report: { request_lifecycle: { summary: true, per_stage: true, per_request: true } }
storage: { local_storage: { path: ${path.join(work, out)} } }
`,
  );
  return name;
}

/** Leaves of a summary by their dotted names; null and numbers alike. */
function leaves(value, prefix = '', found = new Map()) {
  if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value))
      if (key !== 'isoperf') leaves(inner, prefix ? `${prefix}.${key}` : key, found);
  } else found.set(prefix, value);
  return found;
}

const isTime = (name) => /latency|time_|_time|schedule_delay|send_duration/.test(name);
const isTail = (name) => !/\.(median|mean)$/.test(name) && /\.(min|max|p[\d.]+)$/.test(name);
let blanks = 0;
const reason = (name) => Object.entries(DIFFERENCES).find(([start]) => name.startsWith(start))?.[1];

function missing(name) {
  const why = Object.entries(LEFT_OUT).find(([start]) => name.startsWith(start))?.[1];
  return why === undefined ? { verdict: 'MISSING' } : { verdict: 'left out', why };
}

function judge(name, ours, theirs) {
  if (ours === theirs) return { verdict: 'equal' };
  if (typeof ours !== 'number' || typeof theirs !== 'number') return { verdict: 'DIFFERS', why: reason(name) };
  if (!isTime(name)) {
    // The same number of blanks in every body: a constant in every statistic, and nothing else.
    if (name.startsWith('successes.request_size_bytes') && Math.abs(theirs - ours - blanks) < 1e-6) {
      return { verdict: 'named', why: `${reason(name)}: ${blanks} bytes` };
    }
    const near = Math.abs(ours - theirs) <= 1e-9 * Math.abs(theirs);
    if (near) return { verdict: 'equal' };
    return reason(name) && !name.startsWith('successes.request_size_bytes')
      ? { verdict: 'named', why: reason(name) }
      : { verdict: 'DIFFERS' };
  }
  const bound = Math.max(TIME_BOUND.seconds, TIME_BOUND.share * Math.abs(theirs));
  if (Math.abs(ours - theirs) <= bound) return { verdict: 'within' };
  if (isTail(name)) return { verdict: 'tail', why: 'tails of a shared machine are not judged' };
  return reason(name) ? { verdict: 'named', why: reason(name) } : { verdict: 'DIFFERS' };
}

/** Bodies as JSON, sorted, without what the tools may write in another way. */
function bodies(folder) {
  const entries = JSON.parse(readFileSync(path.join(folder, 'per_request_lifecycle_metrics.json'), 'utf8'));
  return entries.map(({ request }) => JSON.stringify(Object.entries(JSON.parse(request)).sort())).sort();
}

let failed = false;
let simulator;
try {
  const found = findInferencePerf(work);
  if (found.skip !== undefined) {
    say(`parity: skipped, ${found.skip}`);
    process.exit(0);
  }
  execFileSync(process.execPath, ['esbuild.mjs', 'cli', `--outdir=${work}`], { cwd: root });
  const cli = path.join(work, 'cli.js');
  const conversations = Array.from({ length: 400 }, (_, index) => ({
    id: `c${index}`,
    conversations: [
      { from: 'human', value: words(12 + (index % 20), index) },
      { from: 'gpt', value: words(8 + (index % 12), index + 1) },
    ],
  }));
  writeFileSync(path.join(work, 'sharegpt.json'), JSON.stringify(conversations));
  simulator = spawn(
    process.execPath,
    [cli, 'simulate', '--port', '0', '--ttft-ms', '60', '--tpot-ms', '10', '--seed', '1'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const url = await new Promise((resolve) => {
    let said = '';
    simulator.stdout.on('data', (text) => {
      said += text;
      const match = /listening on (http:\/\/\S+)/.exec(said);
      if (match) resolve(match[1]);
    });
  });
  const run = (name, command, args, env = {}) => {
    const { status, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, ...env } });
    if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr.slice(-2000)}`);
  };
  run('inference-perf', found.program, ['-c', config('theirs.yaml', url, 'theirs')], {
    HF_HUB_OFFLINE: '1',
    TRANSFORMERS_OFFLINE: '1',
    HF_DATASETS_CACHE: path.join(work, 'datasets'),
  });
  run('isoperf', process.execPath, [cli, 'run', config('ours.yaml', url, 'ours'), '--out', path.join(work, 'ours')]);
  const [theirs, ours] = ['theirs', 'ours'].map((name) => path.join(work, name));

  const [theirBodies, ourBodies] = [bodies(theirs), bodies(ours)];
  const same = theirBodies.length === ourBodies.length && theirBodies.every((body, index) => body === ourBodies[index]);
  say(
    `inference-perf ${found.version} and isoperf against the simulator (TTFT 60 ms, 10 ms per token), load average ${os.loadavg()[0].toFixed(1)}`,
  );
  say(`request bodies: ${ourBodies.length} and ${theirBodies.length}, ${same ? 'the same' : 'NOT THE SAME'}`);
  if (!same) {
    failed = true;
    const odd = theirBodies.findIndex((body, index) => body !== ourBodies[index]);
    say(`  theirs ${theirBodies[odd]}\n  ours   ${ourBodies[odd]}`);
  }
  const [example] = JSON.parse(readFileSync(path.join(theirs, 'per_request_lifecycle_metrics.json'), 'utf8'));
  const parsed = JSON.parse(example.request);
  const fields = Object.keys(parsed).length + Object.keys(parsed.stream_options).length;
  // A blank after each colon, and after each comma between fields.
  blanks = fields + Object.keys(parsed).length - 1 + Object.keys(parsed.stream_options).length - 1;
  for (const file of ['summary_lifecycle_metrics.json', 'stage_0_lifecycle_metrics.json']) {
    const [left, right] = [theirs, ours].map((folder) =>
      leaves(JSON.parse(readFileSync(path.join(folder, file), 'utf8'))),
    );
    const counts = {};
    say(`\n${file}`);
    for (const [name, value] of left) {
      const own = right.has(name) ? right.get(name) : undefined;
      const { verdict, why } = own === undefined ? missing(name) : judge(name, own, value);
      counts[verdict] = (counts[verdict] ?? 0) + 1;
      if (verdict === 'DIFFERS' || verdict === 'MISSING') failed = true;
      const isShown =
        ((/\.(median|mean)$/.test(name) || !isTail(name)) && verdict !== 'left out') ||
        verdict === 'DIFFERS' ||
        verdict === 'MISSING';
      if (isShown)
        say(
          `  ${verdict.padEnd(8)} ${name.padEnd(66)} theirs ${show(value)}  ours ${show(own)}${why ? `  (${why})` : ''}`,
        );
    }
    const extra = [...right.keys()].filter((name) => !left.has(name));
    say(
      `  ${Object.entries(counts)
        .map(([verdict, count]) => `${count} ${verdict}`)
        .join(', ')}${extra.length > 0 ? `; only ours: ${extra.join(', ')}` : ''}`,
    );
  }
  say(
    `\nBound for times: the larger of ${TIME_BOUND.seconds * 1000} ms and ${TIME_BOUND.share * 100} %. ${failed ? 'NOT in agreement.' : 'In agreement.'}`,
  );
} finally {
  simulator?.kill();
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;

function show(value) {
  return typeof value === 'number' ? String(Number(value.toPrecision(6))) : String(value);
}
