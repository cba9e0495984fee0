// comparison.yaml: the question of a comparison, read with places for what is wrong in it, written so that it reads back the same.
import Ajv from 'ajv/dist/2020';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  comparisonFileSchema,
  comparisonFileText,
  parseComparisonFile,
  type ComparisonFile,
} from '../../../src/comparability/comparison-file';
import { parseCut } from '../../../src/comparability/cut';
import { formatProblem } from '../../../src/problem';

const read = (text: string): ComparisonFile => {
  const result = parseComparisonFile(text, 'comparison.yaml');
  if (!result.ok)
    throw new Error(result.problems.map((problem) => formatProblem(problem, 'comparison.yaml')).join('\n'));
  return result.value;
};

const refused = (text: string): string[] => {
  const result = parseComparisonFile(text, 'comparison.yaml');
  return result.ok ? [] : result.problems.map((problem) => formatProblem(problem, 'comparison.yaml'));
};

const WHOLE = `a: reports/a
b: [reports/b1, reports/b2]
intended: server
align: [token-source, warmup-window]
cut: 30s
interpolate: true
stack-a: stack.yaml
fail-on: [confounded, regression]
thresholds: [ttft.p95=5%, requests_per_sec=3%]
`;

describe('a comparison file', () => {
  it('is read', () => {
    expect(read(WHOLE)).toMatchObject({
      a: ['reports/a'],
      b: ['reports/b1', 'reports/b2'],
      intended: ['server'],
      // In the order they are done, whatever the order they are written in.
      align: ['warmup-window', 'token-source'],
      cut: { kind: 'seconds', seconds: 30 },
      interpolate: true,
      stackA: 'stack.yaml',
      failOn: ['confounded', 'regression'],
      thresholds: [{ text: 'ttft.p95=5%' }, { text: 'requests_per_sec=3%' }],
    });
    expect(read('{"a": "x", "b": "y", "align": "all"}').align).toHaveLength(3);
  });

  it('is written so that it reads back the same', () => {
    for (const text of [WHOLE, 'a: runs/a\nb: runs/b\n', 'a: "on"\nb: ["1", "null"]\ncut: 50\n']) {
      const file = read(text);
      expect(read(comparisonFileText(file))).toEqual(file);
    }
    expect(comparisonFileText(read('a: runs/a\nb: runs/b\n'))).toMatch(/^# .*\na: runs\/a\nb: runs\/b\n$/);
  });

  it.each<[string, RegExp]>([
    ['a: x\nb: y\nintend: server\n', /^comparison\.yaml:3:\d+: error REP131 .*intend.*Did you mean intended\?/],
    ['a: x\nb: y\nintended: servr\n', /^comparison\.yaml:3:\d+: error REP131 .*one of .*server/],
    ['a: x\n', /REP131.*'b' is missing/],
    ['a: x\nb: []\n', /REP131.*'b'/],
    [
      'a: x\nb: y\ncut: soon\n',
      /^comparison\.yaml:3:\d+: .*'soon' is no warm-up cut: write a number of requests \(50\), a time \(30s\)/,
    ],
    ['a: x\nb: y\nfail-on: regression\nthresholds: [ttft=5%]\n', /^comparison\.yaml:4:\d+: .*ttft needs a statistic/],
    ['a: x\nb: y\nthresholds: ttft.p95=5%\n', /Add fail-on: regression/],
    ['- a\n- b\n', /REP130/],
    ['', /REP130/],
    ['a: [', /REP130/],
  ])('says what is wrong: %j', (text, expected) => {
    expect(refused(text).join('\n')).toMatch(expected);
  });

  it('has a schema that takes what is read and refuses what is not', () => {
    const validate = new Ajv({ strict: false }).compile(z.toJSONSchema(comparisonFileSchema));
    expect(validate({ a: 'x', b: ['y'], intended: ['server'], cut: '30s' })).toBe(true);
    expect(validate({ a: 'x', b: ['y'], intend: ['server'] })).toBe(false);
    expect(validate({ a: 'x' })).toBe(false);
  });
});

it.each([
  ['50', { kind: 'requests', requests: 50 }],
  ['30s', { kind: 'seconds', seconds: 30 }],
  ['500 ms', { kind: 'seconds', seconds: 0.5 }],
  ['auto', { kind: 'auto' }],
])('a cut of %s', (text, expected) => {
  expect(parseCut(text)).toMatchObject(expected);
});
