// No export, view or comparison denies what the requests of a report say against its summary.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { convertCommand } from '../../../src/cli/convert';
import type { CliIo } from '../../../src/cli/command';
import { compare } from '../../../src/comparability/compare';
import { readRun } from '../../../src/readers/read';
import { withCheck, withRecords } from '../../../src/readers/records/attach';
import { reportView } from '../../../src/views/report/view';
import { trueRequests, vllmDetailed } from '../support/foreign-results';
import { memoryFolder } from '../support/memory-folder';

const home = mkdtempSync(path.join(os.tmpdir(), 'isoperf-says-'));
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

const GOOD = vllmDetailed(trueRequests({ seed: 3, requests: 40, rateRps: 10, ttftSeconds: 0.1, gapSeconds: 0.01 }), 10);
const BAD = JSON.stringify({ ...(JSON.parse(GOOD) as object), mean_ttft_ms: 300 });
const SAYS = /ttft mean is 0\.300 in the summary/;

async function convert(text: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  writeFileSync(path.join(home, 'r.json'), text);
  let [out, err] = ['', ''];
  const io: CliIo = {
    out: (more) => (out += more),
    err: (more) => (err += more),
    isTerminal: false,
    columns: 100,
    env: {},
    cwd: home,
  };
  return { code: await convertCommand.run(['r.json', ...args], io), out, err };
}

describe('a summary that is not its requests', () => {
  it.each(['markdown', 'html'])('is the verdict of the %s, and named', async (format) => {
    const { out, err } = await convert(BAD, '--to', format);
    expect(out.replaceAll('\\', '')).toMatch(SAYS);
    expect(out).toContain('The summary is not what its own requests give');
    expect(out).not.toMatch(/no identity/i);
    expect(err).toContain('REP126');
    const good = await convert(GOOD, '--to', format);
    expect(good.out).toMatch(/No identity is violated \(\d+ could be checked\)/);
    expect(good.err).toBe('');
  });

  it('is in the description of a Benchmark Report, and beside a CSV', async () => {
    expect((await convert(BAD, '--to', 'benchmark-report')).out.replace(/\s+/g, ' ')).toMatch(SAYS);
    expect((await convert(BAD, '--to', 'csv')).err).toMatch(SAYS);
  });

  it('is not asked for with --no-records', async () => {
    const { out, err } = await convert(BAD, '--to', 'markdown', '--no-records');
    expect([err, out.includes('requests give')]).toEqual(['', false]);
  });

  it('is in the report view and in the notes of a comparison', async () => {
    const run = async (text: string) => {
      const read = await readRun(memoryFolder({ 'r.json': text }));
      if (!read.ok) throw new Error(JSON.stringify(read.problems));
      return read.value;
    };
    const [good, bad] = [await run(GOOD), await run(BAD)];
    const titles = async (text: typeof good) =>
      reportView(await withCheck(text))
        .notes.map(({ title }) => title)
        .join('\n');
    expect(await titles(bad)).toMatch(SAYS);
    expect(await titles(good)).not.toContain('requests give');
    const { notes } = compare(await withRecords(good), await withRecords(bad));
    expect(notes.filter((note) => SAYS.test(note))).toEqual([expect.stringMatching(/^B: /)]);
  });

  it('is not looked for in a file that a view could not hold, and that is said', async () => {
    const folder = memoryFolder({ 'r.json': BAD });
    const read = await readRun(folder);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    const { perRequest } = read.value;
    let opened = 0;
    const large = {
      ...folder,
      sizeBytes: () => Promise.resolve(65_000_000),
      readText: (file: string) => {
        opened++;
        return folder.readText(file);
      },
    };
    const run = await withCheck({ ...read.value, perRequest: { folder: large, file: perRequest!.file } });
    expect(opened).toBe(0);
    expect(run.problems.map(({ code, message }) => [code, message])).toEqual([
      ['REP127', 'the requests in r.json (65 MB) were not held against the summary'],
    ]);
  });
});
