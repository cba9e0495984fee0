// `isoperf compare COMPARISON.yaml`: asked again from a file, saved as one, and what is wrong in it is said with its line.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compareCommand } from '../../../src/cli/compare';
import { UsageError } from '../../../src/cli/command';
import type { Comparison } from '../../../src/comparability/comparison';
import type { Run } from '../../../src/readers/run';
import { syntheticRun } from '../support/synthetic-run';

const home = mkdtempSync(path.join(os.tmpdir(), 'isoperf-question-'));
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

function write(name: string, run: Run): void {
  const folder = path.join(home, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'run.json'), JSON.stringify(run.manifest));
  const lines = run.records!.map((record) => `${JSON.stringify(record)}\n`);
  writeFileSync(path.join(folder, 'records.jsonl'), lines.join(''));
}

async function call(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const io = {
    out: (text: string) => (said.out += text),
    err: (text: string) => (said.err += text),
    isTerminal: false,
    columns: 100,
    env: {},
    cwd: home,
  };
  return { code: await compareCommand.run(args, io), ...said };
}

beforeAll(() => {
  write('runs/a', syntheticRun({ seed: 1 }));
  write('runs/b', syntheticRun({ seed: 2, maxTokens: { from: 8, to: 56 } }));
  writeFileSync(path.join(home, 'runs', 'comparison.yaml'), 'a: a\nb: b\nintended: output-length\n');
});

it('the intended change is a key, and folders are relative to the file', async () => {
  const asked = await call('runs/comparison.yaml');
  expect(asked.code).toBe(0);
  expect(asked.out).toMatch(/Intended: answer length \(always 32/);
  expect((await call('--comparison', 'runs/comparison.yaml')).out).toBe(asked.out);
  expect((await call('runs/a', 'runs/b', '--intended', 'output-length')).out).toBe(asked.out);
});

it('an option wins over a key', async () => {
  expect((await call('runs/comparison.yaml', '--intended', 'server')).code).toBe(3);
});

it('saved as .yaml it is asked again, from wherever it was saved', async () => {
  mkdirSync(path.join(home, 'kept'), { recursive: true });
  const first = await call(
    'runs/a',
    'runs/b',
    '--intended',
    'output-length',
    '--cut',
    '20',
    '--save',
    'kept/q.yaml',
    '--json',
  );
  expect(readFileSync(path.join(home, 'kept', 'q.yaml'), 'utf8')).toMatch(
    /a: "?\.\.\/runs\/a"?\nb: "?\.\.\/runs\/b"?\nintended: "?output-length"?\nalign: "?warmup-window"?\ncut: "20"\n$/,
  );
  const again = await call('kept/q.yaml', '--json');
  const bare = ({ out }: { out: string }): unknown => {
    const { a, b, ...rest } = JSON.parse(out) as Comparison;
    return { ...rest, names: [a.name, b.name] };
  };
  expect(bare(again)).toEqual(bare(first));
});

it('a mistake in the file is named with its line; it is no folder either', async () => {
  writeFileSync(path.join(home, 'wrong.yaml'), 'a: runs/a\nb: runs/b\nintented: server\n');
  await expect(call('wrong.yaml')).rejects.toThrow(UsageError);
  await expect(call('wrong.yaml')).rejects.toThrow(/wrong\.yaml:3:\d+: error REP131 .*Did you mean intended/);
  await expect(call('nowhere.yaml')).rejects.toThrow(/nowhere\.yaml cannot be read/);
  await expect(call('--comparison', 'wrong.yaml', 'runs/a')).rejects.toThrow(/leave out runs\/a/);
  await expect(call('runs/a', 'runs/b', '--cut', 'soon')).rejects.toThrow(/--cut: 'soon' is no warm-up cut/);
});
