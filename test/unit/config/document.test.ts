// The YAML dialect of PyYAML's safe_load: values, duplicates, merge keys, tags, syntax it refuses, and the guards.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDocument } from '../../../src/config/yaml/document';

function value(text: string): unknown {
  const document = parseDocument(text);
  expect(document.problems.filter((problem) => problem.severity === 'error')).toEqual([]);
  return JSON.parse(
    JSON.stringify(document.value, (_key, entry: unknown) => (typeof entry === 'bigint' ? `${entry}n` : entry)),
  );
}

function errors(text: string): string[] {
  return parseDocument(text)
    .problems.filter((problem) => problem.severity === 'error')
    .map((problem) => problem.code);
}

describe('scalars', () => {
  // Right column: what PyYAML 6.0.3 answers.
  it.each([
    ['no', false],
    ['On', true],
    ['y', 'y'],
    ['N', 'N'],
    ['yEs', 'yEs'],
    ['010', 8],
    ['09', '09'],
    ['0o10', '0o10'],
    ['0x1F', 31],
    ['0b101', 5],
    ['1_000', 1000],
    ['1:30', 90],
    ['190:20:30', 685230],
    ['1:30.5', 90.5],
    ['1e3', '1e3'],
    ['1.0e3', '1.0e3'],
    ['1.0e+3', 1000],
    ['.5', 0.5],
    ['5.', 5],
    ['-0x10', -16],
    ['~', null],
    ['', null],
    ['nUll', 'nUll'],
    ['+12', 12],
    ["'12'", '12'],
    ['!!str 12', '12'],
    ['!!int "12"', 12],
    ['! "12"', 12],
    ['99999999999999999999', '99999999999999999999n'],
    ['http://a:80', 'http://a:80'],
    ['a#b', 'a#b'],
  ])('%s', (text, expected) => {
    expect(value(`x: ${text}`)).toEqual({ x: expected });
  });

  it('infinities and not-a-number', () => {
    expect(parseDocument('[.inf, -.INF, .NaN]').value).toEqual([Infinity, -Infinity, Number.NaN]);
  });

  it('dates are dates, not text', () => {
    expect(parseDocument('x: 2026-07-01').value).toMatchObject({ x: { foreign: 'date', text: '2026-07-01' } });
    expect(errors('x: 2026-13-45')).toEqual(['YML006']);
  });
});

