// The process that reads and judges for the panels: the built command line, asked over its channel.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newestOnly, Reader, ReaderGone, type ReadFiles } from '../../../src/extension/reader';
import type { Pair, Place, Question } from '../../../src/reader-messages';
import type { Run } from '../../../src/readers/run';
import { syntheticRun } from '../support/synthetic-run';

const cli = path.resolve(import.meta.dirname, '../../../dist/cli.js');
const home = mkdtempSync(path.join(os.tmpdir(), 'isoperf-reader-'));
const open: Reader[] = [];
const said: string[] = [];

function write(name: string, run: Run): void {
  const folder = path.join(home, name);
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'run.json'), JSON.stringify(run.manifest));
  writeFileSync(
    path.join(folder, 'records.jsonl'),
    run.records!.map((record) => `${JSON.stringify(record)}\n`).join(''),
  );
}

beforeAll(() => {
  const stages = [
    { rateRps: 5, durationSeconds: 5, warmup: true },
    { rateRps: 20, durationSeconds: 20 },
  ];
  write('a', syntheticRun({ seed: 1, stages }));
  write('b', syntheticRun({ seed: 2, stages: stages.slice(1), usage: false }));
});
afterAll(() => {
  for (const reader of open) reader.dispose();
  rmSync(home, { recursive: true, force: true });
});

const onDisk = (name: string): Place => ({
  uri: { scheme: 'file', authority: '', path: path.posix.join(home, name), query: '' },
  name,
  disk: path.join(home, name),
});
/** The same place, on a file system that only the host can read. */
const elsewhere = (name: string): Place => ({
  uri: { scheme: 'memfs', authority: 'x', path: `/${name}`, query: '' },
  name,
});

const asked: string[] = [];
const readFiles: ReadFiles = (need, { scheme, path: place }) => {
  asked.push(need);
  if (scheme !== 'memfs') return Promise.reject(new Error(`no file system for ${scheme}`));
  const file = path.join(home, place);
  const typeOf = (name: string): number => (statSync(name).isFile() ? 1 : 2);
  try {
    switch (need) {
      case 'list':
        return Promise.resolve(readdirSync(file).map((name) => [name, typeOf(path.join(file, name))] as const));
      case 'read':
        return Promise.resolve(new Uint8Array(readFileSync(file)));
      case 'stat':
        return Promise.resolve({ type: typeOf(file), size: statSync(file).size });
    }
  } catch {
    return need === 'list' ? Promise.reject(new Error('there is no such place')) : Promise.resolve(undefined);
  }
};

function reader(): Reader {
  const made = new Reader({ cli, readFiles, onText: (line) => said.push(line) });
  open.push(made);
  return made;
}

const PLAIN: Question = { intended: [], aligned: [] };
const DISK: Pair = [onDisk('a'), onDisk('b')];

