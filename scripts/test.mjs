// `npm test`: everything that must hold, in one command. Builds, then checks types, lint, format and dead code, then runs
// the floors: unit (vitest), clock (what needs this machine's own time), page (webview in Chromium), host (the packaged extension in a
// real VS Code). A clock test that meets a busy machine is skipped with the delay that was measured beside it.
// Ends with one line `N passed, N failed[, N skipped]`; exits non-zero when anything failed or a floor ran nothing.
//   npm test -- unit page      only those parts (build, types, lint, format, deadcode, unit, clock, page, host)
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureChromium } from './chromium.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const bin = (name) => path.join(root, 'node_modules', '.bin', name);
const total = { passed: 0, failed: 0, skipped: 0 };
const summary = [];

function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' },
      ...options,
    });
    let output = '';
    const keep = (data) => {
      output += data;
      if (options.live !== false) process.stdout.write(data);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    const limit = setTimeout(
      () => {
        output += `\n${command} did not end within ${options.limitSeconds ?? 600} s and was stopped\n`;
        child.kill('SIGKILL');
      },
      (options.limitSeconds ?? 600) * 1000,
    );
    child.on('error', (error) => resolve({ code: 127, output: `${output}\n${error.message}` }));
    child.on('close', (code) => {
      clearTimeout(limit);
      resolve({ code: code ?? 1, output });
    });
  });
}

function note(name, counts, started, detail = '') {
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped ?? 0;
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  summary.push(
    `  ${name.padEnd(9)} ${counts.passed} passed, ${counts.failed} failed${counts.skipped ? `, ${counts.skipped} skipped` : ''} (${seconds} s)${detail}`,
  );
}

/** A check is one test: it holds or it does not. */
async function check(name, command, args) {
  console.log(`\n== ${name}`);
  const started = performance.now();
  const { code, output } = await run(command, args, { live: false });
  if (code !== 0) console.log(output.trim());
  else console.log(`${name}: ok`);
  note(name, code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }, started);
  return code === 0;
}

async function vitest(name, args) {
  console.log(`\n== ${name}`);
  const started = performance.now();
  const file = path.join(root, 'out', `${name}.json`);
  rmSync(file, { force: true });
  const reporters = ['--reporter=dot', '--reporter=json', `--outputFile.json=${file}`];
  const { code } = await run(bin('vitest'), ['run', ...args, ...reporters], { limitSeconds: 1500 });
  if (!existsSync(file)) return note(name, { passed: 0, failed: 1 }, started, ' vitest wrote no results');
  const results = JSON.parse(readFileSync(file, 'utf8'));
  const failed =
    results.numFailedTests +
    results.testResults.filter((suite) => suite.status === 'failed' && suite.assertionResults.length === 0).length;
  const skipped = results.numPendingTests + results.numTodoTests;
  for (const { fullName, meta } of results.testResults.flatMap((suite) => suite.assertionResults))
    if (meta?.busy !== undefined) summary.push(`  ${name}: ${fullName}: ${meta.busy}`);
  const ran = results.numPassedTests > 0 || (skipped > 0 && failed === 0);
  note(name, { passed: results.numPassedTests, failed: failed || (code === 0 && ran ? 0 : 1), skipped }, started);
}

async function floor(name, script) {
  console.log(`\n== ${name}`);
  const started = performance.now();
  const missing = await ensureChromium();
  if (missing !== undefined) {
    console.log(`${name}: ${missing}`);
    return note(
      name,
      process.env.CI ? { passed: 0, failed: 1 } : { passed: 0, failed: 0, skipped: 1 },
      started,
      ` ${missing}`,
    );
  }
  const { code, output } = await run(process.execPath, [script], { limitSeconds: 900 });
  const line = [...output.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)].at(-1);
  if (!line) return note(name, { passed: 0, failed: 1 }, started, ` ended with ${code} and printed no counts`);
  const counts = { passed: Number(line[1]), failed: Number(line[2]), skipped: Number(line[3] ?? 0) };
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  note(name, counts, started);
}

const PARTS = {
  build: () => check('build', process.execPath, ['esbuild.mjs']),
  types: async () => {
    for (const project of ['tsconfig.json', 'webview/tsconfig.json', 'test/tsconfig.json'])
      await check(`types ${project.split('/')[0].replace('tsconfig.json', 'src')}`, bin('tsc'), ['-p', project]);
  },
  lint: () => check('lint', bin('eslint'), ['.', '--max-warnings', '0']),
  format: () => check('format', bin('prettier'), ['--check', '.']),
  deadcode: () => check('deadcode', bin('knip'), []),
  unit: () => vitest('unit', []),
  clock: () => vitest('clock', ['--config', 'vitest.clock.config.mts']),
  page: () => floor('page', 'scripts/test-page.mjs'),
  host: () => floor('host', 'scripts/test-host.mjs'),
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`There is no part '${unknown.join("', '")}'. Parts: ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}
mkdirSync(path.join(root, 'out'), { recursive: true });
for (const [name, part] of Object.entries(PARTS)) if (asked.length === 0 || asked.includes(name)) await part();
console.log(`\n${summary.join('\n')}\n`);
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped ? `, ${total.skipped} skipped` : ''}`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);
