// The short way through everyday YAML gives the very tree, comments and places that the full parser gives, or gives up.
import fc from 'fast-check';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument, parseFully, parsePart } from '../../../src/config/yaml/document';
import { Lines } from '../../../src/config/yaml/lines';
import { quickTree } from '../../../src/config/yaml/quick';

const EVERYDAY = `# a config of the everyday kind
---
base: &base # shared
  x: &one [1, 2]
  y: *one
merged:
  <<: *base
  z: {<<: *base, w: [*one, 3]}
load: # when
  type: poisson
  interval:
  stages:
  # the first
  - rate: 1.5
    duration: 30 # isoperf: warmup
  -   rate: -1
      duration: 1e3

  - {rate: 2, duration: 60, note: "a b", list: [1, 2, [x]]}
  -
    rate: http://a:80/b#c
  - - 'x y'
    - z
  -
api: {streaming: true}
data:
    type: random
    path: ./a b/c
    empty: {}
    none: []
"server": # quoted
  base_url: "http://localhost:8000"
  model_name: org/model-7B
`;

const CORPUS = path.resolve(import.meta.dirname, '../../../../shared/corpus/configs');

function publicTexts(): readonly string[] {
  if (!existsSync(CORPUS)) {
    console.log('no ../shared/corpus: public configs are left out');
    return [];
  }
  return readdirSync(CORPUS, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => readFileSync(path.join(CORPUS, name), 'utf8'));
}

/** Compares both ways; says whether there was a short one. */
function same(text: string): boolean {
  const lines = new Lines(text);
  const quick = quickTree(text, lines, parsePart);
  if (!('comments' in quick)) return false;
  const full = parseFully(text, lines);
  expect(full.problems.filter((problem) => /^YML00[1345]$/.test(problem.code))).toEqual([]);
  expect(quick.root).toEqual(full.root);
  expect(quick.comments).toEqual(full.comments);
  return true;
}

