// `npm run mutate`: a seeded sample of small changes to src, each of which some unit test has to notice. Prints the share that was
// noticed, with its 95 % interval, and the survivors (out/mutation.json). Each test file that imports a changed file over few walls is
// bundled once with a switch for every mutant; its tests run once to see which mutants each one meets, and then again for those only.
//   npm run mutate -- --sample 25 --seed 1 [rooms or files, e.g. src/metrics src/config/secrets.ts]
//   npm run mutate -- --sample 25 --tests 30 src/client    up to 30 test files may see a mutant
//   npm run mutate -- --only 40,79 src/client/template.ts  the mutants of these lines
//   npm run mutate -- --list src/config/secrets.ts         the mutants of a file, not run
import { fork } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { bundleOf } from './mutation/bundle.mjs';
import { testsBySource } from './mutation/graph.mjs';
import { mutantsOf } from './mutation/mutants.mjs';

const root = path.resolve(import.meta.dirname, '..');
const DEFAULT = ['src/metrics', 'src/comparability', 'src/config/secrets.ts', 'src/client'];
const GOAL = 0.85;
/** Tests that load servers, read hundreds of folders or check the house: slow, and no nearer to these rooms than others are. */
const SLOW =
  /unit\/(?:run|e2e|extension|cli|house|simulator)\/|comparability\/removal|config\/(?:corpus|oracle|hostile)\.|readers\/hostile/;
/** So long a file's tests run without a mutant; those that come later see none. */
const FILE_SECONDS = 12;
/** And so long with each mutant, the quickest first: what only a long simulation would notice counts as unnoticed. */
const MUTANT_MS = 2500;
const TEST_SECONDS = 20;
/** Modules of each run stay in memory: a fresh process now and then. */
const RUNS_OF_A_PROCESS = 40;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string', default: '16' },
    only: { type: 'string' },
    list: { type: 'boolean' },
  },
});

function sources(target) {
  const full = path.join(root, target);
  if (statSync(full).isFile()) return [full];
  return readdirSync(full, { recursive: true })
    .map((name) => path.join(full, String(name)))
    .filter((file) => file.endsWith('.ts'))
    .sort();
}

/** As it was when the sample was drawn, for somebody may be writing. */
const texts = new Map();
function textOf(file) {
  if (!texts.has(file)) texts.set(file, readFileSync(file, 'utf8'));
  return texts.get(file);
}

function sampleOf(all, count, random) {
  const rest = [...all];
  return Array.from(
    { length: Math.min(count, rest.length) },
    () => rest.splice(uniformInt(random, 0, rest.length - 1), 1)[0],
  );
}

/** Where they differ, with a little of what stands around it. */
function inWords({ file, line, was, now }) {
  const [a, b] = [was, now].map((text) => text.replace(/\s+/g, ' '));
  let from = 0;
  while (from < Math.min(a.length, b.length) && a[from] === b[from]) from++;
  const part = (text) => `${from > 30 ? '…' : ''}${text.slice(from > 30 ? from - 20 : 0, from + 40)}`;
  return `${path.relative(root, file)}:${line}  ${part(a)}  ->  ${part(b)}`;
}

/** Wilson's interval of a share. */
function interval(killed, all) {
  const [z, p] = [1.96, killed / all];
  const middle = (p + (z * z) / (2 * all)) / (1 + (z * z) / all);
  const half = (z * Math.sqrt((p * (1 - p)) / all + (z * z) / (4 * all * all))) / (1 + (z * z) / all);
  return `${(100 * (middle - half)).toFixed(0)} to ${(100 * (middle + half)).toFixed(0)} %`;
}

