// Places that are no ordinary files: links that lead nowhere or in circles, pipes, devices. Words, no stack, no waiting.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { main } from '../../../src/cli/main';
import type { CliIo } from '../../../src/cli/command';
import { trueRequests, vllmDetailed } from '../support/foreign-results';

const home = mkdtempSync(path.join(os.tmpdir(), 'isoperf-odd-'));
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

async function call(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const io: CliIo = {
    out: (text) => (out += text),
    err: (text) => (err += text),
    isTerminal: false,
    columns: 100,
    env: {},
    cwd: home,
  };
  return { code: await main(args, io), out, err };
}

const RESULT = vllmDetailed(
  trueRequests({ seed: 1, requests: 20, rateRps: 10, ttftSeconds: 0.1, gapSeconds: 0.01 }),
  10,
);
symlinkSync('self', path.join(home, 'self'));
symlinkSync('nowhere', path.join(home, 'dangling.json'));
mkdirSync(path.join(home, 'folder'));
writeFileSync(path.join(home, 'folder', 'r.json'), RESULT);
symlinkSync('.', path.join(home, 'folder', 'again'));
symlinkSync('r.json', path.join(home, 'folder-link.json'));
const hasPipes = process.platform !== 'win32';
if (hasPipes) {
  execFileSync('mkfifo', [path.join(home, 'pipe.json'), path.join(home, 'folder', 'pipe.json')]);
}

describe('places that are no files', () => {
  it.each([
    ['import', 'self'],
    ['convert', 'self', '--to', 'csv'],
    ['compare', 'self', 'self'],
    ['compare', 'self'],
    ['validate', 'self'],
    ['run', 'self'],
    ['plan', 'self'],
    ['import', 'dangling.json'],
    ['compare', 'dangling.json', 'folder'],
    ['import', '/dev/null'],
    ...(hasPipes ? [['import', 'pipe.json']] : []),
  ])('%s %s is refused with words', async (...args) => {
    const { code, err } = await call(...args);
    expect(code).toBe(2);
    expect(err).not.toMatch(/unexpected error|\n +at /);
    expect(err.trim()).not.toBe('');
  });

  it('a link to itself is called that', async () => {
    expect((await call('import', 'self')).err).toContain('it is a link that leads to itself');
  });

  it('beside a result they are no hindrance, and a link to its own folder is not followed', async () => {
    const { code, out, err } = await call('import', 'folder');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('vllm bench serve: r.json');
  });
});

describe('a comparison of files that cannot be read', () => {
  const put = (name: string, data: string | Buffer): string => {
    writeFileSync(path.join(home, name), data);
    return name;
  };

  it.each([
    [put('cut.json', RESULT.slice(0, 900)), /cut\.json is cut off/],
    [put('empty.json', ''), /empty\.json is empty/],
    [put('utf16.json', Buffer.from(RESULT, 'utf16le').subarray(0, 4000)), /utf16\.json/],
    [put('binary.json', Buffer.from([0, 1, 2, 3, 0, 255, 0, 7])), /binary\.json is a binary file/],
    [put('other.json', '{"a": 1}'), /other\.json is no report of a known tool/],
    [
      put('nothing.json', JSON.stringify({ metadata: { guidellm_version: '0.8.1' }, benchmarks: [] })),
      /nothing\.json is a result of guidellm without a single run/,
    ],
  ])('%s says why, and not what its folder is', async (name, words) => {
    const { code, err } = await call('compare', 'folder', name);
    expect(code).toBe(2);
    expect(err).toMatch(words);
    expect(err).not.toContain('no report folder');
  });
});
