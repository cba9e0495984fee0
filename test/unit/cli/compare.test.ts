// `isoperf compare` as a user meets it: folders on disk, tables, formats, exit codes, bad input.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareCommand } from '../../../src/cli/compare';
import { UsageError, type CliIo } from '../../../src/cli/command';
import type { Comparison } from '../../../src/comparability/comparison';
import { comparisonSchema } from '../../../src/comparability/comparison-schema';
import type { Run } from '../../../src/readers/run';
import { called, type Said } from '../support/cli-call';
import { syntheticRun, type SyntheticOptions } from '../support/synthetic-run';
import { writeRun } from '../support/write-run';

const home = mkdtempSync(path.join(os.tmpdir(), 'isoperf-compare-'));
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

const write = (name: string, run: Run): void => writeRun(path.join(home, name), run);
const call = (...args: string[]): Promise<Said> => called(compareCommand, home, args);
const callIn = (more: Partial<CliIo>, ...args: string[]): Promise<Said> => called(compareCommand, home, args, more);

const STAGE = { rateRps: 20, durationSeconds: 20 };
const B: SyntheticOptions = { seed: 3, usage: false, maxTokens: { from: 8, to: 56 }, stages: [STAGE] };

beforeAll(() => {
  const stages = [{ rateRps: 5, durationSeconds: 5, warmup: true }, STAGE];
  write('a', syntheticRun({ seed: 1, stages }));
  write('a2', syntheticRun({ seed: 2, stages }));
  write('a3', syntheticRun({ seed: 11, stages }));
  write('a4', syntheticRun({ seed: 12, stages }));
  write('slow', syntheticRun({ seed: 13, stages, ttftSeconds: 0.1 }));
  write('b', syntheticRun(B));
  write('killed', syntheticRun({ seed: 4, stages, stopAfter: 200 }));
  write('parent/only', syntheticRun({ seed: 5, stages }));
  mkdirSync(path.join(home, 'empty'));
});

describe('the table', () => {
  it('names what differs first, worst on top, with both values, place, metrics and remedy', async () => {
    const { code, out, err } = await call('a', 'b', '--all');
    expect(code).toBe(3);
    expect(err).toBe('');
    const found = ['1. CONFOUNDS', '2. CONFOUNDS', '3. CONFOUNDS'];
    const order = ['Not comparable:', ...found, 'Same:', '\n20 rps\n', 'No claim', 'Verdict: not comparable\n'];
    expect(order.filter((word) => !out.includes(word))).toEqual([]);
    expect(order.map((word) => out.indexOf(word))).toEqual(
      [...order.map((word) => out.indexOf(word))].sort((x, y) => x - y),
    );
    expect(out).toMatch(/run\.json window\.warmupStages\s+stage 0\s+none/);
    expect(out).toMatch(/run\.json tokens\.output\.source\s+server-usage\s+client-tokenizer/);
    expect(out).toMatch(/moves: TPOT, NTPOT/);
    expect(out).toMatch(/remedy: Give both configs the same leading stage/);
    expect(out).not.toMatch(/4\. (CONFOUNDS|UNKNOWN)/);
    expect(out).toMatch(/^~ {2}TPOT mean, ms .* by 1, 2, 3$/m);
    expect(out).toMatch(/differ in warm-up and window, answer length, and token counter\./);
  });

  it.each([80, 100, 120])('fits %i columns, without colour', async (columns) => {
    for (const [pair, more] of [
      [['a', 'b'], []],
      [['a', 'a2'], []],
      [['a', 'b'], ['--all']],
      [['a', 'a2'], ['--all']],
    ] as const) {
      const { out } = await callIn({ columns, isTerminal: true }, ...pair, ...more);
      const longest = Math.max(...out.split('\n').map((line) => line.length));
      expect(longest).toBeLessThanOrEqual(columns);
      // eslint-disable-next-line no-control-regex
      expect(out).not.toMatch(/\u001b/);
    }
  });

  it('an honest repeat: one line of dimensions, every metric, a claim with its bounds', async () => {
    const { code, out } = await call('a', 'a2', '--all');
    expect(code).toBe(0);
    expect(out).toMatch(/^Comparable: no difference found in 23 checks, with prefix cache, server and/);
    expect(out).toMatch(/Claim: In this setting .*requests, warm-up left out/s);
    expect(out).toMatch(/noise from run to run comes on top/);
  });

  it('a killed run says how much of it is there', async () => {
    const { code, out } = await call('a', 'killed', '--all');
    expect(code).toBe(3);
    expect(out).toMatch(/incomplete: 200 of 425 requests/);
  });

  it('a report cannot reach the terminal with control characters', async () => {
    const run = syntheticRun({ seed: 6 });
    write('hostile', {
      ...run,
      manifest: { ...run.manifest!, endpoint: { ...run.manifest!.endpoint, model: 'm\u001b[31mred\u0007' } },
    });
    const { out } = await call('hostile', 'b');
    // eslint-disable-next-line no-control-regex
    expect(out).not.toMatch(/[\u001b\u0007]/);
  });
});

