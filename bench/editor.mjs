// How fast the editor's answers are: keystroke to diagnostics, completion, hints on long configs; files that are none; loading the host's bundle.
// `node bench/editor.mjs`: needs `node esbuild.mjs extension`. Medians and p99 of this machine as it is now; nothing is asserted.
import { createRequire } from 'node:module';
import { spawnSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { mkdtempSync, rmSync, statSync } from 'node:fs';

const root = path.resolve(import.meta.dirname, '..');
const work = mkdtempSync(path.join(os.tmpdir(), 'isoperf-bench-editor-'));
const outfile = path.join(work, 'language.cjs');
buildSync({
  stdin: {
    contents: `
      export { diagnostics } from './src/language/diagnostics';
      export { completions } from './src/language/completion';
      export { hints } from './src/language/hints';
      export { fixAll } from './src/language/fix-all';
      export { looksLikeConfig } from './src/config/find/detect';
      export { folds } from './src/language/symbols';
      export { codeActions } from './src/language/fixes';
      export { HOSTILE } from './test/unit/config/hostile-texts';`,
    resolveDir: root,
    loader: 'ts',
  },
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'cjs',
  mainFields: ['module', 'main'],
  outfile,
});
const { diagnostics, completions, hints, fixAll, folds, codeActions, looksLikeConfig, HOSTILE } = createRequire(
  import.meta.url,
)(outfile);

/** A config of about `lines` lines: stages of two lines each. */
function config(lines) {
  const stages = Array.from(
    { length: Math.ceil((lines - 20) / 2) },
    (_, index) => `    - rate: ${1 + index}\n      duration: 60`,
  );
  return `load:\n  type: poisson\n  base_seed: 1\n  num_workers: 4\n  request_timeout: 60\n  stages:\n${stages.join('\n')}\napi:\n  streaming: true\ndata:\n  type: random\n  input_distribution:\n    mean: 512\n  output_distribution: { type: fixed, mean: 64 }\nserver:\n  base_url: http://localhost:8000\n  model_name: m\n`;
}

function measured(runs, action) {
  for (let warm = 0; warm < 10; warm += 1) action(warm);
  const times = Array.from({ length: runs }, (_, run) => {
    const start = performance.now();
    action(run);
    return performance.now() - start;
  }).sort((left, right) => left - right);
  const at = (share) => times[Math.min(times.length - 1, Math.ceil(share * times.length) - 1)].toFixed(2);
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms (${runs} runs)`;
}

const long = config(1000);
const lines = long.split('\n').length;
/** A text with another one in place of the stage in its middle. */
function inMiddleOf(text) {
  const middle = `    - rate: ${Math.floor(text.split('\n').length / 4)}\n`;
  return { middle, inMiddle: (other) => text.replace(middle, other) };
}
/** Keystrokes, each with a text that was never seen before: a figure, a new line, a line less, half a key, a quote that stays open. */
const keystrokes = ({ middle, inMiddle }) => ({
  'another figure': (run) => inMiddle(`    - rate: ${1000 + run}\n`),
  'a stage more': (run) => inMiddle(`    - rate: ${1000 + run}\n      duration: 5\n${middle}`),
  'a comment more': (run) => inMiddle(`    # ${run}\n${middle}`),
  'a stage less': (run) => inMiddle('').replace('base_seed: 1', `base_seed: ${run}`),
  'half a key': (run) => inMiddle(`${middle}      num${run}\n`),
  'no space after the colon': (run) => inMiddle(`    - rate:${run}\n`),
  'an open quote': (run) => inMiddle(`    - rate: "${run}\n`),
  'an open bracket': (run) => inMiddle(`    - rate: [${run}\n`),
  'an unknown key': (run) => inMiddle(`    - raet: ${run}\n`),
  'a text with an anchor': (run) => inMiddle(`    - rate: &r ${1000 + run}\n`),
});
const typed = keystrokes(inMiddleOf(long))['another figure'];
const other = `services:\n${'  name: { image: nginx, ports: ["80:80"] }\n'.repeat(120_000)}`;