describe('a reader', () => {
  it('reads a report, its Markdown and its label', async () => {
    const read = await reader().ask('report', { place: onDisk('a'), alone: false });
    if (!read.ok) throw new Error(read.problems[0]?.message);
    expect(read.value.view.files).toContain('records.jsonl');
    expect(read.value.markdown).toMatch(/^#+ /);
    expect(read.value.label?.startedAt).toMatch(/^\d{4}-/);
  });

  it('judges folders of any file system alike, and asks the host only for those that are not on the disk', async () => {
    asked.length = 0;
    const here = await reader().ask('comparison', { folders: DISK, question: PLAIN });
    expect(asked).toEqual([]);
    const there = await reader().ask('comparison', { folders: [elsewhere('a'), elsewhere('b')], question: PLAIN });
    expect(asked).toContain('read');
    if (!here.ok || !there.ok) throw new Error('not read');
    expect(there.value).toEqual(here.value);
    expect(here.value.view.groups.map(({ state }) => state)).toContain('confounds');
  });

  it('calls a single file of results by its own name, wherever it lies', async () => {
    const text = JSON.stringify({ load_summary: { count: 1 }, successes: { count: 1, latency: {} } });
    mkdirSync(path.join(home, 'c'));
    writeFileSync(path.join(home, 'c/stage_0_lifecycle_metrics.json'), text);
    const one = reader();
    for (const at of [onDisk, elsewhere]) {
      const place = at('c/stage_0_lifecycle_metrics.json');
      const read = await one.ask('report', { place, alone: true });
      if (!read.ok) throw new Error(read.problems[0]?.message);
      expect([at.name, read.value.view.title]).toEqual([at.name, 'stage_0_lifecycle_metrics.json']);
    }
  });

  it('reads runs once, and judges them as each question says', async () => {
    const one = reader();
    const folders: Pair = [elsewhere('a'), elsewhere('b')];
    await one.ask('comparison', { folders, question: PLAIN });
    asked.length = 0;
    const question: Question = { intended: ['output-length'], aligned: ['warmup-window'], cut: '50' };
    const judged = await one.ask('comparison', { folders, question });
    expect(asked).toEqual([]);
    if (!judged.ok) throw new Error('not judged');
    expect(judged.value.view.intended).toBe('output-length');
    expect(judged.value.view.alignment.filter(({ on }) => on).map(({ id }) => id)).toEqual(['warmup-window']);
  });

  it('finds the place of a finding, beside a file as well as in a folder', async () => {
    const folders: Pair = [onDisk('a'), onDisk('b/run.json')];
    const one = reader();
    const judged = await one.ask('comparison', { folders, question: PLAIN });
    if (!judged.ok) throw new Error('not judged');
    const groups = judged.value.view.groups.flatMap(({ findings }) => findings);
    const finding = groups.find(({ a, b }) => a.canOpen && b.canOpen)!.index;
    const places = await one.ask('evidence', { folders, question: PLAIN, finding });
    expect(places.map(({ side }) => side)).toEqual(['a', 'b']);
    expect(places[0]!.file).toMatch(/^\w/);
    expect(places[1]!.file).toMatch(/^\.\.\/\w/);
    expect(await one.ask('evidence', { folders, question: PLAIN, finding, side: 'b' })).toEqual(places.slice(1));
  });

  it('says in the words of problems what cannot be read', async () => {
    const read = await reader().ask('comparison', { folders: [onDisk('a'), onDisk('nowhere')], question: PLAIN });
    expect(read.ok).toBe(false);
    expect(read.problems[0]?.message).toMatch(/no such folder/);
    const far = await reader().ask('report', { place: elsewhere('nowhere'), alone: false });
    expect(far.problems[0]?.message).toMatch(/there is no such place/);
  });

  it('keeps a comparison file’s repeats, thresholds and margins over reading and writing', async () => {
    const text = 'a: [x, y]\nb: z\nfail-on: regression\nthresholds: ttft.p95=5%\nmargins: tpot.mean=2%\ncut: 50\n';
    const one = reader();
    const read = await one.ask('comparisonFile', { text, name: 'comparison.yaml' });
    if (!read.ok) throw new Error('not read');
    const { align, cut, ...rest } = read.value;
    const again = await one.ask('comparisonText', { ...rest, aligned: align, cut: cut!.text });
    expect(await one.ask('comparisonFile', { text: again, name: 'comparison.yaml' })).toEqual(read);
    const wrong = await one.ask('comparisonFile', { text: 'a: x\nbee: y\n', name: 'comparison.yaml' });
    expect(wrong.ok).toBe(false);
  });

  it('that is ended cancels what it was asked, and is not started again', async () => {
    const one = reader();
    const cancelled = one.ask('comparison', { folders: DISK, question: PLAIN });
    one.dispose();
    await expect(cancelled).rejects.toBeInstanceOf(ReaderGone);
    await expect(one.ask('comparison', { folders: DISK, question: PLAIN })).rejects.toBeInstanceOf(ReaderGone);
  });

  it('that crashed says how, and the next question starts it anew', async () => {
    const standIn = path.join(home, 'cli.cjs');
    writeFileSync(
      standIn,
      `const { existsSync, writeFileSync } = require('node:fs');
      process.on('message', ({ id }) => {
        if (existsSync(__filename + '.crashed')) return process.send({ type: 'answer', id, answer: 'fine' });
        writeFileSync(__filename + '.crashed', '');
        process.exit(7);
      });`,
    );
    const one = new Reader({ cli: standIn, readFiles, onText: () => undefined });
    open.push(one);
    await expect(one.ask('report', { place: onDisk('a'), alone: false })).rejects.toThrow('code 7');
    expect(await one.ask('report', { place: onDisk('a'), alone: false })).toBe('fine');
  });

  it('that cannot be started says so', async () => {
    const none = new Reader({ cli: path.join(home, 'nowhere.js'), readFiles, onText: () => undefined });
    await expect(none.ask('report', { place: onDisk('a'), alone: false })).rejects.toBeInstanceOf(ReaderGone);
  });
});

describe('newestOnly', () => {
  it('does one at a time, skips what was outdated before it began, and draws only the newest', async () => {
    const begun: number[] = [];
    const drawn: number[] = [];
    const ends: (() => void)[] = [];
    const wish = newestOnly(
      (n: number) => {
        begun.push(n);
        return new Promise<number>((resolve) => ends.push(() => resolve(n)));
      },
      (n) => drawn.push(n),
    );
    const done = wish(1);
    await wish(2);
    await wish(3);
    expect(begun).toEqual([1]);
    ends[0]!();
    await new Promise((resolve) => setImmediate(resolve));
    expect([begun, drawn]).toEqual([[1, 3], []]);
    ends[1]!();
    await done;
    expect(drawn).toEqual([3]);
  });

  it('goes on after a mistake', async () => {
    const drawn: number[] = [];
    const wish = newestOnly(
      (n: number) => (n === 1 ? Promise.reject(new Error('mistake')) : Promise.resolve(n)),
      (n) => drawn.push(n),
    );
    await expect(wish(1)).rejects.toThrow('mistake');
    await wish(2);
    expect(drawn).toEqual([2]);
  });
});
