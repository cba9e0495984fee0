// `npm run fuzz [-- --minutes 5 --rounds 20 --seed 7 --scale 1]`: every fast way against its plain one, with new inputs each round until
// the time or the rounds are used up. A failure names its seed: `FC_SEED=... npx vitest run FILE` brings it back.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

/** The tests that hold a fast way against its plain one, and the reader of strangers' bytes against JSON.parse. */
const PAIRS = [
  'test/unit/client/read-in-place.test.ts',
  'test/unit/client/chunked.test.ts',
  'test/unit/client/pattern.test.ts',
  'test/unit/client/sse.test.ts',
  'test/unit/client/stream-reader.test.ts',
  'test/unit/datagen/quick-codec.test.ts',
  'test/unit/metrics/radix.test.ts',
  'test/unit/readers/records/json-bytes.test.ts',
];

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    scale: { type: 'string', default: '1' },
  },
});
const minutes = numberOf('minutes');
const rounds = numberOf('rounds');
const seed = numberOf('seed');
const root = path.resolve(import.meta.dirname, '..');
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-fuzz-'));
const until = Date.now() + minutes * 60_000;

console.log(
  `seeds from ${seed} on, at most ${rounds} rounds and ${minutes} minutes, ${PAIRS.length} pairs of a fast and a plain way`,
);
let done = 0;
let tests = 0;
let failed = 0;
try {
  while (done < rounds && failed === 0 && (done === 0 || Date.now() < until)) {
    const report = path.join(folder, 'round.json');
    const own = seed + done;
    const args = [vitest, 'run', ...PAIRS, '--reporter=json', `--outputFile=${report}`, '--testTimeout=600000'];
    const env = { ...process.env, FC_SEED: String(own), FC_SCALE: values.scale };
    const result = spawnSync(process.execPath, args, {
      cwd: root,
      env,
      encoding: 'utf8',
      timeout: Math.max(60_000, until - Date.now()),
    });
    if (result.error?.code === 'ETIMEDOUT') {
      console.log(`seed ${own}: stopped, the time is used up`);
      break;
    }
    if (result.error) throw result.error;
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    done++;
    tests += numPassedTests;
    failed = numFailedTests + (result.status === 0 || numFailedTests > 0 ? 0 : 1);
    console.log(`seed ${own}: ${numPassedTests} passed, ${numFailedTests} failed`);
    for (const file of testResults) {
      if (file.status !== 'passed' && file.message) console.log(file.message);
      for (const { status, fullName, failureMessages } of file.assertionResults) {
        if (status === 'failed') console.log(`FAILED ${file.name}: ${fullName}\n${failureMessages.join('\n')}`);
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  `${done} rounds, ${tests} properties and cases held, ${failed} failed; seeds ${seed} to ${seed + done - 1}`,
);
process.exitCode = failed > 0 ? 1 : 0;

function numberOf(name) {
  const number = Number(values[name]);
  if (!(number >= 0)) throw new Error(`--${name} is no number: ${values[name]}`);
  return number;
}