console.log(
  `${os.cpus()[0]?.model}, ${os.cpus().length} CPUs, load ${os.loadavg()[0].toFixed(1)}, node ${process.version}`,
);
for (const text of [config(100), long]) {
  console.log(`keystroke to diagnostics, ${text.split('\n').length} lines:`);
  for (const [name, edit] of Object.entries(keystrokes(inMiddleOf(text))))
    console.log(`  ${name.padEnd(39)} ${measured(200, (run) => diagnostics(edit(run)))}`);
}
console.log(`hints, ${lines} lines:                    ${measured(100, (run) => hints(typed(run), { cpus: 4 }))}`);
console.log(
  `completion, ${lines} lines:               ${measured(100, (run) => completions(typed(run), { line: 20, column: 6 }))}`,
);
console.log(
  `fix all, ${lines} lines, one mistake:     ${measured(20, (run) => fixAll(typed(run).replace('streaming', 'streamin')))}`,
);
console.log(
  `a YAML file that is none, ${(other.length / 1e6).toFixed(1)} MB:     ${measured(100, () => looksLikeConfig(other))}`,
);

/** Every feature on every hostile text, the best of three: the slowest ones. */
const FEATURES = {
  diagnostics,
  hints: (text) => hints(text, { cpus: 4 }),
  completion: (text) => completions(text, { line: 20, column: 6 }),
  outline: folds,
  fixes: (text) => codeActions(text, { startLine: 5, startColumn: 0, endLine: 6, endColumn: 0 }),
  'fix all': fixAll,
};
const worst = Object.entries(HOSTILE)
  .flatMap(([name, text]) =>
    Object.entries(FEATURES).map(([feature, answer]) => {
      const times = [0, 1, 2].map((round) => {
        const fresh = `${text}\n#${feature} ${round}`;
        const start = performance.now();
        answer(fresh);
        return performance.now() - start;
      });
      return { what: `${feature} of '${name}'`, time: Math.min(...times) };
    }),
  )
  .sort((left, right) => right.time - left.time);
const slowest = worst.slice(0, 5).map(({ what, time }) => `${what} ${time.toFixed(0)} ms`);
console.log(`worst hostile text, of ${Object.keys(HOSTILE).length}:              ${slowest.join('; ')}`);

const bundle = path.join(root, 'dist', 'extension.js');
// The host's own part of activation: reading and evaluating the bundle and registering, with a stand-in for VS Code.
const probe = `
  const Module = require('node:module');
  const disposable = { dispose() {} };
  const anything = new Proxy(function () {}, {
    get: (target, key) => key === Symbol.toPrimitive ? () => '' : key === 'prototype' ? target.prototype : key === 'then' ? undefined : key === Symbol.iterator ? function* () {} : anything,
    set: () => true, apply: () => anything, construct: () => anything });
  // The bundle copies the module: what it does not find it asks the prototype for.
  const vscode = Object.create(anything);
  const load = Module._load;
  Module._load = function (name, ...rest) { return name === 'vscode' ? vscode : load.call(this, name, ...rest); };
  const start = performance.now();
  const { activate } = require(${JSON.stringify(bundle)});
  const read = performance.now();
  activate({ subscriptions: [], extensionUri: anything, workspaceState: anything, globalState: anything, secrets: anything, asAbsolutePath: (name) => name });
  console.log((read - start).toFixed(1) + ' ' + (performance.now() - start).toFixed(1));`;
const starts = Array.from({ length: 9 }, () => spawnSync(process.execPath, ['-e', probe], { encoding: 'utf8' }));
const failed = starts.find((start) => start.status !== 0);
if (failed) console.log(`activation: not measured: ${/^\w*Error.*$/m.exec(failed.stderr)?.[0] ?? failed.stderr}`);
else {
  const totals = starts.map((start) => Number(start.stdout.trim().split(' ')[1])).sort((left, right) => left - right);
  console.log(`activation in a fresh process:            median ${totals[4]} ms, worst ${totals.at(-1)} ms (9 starts)`);
}
// What an author of configs loads: the first at start, the next with the first config.
for (const name of ['extension', 'language'])
  console.log(`dist/${name}.js: ${(statSync(path.join(root, 'dist', `${name}.js`)).size / 1000).toFixed(0)} kB`);
rmSync(work, { recursive: true, force: true });