let child;
let runs = 0;
async function worker() {
  if (runs++ % RUNS_OF_A_PROCESS === 0) stop();
  if (child) return child;
  child = fork(path.join(import.meta.dirname, 'mutation', 'worker.mjs'), [], {
    cwd: root,
    env: { ...process.env, CI: '1', NODE_ENV: 'test', VITEST: 'true' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const started = child;
  await new Promise((resolve) => started.once('message', resolve));
  return started;
}

function stop() {
  child?.kill('SIGKILL');
  child = undefined;
}

/** What the tests said; a run that ends the process or does not end itself is one failed test. */
async function runTests(order, seconds) {
  const running = await worker();
  return new Promise((resolve) => {
    const end = (result, why) => {
      clearTimeout(limit);
      running.removeAllListeners();
      if (why) stop();
      resolve(result ?? { tests: [{ name: why, failed: why, ms: 0, met: [] }], always: [] });
    };
    const limit = setTimeout(() => end(undefined, 'the time limit'), seconds * 1000);
    running.once('message', (result) => end(result));
    running.once('exit', () => end(undefined, 'the end of the process'));
    running.send(order);
  });
}

/** What each test file's tests took in all, from former runs: of two as near the quicker goes first. */
const TIMES = path.join(root, 'out', 'mutation-times.json');
const times = existsSync(TIMES) ? JSON.parse(readFileSync(TIMES, 'utf8')) : {};
const secondsOf = (test) => times[path.relative(root, test)] ?? 1;

const failedOf = ({ tests }) => tests.find(({ failed }) => failed !== undefined);

/** Shows a test file the mutants that nobody noticed yet, and marks those that it notices. */
async function show(test, mutants) {
  const byFile = new Map();
  for (const mutant of mutants) byFile.set(mutant.file, [...(byFile.get(mutant.file) ?? []), mutant]);
  const bundle = await bundleOf(root, test, byFile, textOf);
  const base = await runTests({ bundle, bail: false, testMs: 90_000, untilMs: FILE_SECONDS * 1000 }, FILE_SECONDS + 90);
  times[path.relative(root, test)] = base.tests.reduce((sum, { ms }) => sum + ms / 1000, 0);
  const sound = base.tests.filter(({ failed }) => failed === undefined);
  if (sound.length === 0)
    return console.log(`  (${path.relative(root, test)}: ${failedOf(base)?.failed ?? 'no tests'})`);
  const always = new Set(base.always);
  /** Tests that hold alone too, each asked once. */
  const alone = new Set();
  for (const mutant of mutants) {
    const meeting = always.has(mutant.id) ? sound : sound.filter(({ met }) => met.includes(mutant.id));
    if (meeting.length === 0) continue;
    mutant.isReached = true;
    let spent = 0;
    const quickFirst = meeting.toSorted((a, b) => a.ms - b.ms).filter(({ ms }) => (spent += ms) <= MUTANT_MS);
    if (quickFirst.length === 0) continue;
    const seconds = TEST_SECONDS + (8 * quickFirst.reduce((sum, { ms }) => sum + ms, 0)) / 1000;
    const testMs = 1000 * TEST_SECONDS + 8 * quickFirst.at(-1).ms;
    const order = { bundle, mutant: mutant.id, only: quickFirst.map(({ name }) => name), bail: true, testMs };
    let failed = failedOf(await runTests(order, seconds));
    if (failed && !alone.has(order.only.join())) {
      // The same tests without the mutant: what fails then says nothing of it.
      if (failedOf(await runTests({ ...order, mutant: undefined }, seconds))) failed = undefined;
      else alone.add(order.only.join());
    }
    if (failed) mutant.killer = `${path.relative(root, test)}${failed.name}`;
  }
}

const targets = positionals.length > 0 ? positionals : DEFAULT;
const testsOf = testsBySource(root);
const random = xoroshiro128plus(Number(values.seed));
const counts = { killed: 0, all: 0 };
const survivors = [];
process.on('exit', stop);
process.on('SIGINT', () => process.exit(130));
let id = 0;
for (const target of targets) {
  const all = sources(target).flatMap((file) => mutantsOf(textOf(file)).map((each) => ({ file, ...each, id: id++ })));
  if (values.list) {
    console.log(all.map(inWords).join('\n'));
    continue;
  }
  const lines = values.only?.split(',').map(Number);
  const sample = lines ? all.filter(({ line }) => lines.includes(line)) : sampleOf(all, Number(values.sample), random);
  /** Test files, and how near they are to the sample: those who know most of it go first, and what they notice is not asked elsewhere. */
  const nearness = new Map();
  for (const mutant of sample) {
    mutant.tests = testsOf(mutant.file)
      .filter((file) => !SLOW.test(file.replaceAll('\\', '/')))
      .slice(0, Number(values.tests));
    for (const [index, test] of mutant.tests.entries()) nearness.set(test, (nearness.get(test) ?? 0) + 1 / (1 + index));
  }
  const started = performance.now();
  for (const [test] of [...nearness].sort((a, b) => b[1] / (1 + secondsOf(b[0])) - a[1] / (1 + secondsOf(a[0])))) {
    const left = sample.filter(({ killer, tests }) => killer === undefined && tests.includes(test));
    if (left.length === 0) continue;
    const since = performance.now();
    await show(test, left);
    const noticed = left.filter(({ killer }) => killer !== undefined).length;
    console.log(
      `  ${path.relative(root, test)}: ${noticed} of ${left.length} (${((performance.now() - since) / 1000).toFixed(0)} s)`,
    );
  }
  for (const mutant of sample.toSorted((a, b) => a.id - b.id)) {
    if (mutant.killer !== undefined) continue;
    const line = `${inWords(mutant)}${mutant.isReached ? '' : '  (reached by no test)'}`;
    survivors.push(line);
    console.log(`SURVIVED ${line}`);
  }
  const killed = sample.filter(({ killer }) => killer !== undefined).length;
  counts.killed += killed;
  counts.all += sample.length;
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(
    `${target}: ${killed} of ${sample.length} killed (${interval(killed, sample.length)}), of ${all.length} mutants ` +
      `(seed ${values.seed}, ${seconds} s)\n`,
  );
}
if (!values.list) {
  stop();
  const share = counts.killed / counts.all;
  console.log(`Survivors:\n${survivors.map((line) => `  ${line}`).join('\n') || '  none'}`);
  console.log(`${counts.killed} of ${counts.all} killed: ${(100 * share).toFixed(0)} % (goal ${100 * GOAL} %)`);
  writeFileSync(TIMES, JSON.stringify(times, null, 2));
  rmSync(path.join(root, 'out', 'mutation'), { recursive: true, force: true });
  mkdirSync(path.join(root, 'out'), { recursive: true });
  writeFileSync(
    path.join(root, 'out', 'mutation.json'),
    JSON.stringify({ ...counts, seed: values.seed, survivors }, null, 2),
  );
  process.exit(share >= GOAL ? 0 : 1);
}
