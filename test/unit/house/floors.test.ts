// A floor against the real inference-perf that could not run says so in its last line: nothing was compared.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
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

it.skipIf(process.platform === 'win32')(
  'a Python that only pyenv has is found, the newest first, and old ones are not',
  () => {
    const root = mkdtempSync(path.join(os.tmpdir(), 'isoperf-pyenv-'));
    for (const minor of [9, 11, 12]) {
      const bin = path.join(root, 'versions', `3.${minor}.1`, 'bin');
      mkdirSync(bin, { recursive: true });
      writeFileSync(path.join(bin, 'python3'), `#!/bin/sh\necho 3 ${minor}\n`);
      chmodSync(path.join(bin, 'python3'), 0o755);
    }
    const script = `import { findPython } from ${JSON.stringify(FINDER)};
console.log(JSON.stringify(findPython()));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      env: { PATH: root, PYENV_ROOT: root },
    });
    const found = JSON.parse(stdout) as { program: string; minor: number };
    rmSync(root, { recursive: true });
    expect([found.minor, found.program]).toEqual([12, path.join(root, 'versions/3.12.1/bin/python3')]);
  },
);
