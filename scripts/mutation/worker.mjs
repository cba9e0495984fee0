// Runs the tests of one bundled test file, with one mutant on or with none, and says which test failed and which mutants each test met.
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { vi } from 'vitest';
import { collect } from './shim.mjs';

fc.configureGlobal({ seed: 20261130 });

let active;
/** One byte a mutant: this stands in the hottest loops. */
const flags = new Uint8Array(1 << 16);
globalThis.__mutant = (id) => {
  flags[id] = 1;
  return id === active;
};

/** Mutants that were met since it was last asked. */
function takeMet() {
  const met = [];
  for (let id = flags.indexOf(1); id >= 0; id = flags.indexOf(1, id + 1)) met.push(id);
  flags.fill(0);
  return met;
}

let stray;
process.on('unhandledRejection', (error) => (stray ??= error));
process.on('uncaughtException', (error) => (stray ??= error));

function within(promise, ms) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error('too late')), ms)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** @returns {Promise<{ tests: { name, failed, ms, met }[], always: number[] }>} `always`: met outside of any test */
async function run({ bundle, only, mutant, bail, testMs, untilMs = Infinity }) {
  const since = performance.now();
  active = mutant;
  stray = undefined;
  flags.fill(0);
  const always = new Set();
  const tests = [];
  const root = collect();
  const outside = async (bodies) => {
    for (const body of bodies) await within(Promise.resolve(body()), testMs);
    for (const id of takeMet()) always.add(id);
  };
  const wanted = (suite, path) =>
    suite.items.some((item) =>
      item.body
        ? only === undefined || only.includes(`${path} > ${item.name}`)
        : wanted(item, `${path} > ${item.name}`),
    );
  let broken = false;
  const visit = async (suite, path, chain) => {
    if (!wanted(suite, path) || broken) return;
    const suites = [...chain, suite];
    await outside(suite.before);
    for (const item of suite.items) {
      const name = `${path} > ${item.name}`;
      if (broken) break;
      if (!item.body) {
        await visit(item, name, suites);
        continue;
      }
      if (only !== undefined && !only.includes(name)) continue;
      const started = performance.now();
      let failed;
      try {
        const whole = async () => {
          for (const each of suites) for (const body of each.beforeEach) await body();
          await item.body();
        };
        await within(whole(), testMs);
        if (stray) throw stray;
      } catch (error) {
        failed = String(error?.message ?? error).slice(0, 200);
        stray = undefined;
      }
      for (const each of suites.toReversed())
        for (const body of each.afterEach) await Promise.resolve(body()).catch(() => {});
      tests.push({ name, failed, ms: performance.now() - started, met: takeMet() });
      if ((failed !== undefined && bail) || performance.now() - since > untilMs) broken = true;
    }
    await outside(suite.after);
  };
  try {
    await import(`${pathToFileURL(bundle)}?run=${performance.now()}`);
    for (const id of takeMet()) always.add(id);
    await visit(root, '', []);
  } catch (error) {
    tests.push({ name: 'the file', failed: String(error?.stack ?? error).slice(0, 400), ms: 0, met: [] });
  }
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  return { tests, always: [...always] };
}

process.on('message', (order) => {
  void run(order).then((result) => process.send(result));
});
process.send('ready');
