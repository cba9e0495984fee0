// Runs every public config of ../shared/corpus/configs for a moment against one simulator, and says what became of each.
// Usage: node esbuild.mjs cli && node scripts/run-corpus.mjs [part of a file name ...]
import { spawn, spawnSync } from 'node:child_process';
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

const simulator = spawn(process.execPath, [
  cli,
  'simulate',
  '--port',
  '0',
  '--ttft-ms',
  '5',
  '--tpot-ms',
  '1',
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

const results = new Map();
for (const name of files) {
  const text = readFileSync(path.join(corpus, name), 'utf8');
  const set = [
    `server.base_url=${url}`,
    'server.model_name=isoperf-simulated',
    `load.stages=${/^\s*type:\s*["']?concurrent/m.test(text) ? '[{num_requests: 6, concurrency_level: 3}]' : '[{rate: 6, duration: 1}]'}`,
    'load.sweep=null',
    'load.interval=0',
    'load.request_timeout=20',
    'metrics=null',
    ...(/type:\s*["']?(shareGPT|cnn_dailymail|billsum_conversations|infinity_instruct)/.test(text)
      ? [`data.path=${dataset}`]
      : []),
    ...(/conversation_replay:/.test(text) && /tool_call_latency_sec/.test(text)
      ? ['data.conversation_replay.tool_call_latency_sec=null']
      : []),
    `tokenizer={pretrained_model_name_or_path: ${path.join(root, 'samples/tokenizer')}}`,
  ];
  const out = path.join(folder, `run-${results.size}`);
  const started = performance.now();
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    [cli, 'run', path.join(corpus, name), ...set.flatMap((each) => ['--set', each]), '--out', out, '--json'],
    { encoding: 'utf8', timeout: 90_000, env: { ...process.env, HF_HOME: folder, XDG_CACHE_HOME: folder } },
  );
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const errors = stderr.split('\n').filter((line) => / error [A-Z]{3}\d{3} |unexpected error/.test(line));
  const code = /error ([A-Z]{3}\d{3})/.exec(errors[0] ?? '')?.[1];
  let counts = '';
  try {
    const { ok, failed } = JSON.parse(stdout).counts;
    counts = `${ok} ok, ${failed} failed`;
  } catch {
    // A refused config has no counts.
  }
  const kind =
    status === 0 ? 'ran' : status === null ? 'TIMED OUT' : status === 2 ? `refused ${code ?? '?'}` : `FAILED ${status}`;
  results.set(name, kind);
  console.log(
    `${kind.padEnd(16)} ${seconds.padStart(5)} s  ${name}  ${counts || (errors[0] ?? stderr.split('\n')[0] ?? '').replace(`${corpus}/`, '').slice(0, 150)}`,
  );
  rmSync(out, { recursive: true, force: true });
}
simulator.kill();
rmSync(folder, { recursive: true, force: true });
const tally = new Map();
for (const kind of results.values()) tally.set(kind, (tally.get(kind) ?? 0) + 1);
console.log([...tally].map(([kind, number]) => `${number} ${kind}`).join(', '));
process.exitCode = [...results.values()].some((kind) => /FAILED|TIMED/.test(kind)) ? 1 : 0;
