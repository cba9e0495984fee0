// `node bench/prepare.mjs [FOLDER...] [--requests 400] [--runs 5] [--memory 20000]`: how fast prompts are prepared, and what they take.
//
// Each FOLDER holds a tokenizer.json (default: samples/tokenizer, whose thousand whole words say little of a real vocabulary).
// Tokens per second of CPU time of the whole preparation (texts of exact lengths, bodies, hashes), medians, beside the same preparation
// with the tokenizer library's own encode and decode, in turns in one process; both must make the same stream, byte for byte.
// Memory: a process of its own prepares many requests and is weighed after collecting garbage.
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const args = process.argv.slice(2);
const option = (name, fallback) => {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(args.splice(at, 2)[1]);
};
const REQUESTS = option('requests', 400);
const RUNS = option('runs', 5);
const MEMORY = option('memory', 20_000);
const TYPES = ['random', 'synthetic', 'shared_prefix', 'conversation_replay', 'shareGPT'];
const bundle = process.env.ISOPERF_PREPARE_BUNDLE;
const print = (text) => process.stdout.write(`${text}\n`);

if (bundle) await weigh(bundle, args[0], args[1], Number(args[2]), process.env.ISOPERF_PREPARE_WORK);
else await compareAll(args.length > 0 ? args : [path.join(root, 'samples', 'tokenizer')]);