describe('other formats', () => {
  it('JSON is the comparison, whole', async () => {
    const { code, out } = await call('a', 'b', '--json');
    const comparison = comparisonSchema.parse(JSON.parse(out)) as Comparison;
    expect(code).toBe(comparison.verdict.exitCode);
    const confounds = comparison.findings.filter((finding) => finding.state === 'confounds');
    expect(confounds.map((finding) => finding.dimension)).toEqual(['warmup-window', 'output-length', 'token-source']);
  });

  it('Markdown strikes no figure through and escapes what a report brings', async () => {
    const run = syntheticRun({ seed: 7, usage: false });
    write('html', { ...run, manifest: { ...run.manifest!, name: '<img src=x>|[x](http://y)' } });
    const { out } = await call('a', 'html', '--format', 'markdown');
    expect(out).toMatch(/^## Not comparable/);
    expect(out).toMatch(/\| TPOT mean, ms \| [\d.]+ \|.* confounded: [\d, ]+ \|/);
    expect(out).not.toContain('~~');
    expect(out).not.toContain('<img');
    expect(out).not.toContain('[x](');
  });

  it('--out writes the file, by its ending, and still says the verdict', async () => {
    const { code, out } = await call('a', 'b', '--out', 'result.json');
    expect(code).toBe(3);
    expect(out).toMatch(/Not comparable.*\nWritten to result\.json/);
    expect(comparisonSchema.safeParse(JSON.parse(readFileSync(path.join(home, 'result.json'), 'utf8'))).success).toBe(
      true,
    );
    await call('a', 'b', '--out', 'result.md');
    expect(readFileSync(path.join(home, 'result.md'), 'utf8')).toMatch(/^## /);
    const failed = await call('a', 'b', '--out', 'no/such/folder/x.md');
    expect(failed.code).toBe(1);
    expect(failed.err).toMatch(/could not be written/);
  });
});

describe('intent', () => {
  it('is the change of one thing: a second difference confounds, two declared ones are no comparison', async () => {
    expect((await call('a', 'b', '--intended', 'output-length')).code).toBe(3);
    const { code, out } = await call('a', 'b', '--intended', 'output-length,server', '--intended', 'load-model');
    expect(code).toBe(3);
    expect(out).toMatch(/Not comparable/);
  });

  it.each([
    'client-limit',
    'completeness',
    'sample-size',
    'warmup-window',
    'token-source',
    'telemetry',
    'metric-definition',
    'goodput-definition',
    'client-host',
  ])('cannot be %s, which says how it was measured', async (dimension) => {
    await expect(call('a', 'b', '--intended', dimension)).rejects.toThrow(
      new RegExp(`--intended ${dimension}: .*cannot be the change under test.*What can be: server, topology`),
    );
  });
});

describe('alignment, repeats, saving, stacks', () => {
  it('--align removes what records allow and says what each step took away', async () => {
    const before = await call('a', 'b', '--all');
    expect(before.out).toMatch(/could be aligned with --align token-source/);
    const { code, out } = await call('a', 'b', '--all', '--align', 'token-source,warmup-window');
    expect(code).toBe(3);
    expect(out).toMatch(/aligned {2}Token counter/);
    expect(out).toMatch(/differ in answer length\./);
    await expect(call('a', 'b', '--align', 'server')).rejects.toThrow(
      /one of warmup-window, completeness, token-source/,
    );
  });

  it('folders with commas are repeats', async () => {
    const { code, out } = await call('a,a2', 'a3,a4', '--json');
    const comparison = JSON.parse(out) as Comparison;
    expect(code).toBe(0);
    expect(comparison.repeats).toMatchObject({ a: ['a', 'a2'], b: ['a3', 'a4'] });
    expect(comparison.metrics.some(({ difference }) => difference?.noise !== undefined)).toBe(true);
    expect((await call('a,nowhere', 'b')).code).toBe(2);
  });

  it('a run is no repeat of itself, under its own name or copied', async () => {
    const copy = path.join(home, 'copy-of-a');
    mkdirSync(copy, { recursive: true });
    for (const file of ['run.json', 'records.jsonl']) {
      writeFileSync(path.join(copy, file), readFileSync(path.join(home, 'a', file)));
    }
    for (const side of ['a,a', 'a,./a', 'a,copy-of-a']) {
      const { code, err } = await call(side, 'b');
      expect([side, code]).toEqual([side, 2]);
      expect(err).toContain('no repeat of itself');
    }
  });

  it('a comparison that was saved before there were answers opens still, and claims nothing new', async () => {
    await call('a', 'slow', '--save', 'old.json');
    const file = path.join(home, 'old.json');
    const saved = JSON.parse(readFileSync(file, 'utf8')) as {
      metrics: { difference?: { answer?: unknown; detected?: boolean } }[];
    };
    for (const { difference } of saved.metrics) delete difference?.answer;
    writeFileSync(file, JSON.stringify(saved));
    for (const format of ['table', 'json', 'markdown']) {
      const { code, out, err } = await call('old.json', '--format', format);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).not.toMatch(/\((?:better|worse)\)/);
    }
    expect((await call('old.json')).out).toContain('in these two runs');
    expect((await call('old.json', '--fail-on', 'regression')).code).toBe(4);
  });

  it('--save keeps a comparison that is shown again as it was', async () => {
    const { out } = await call('a', 'b', '--save', 'saved.json');
    const again = await call('saved.json');
    expect(again.code).toBe(3);
    expect(again.out).toBe(out);
    expect((await call('saved.json', '--format', 'markdown')).out).toMatch(/^## Not comparable/);
    await expect(call('saved.json', '--intended', 'server')).rejects.toThrow(/name the two folders/);
    writeFileSync(path.join(home, 'other.json'), '{"format": "x"}');
    expect(await call('other.json')).toMatchObject({ code: 2, err: expect.stringMatching(/no comparison/) as string });
    expect((await call('missing.json')).code).toBe(2);
  });

  it('--stack-a and --stack-b say what served; a stack.yaml in a folder does by itself', async () => {
    writeFileSync(path.join(home, 'one.yaml'), 'image: vllm/vllm-openai:v1\nreplicas: 1\naccelerator: H100\n');
    writeFileSync(path.join(home, 'two.yaml'), 'image: vllm/vllm-openai:v2\nreplicas: 1\naccelerator: H100\n');
    const { code, out } = await call('a', 'a2', '--all', '--stack-a', 'one.yaml', '--stack-b', 'two.yaml');
    expect(code).toBe(3);
    expect(out).toMatch(/engine version \(image vllm\/vllm-openai\) v1 on A,\s+v2 on B/);
    expect(out).toMatch(/one\.yaml image \/ two\.yaml image/);
    const intended = await call(
      'a',
      'a2',
      '--all',
      '--stack-a',
      'one.yaml',
      '--stack-b',
      'two.yaml',
      '--intended',
      'server',
    );
    expect(intended.code).toBe(0);
    expect(intended.out).toMatch(/with server as the one\s+intended change \(engine version/);
    await expect(call('a', 'a2', '--stack-a', 'nothing.yaml')).rejects.toThrow(/cannot be read/);
  });
});

describe('the gate', () => {
  it('passes and fails by what is asked for', async () => {
    expect(await call('a', 'b', '--fail-on', 'confounded')).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^Gate failed: Not comparable/) as string,
    });
    expect(await call('a', 'b', '--fail-on', 'undetermined')).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^Gate passed/) as string,
    });
    expect((await call('a', 'a2', '--fail-on', 'confounded,undetermined')).code).toBe(0);
    // One run a side shows no noise from run to run: that nothing got worse is as little known as that something did.
    expect(await call('a', 'a2', '--fail-on', 'regression')).toMatchObject({
      code: 4,
      err: expect.stringMatching(/one run a side/) as string,
    });
  });

  it('a regression beyond its limit fails, a smaller one does not, an improvement never', async () => {
    const limit = (value: string) => call('a', 'slow', '--fail-on', 'regression', '--threshold', value);
    expect(await limit('ttft.p50=5%')).toMatchObject({
      code: 5,
      err: expect.stringMatching(/ttft\.p50=5%: TTFT p50 .*this pair differs: B is higher/) as string,
    });
    expect((await limit('ttft.p50=500%')).code).toBe(0);
    expect((await limit('ttft.p50=10ms')).code).toBe(5);
    expect((await limit('ttft.p50=1s')).code).toBe(0);
    expect((await limit('requests_per_sec=5%')).code).toBe(4);
    expect((await limit('requests_per_sec=40%')).code).toBe(0);
    expect((await call('slow', 'a', '--fail-on', 'regression', '--threshold', 'ttft.p50=5%')).code).toBe(0);
    expect((await call('a', 'slow', '--fail-on', 'regression')).code).toBe(5);
    expect((await call('slow', 'a', '--fail-on', 'difference')).code).toBe(5);
  });

  it('what cannot be judged does not pass', async () => {
    const limit = ['--fail-on', 'regression', '--threshold', 'tpot.mean=5%'];
    expect(await call('a', 'b', ...limit)).toMatchObject({
      code: 3,
      err: expect.stringMatching(/cannot be judged, confounded by/) as string,
    });
    expect((await call('a', 'a2', '--fail-on', 'regression', '--threshold', 'request_goodput=5%')).code).toBe(4);
    for (const condition of ['regression', 'difference']) {
      expect(await call('a', 'b', '--fail-on', condition)).toMatchObject({
        code: 3,
        err: expect.stringMatching(/numbers cannot be judged: confounded by .*output-length/) as string,
      });
    }
  });

  it.each([
    ['ttft=5%', /needs a statistic/],
    ['speed.p95=5%', /no metric/],
    ['ttft.p95=5', /needs a unit/],
    ['ttft.p95=fast', /no limit/],
    ['requests_per_sec=5ms', /no unit ms/],
  ])('%s is refused', async (text, words) => {
    await expect(call('a', 'b', '--fail-on', 'regression', '--threshold', text)).rejects.toThrow(words);
  });

  it('a limit without --fail-on regression says nothing', async () => {
    await expect(call('a', 'b', '--threshold', 'ttft.p95=5%')).rejects.toThrow(/needs --fail-on regression/);
    await expect(call('a', 'b', '--fail-on', 'rain')).rejects.toThrow(/is no condition/);
  });
});

