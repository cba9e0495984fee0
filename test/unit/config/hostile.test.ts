// Texts that nobody should write: nothing throws, and the work is bounded (each of these once took seconds or for ever).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looksLikeConfig } from '../../../src/config/detect';
import { readConfigs } from '../../../src/config/load';
import { loaderVerdict } from '../../../src/config/loader';
import { TARGETS } from '../../../src/config/target';

const CONFIG = 'load:\n  type: poisson\n  stages:\n    - { rate: 5, duration: 60 }\nserver:\n  base_url: http://h:1\n';
const LENGTH = 40_000;

const fill = (piece: string): string => piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH);

const HOSTILE: Readonly<Record<string, string>> = {
  'a load section with other things below': `a:\n    load:\n${'                    key: value\n'.repeat(40)}`,
  'a server section with other things below': `a:\n  load:\n    stages: 1\n  server:\n${'                    key: value\n'.repeat(40)}`,
  'open braces': `server: {base_url: "${fill('{{')}"}\n`,
  'open placeholders': `server: {base_url: "${fill('${')}"}\n`,
  'an endless scheme': `server: {base_url: "${fill('a')}"}\n`,
  'open lists': `load: ${fill('[')}`,
  'unknown keys': `load: {}\n${Array.from({ length: 3000 }, (_unused, index) => `key${index}: 1\n`).join('')}`,
  'wrong stages': `load:\n  stages:\n${fill('    - {raet: 1, duratoin: 2, foo: 3}\n')}`,
  'one key again and again': `load: {}\n${fill('a: 1\nb: {c: 1}\n')}`,
  'directives in a row': `load: {}\n${fill('# isoperf: warmup\n')}`,
  'documents in a row': fill('load: {stages: []}\n---\n'),
  'templates in a row': fill('{{ x }}\n'),
  'heredocs that never end': `load: "\n${fill('cat <<EOF\n')}`,
  'many texts with configs': `a:\n${Array.from({ length: 500 }, (_unused, index) => `  k${index}: |\n    load:\n      stages: 1\n`).join('')}`,
  'many wrapped configs': `a:\n${Array.from({ length: 500 }, (_unused, index) => `  w${index}:\n    load: {type: x}\n    server: {base_url: y}\n`).join('')}`,
  'an alias bomb': `a: &a [1,1,1,1,1,1,1,1,1]\n${'bcdefghi'.replace(
    /./g,
    (name) =>
      `${name}: &${name} [${Array(9)
        .fill(`*${String.fromCharCode(name.charCodeAt(0) - 1)}`)
        .join(',')}]\n`,
  )}${CONFIG}`,
  tabs: `load:\n${fill('\t- a\n')}`,
  bytes: Array.from({ length: LENGTH }, (_unused, index) => String.fromCharCode((index * 7919) % 256)).join(''),
};

describe('hostile texts', () => {
  it.each(Object.entries(HOSTILE))('%s', (_name, text) => {
    // Processor time of the best of three: another process cannot lengthen it much, and a quadratic step would by far.
    const times = [0, 1, 2].map((round) => {
      const before = process.cpuUsage();
      looksLikeConfig(`${text}#${round}`);
      readConfigs(`${text}#${round}`);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    expect(Math.min(...times)).toBeLessThan(1000);
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
