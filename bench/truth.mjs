// `node bench/truth.mjs`: what the engine measures against the simulator's known truth, side by side, medians of 5 runs.
// 50 requests/s, TTFT 50 ms, 10 ms per token, 32 tokens: median TTFT, TPOT, ITL and their error; token counts; accounting.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const cli = path.join(root, 'dist', 'cli.js');
const RUNS = Number(process.argv[2] ?? 5);
const TRUTH = { ttftMs: 50, tpotMs: 10, tokens: 32 };
const work = mkdtempSync(path.join(os.tmpdir(), 'isoperf-truth-'));
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

writeFileSync(
  path.join(work, 'truth.yaml'),
  `# isoperf: seed=1
load:
  type: constant
  num_workers: 1
  worker_max_concurrency: 512
  request_timeout: 30
  stages: [{ rate: 50, duration: 10 }]
api: { type: completion, streaming: true }
server: { type: vllm, model_name: sim-model, base_url: "http://127.0.0.1:1" }
tokenizer: { pretrained_model_name_or_path: ${path.join(root, 'samples', 'tokenizer')} }
data:
  type: random
  input_distribution: { type: fixed, min: 64, max: 64, mean: 64, std_dev: 0 }
  output_distribution: { type: fixed, min: ${TRUTH.tokens}, max: ${TRUTH.tokens}, mean: ${TRUTH.tokens}, std_dev: 0 }
`,
);

const simulator = spawn(
  process.execPath,
  [
    cli,
    'simulate',
    '--port',
    '0',
    '--ttft-ms',
    String(TRUTH.ttftMs),
    '--tpot-ms',
    String(TRUTH.tpotMs),
    '--prefill-us-per-token',
    '0',
    '--seed',
    '1',
  ],
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

const rows = [];
try {
  for (let run = 1; run <= RUNS; run++) {
    const folder = path.join(work, `run-${run}`);
    const { status, stderr } = spawnSync(
      process.execPath,
      [cli, 'run', path.join(work, 'truth.yaml'), '--set', `server.base_url=${url}`, '--out', folder],
      { encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`run ${run} ended with ${status}: ${stderr}`);
    const stage = JSON.parse(readFileSync(path.join(folder, 'stage_0_lifecycle_metrics.json'), 'utf8'));
    const manifest = JSON.parse(readFileSync(path.join(folder, 'run.json'), 'utf8'));
    const { latency } = stage.successes;
    rows.push({
      ttftMs: latency.time_to_first_token.median * 1000,
      tpotMs: latency.time_per_output_token.median * 1000,
      itlMs: latency.inter_token_latency.median * 1000,
      tokensMin: stage.successes.output_len.min,
      tokensMax: stage.successes.output_len.max,
      lagP99Ms: stage.load_summary.schedule_delay.p99 * 1000,
      counts: manifest.counts,
      eventLoopUse: manifest.health[0]?.eventLoopUse,
    });
  }
} finally {
  simulator.kill();
  rmSync(work, { recursive: true, force: true });
}

const line = (name, truth, key) => {
  const values = rows.map((row) => row[key]);
  const middle = median(values);
  console.log(
    `${name.padEnd(12)} truth ${truth.toFixed(3)} ms   median of ${rows.length} runs ${middle.toFixed(3)} ms   error ${(middle - truth).toFixed(3)} ms   runs ${values.map((v) => v.toFixed(3)).join(' ')}`,
  );
};
console.log(
  `${os.cpus()[0]?.model ?? 'unknown CPU'}, ${os.cpus().length} cores, Node ${process.version}; simulator and engine share them`,
);
line('TTFT median', TRUTH.ttftMs, 'ttftMs');
line('TPOT median', TRUTH.tpotMs, 'tpotMs');
line('ITL median', TRUTH.tpotMs, 'itlMs');
console.log(
  `output tokens asked ${TRUTH.tokens}, realised min ${Math.min(...rows.map((r) => r.tokensMin))} max ${Math.max(...rows.map((r) => r.tokensMax))}`,
);
for (const { counts } of rows)
  console.log(
    `planned ${counts.planned} = ok ${counts.ok} + failed ${counts.failed} + cancelled ${counts.cancelled} + not sent ${counts.notSent}`,
  );
console.log(
  `send lag p99 ${rows.map((r) => r.lagP99Ms.toFixed(2)).join(' ')} ms   event-loop use ${rows.map((r) => r.eventLoopUse?.toFixed(2)).join(' ')}`,
);
