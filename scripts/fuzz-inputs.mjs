// `npm run fuzz:inputs [-- --configs 100000 --folders 20000 --seed 7 --minutes 10]`: mutated configs through loader, validate and plan's
// reading, mutated report folders through readers, audit and compare, in this process. A throw or a slow input is kept in a file.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const { values } = parseArgs({
  options: {
    configs: { type: 'string', default: '100000' },
    folders: { type: 'string', default: '20000' },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
  },
});
const [configs, folders, minutes, seed] = ['configs', 'folders', 'minutes', 'seed'].map((name) => {
  const value = Number(values[name]);
  if (!Number.isFinite(value) || value < 0) throw new Error(`--${name} takes a number, not '${values[name]}'`);
  return value;
});
const root = path.resolve(import.meta.dirname, '..');
const scratch = mkdtempSync(path.join(os.tmpdir(), 'isoperf-fuzz-'));
/** One input may take this long on a busy machine before it counts as a hang. */
const SLOW_MS = 5000;
const MAX_SEED_BYTES = 60_000;

/** Mulberry32: enough for choosing what to break, and the same on every machine. */
function random(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const ODD = [
  ...['', 'null', '~', 'true', '-1', '0', '1e400', '.nan', '.inf', '99999999999999999999', '9007199254740993', '0x1F'],
  ...['""', '[]', '{}', '[1, [2]]', '{a: {b: c}}', '&a', '*a', '<<: *a', '!!binary aGk=', '!!python/object:x', '? a'],
  ...[
    '---',
    '...',
    '|',
    '>-',
    '\t',
    '\r',
    '\u0000',
    '\ufeff',
    '\u2028',
    '\ud83d',
    '__proto__',
    'constructor',
    'toString',
  ],
  ...[
    '${X}',
    '{{ x }}',
    '{{- if x }}',
    '{{- else }}',
    '{{- end }}',
    '$X',
    '<x>',
    '# isoperf: seed=99999999999999999999',
  ],
  ...[
    '# isoperf: warmup',
    '# isoperf: target=v9',
    '"\\ud83d"',
    '1_000',
    '12:30:45',
    '2026-01-01',
    'apiVersion: v1\nkind: X',
  ],
];

function mutate(text, rng, others) {
  const below = (bound) => Math.floor(rng() * bound);
  const pick = (list) => list[below(list.length)];
  let result = text;
  for (let rounds = 1 + below(4); rounds > 0; rounds -= 1) {
    const lines = result.split('\n');
    const at = below(lines.length);
    const cut = below(result.length + 1);
    switch (below(9)) {
      case 0:
        lines.splice(at, 1 + below(3));
        break;
      case 1:
        lines.splice(at, 0, pick(lines));
        break;
      case 2:
        lines[at] = `${' '.repeat(below(9))}${lines[at].trimStart()}`;
        break;
      case 3:
        lines[at] = lines[at].replace(/([:,-])\s*[^:,{}[\]]+/, (_, mark) => `${mark} ${pick(ODD)}`);
        break;
      case 4:
        lines[at] = lines[at].replace(/[\w.]+/, () => pick(ODD));
        break;
      case 5:
        result = result.slice(0, cut) + pick(ODD) + result.slice(cut + below(4));
        continue;
      case 6:
        result = result.slice(0, cut);
        continue;
      case 7: {
        const other = pick(others).split('\n');
        lines.splice(at, 0, ...other.slice(below(other.length)).slice(0, 8));
        break;
      }
      default:
        result = result.replace(/-?\d+(\.\d+)?/g, (number) => (rng() < 0.1 ? pick(ODD) : number));
        continue;
    }
    result = lines.join('\n');
  }
  return result.slice(0, MAX_SEED_BYTES * 2);
}

function filesUnder(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile() && statSync(file).size <= MAX_SEED_BYTES);
}

