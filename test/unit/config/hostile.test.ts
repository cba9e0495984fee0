// Texts that nobody should write: nothing throws, and the work is bounded (each of these once took seconds or for ever).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looksLikeConfig } from '../../../src/config/find/detect';
import { readConfigs } from '../../../src/config/load';
import { loaderVerdict } from '../../../src/config/loader';
import { completions } from '../../../src/language/completion';
import { diagnostics } from '../../../src/language/diagnostics';
import { fixAll } from '../../../src/language/fix-all';
import { codeActions } from '../../../src/language/fixes';
import { hints } from '../../../src/language/hints';
import { hover } from '../../../src/language/hover';
import { links } from '../../../src/language/links';
import type { Position } from '../../../src/language/place';
import { folds } from '../../../src/language/symbols';
import { HOSTILE } from './hostile-texts';
import { TARGETS } from '../../../src/config/model/target';

const CONFIG = 'load:\n  type: poisson\n  stages:\n    - { rate: 5, duration: 60 }\nserver:\n  base_url: http://h:1\n';
/** What an editor asks of a text, each for the first time. */
const FEATURES: Readonly<Record<string, (text: string, position: Position) => unknown>> = {
  diagnostics: (text) => [looksLikeConfig(text), diagnostics(text)],
  hints: (text) => hints(text, { cpus: 4 }),
  outline: (text) => [folds(text), links(text)],
  completion: (text, position) => completions(text, position),
  'hover and fixes': (text, position) => [
    hover(text, position),
    codeActions(text, { startLine: position.line, startColumn: 0, endLine: position.line + 1, endColumn: 0 }),
  ],
  'fix all': (text) => fixAll(text),
};

describe('hostile texts', () => {
  it.each(Object.entries(HOSTILE))('%s', (_name, text) => {
    // Processor time of the best of three: another process cannot lengthen it much, and a quadratic step would by far.
    // The bench (bench/editor.mjs) says what it is on a quiet machine: below 100 ms.
    for (const [feature, answer] of Object.entries(FEATURES)) {
      let best = Infinity;
      for (let round = 0; round < 3 && best > 200; round += 1) {
        const fresh = `${text}\n#${feature} ${round}`;
        const before = process.cpuUsage();
        answer(fresh, { line: Math.floor(fresh.split('\n').length / 2), column: 6 });
        const { user, system } = process.cpuUsage(before);
        best = Math.min(best, (user + system) / 1000);
      }
      expect(best, feature).toBeLessThan(600);
    }
  });
  it('so many findings are listed, and a line says how many more there are', () => {
    const keys = Array.from({ length: 300 }, (_unused, index) => `key${index}: 1\n`).join('');
    const stages = Array.from({ length: 300 }, () => '    - {rate: .inf, duration: 1}\n').join('');
    const numbers = Array.from({ length: 70 }, (_unused, index) => `k${index}: !!int x\n`).join('');
    const repeated = 'load: {}\n'.repeat(90);
    const directives = '# isoperf: nonsense\n'.repeat(80);
    const open = Array.from({ length: 250 }, (_unused, index) => `    h${index}: \${A}\n`).join('');
    const more = (text: string) => {
      const { problems } = readConfigs(text)[0]!;
      const line = problems.find((problem) => problem.code === 'CFG023');
      return [problems.length - (line ? 1 : 0), Number(/^\d+/.exec(line?.message ?? '0')![0])];
    };
    expect(more(`${keys}${CONFIG}`)).toEqual([50, 250]);
    expect(more(`load:\n  stages:\n${stages}server: {base_url: http://h}\n`)).toEqual([50, 250]);
    expect(more(`${CONFIG}${directives}`)).toEqual([50, 30]);
    // Each of them is an error of YAML and an unknown key.
    expect(more(`${numbers}${CONFIG}`)).toEqual([100, 40]);
    expect(more(`${repeated}${CONFIG}`)[1]).toBeGreaterThan(30);
    expect(more(`${CONFIG}api:\n  headers:\n${open}`)).toEqual([200, 50]);
    expect(more(CONFIG)).toEqual([0, 0]);
  });
  it('a text too long for an editor is read by the command line only', () => {
    const long = `${CONFIG}${'# more\n'.repeat(20_000)}`;
    expect(readConfigs(long)[0]!.problems).toMatchObject([{ code: 'YML002', severity: 'information' }]);
    expect(readConfigs(long, { maxText: 1_000_000 })[0]!.problems).toEqual([]);
    expect(loaderVerdict(long).accepts).toBe(true);
  });
});

describe('any text', () => {
  const broken = fc
    .tuple(fc.nat(CONFIG.length), fc.nat(12), fc.string({ maxLength: 12, unit: 'binary' }))
    .map(([at, cut, put]) => CONFIG.slice(0, at) + put + CONFIG.slice(at + cut));
  it('is read without throwing, and every place lies in it', () => {
    fc.assert(
      fc.property(fc.oneof(broken, fc.string({ unit: 'binary', maxLength: 200 })), (text) => {
        const lines = text.split(/\r\n|\n|\r/).length;
        looksLikeConfig(text);
        for (const { problems } of readConfigs(text))
          for (const { message, range } of problems) {
            expect(message).not.toBe('');
            expect(range?.endLine ?? 0).toBeLessThanOrEqual(lines);
          }
      }),
      { numRuns: 300 },
    );
  });
  it('gets an answer for every version, with a reason when it is refused', () => {
    fc.assert(
      fc.property(broken, fc.constantFrom(...TARGETS), (text, target) => {
        const { accepts, problems } = loaderVerdict(text, target);
        expect(problems.some((problem) => problem.severity === 'error')).toBe(!accepts);
      }),
      { numRuns: 300 },
    );
  });
});
