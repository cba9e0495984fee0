// `npm run mutate`: a seeded sample of small changes to src, each of which some unit test has to notice. Prints the share that was
// noticed and the survivors. The tests that import the changed file run, the nearest first, up to the first that fails.
//   npm run mutate -- --sample 25 --seed 1 --workers 1 [rooms or files, e.g. src/metrics src/config/secrets.ts]
//   npm run mutate -- --list src/config/secrets.ts     the mutants of a file, not run
import { fork } from 'node:child_process';
import { readFileSync, readdirSync, statSync, writeFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { testsBySource } from './mutation/graph.mjs';
import { mutantsOf } from './mutation/mutants.mjs';

const root = path.resolve(import.meta.dirname, '..');
const DEFAULT = ['src/metrics', 'src/comparability', 'src/config/secrets.ts', 'src/client'];
const GOAL = 0.85;
/** A change that makes a test hang is noticed, too. */
const LIMIT_SECONDS = 120;
/** Tests that load servers or read hundreds of folders: slow, and no nearer to any of these rooms than others are. */
const SLOW = /unit\/(?:run|e2e|extension|cli)\/|comparability\/removal/;
/** Test files that get to see a mutant; the farthest know little of it. */
const MOST_TESTS = 16;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    list: { type: 'boolean' },
  },
});

function sources(target) {
  const full = path.join(root, target);
  if (statSync(full).isFile()) return [full];
  return readdirSync(full, { recursive: true })
    .map((name) => path.join(full, String(name)))
    .filter((file) => file.endsWith('.ts'));
}

function sampleOf(all, count, random) {
  const rest = [...all];
  return Array.from(
    { length: Math.min(count, rest.length) },
    () => rest.splice(uniformInt(random, 0, rest.length - 1), 1)[0],
  );
}

const inWords = ({ file, line, was, put }) =>
  `${path.relative(root, file)}:${line}  ${was.replace(/\s+/g, ' ').slice(0, 60)}  ->  ${put.replace(/\s+/g, ' ').slice(0, 60)}`;

let child;
function worker() {
  if (child) return Promise.resolve(child);
  child = fork(path.join(import.meta.dirname, 'mutation', 'worker.mjs'), [values.workers], {
    cwd: root,
    env: { ...process.env, CI: '1', NODE_ENV: 'test', VITEST: 'true' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
  });
  return new Promise((resolve) => child.once('message', () => resolve(child)));
}

function stop() {
  // The worker's forks are in its group: a loop without an end stops with it.
  if (child) process.kill(-child.pid, 'SIGKILL');
  child = undefined;
}

/** Who noticed; undefined when nobody did. */
async function killerOf(mutant) {
  const running = await worker();
  return new Promise((resolve) => {
    const end = (killer) => {
      clearTimeout(limit);
      running.removeAllListeners();
      resolve(killer);
    };
    const limit = setTimeout(() => {
      stop();
      end('the time limit');
    }, LIMIT_SECONDS * 1000);
    running.once('message', ({ killer }) => end(killer));
    running.once('exit', () => {
      child = undefined;
      end('the end of the process');
    });
    running.send(mutant);
  });
}

const targets = positionals.length > 0 ? positionals : DEFAULT;
const testsOf = testsBySource(root);
const random = xoroshiro128plus(Number(values.seed));
const counts = { killed: 0, all: 0 };
const survivors = [];
process.on('exit', stop);
process.on('SIGINT', () => process.exit(130));
for (const target of targets) {
  const all = sources(target).flatMap((file) =>
    mutantsOf(readFileSync(file, 'utf8')).map((each) => ({ file, ...each })),
  );
  if (values.list) {
    console.log(all.map(inWords).join('\n'));
    continue;
  }
  const sample = sampleOf(all, Number(values.sample), random);
  let killed = 0;
  for (const mutant of sample) {
    const near = testsOf(mutant.file);
    const tests = near.filter((file) => !SLOW.test(file.replaceAll('\\', '/'))).slice(0, MOST_TESTS);
    let killer;
    // The nearest first: most mutants end there.
    for (const some of [tests.slice(0, 4), tests.slice(4)])
      if (killer === undefined && some.length > 0) killer = await killerOf({ ...mutant, tests: some });
    if (killer === undefined) survivors.push(inWords(mutant));
    else killed++;
    console.log(
      `${killer === undefined ? 'SURVIVED' : 'killed  '} ${inWords(mutant)}${killer === undefined ? '' : `  (${killer})`}`,
    );
  }
  counts.killed += killed;
  counts.all += sample.length;
  console.log(`${target}: ${killed} of ${sample.length} killed, of ${all.length} mutants (seed ${values.seed})\n`);
}
if (!values.list) {
  const share = counts.killed / counts.all;
  console.log(`Survivors:\n${survivors.map((line) => `  ${line}`).join('\n') || '  none'}`);
  console.log(`${counts.killed} of ${counts.all} killed: ${(100 * share).toFixed(0)} % (goal ${100 * GOAL} %)`);
  mkdirSync(path.join(root, 'out'), { recursive: true });
  writeFileSync(
    path.join(root, 'out', 'mutation.json'),
    JSON.stringify({ ...counts, seed: values.seed, survivors }, null, 2),
  );
  stop();
  process.exit(share >= GOAL ? 0 : 1);
}
