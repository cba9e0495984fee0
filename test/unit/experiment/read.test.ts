// experiment.yaml: what is filled in, and what is refused before anything is sent, with its place and its remedy.
import { describe, expect, it } from 'vitest';
import { parseExperiment } from '../../../src/experiment/read';
import { experimentOf, MINIMAL } from './experiments';

describe('an experiment', () => {
  it('needs a question and two sides; the rest has defaults', () => {
    expect(experimentOf()).toMatchObject({
      order: 'abba',
      blocks: 4,
      discard: 2,
      workload: 'new-per-block',
      cache: 'salt',
      looks: [4],
      alpha: 0.05,
      calibrate: 0,
    });
    expect(experimentOf().primary.map(({ metric }) => metric.key)).toEqual([
      'ttft.p95',
      'tpot.mean',
      'output_tokens_per_sec',
    ]);
  });

  it('takes margins of A and in the metric’s own unit', () => {
    const { primary } = experimentOf('primary: [ttft.p95, tpot.mean]\nmargin: { ttft.p95: 5%, tpot.mean: 2ms }\n');
    expect(primary.map(({ margin }) => margin)).toEqual([
      { text: '5%', share: 0.05 },
      { text: '2ms', absolute: 0.002 },
    ]);
  });
});

const REFUSED: readonly (readonly [string, string, RegExp])[] = [
  ['a key that is misspelt', 'desing: { blocks: 4 }\n', /'desing' is no key of an experiment/],
  ['a key below that is misspelt', 'design: { block: 4 }\n', /'design\.block' is no key/],
  ['too few blocks', 'design: { blocks: 2 }\n', /2 blocks give no interval/],
  ['one side after the other', 'design: { order: a-then-b }\n', /drift/],
  ['the same prompts again on the same address', 'design: { cache: keep }\n', /prefix cache would pass for a gain/],
  ['a restart without a command', 'design: { cache: restart }\n', /restarts the server/],
  ['looks that fall', 'stop: { looks: [8, 4] }\n', /rising numbers/],
  ['blocks that are not the last look', 'design: { blocks: 6 }\nstop: { looks: [4, 8] }\n', /last look is after 8/],
  ['looks beside a width', 'stop: { looks: [4, 8], width: { ttft.p95: 4% } }\n', /one look, at their end/],
  ['a pilot larger than the whole', 'stop: { width: { ttft.p95: 4% }, pilot: 9, most: 6 }\n', /A pilot has/],
  ['a metric that nobody knows', 'primary: [tftt.p95]\n', /tftt/],
  ['a margin of a metric that is not primary', 'primary: [ttft.p95]\nmargin: { tpot.mean: 5% }\n', /no primary metric/],
  ['a margin of another unit', 'primary: [ttft.p95]\nmargin: { ttft.p95: 5 }\n', /ttft\.p95 is in s/],
  ['a margin of nothing', 'primary: [ttft.p95]\nmargin: { ttft.p95: 0% }\n', /no bound/],
  ['a curve of two kinds', 'curve: { rates: [1, 2], concurrency: [1, 2] }\n', /either rates or concurrency/],
  ['a share of false alarms above a half', 'stop: { alpha: 0.9 }\n', /'stop\.alpha'/],
];

describe('is refused', () => {
  it.each(REFUSED)('%s', (_, more, words) => {
    const read = parseExperiment(`${MINIMAL}${more}`);
    expect(read.ok).toBe(false);
    expect(read.problems.map(({ message }) => message).join('\n')).toMatch(words);
    for (const { code, remedy, range, severity } of read.problems) {
      expect(code).toMatch(/^EXP00\d$/);
      expect(severity).toBe('error');
      expect(remedy).toBeTruthy();
      expect(range).toBeDefined();
    }
  });

  it.each([
    ['a secret in set', 'a: { config: x.yaml, set: { server.api_key: sk-1 } }', 'set'],
    ['a secret in the address', 'a: { config: x.yaml, endpoint: "http://me:pw@h:1" }', 'endpoint'],
    ['an address that is none', 'a: { config: x.yaml, endpoint: nowhere }', 'endpoint'],
    ['a path that is none', 'a: { config: x.yaml, set: { "load..rate": 1 } }', 'set'],
    ['an endpoint beside a simulator', 'a: { config: x.yaml, endpoint: "http://h:1", simulator: "" }', 'simulator'],
  ])('%s, and never repeats it', (_, side, key) => {
    const read = parseExperiment(MINIMAL.replace('a: { config: base.yaml }', side));
    expect(read.ok).toBe(false);
    expect(read.problems.map(({ path }) => path.join('.')).join()).toContain(`sides.a.${key}`);
    expect(read.problems.map(({ message }) => message).join()).not.toMatch(/sk-1|pw/);
  });

  it.each(['', '- a\n', '42\n', 'isoperf: experiment/2\nquestion: x\n', 'a: [\n'])('%j', (text) => {
    const read = parseExperiment(text);
    expect(read.ok).toBe(false);
    expect(read.problems.length).toBeGreaterThan(0);
  });
});
