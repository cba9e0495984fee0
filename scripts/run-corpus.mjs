// Runs every public config of ../shared/corpus/configs for a moment against one simulator, and says what became of each.
// Usage: node esbuild.mjs cli && node scripts/run-corpus.mjs [part of a file name ...]
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const corpus = path.resolve(root, '../shared/corpus/configs');
if (!existsSync(corpus)) {
  console.log(`skipped: ${corpus} is not there`);
  process.exit(0);
}
const cli = process.env.ISOPERF_CLI ?? path.join(root, 'dist/cli.js');
const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-corpus-'));
const wanted = process.argv.slice(2);
const files = readdirSync(corpus, { recursive: true })
  .map(String)
  .filter((name) => /\.ya?ml$/.test(name) && (wanted.length === 0 || wanted.some((word) => name.includes(word))))
  .sort();

/** Small records of our own, usable by every data set type that reads a file. */
const records = Array.from({ length: 40 }, (_, index) => ({
  conversations: [
    { from: 'human', value: `Question ${index}: what is the sum of ${index} and two?` },
    { from: 'gpt', value: `The sum is ${index + 2}, because two more than ${index} is ${index + 2}.` },
  ],
  article: `Article ${index}. Nothing of note happened on day ${index}.`,
  highlights: `Nothing happened on day ${index}.`,
}));
const dataset = path.join(folder, 'records.json');
writeFileSync(dataset, JSON.stringify(records));

/** Arrivals in the layout of Azure's public traces. */
const trace = path.join(folder, 'trace.csv');
writeFileSync(
  trace,
  `TIMESTAMP,ContextTokens,GeneratedTokens\n${Array.from({ length: 12 }, (_, index) => `2023-11-16 18:17:0${(index / 10).toFixed(6)},${20 + index},8`).join('\n')}\n`,
);

const simulator = spawn(process.execPath, [
  cli,
  'simulate',
  '--port',
  '0',
  '--ttft-ms',
  '5',
  '--tpot-ms',
  '1',
  // The longest prompts of the corpus are a guess at a length distribution's tail.
  '--max-model-len',
  '1000000',
  '--json',
]);
const url = await new Promise((resolve, reject) => {
  let text = '';
  const read = (chunk) => {
    text += chunk;
    const found = /http:\/\/[\d.]+:\d+/.exec(text);
    if (found) resolve(found[0]);
  };
  simulator.stdout.on('data', read);
  simulator.stderr.on('data', read);
  simulator.once('exit', () => reject(new Error(`the simulator ended: ${text}`)));
});

/** So many at once: each is a process of its own, and the simulator wants a core. */
const AT_ONCE = 3;
const LIMIT_MS = 90_000;

/** What makes a config of hours one of a second, on this machine and without its files. */
function scaledDown(text) {
  const has = (pattern) => pattern.test(text);
  return [
    `server.base_url=${url}`,
    'server.model_name=isoperf-simulated',
    `load.stages=${stagesFor(has)}`,
    'load.sweep=null',
    'load.interval=0',
    'load.request_timeout=20',
    'metrics=null',
    ...(has(/type:\s*["']?(shareGPT|cnn_dailymail|billsum_conversations|infinity_instruct)/)
      ? [`data.path=${dataset}`]
      : []),
    ...(has(/conversation_replay:/) && has(/tool_call_latency_sec/)
      ? ['data.conversation_replay.tool_call_latency_sec=null']
      : []),
    ...(has(/^\s*seed:\s*["']?(\$\{|REPLACE_ENV)/m) && has(/conversation_replay:/)
      ? ['data.conversation_replay.seed=7', 'data.conversation_replay.num_conversations=2']
      : []),
    ...(has(/^\s*type:\s*["']?trace_replay/m) ? [`load.trace={file: ${trace}, format: AzurePublicDataset}`] : []),
    ...(has(/^data:\n(?:[ #].*\n)*? {2}trace:/m) ? [`data.trace={file: ${trace}, format: AzurePublicDataset}`] : []),
    // No bucket of anybody's.
    `storage={local_storage: {path: ${folder}}}`,
    `tokenizer={pretrained_model_name_or_path: ${path.join(root, 'samples/tokenizer')}}`,
  ];
}

function stagesFor(has) {
  if (has(/^\s*type:\s*["']?concurrent/m)) return '[{num_requests: 6, concurrency_level: 3}]';
  if (has(/^\s*type:\s*["']?trace_session_replay/m)) return '[{concurrent_sessions: 2}]';
  return '[{rate: 6, duration: 1}]';
}

/** Resolves with status, stdout and stderr; status is null when the time was up. */
function run(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [cli, ...args], {
      env: { ...process.env, HF_HOME: folder, XDG_CACHE_HOME: folder },
      timeout: LIMIT_MS,
    });
    const said = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr']) {
      child[stream].setEncoding('utf8').on('data', (text) => {
        said[stream] += text;
      });
    }
    child.on('close', (status) => resolve({ status, ...said }));
  });
}

const results = new Map();
let next = 0;
async function worker() {
  for (let at = next++; at < files.length; at = next++) {
    const name = files[at];
    const set = scaledDown(readFileSync(path.join(corpus, name), 'utf8'));
    const out = path.join(folder, `run-${at}`);
    const started = performance.now();
    const sets = set.flatMap((each) => ['--set', each]);
    const { status, stderr, stdout } = await run(['run', path.join(corpus, name), ...sets, '--out', out, '--json']);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const errors = stderr.split('\n').filter((line) => / error [A-Z]{3}\d{3} |unexpected error/.test(line));
    const code = /error ([A-Z]{3}\d{3})/.exec(errors[0] ?? '')?.[1];
    let counts = '';
    let isWhole = true;
    try {
      const { planned, ok, failed, cancelled, notSent } = JSON.parse(stdout).counts;
      counts = `${ok} ok, ${failed} failed`;
      isWhole = planned === ok + failed + cancelled + notSent && failed === 0;
    } catch {
      // A refused config has no counts.
    }
    const kind = kindOf(status, code, isWhole);
    results.set(name, kind);
    console.log(
      `${kind.padEnd(16)} ${seconds.padStart(5)} s  ${name}  ${counts || (errors[0] ?? stderr.split('\n')[0] ?? '').replace(`${corpus}/`, '').slice(0, 170)}`,
    );
    rmSync(out, { recursive: true, force: true });
  }
}

/** In capitals what nobody expects: everything else is a run, or a refusal with a code. */
function kindOf(status, code, isWhole) {
  if (status === 0) return isWhole ? 'ran' : 'RAN BADLY';
  if (status === null) return 'TIMED OUT';
  return status === 2 && code !== undefined ? `refused ${code}` : `FAILED ${status}`;
}

await Promise.all(Array.from({ length: AT_ONCE }, worker));
simulator.kill();
rmSync(folder, { recursive: true, force: true });
const tally = new Map();
for (const kind of results.values()) tally.set(kind, (tally.get(kind) ?? 0) + 1);
console.log(
  [...tally]
    .sort((a, b) => b[1] - a[1])
    .map(([kind, number]) => `${number} ${kind}`)
    .join(', '),
);
process.exitCode = [...results.values()].some((kind) => /^[A-Z]{2}/.test(kind)) ? 1 : 0;
