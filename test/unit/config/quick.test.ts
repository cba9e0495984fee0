// The short way through everyday YAML gives the very tree, comments and places that the full parser gives, or gives up.
import fc from 'fast-check';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument, parseFully } from '../../../src/config/document';
import { Lines } from '../../../src/config/lines';
import { quickTree } from '../../../src/config/quick';

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
  const quick = quickTree(text, lines);
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
    'a: !!str 1',
    'a: |\n  text',
    'a: b\n  c',
    'a: b: c',
    'a:\n  b: 1\n c: 2',
    'a: 1\n- b',
    'a: "x" y',
    "a: 'it''s'",
    'a: "\\n"',
    'a: [1,\n  2]',
    'a: [1, , 2]',
    'a: {b}',
    'a: {b: c: d}',
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
    expect(quickTree(text, new Lines(text))).not.toHaveProperty('root');
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