async function compareAll(folders) {
  const work = mkdtempSync(path.join(os.tmpdir(), 'isoperf-prepare-'));
  try {
    const file = await bundled(work);
    const engine = await import(file);
    writeDataset(path.join(work, 'sharegpt.json'));
    print(`${os.cpus()[0]?.model}, ${os.availableParallelism()} cores, Node ${process.version}`);
    print(`${REQUESTS} requests of about 500 tokens; tokens per second of CPU, median of ${RUNS} (least to most)`);
    for (const folder of folders) {
      const own = engine.loadTokenizer(path.join(folder, 'tokenizer.json'));
      const library = byLibrary(engine, own, folder);
      print(`\n${folder}: ${own.ordinaryIds.length.toLocaleString('en-US')} ordinary tokens`);
      print('  data type              prepared here                   with the library          ratio   same stream');
      for (const type of TYPES) print(await row(engine, type, own, library, work));
      for (const type of ['random', 'shared_prefix']) print(`  ${weighed(file, folder, type, work)}`);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function bundled(work) {
  const outfile = path.join(work, 'prepare.mjs');
  await build({
    stdin: {
      contents: `export { prepareWorkload } from './src/datagen/workload';
        export { loadTokenizer } from './src/datagen/tokenizer';
        export { libraryCodec, Tokenizer } from './src/datagen/tokenizer-library';`,
      resolveDir: root,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outfile;
}

/** The same tokenizer, encoding and decoding as the library does. */
function byLibrary({ libraryCodec, Tokenizer }, own, folder) {
  const read = (name) => {
    const file = path.join(folder, name);
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  };
  const codec = libraryCodec(new Tokenizer(read('tokenizer.json'), read('tokenizer_config.json')));
  return {
    ...own,
    encode: codec.encode,
    decode: (ids) => (ids.length === 0 ? '' : codec.decode(ids)),
    count: (text) => (text === '' ? 0 : codec.encode(text).length),
  };
}

async function row(engine, type, own, library, work) {
  const rates = { own: [], library: [] };
  const hashes = new Set();
  // A first round warms up, and is not counted.
  for (let run = 0; run <= RUNS; run++) {
    for (const [name, tokenizer] of [
      ['own', own],
      ['library', library],
    ]) {
      const start = process.cpuUsage();
      const requests = await prepare(engine, type, tokenizer, REQUESTS, work);
      const { user, system } = process.cpuUsage(start);
      const tokens = requests.reduce((sum, request) => sum + tokensOf(request), 0);
      if (run > 0) rates[name].push(tokens / ((user + system) / 1e6));
      hashes.add(hashOf(requests));
    }
  }
  const [mine, theirs] = [spread(rates.own), spread(rates.library)];
  const ratio = (median(rates.own) / median(rates.library)).toFixed(1);
  if (hashes.size > 1) process.exitCode = 1;
  return `  ${type.padEnd(20)} ${mine.padStart(26)} ${theirs.padStart(26)} ${ratio.padStart(9)}x   ${hashes.size === 1 ? 'yes' : 'NO'}`;
}

/** What one request was asked for, history of a conversation apart. */
function tokensOf(request) {
  return request.turn?.user.tokens ?? request.askedPromptTokens ?? 0;
}

function hashOf(requests) {
  const hash = createHash('sha256');
  for (const { body, promptHash } of requests) hash.update(body).update(promptHash);
  return hash.digest('hex');
}

function weighed(file, folder, type, work) {
  const env = { ...process.env, ISOPERF_PREPARE_BUNDLE: file, ISOPERF_PREPARE_WORK: work };
  const self = path.join(root, 'bench', 'prepare.mjs');
  return execFileSync(process.execPath, ['--expose-gc', self, folder, type, String(MEMORY)], {
    env,
    encoding: 'utf8',
  }).trim();
}

/** Memory after collecting twice: buffers are given back after the first time. */
async function held() {
  for (let round = 0; round < 2; round++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage();
}

/** In a process of its own. */
async function weigh(file, folder, type, count, work) {
  const engine = await import(file);
  const tokenizer = engine.loadTokenizer(path.join(folder, 'tokenizer.json'));
  // Tables and remembered pieces are the tokenizer's own, however many requests there are.
  await prepare(engine, type, tokenizer, 1000, work);
  const before = await held();
  const requests = await prepare(engine, type, tokenizer, count, work);
  const after = await held();
  const megabytes = (key) => ((after[key] - before[key]) / 2 ** 20 / (count / 1000)).toFixed(2);
  const sent = requests.reduce((sum, { requestBytes }) => sum + requestBytes, 0) / 2 ** 20 / (count / 1000);
  print(
    `${type}, ${count.toLocaleString('en-US')} requests: per 1,000 ${megabytes('heapUsed')} MB in V8's heap, ${megabytes('external')} MB outside, for ${sent.toFixed(2)} MB of bodies; resident at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
  );
}

async function prepare({ prepareWorkload }, type, tokenizer, count, work) {
  const made = await prepareWorkload({
    data: dataOf(type, count, work),
    body: { model: 'bench-model', api: 'completion', streaming: true, ignoreEos: true },
    isMockServer: false,
    seed: 1,
    tokenizer,
    stages: [{ name: { kind: 'measured', index: 0 }, count }],
  });
  if (!made.ok) throw new Error(made.problems[0].message);
  return made.value.stages[0];
}

function dataOf(type, count, work) {
  const around = (mean) => ({ type: 'normal', min: 10, max: 2 * mean, mean, std_dev: mean / 5, skew: 0 });
  const lengths = { inputDistribution: around(500), outputDistribution: around(128) };
  switch (type) {
    case 'random':
    case 'synthetic':
      return { type, ...lengths };
    case 'shared_prefix': {
      const groups = Math.max(1, Math.round(count / 50));
      const promptsPerGroup = Math.ceil(count / groups);
      const sharedPrefix = { groups, promptsPerGroup, systemPromptLength: 250, questionLength: 250, outputLength: 128 };
      return { type, sharedPrefix: { ...sharedPrefix, seed: null } };
    }
    case 'conversation_replay':
      return {
        type,
        conversationReplay: {
          seed: 1,
          conversations: Math.max(1, Math.round(count / 10)),
          sharedSystemPromptLength: 500,
          inputTokens: around(500),
          outputTokens: around(128),
        },
      };
    default:
      return { type, path: { file: path.join(work, 'sharegpt.json'), configured: 'sharegpt.json' } };
  }
}

/** English sentences and some of everything else, as people send them. */
function writeDataset(file) {
  const words = readFileSync(path.join(root, 'src/datagen/words.ts'), 'utf8')
    .match(/^[a-z ]+$/gm)
    .join(' ')
    .split(' ');
  let state = 1;
  const below = (bound) => (state = (state * 48_271) % 2_147_483_647) % bound;
  const odd = ['naïve', '東京都', '😀', 'https://example.com/a?b=c', 'x_1 = 3.14159;', '1,234,567', 'don’t', "it's"];
  const say = (length) =>
    Array.from({ length }, () => {
      const word = below(30) === 0 ? odd[below(odd.length)] : words[below(words.length)];
      return `${word}${['', '', '', '', '', ',', '.', '\n'][below(8)]}`;
    }).join(' ');
  const records = Array.from({ length: REQUESTS + 100 }, (_, id) => ({
    id: String(id),
    conversations: [
      { from: 'human', value: say(100 + below(700)) },
      { from: 'gpt', value: say(10 + below(300)) },
    ],
  }));
  writeFileSync(file, JSON.stringify(records));
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function spread(values) {
  const thousands = (value) => `${Math.round(value / 1000).toLocaleString('en-US')}k`;
  return `${thousands(median(values))} (${thousands(Math.min(...values))} to ${thousands(Math.max(...values))})`;
}