describe('unusable input', () => {
  it.each([
    [['a', 'nowhere'], /nowhere.*there is no such folder/],
    [['empty', 'a'], /empty is empty/],
    [['.', 'a'], /holds \d+ runs:/],
  ])('%j', async (args, words) => {
    const { code, out, err } = await call(...args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(words);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('a parent of one run, the manifest itself and the journal mean the run', async () => {
    expect((await call('parent', 'a')).code).toBe(0);
    expect((await call('a/records.jsonl', 'a')).code).toBe(0);
    expect((await call('a/run.json', 'a2')).code).toBe(0);
  });

  it.each([
    [['a'], /two report folders/],
    [['a', 'b', 'c'], /3 given/],
    [['a', 'b', '--intended', 'weather'], /weather is no dimension.*load-model/],
    [['a', 'b', '--format', 'xml'], /xml/],
    [['a', 'b', '--format', 'table', '--json'], /exclude/],
  ])('%j is a wrong command line', async (args, words) => {
    await expect(call(...args)).rejects.toThrow(UsageError);
    await expect(call(...args)).rejects.toThrow(words);
  });

  it('help names every dimension and exit code', () => {
    for (const word of ['warmup-window', 'sample-size', '--intended', 'Exit codes', '  3  ', '  4  ']) {
      expect(compareCommand.help).toContain(word);
    }
    for (const line of compareCommand.help.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  });
});
