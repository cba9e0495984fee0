// A config with mistakes that the loader stops at is judged for everything else, too, and nothing is said that rests on a mistake.
import { describe, expect, it } from 'vitest';
import { loadConfig, readConfig } from '../../../src/config/load';
import { loaderVerdict } from '../../../src/config/loader';
import { configFindings } from '../../../src/pitfalls/check';

/** `CODE path` of the errors. */
const errors = (text: string): readonly string[] =>
  readConfig(text)
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ code, path }) => `${code} ${path.join('.')}`)
    .sort();

const pitfalls = (text: string): readonly string[] =>
  configFindings(text)
    .map(({ code }) => code)
    .filter((code) => code.startsWith('CMP'));

const GOOD = `load:
  type: poisson
  base_seed: 7
  request_timeout: 60
  num_workers: 4
  stages:
    - rate: 5
      duration: 300
    - rate: 10
      duration: 300
server:
  base_url: http://h:1
data:
  type: random
  input_distribution: { type: fixed, mean: 64 }
  output_distribution: { type: fixed, mean: 32 }
`;
const change = (...pairs: readonly (readonly [string, string])[]): string =>
  pairs.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`${from} is not in the text`);
    return text.replace(from, to);
  }, GOOD);

describe('beside mistakes of the loader', () => {
  it('an endless rate, a bad address and missing lengths are named with five mistakes of other kinds', () => {
    const text = change(
      ['rate: 5', 'rate: .inf'],
      ['duration: 300\n    - rate: 10', 'duration: soon\n    - rate: 10'],
      ['num_workers: 4', 'num_workers: many'],
      ['request_timeout: 60', 'request_timeout: 60s'],
      ['http://h:1', 'h'],
      ['  output_distribution: { type: fixed, mean: 32 }\n', ''],
      ['server:', 'api: { streaming: perhaps, route: x }\nserver:'],
    );
    expect(errors(text)).toEqual([
      'CFG001 api.route',
      'CFG002 api.streaming',
      'CFG002 load.num_workers',
      'CFG002 load.request_timeout',
      'CFG002 load.stages.0.duration',
      'CFG013 load.stages.0.rate',
      'CFG013 server.base_url',
      'CFG014 data.output_distribution',
    ]);
    expect(loadConfig(text).ok).toBe(false);
  });
  it('what contradicts itself is named beside a mistake elsewhere, once it can be seen', () => {
    const text = change(['num_workers: 4', 'num_workers: many'], ['mean: 64 }', 'mean: 64, min: 9, max: 3 }']);
    expect(errors(text)).toEqual(['CFG002 load.num_workers', 'CFG006 data.input_distribution']);
  });
  it('pitfalls of the other parts are shown', () => {
    expect(pitfalls(change(['rate: 5', 'rate: fast']))).toEqual(pitfalls(GOOD).filter((code) => !LOADS.has(code)));
    expect(pitfalls(GOOD)).toContain('CMP052');
  });
  it('the loader’s own answer stays its own', () => {
    const text = change(['rate: 5', 'rate: .inf'], ['num_workers: 4', 'num_workers: many']);
    expect(loaderVerdict(text).problems.map(({ code }) => code)).toEqual(['CFG002']);
  });
});

// Checks that look at the rates, or count requests by them: they say nothing beside a rate that is none.
const LOADS = new Set(['CMP004', 'CMP008', 'CMP009', 'CMP012', 'CMP023', 'CMP085']);

describe('nothing follows from a mistake', () => {
  it.each([
    ['a misspelt section', change(['server:', 'sever:']), ['CFG001 sever']],
    ['misspelt stages', change(['stages:', 'stagse:']), ['CFG001 load.stagse']],
    ['an unknown data type', change(['type: random', 'type: rnd']), ['CFG005 data.type']],
    ['an unknown load type', change(['type: poisson', 'type: bursty']), ['CFG005 load.type']],
    ['lengths of an unknown name', change(['output_distribution', 'lengths']), ['CFG001 data.lengths']],
    ['a null section', change(['data:\n', 'data:\nx: \n']), undefined],
    ['an address that is no text', change(['http://h:1', '[1]']), ['CFG002 server.base_url']],
    ['a missing address', change(['base_url: http://h:1', 'type: vllm']), ['CFG003 server.base_url']],
    ['a stage that is none', change(['- rate: 5\n      duration: 300', '- fast']), ['CFG002 load.stages.0']],
    ['stages of another load type', change(['type: poisson', 'type: concurrent']), undefined],
  ] as const)('%s', (_name, text, expected) => {
    const found = errors(text);
    if (expected) expect(found).toEqual(expected);
    expect(found.filter((each) => /^CFG01[1-4]/.test(each))).toEqual([]);
  });
  it('an unknown block may hold the sections that are not there', () => {
    const text = `inference_perf:\n  stages: [{rate: 1, duration: 9}]\nload: {interval: 1}\n`;
    expect(errors(text)).toEqual(['CFG001 inference_perf', 'CFG012 load.stages']);
  });
  it('a pitfall that would rest on a refused value is not shown, whatever stands in for it', () => {
    const found = pitfalls(change(['server:', 'api: { streaming: perhaps }\nserver:']));
    expect(found).not.toContain('CMP052');
    expect(found).not.toContain('CMP057');
  });
});
