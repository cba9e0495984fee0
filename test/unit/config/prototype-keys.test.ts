// Keys and words that every JavaScript object answers to are keys like any other: nothing of a prototype is taken for an entry.
import { describe, expect, it } from 'vitest';
import { allActions } from '../../../src/language/fixes';
import { hover } from '../../../src/language/hover';
import { configFindings } from '../../../src/pitfalls/check';

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'isPrototypeOf'];
const PLACES: readonly (readonly [string, (name: string) => string])[] = [
  ['a key at the top', (name) => `${name}: 1\nload: { type: constant, stages: [{ rate: 1, duration: 1 }] }\n`],
  ['a key of a section', (name) => `load: { type: constant, ${name}: 1, stages: [{ rate: 1, duration: 1 }] }\n`],
  ['a key of a stage', (name) => `load: { type: constant, stages: [{ rate: 1, ${name}: 1 }] }\n`],
  ['a type of load', (name) => `load: { type: ${name}, stages: [{ rate: 1, duration: 1 }] }\n`],
  [
    'a type of data',
    (name) => `load: { type: constant, stages: [{ rate: 1, duration: 1 }] }\ndata: { type: ${name} }\n`,
  ],
  ['a law of lengths', (name) => `data: { type: random, input_distribution: { type: ${name}, mean: 9 } }\n`],
  ['a goodput limit', (name) => `report: { goodput: { constraints: { ${name}: 1 } } }\n`],
  ['a directive', (name) => `# isoperf: ${name}=3\nload: { type: constant, stages: [{ rate: 1, duration: 1 }] }\n`],
  ['a key of the server', (name) => `server: { base_url: http://h:1, ${name}: x }\n`],
];

describe.each(PLACES)('%s', (_place, textOf) => {
  it.each(NAMES)('%s', (name) => {
    const text = textOf(name);
    const shown = [
      ...configFindings(text).map(({ message, remedy }) => `${message} ${remedy ?? ''}`),
      ...allActions(text).flatMap(({ title, edits }) => [title, ...edits.map(({ newText }) => newText)]),
    ];
    text.split('\n').forEach((line, at) => {
      const column = line.indexOf(name);
      if (column >= 0) shown.push(hover(text, { line: at, column: column + 1 })?.markdown ?? '');
    });
    for (const words of shown) expect(words).not.toMatch(/\[object |\[native code\]|function /);
  });
});
