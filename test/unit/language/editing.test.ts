// Diagnostics, lenses and quick fixes: places, and edits that leave everything else as it was.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lines } from '../../../src/config/yaml/lines';
import { diagnostics } from '../../../src/language/diagnostics';
import { applyEdits } from '../../../src/language/edits';
import { allActions, codeActions } from '../../../src/language/fixes';
import { hover } from '../../../src/language/hover';
import { lenses } from '../../../src/language/lenses';
import { CONFIG } from './screen';

/** The text after the fix for a code. */
function fixed(text: string, code: string): string {
  const action = allActions(text).find((candidate) => candidate.code === code);
  if (!action) throw new Error(`no fix for ${code}`);
  return applyEdits(text, action.edits);
}

describe('diagnostics', () => {
  it('underline the mistake and link the pitfalls', () => {
    const found = diagnostics(CONFIG.replace('duration', 'duraton'));
    expect(found.find((entry) => entry.code === 'CFG001')?.range).toMatchObject({
      startLine: 5,
      startColumn: 6,
      endColumn: 13,
    });
    const pitfall = diagnostics(CONFIG).find((entry) => entry.code === 'CMP001');
    expect(pitfall).toMatchObject({
      severity: 'information',
      docs: 'docs/pitfalls.md#cmp001',
      range: { startLine: 2, startColumn: 8 },
    });
  });
});

describe('quick fixes', () => {
  it.each([
    ['a misspelt key', 'CFG001', 'duration: 60', 'duraton: 60', 'duration: 60'],
    ['a word', 'CFG005', 'constant', 'constnat', 'constant'],
    [
      'a number for text',
      'CFG002',
      'base_url:',
      'model_name: 123 # m\n  base_url:',
      'model_name: "123" # m\n  base_url:',
    ],
    ['a tab', 'YML005', '  type', '\ttype', '  type'],
    [
      'a lone variance in braces',
      'CFG006',
      'server:',
      'data: {type: random, input_distribution: {variance: 4}}\nserver:',
      'data: {type: random, input_distribution: {std_dev: 0, variance: 4}}\nserver:',
    ],
    [
      'a lone variance in a block',
      'CFG006',
      'server:',
      'data:\n  input_distribution:\n    variance: 4\nserver:',
      'data:\n  input_distribution:\n    std_dev: 0\n    variance: 4\nserver:',
    ],
    ['an old spelling', 'CFG002', 'server:', 'api: chat\nserver:', 'api: { type: chat }\nserver:'],
  ])('%s', (_name, code, from, broken, whole) => {
    const text = CONFIG.replace(from, broken);
    expect(fixed(text, code)).toBe(CONFIG.replace(from, whole));
  });
  it('a warm-up that is none gets its mark, beside or above a comment', () => {
    const ladder = CONFIG.replace(' # isoperf: warmup', '').replace(
      'duration: 60',
      'duration: 60\n    - { rate: 5, duration: 600 }',
    );
    expect(fixed(ladder, 'CMP085')).toContain('- rate: 5 # isoperf: warmup\n');
    expect(diagnostics(fixed(ladder, 'CMP085')).map((entry) => entry.code)).not.toContain('CMP085');
    const commented = ladder.replace('rate: 5\n', 'rate: 5 # slow\n');
    expect(fixed(commented, 'CMP085')).toContain('    # isoperf: warmup\n    - rate: 5 # slow\n');
  });
  it('a seed is put above the config, inside a wrapper at its indentation', () => {
    const random = CONFIG.replace('# isoperf: seed=42\n', '').concat(
      'data:\n  type: random\n  input_distribution: { type: fixed, mean: 9 }\n  output_distribution: { type: fixed, mean: 9 }\n',
    );
    expect(diagnostics(fixed(random, 'CMP029')).map((entry) => entry.code)).not.toContain('CMP029');
    const wrapped = `config:\n${random.replace(/^(?=.)/gm, '  ')}`;
    const after = fixed(wrapped, 'CMP029');
    expect(after).toContain('config:\n  # isoperf: seed=42\n  load:');
    expect(diagnostics(after).map((entry) => entry.code)).not.toContain('CMP029');
  });
  it('are offered at the mistake only', () => {
    const text = CONFIG.replace('duration', 'duraton');
    const at = (startLine: number, startColumn: number) =>
      codeActions(text, { startLine, startColumn, endLine: startLine, endColumn: startColumn });
    expect(at(5, 8).map((action) => action.title)).toEqual([
      "Change to 'duration'",
      "Comment out 'duraton': releases up to v0.6.1 ignore it",
    ]);
    expect(at(7, 3)).toEqual([]);
  });
});

describe('lenses', () => {
  it('stand above the config, one pair for each', () => {
    expect(lenses(CONFIG)).toMatchObject([
      { kind: 'run', line: 1, region: '', errors: 0 },
      { kind: 'compare', line: 1 },
    ]);
    const body = CONFIG.replace(/^(?=.)/gm, '    ');
    expect(
      lenses(`workload:\n  one:\n${body}  two:\n${body}`).map((lens) => [lens.kind, lens.region, lens.line]),
    ).toEqual([
      ['run', 'workload.one', 1],
      ['compare', 'workload.one', 1],
      ['run', 'workload.two', 10],
      ['compare', 'workload.two', 10],
    ]);
  });
  it('count what keeps it from running, and are absent without a config', () => {
    expect(lenses(CONFIG.replace('duration', 'duraton'))[0]?.errors).toBe(2);
    expect(lenses('')).toEqual([]);
  });
});

describe('any text', () => {
  const soup = fc.string({
    unit: fc.constantFrom(
      ...Array.from('ab: -#\n\n  "\'[]{},&*!|>%@?<=~01.ex_\\\t\r'),
      'load:\n',
      '  stages:\n',
      '# isoperf: ',
    ),
    maxLength: 40,
  });
  it('is answered without throwing, and every edit lies inside it', () => {
    fc.assert(
      fc.property(soup, fc.nat(20), fc.nat(30), (text, line, column) => {
        const count = new Lines(text).count;
        for (const entry of diagnostics(text)) expect(entry.range.endLine).toBeLessThan(Math.max(1, count));
        for (const action of allActions(text))
          for (const edit of action.edits) expect(edit.range.endLine).toBeLessThan(count);
        hover(text, { line, column });
        lenses(text);
      }),
      { numRuns: 500 },
    );
  });
});
