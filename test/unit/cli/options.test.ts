// An option that takes one value is given once, in every verb; a list adds up.
import { describe, expect, it } from 'vitest';
import { main } from '../../../src/cli/main';
import { compareCommand } from '../../../src/cli/compare';
import { convertCommand } from '../../../src/cli/convert';
import { importCommand } from '../../../src/cli/import';
import { planCommand } from '../../../src/cli/plan';
import { runCommand } from '../../../src/cli/run';
import { schemaCommand } from '../../../src/cli/schema';
import { simulateCommand } from '../../../src/cli/simulate';
import { validateCommand } from '../../../src/cli/validate';
import { UsageError, type CliIo, type Command } from '../../../src/cli/command';
import { parseOptions } from '../../../src/cli/options';

const VERBS: readonly Command[] = [
  compareCommand,
  convertCommand,
  importCommand,
  planCommand,
  runCommand,
  schemaCommand,
  simulateCommand,
  validateCommand,
];

/** Of any verb, as its help says: these may be repeated. */
const LISTS = new Set(['set', 'model', 'fault-kind', 'intended', 'align', 'fail-on', 'threshold', 'margin']);

async function call(...args: string[]): Promise<{ code: number; err: string }> {
  let err = '';
  const io: CliIo = {
    out: () => 0,
    err: (text) => (err += text),
    isTerminal: false,
    columns: 100,
    env: {},
    cwd: '/nonexistent',
  };
  return { code: await main(args, io), err };
}

/** Options of a help text that are followed by a value. */
function valued({ help }: Command): string[] {
  return [...help.matchAll(/^ +(?:-\w, )?((?:--[a-z-]+ [A-Z][^\s]*,? ?)+)/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/--([a-z-]+)/g)].map(([, name]) => name!),
  );
}

const CASES = VERBS.flatMap((verb) => valued(verb).map((option) => [verb.name, option] as const));

describe('options that are repeated', () => {
  it('the helps name enough of them for this test to mean something', () => {
    expect(CASES.length).toBeGreaterThan(40);
    expect(CASES).toContainEqual(['compare', 'save']);
    expect(CASES).toContainEqual(['compare', 'stack-b']);
  });

  it.each(CASES.filter(([, option]) => !LISTS.has(option) && option !== 'simulator'))(
    '%s --%s twice is refused, with the remedy',
    async (verb, option) => {
      const { code, err } = await call(verb, `--${option}=1`, `--${option}=2`);
      expect([code, err]).toEqual([
        2,
        `isoperf ${verb}: error: --${option} is given twice (1; 2) and takes one value: leave out all but one. See isoperf ${verb} --help\n`,
      ]);
    },
  );

  it.each(CASES.filter(([, option]) => LISTS.has(option)))('%s --%s adds up', async (verb, option) => {
    const { err } = await call(verb, `--${option}=1`, `--${option}=2`, '--no-such-option');
    expect(err).not.toContain('is given');
  });

  it('a switch may be repeated, and a value counts however it is written', () => {
    const options = { all: { type: 'boolean' }, out: { type: 'string' } } as const;
    expect(parseOptions({ args: ['--all', '--all', '--out', 'a'], options }).values).toMatchObject({
      all: true,
      out: 'a',
    });
    expect(() => parseOptions({ args: ['--out', 'a', '--out=b', '--out', 'c'], options })).toThrow(
      new UsageError('--out is given 3 times (a; b; c) and takes one value: leave out all but one'),
    );
  });
});

describe('values that would be taken for another', () => {
  it.each([
    [['compare', ',', 'b'], "',' names no report folder"],
    [['compare', '', 'b'], "'' names no report folder"],
    [['compare', 'a', 'b', '--save', 'x.txt'], '--save x.txt: the ending says what is saved'],
    [['compare', 'a', 'b', '--align', 'all-of-it'], 'all-of-it is no dimension that can be aligned'],
    [['import', 'a', '--percentiles', ''], '--percentiles : numbers from 0 to 100'],
    [['import', 'a', '--percentiles', '50,,99'], '--percentiles 50,,99: numbers from 0 to 100'],
  ])('%j', async (args, words) => {
    const { code, err } = await call(...args);
    expect(code).toBe(2);
    expect(err).toContain(words);
    expect(err).not.toContain('unexpected error');
  });
});