describe('mappings', () => {
  it('the last of duplicate keys wins, with a warning at it', () => {
    const document = parseDocument('a: 1\nb: 2\na: 3\n');
    expect(document.value).toEqual({ a: 3, b: 2 });
    expect(document.problems).toMatchObject([
      { code: 'YML007', severity: 'warning', range: { startLine: 2, startColumn: 0, endColumn: 1 } },
    ]);
  });

  it('a duplicate says which value counts, unless it is long or a secret', () => {
    const message = (text: string): string => parseDocument(text).problems[0]!.message;
    expect(message('rate: 5\nrate: 10\n')).toContain('takes this last one (10), and the earlier one (5) is lost');
    expect(message('base_url: http://u:pw@h\nbase_url: http://g\n')).not.toContain('pw');
    expect(message('api_key: abc\napi_key: def\n')).not.toMatch(/abc|def/);
    expect(message('a: {b: 1}\na: {c: 2}\n')).toContain('everything under the earlier one is lost');
    expect(parseDocument('a: 1\na: 1\n').problems).toMatchObject([{ code: 'YML012', severity: 'warning' }]);
  });

  it('printed Python objects are one finding with their other places', () => {
    const { problems } = parseDocument('a: !!python/object:x.A\n  b: !!python/tuple [1]\nc: !!python/name:y ""\n');
    expect(problems.map(({ code }) => code)).toEqual(['YML006']);
    expect(problems[0]!.related).toHaveLength(2);
  });

  it('a byte-order mark takes no column', () => {
    const document = parseDocument('\uFEFFa: 1\na: 2\n');
    expect(document.range(['a'])).toMatchObject({ startLine: 1, startColumn: 0 });
    expect(parseDocument('\uFEFFa: @\n').problems[0]!.range).toMatchObject({ startLine: 0, startColumn: 3 });
    expect(parseDocument('\uFEFFa: 1').spotAt(0, 0)?.path).toEqual(['a']);
  });

  it('merge keys: own keys win, of a list the first map, of two merges the second', () => {
    expect(value('a: &a {p: 1, q: 1}\nb: {<<: *a, q: 2}')).toEqual({ a: { p: 1, q: 1 }, b: { p: 1, q: 2 } });
    expect(value('a: &a {p: 1}\nb: &b {p: 2}\nc: {<<: [*a, *b]}')).toMatchObject({ c: { p: 1 } });
    expect(value('a: &a {p: 1}\nb: &b {p: 2}\nc:\n  <<: *a\n  <<: *b')).toMatchObject({ c: { p: 2 } });
    expect(errors('c:\n  <<: 5')).toEqual(['YML011']);
  });

  it('keys that are not text are marked, and braces as key are refused', () => {
    expect(Object.keys(parseDocument('on: 1\n8000: 2').value as object)).toEqual(['\u0000true', '\u00008000']);
    expect(errors('x: {{ model }}')).toEqual(['YML010']);
    expect(errors('? [a]\n: 1')).toEqual(['YML011']);
  });

  it('no key of an object is special', () => {
    expect(Object.keys(parseDocument('__proto__: {a: 1}\nconstructor: 2').value as object)).toEqual([
      '__proto__',
      'constructor',
    ]);
  });
});

describe('what safe_load refuses', () => {
  it.each([
    ['a tab as indentation', 'load:\n\ttype: x', 'YML005'],
    ['a tab after a value', 'a: b\t\n', 'YML005'],
    ['two documents', 'a: 1\n---\nb: 2', 'YML004'],
    ['text after the end mark', 'a: 1\n...\nb: 2', 'YML004'],
    ['a trailing document mark', 'a: 1\n---\n', 'YML004'],
    ['a Python object', 'a: !!python/object:x.Y {b: 1}', 'YML006'],
    ['an unknown tag', 'a: !secret k', 'YML006'],
    ['a reserved character', 'a: @x', 'YML001'],
    ['an unquoted colon', 'filter: lambda x: x > 1', 'YML001'],
    ['braces in a URL', 'base_url: {host}:{port}', 'YML001'],
    ['an unknown alias', 'a: *x', 'YML001'],
    ['an anchor twice', 'a: &x 1\nb: &x 2', 'YML001'],
    ['a value without key', 'a:\n  : 1', 'YML001'],
    ['an unprintable character', 'a: \u0007', 'YML001'],
    ['another major version of YAML', '%YAML 2.0\n---\na: 1\n', 'YML001'],
    ['version 0', '%YAML 0.1\n---\na: 1\n', 'YML001'],
    ['another version after a comment', '# c\n%YAML  10.0\n---\na: 1\n', 'YML001'],
    ['a version twice', '%YAML 1.1\n%YAML 1.1\n---\na: 1\n', 'YML001'],
    ['a version after a tab', '%YAML\t1.1\n---\na: 1\n', 'YML001'],
    ['a tag handle twice', '%TAG !e! tag:x:\n%TAG !e! tag:y:\n---\na: 1\n', 'YML001'],
    ['a tag handle that is none', '%TAG e tag:y\n---\na: 1\n', 'YML001'],
    ['a directive without a name', '%\n---\na: 1\n', 'YML001'],
  ])('%s', (_name, text, code) => {
    expect(errors(text)).toEqual([code]);
  });
});

