// A floor against the real inference-perf that could not run says so in its last line: nothing was compared.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const FINDER = pathToFileURL(path.resolve(import.meta.dirname, '../../../bench/lib/inference-perf.mjs')).href;

it('a floor that was skipped says so last, whatever it printed before', () => {
  const script = `import { findInferencePerf } from ${JSON.stringify(FINDER)};
const found = findInferencePerf('/nowhere');
console.log('all is well', 'skip' in found);`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    env: { ...process.env, INFERENCE_PERF: '/no/such/inference-perf' },
  });
  expect(status).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toBe('all is well true');
  expect(lines.at(-1)).toMatch(/^SKIPPED: nothing was compared with the real inference-perf: INFERENCE_PERF names no/);
});