describe('the short way', () => {
  it('reads the everyday kind', () => {
    expect(same(EVERYDAY)).toBe(true);
    expect(same(EVERYDAY.replaceAll('\n', '\r\n'))).toBe(true);
    expect(same('# nothing\n\n')).toBe(true);
  });

  // What PyYAML reads otherwise, or not at all, is left to the full parser.
  it.each([
    'a: &x',
    'a: *x',
    'a: &x 1\nb: &x 2',
    'a: &x [*x]',
    'a: &x *y',
    '- &x a: 1',
    'a: b: c',
    'a:\n  b: 1\n c: 2',
    'a: 1\n- b',
    'a: "x" y',
    'a: [1, , 2]',
    'a: {b: c: d}',
    'a: !!str &x 1',
    'a: &x !!str 1',
    'a: &x "x\n  y"',
    'a: [&x 1, *x]',
    'a: "x\ny"',
    'a: 1\n---\nb: 2',
    'a: 1\n...',
    '%YAML 1.1\n---\na: 1',
    'a:\t1',
    'a: 1\rb: 2',
    'a: \u0085',
    'a: \ud83d',
    '\ufeffa: 1',
    '? a\n: b',
    'a',
    '- a\n b: c',
    'a: @x',
    'a: x:',
  ])('gives up at %j', (text) => {
    expect(quickTree(text, new Lines(text), parsePart)).not.toHaveProperty('root');
  });

  it.each([
    'a: !!str 1\nb: 2',
    '- !!float 1 # c\n- 2',
    'a: |\n  text\n\n# c\nb: 1',
    'a: |+\n  text\n\n\nb: 1',
    'a:\n  - >-\n    x\n    y\n  - |2-\n      z',
    'a: b\n  c # d\n  # e\nf: g',
    "a: 'it''s'",
    'a: "\\n"\nb: "x\n  y"',
    'a: [1,\n  2\n]\nb: {\n  c: d, # e\n\n  f: [g]}\nh: 1',
    'a: {b}\nc: 1',
    'x:\n  - k: {a: b}\n    l: !!set {a, b}\n    m: 1',
    'a: |',
    'a: |\n  no line break at the end',
  ])('gives a value of another kind to the full parser: %j', (text) => {
    expect(same(text)).toBe(true);
    expect(same(text.replaceAll('\n', '\r\n'))).toBe(true);
  });

  it('reads a text with many such values at once', () => {
    const text = Array.from({ length: 100 }, (_unused, index) => `k${index}: !!int ${index}\n`).join('');
    expect(same(text)).toBe(false);
    expect(parseDocument(text).value).toEqual(parseFully(text, new Lines(text)).value);
  });

  it('agrees with the full parser on public configs, and reads most of them', () => {
    const texts = publicTexts();
    if (texts.length === 0) return;
    const read = texts.filter((text) => same(text)).length;
    expect(read / texts.length).toBeGreaterThan(0.7);
  });

  const pieces = [
    ...[' ', '  ', '\n', '\n  ', '- ', ': ', ':', '#', ' # c', '"', "'", '{', '}', '[', ']', ', ', ',', '\t', 'a', '1'],
    ...[
      '&b ',
      '*base',
      '<<: *base\n',
      '-',
      '---\n',
      '...\n',
      '\r\n',
      '&a ',
      '*a',
      '!x ',
      '|',
      '>',
      '?',
      '%',
      '@',
      '\u00a0',
      'é',
      '\ufeff',
      '- - x\n',
      '!!str ',
      '!!seq',
      '|\n      x\n',
      '>-\n     x\n\n     y\n',
      '|2+\n      x\n\n',
      '"x\n      y" ',
      "'x\n\n     y'",
      '{a: 1,\n       b}',
      '[x,\n]',
      '\n       deeper',
      '"\\x41"',
    ],
    ...['key: v\n', '  k:\n', '{a: 1}', '[1, 2]', '~', '=', '$X', ' \n', '#x\n', '-\n', ':\n', '   '],
  ];
  const sources = [EVERYDAY, ...publicTexts().filter((text) => text.length < 3000)];
  const edited = fc
    .tuple(
      fc.constantFrom(...sources),
      fc.array(
        fc.tuple(
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.nat(4),
          fc.constantFrom('', '', '', 'x', '7', ...pieces),
        ),
        {
          minLength: 1,
          maxLength: 2,
        },
      ),
    )
    .map(([source, edits]) =>
      edits.reduce((text, [share, cut, put]) => {
        const at = Math.floor(share * text.length);
        return text.slice(0, at) + put + text.slice(at + cut);
      }, source),
    );
  it('agrees with the full parser after any edits', () => {
    let read = 0;
    fc.assert(
      fc.property(edited, (text) => {
        if (same(text)) read += 1;
      }),
      { numRuns: 1500 },
    );
    expect(read).toBeGreaterThan(100);
  });

  it('finds the first mistake of a long broken text where reading all of it finds it', () => {
    const stages = Array.from(
      { length: 60 },
      (_unused, index) => `- {rate: ${index}}\n  - rate: 1\n    duration: 3 # x\n  `,
    );
    const long = EVERYDAY.replace('- {rate: 2', `${stages.join('')}- {rate: 2`);
    const first = (document: ReturnType<typeof parseDocument>) =>
      document.problems.find((problem) => problem.severity === 'error');
    let shortened = 0;
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(5),
        fc.constantFrom('', ...pieces),
        (share, cut, put) => {
          const at = Math.floor(share * long.length);
          const source = cut % 2 === 0 ? long : long.replace(/^base:[\s\S]*?^load:/m, 'load:');
          const text = source.slice(0, at) + put + source.slice(at + cut);
          const brief = parseDocument(text, { brief: true });
          if (Object.getOwnPropertyDescriptor(brief, 'root')?.get) shortened += 1;
          expect(first(brief)).toEqual(first(parseDocument(text)));
          expect(brief.value).toEqual(parseDocument(text).value);
        },
      ),
      { numRuns: 500 },
    );
    expect(shortened).toBeGreaterThan(30);
  });

  it.each([`"x`, `'x`, `"x\\"`, `'it''s`])(
    'finds quotes that stay open without reading what is before them: %s',
    (quote) => {
      const stages = '    - rate: 1\n      duration: 2\n'.repeat(80);
      const [head, tail] = [`load:\n  stages:\n${stages}`, `${stages}api:\n  streaming: true\n`];
      for (const text of [
        `${head}    - rate: ${quote}\n${tail}`,
        `${head}    - rate: ${quote}\n${tail}  x: ${quote[0]!}y${quote[0]!}\n${stages}`,
        `${head}  - ${quote}\n${tail}`,
      ]) {
        const brief = parseDocument(text, { brief: true });
        expect(Object.getOwnPropertyDescriptor(brief, 'root')).not.toHaveProperty('value');
        expect(brief.problems).toEqual(parseDocument(text).problems);
      }
    },
  );

  it.each(['load:\n  type: `x\n', 'load: a: b\n', ' load: "x\n'])(
    'sees first what fits nothing above it: %j',
    (rest) => {
      for (const root of ['- x\n', '  a:\n    b: 1\n']) {
        const text = root + rest + 'api:\n  streaming: true\n'.repeat(80);
        expect(parseDocument(text, { brief: true }).problems).toEqual(parseDocument(text).problems);
      }
    },
  );

  it('does not judge a part alone that asks for names above it', () => {
    const stages = '    - rate: 1\n      duration: 2\n'.repeat(80);
    const text = `x: &one 5\nload:\n  stages:\n${stages}    - rate: *one\n      note: a\n        b\n${stages}`;
    expect(parseDocument(text, { brief: true }).problems).toEqual([]);
  });

  it('leaves the values and warnings as they are', () => {
    const text = 'a: 1\nb: 010\na: 2\n';
    expect(parseDocument(text)).toMatchObject({ value: { a: 2, b: 8 }, problems: [{ code: 'YML007' }] });
  });
});