async function product() {
  const outfile = path.join(scratch, 'product.cjs');
  await build({
    stdin: {
      resolveDir: path.join(root, 'src'),
      contents: `
        export { loadConfig } from './config/load';
        export { loaderVerdict } from './config/loader';
        export { judgeConfigs } from './pitfalls/check';
        export { allActions } from './language/fixes';
        export { expectationsOf } from './config/will/expectations';
        export { withRuntimeDefaults } from './config/will/runtime';
        export { configYaml, savedConfig } from './folder/write-config';
        export { openReports } from './readers/open';
        export { readRun } from './readers/read';
        export { judgeReport } from './audit/identities';
        export { compare } from './comparability/compare';`,
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
    define: { ISOPERF_VERSION: '"fuzz"', UNDICI_VERSION: '"fuzz"' },
  });
  return createRequire(import.meta.url)(outfile);
}

const until = Date.now() + minutes * 60_000;
const tally = { thrown: 0, slow: 0, longestMs: 0 };

async function attempt(kind, index, input, work) {
  const start = performance.now();
  try {
    return await work();
  } catch (error) {
    tally.thrown += 1;
    if (tally.thrown > 20) return undefined;
    const file = path.join(os.tmpdir(), `isoperf-fuzz-${kind}-${seed}-${index}.json`);
    writeFileSync(file, JSON.stringify(input, null, 1));
    console.error(`${kind} ${index}: ${error?.stack ?? error}\n  input kept in ${file}`);
    return undefined;
  } finally {
    const took = performance.now() - start;
    tally.longestMs = Math.max(tally.longestMs, took);
    if (took > SLOW_MS) {
      tally.slow += 1;
      console.error(`${kind} ${index}: took ${Math.round(took)} ms`);
    }
  }
}

async function fuzzConfigs(code, texts) {
  const counts = { done: 0, accepted: 0, loaded: 0 };
  for (let index = 0; index < configs && Date.now() < until; index += 1) {
    const rng = random(seed * 1_000_003 + index);
    const text = mutate(texts[Math.floor(rng() * texts.length)], rng, texts);
    await attempt('config', index, text, () => {
      if (code.loaderVerdict(text).accepts) counts.accepted += 1;
      JSON.stringify(code.judgeConfigs(text).problems);
      for (const isPlanOnly of [false, true]) {
        const loaded = code.loadConfig(text, { isPlanOnly });
        if (!loaded.ok) continue;
        counts.loaded += 1;
        code.expectationsOf(loaded.value.config, {
          assumedLatencySeconds: 10,
          warmupStages: loaded.value.warmupStages,
        });
        const effective = code.withRuntimeDefaults(loaded.value.config, { cpus: 2, nowMs: 0 }, loaded.value.seed);
        const saved = code.configYaml(code.savedConfig(effective, 1), loaded.value.directives, 'fuzz');
        // What is saved can be read and sent again.
        if (!isPlanOnly && !code.loaderVerdict(saved).accepts) throw new Error(`saved config is refused:\n${saved}`);
      }
      if (index % 20 === 0) code.allActions(text);
    });
    counts.done += 1;
  }
  return counts;
}

/** A folder in memory. */
function access(files) {
  const encoded = (name) => Buffer.from(files.get(name) ?? '');
  return {
    name: 'fuzz',
    list: async () => [...files.keys()],
    readText: async (name) => files.get(name),
    sizeBytes: async (name) => (files.has(name) ? encoded(name).length : undefined),
    async *readBytes(name) {
      yield encoded(name);
    },
    async *readLines(name) {
      yield* (files.get(name) ?? '').split('\n');
    },
  };
}

async function fuzzFolders(code, seeds) {
  const counts = { done: 0, opened: 0, compared: 0 };
  const texts = seeds.flatMap((files) => [...files.values()]);
  let before;
  for (let index = 0; index < folders && Date.now() < until; index += 1) {
    const rng = random(seed * 7_000_003 + index);
    const files = new Map(seeds[Math.floor(rng() * seeds.length)]);
    for (const [name, text] of files) if (rng() < 0.5) files.set(name, mutate(text, rng, texts));
    await attempt('folder', index, Object.fromEntries(files), async () => {
      const opened = await code.openReports(access(files));
      if (opened.ok) {
        counts.opened += 1;
        for (const { report } of opened.value.reports) JSON.stringify(code.judgeReport(report));
      }
      const run = await code.readRun(access(files));
      if (!run.ok) return;
      if (before) code.compare(before, run.value);
      code.compare(run.value, run.value);
      counts.compared += 1;
      before = run.value;
    });
    counts.done += 1;
  }
  return counts;
}

const STATISTICS = { mean: 1.5, min: 1, max: 2, median: 1.5, p90: 1.9, p99: 1.99 };
const METRICS = JSON.stringify({
  load_summary: { count: 10, requested_rate: 5, achieved_rate: 4.9, send_duration: 2, schedule_delay: STATISTICS },
  successes: {
    count: 9,
    latency: { request_latency: STATISTICS, time_to_first_token: STATISTICS, inter_token_latency: STATISTICS },
    throughput: { requests_per_sec: 4.5, output_tokens_per_sec: 90, input_tokens_per_sec: 90 },
    prompt_len: STATISTICS,
    output_len: STATISTICS,
  },
  failures: { count: 1, request_latency: STATISTICS },
});
/** A small report in inference-perf's form. */
const OWN = new Map([
  ['config.yaml', 'load: { stages: [{ rate: 5, duration: 2 }] }\nserver: { base_url: "http://h:1" }\n'],
  ['stage_0_lifecycle_metrics.json', METRICS],
  ['summary_lifecycle_metrics.json', METRICS],
]);

function isReport(files) {
  return [...files.keys()].some((name) => /\.(json|jsonl|ya?ml|csv)$/.test(name)) && files.size < 60;
}

/** Each folder that holds files is one report. */
function reportFolders(top) {
  const found = new Map();
  for (const file of filesUnder(top)) {
    const folder = path.dirname(file);
    if (!found.has(folder)) found.set(folder, new Map());
    found.get(folder).set(path.basename(file), readFileSync(file, 'utf8'));
  }
  return [...found.values()];
}

try {
  const code = await product();
  const texts = ['samples', 'src/pitfalls/catalogue']
    .flatMap((name) => filesUnder(path.join(root, name)))
    .filter((file) => /\.ya?ml$/.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .flatMap((text) => [text, ...text.split(/^ {2}(?:fires|silent): \|\n/m).slice(1)]);
  const corpus = path.resolve(root, '..', 'shared', 'corpus');
  const seeds = [OWN, ...(existsSync(corpus) ? reportFolders(corpus).filter(isReport) : [])];
  if (seeds.length === 1) console.log('../shared/corpus is not here: only a report of our own is broken');
  console.log(`seed ${seed}: ${texts.length} texts, ${seeds.length} folders to break`);
  console.log('configs', await fuzzConfigs(code, texts));
  console.log('folders', await fuzzFolders(code, seeds));
  console.log(`thrown ${tally.thrown}, over ${SLOW_MS} ms ${tally.slow}, longest ${Math.round(tally.longestMs)} ms`);
  if (tally.thrown + tally.slow > 0) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