describe('what safe_load takes and stricter readers do not', () => {
  it.each([
    ['a flow list closed at column 0', 'load:\n  stages: [\n  {rate: 1},\n]\n', { load: { stages: [{ rate: 1 }] } }],
    ['quoted text that goes on at column 0', "a:\n  b: 'x\ny'\n", { a: { b: 'x y' } }],
    ['a comment right after a quote', 'a: "x"#c\n', { a: 'x' }],
    ['CRLF and a byte order mark', '\uFEFFa: 1\r\nb: 2\r\n', { a: 1, b: 2 }],
    ['an end mark', 'a: 1\n...\n', { a: 1 }],
    ['version 1.2', '%YAML 1.2 # c\n---\na: 1\n', { a: 1 }],
    ['version 01.1', '%YAML 01.1 \n---\na: 1\n', { a: 1 }],
    ['other directives, even twice', '%FOO\n%FOO bar\n---\na: 1\n', { a: 1 }],
    ['two tag handles', '%TAG ! tag:x\n%TAG !! tag:y\n---\na: 1\n', { a: 1 }],
    ['an indented list', 'a:\n- 1\n- 2\n', { a: [1, 2] }],
  ])('%s', (_name, text, expected) => {
    expect(value(text)).toEqual(expected);
  });
});

describe('positions', () => {
  const document = parseDocument('load: &l\n  stages:\n    - rate: 5 # c\n      duration: 30\ncopy: *l\n');
  it('keys, values, items, and the nearest ancestor of what is not there', () => {
    expect(document.range(['load', 'stages', 0, 'rate'])).toMatchObject({
      startLine: 2,
      startColumn: 6,
      endColumn: 10,
    });
    expect(document.range(['load', 'stages', 0, 'rate'], 'value')).toMatchObject({
      startLine: 2,
      startColumn: 12,
      endColumn: 13,
    });
    expect(document.range(['load', 'interval'])).toMatchObject({ startLine: 0, startColumn: 0, endColumn: 4 });
    expect(document.range(['copy', 'stages', 0, 'rate'], 'value')).toMatchObject({ startLine: 2, startColumn: 12 });
  });
  it('the path at a position', () => {
    expect(document.spotAt(3, 8)).toMatchObject({ path: ['load', 'stages', 0, 'duration'], part: 'key' });
    expect(document.spotAt(2, 12)).toMatchObject({ path: ['load', 'stages', 0, 'rate'], part: 'value' });
  });
  it('comments with their places', () => {
    expect(document.comments).toMatchObject([{ text: ' c', ownLine: false, range: { startLine: 2, startColumn: 14 } }]);
  });
});

const SOUP = Array.from('ab: -#\n\n  "\'[]{},&*!|>%@?<=~01.ex_\\\t\r');

describe('guards', () => {
  it('an alias bomb is refused, quickly', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 12; level += 1)
      lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`);
    expect(errors(lines.join('\n'))).toEqual(['YML008']);
    const merges = ['a0: &a0 {k: 1}'];
    for (let level = 1; level < 30; level += 1)
      merges.push(`a${level}: &a${level} {<<: [*a${level - 1}, *a${level - 1}]}`);
    expect(errors(merges.join('\n'))).toEqual([]);
  });
  it('endless aliases, deep nesting and huge texts', () => {
    expect(errors('a: &a [*a]')).toEqual(['YML009']);
    expect(errors('['.repeat(5000))).toEqual(['YML003']);
    expect(errors(`${'- '.repeat(3000)}x`)).toEqual(['YML003']);
    expect(parseDocument('x'.repeat(1001), { maxText: 1000 }).problems.map((problem) => problem.code)).toEqual([
      'YML002',
    ]);
  });
  it('never throws, and every place lies in the text', () => {
    const soup = fc.string({ unit: fc.constantFrom(...SOUP), maxLength: 60 });
    fc.assert(
      fc.property(soup, (text) => {
        const document = parseDocument(text);
        for (const problem of document.problems)
          expect(problem.range?.startLine ?? 0).toBeLessThan(document.lines.count);
      }),
      { numRuns: 2000 },
    );
  });
});
