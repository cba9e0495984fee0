// The lint rules of the house fail where they should: on decisions that hang on words, and on tables asked for any key.
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: a script without types
import { house as untyped } from '../../../scripts/lint-rules.mjs';

const house = untyped as NonNullable<Linter.Config['plugins']>[string];

function rulesBroken(code: string): readonly (string | null)[] {
  return new Linter()
    .verify(
      code,
      [
        {
          files: ['**/*.ts'],
          languageOptions: { parser: tseslint.parser },
          plugins: { house },
          rules: { 'house/no-decision-on-prose': 'error', 'house/no-prototype-look-up': 'error' },
        },
      ],
      'planted.ts',
    )
    .map(({ ruleId, message }) => ruleId ?? message);
}

describe('no decision hangs on prose', () => {
  it.each([
    "if (problem.message.includes('damaged')) stop();",
    "const isFew = side.missing?.startsWith('n = ') === true;",
    "return_(words!.endsWith('plain text'));",
    'const stage = /^stage \\d+$/.test(scope.label);',
    'const [, key] = /Remove (\\w+)/.exec(problem.remedy ?? fallback.remedy) ?? [];\nconst m = /x/.exec(remedy);',
    "const rank = action.title === 'Comment out' ? 2 : 1;",
    'const found = summary.match(/x/);',
    "const m = /\\bRemove (\\w+)/.exec(x.remedy ?? '');",
    "if (/x/.test(other?.deep?.remedy || '')) stop();",
    "if (`${problem.code}: ${problem.message}`.includes('damaged')) stop();",
    "if ((problem.code + ' ' + problem.title).endsWith('x')) stop();",
    "if ((isShort ? step.label : step.name).startsWith('stage')) stop();",
    "const said = problem.message;\nif (said.includes('damaged')) stop();",
    "function f(problem) {\n  const text = (problem.remedy ?? '').toLowerCase();\n  return () => /or/.test(text);\n}",
    "const { message: said } = problem;\nif (said.includes('damaged')) stop();",
    "function f({ remedy: advice = '' }) {\n  return /\\bor\\b/.test(advice);\n}",
    "if (String(problem.message).trim().split(' ')[0] === 'Damaged') stop();",
    "switch (problem.message) {\n  case 'damaged':\n    stop();\n}",
  ])('%s', (code) => {
    expect(rulesBroken(code)).toContain('house/no-decision-on-prose');
  });
  it.each([
    "if (problem.code === 'REP107') stop();",
    "if (problem.reason === 'plain-text') stop();",
    'show(problem.message.replace(/\\.$/, ""), title.length, label.toLowerCase());',
    "const codes = names.includes('x');",
    "if (message === '') stop();",
    "const said = problem.code;\nif (said.includes('damaged')) stop();",
    "const { code: said } = problem;\nif (said.startsWith('REP')) stop();",
    "if ((problem.code ?? '').startsWith('REP')) show(problem.message ?? '');",
    'const n = problem.message.length;\nif (n === 3) stop();',
  ])('but not %s', (code) => {
    expect(rulesBroken(code)).toEqual([]);
  });
});

describe('no table is asked for what its prototype has', () => {
  const table = 'const NAMES: Readonly<Record<string, string>> = { a: "b" };\n';
  it.each(['show(NAMES[key]);', 'const x = NAMES[key.toLowerCase()] ?? key;', 'if (key in NAMES) stop();'])(
    '%s',
    (use) => {
      expect(rulesBroken(table + use)).toEqual(['house/no-prototype-look-up']);
    },
  );
  it.each([
    'show(NAMES["a"]);',
    'show(own(NAMES, key));',
    'if (Object.hasOwn(NAMES, key)) stop();',
    'NAMES[key] = "c";',
  ])('but not %s', (use) => {
    expect(rulesBroken(table + use)).toEqual([]);
  });
  it('nor a table of named keys, whose keys the types know', () => {
    expect(rulesBroken('const T: Record<Kind, string> = { a: "b" };\nshow(T[kind]);')).toEqual([]);
  });
});
