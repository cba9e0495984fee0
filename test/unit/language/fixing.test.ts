// Quick fixes one by one, and fix all on broken public configs: what main accepts afterwards, and what stays as it was.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loaderVerdict } from '../../../src/config/loader';
import { findRegions } from '../../../src/config/find/regions';
import { diagnostics } from '../../../src/language/diagnostics';
import { applyEdits } from '../../../src/language/edits';
import { fixAll, fixedText } from '../../../src/language/fix-all';
import { allActions } from '../../../src/language/fixes';
import { CONFIG } from './screen';

/** The text after the fix whose title matches; tab stops at their defaults. */
function after(text: string, code: string, title: RegExp): string {
  const action = allActions(text).find((entry) => entry.code === code && title.test(entry.title));
  if (!action)
    throw new Error(
      `no fix for ${code}: ${allActions(text)
        .map((entry) => entry.title)
        .join('; ')}`,
    );
  return applyEdits(text, action.edits)
    .replace(/\$\{\d+\|([^,|]*)[^}]*\}/g, '$1')
    .replace(/\$\{\d+:([^}]*)\}/g, '$1');
}
const codes = (text: string): string[] => diagnostics(text).map((entry) => entry.code);

const RANDOM = `load:
  type: poisson
  stages:
    - rate: 5 # slow
      duration: 60
data:
  type: random
  input_distribution:
    mean: 100 # tokens
  output_distribution: { type: fixed, mean: 9 }
server:
  base_url: http://h:1
`;

describe('keys out of place', () => {
  it('a section inside another one goes to the top level, comments and all', () => {
    const text = CONFIG.replace(
      'server:',
      'tokenizer:\n  token: x\n  # prompts\n  data:\n    type: mock # tiny\n\n    # end\nserver:',
    );
    expect(after(text, 'CFG001', /Move 'data' to the top level/)).toBe(
      CONFIG.replace(
        'server:',
        'tokenizer:\n  token: x\n  # prompts\ndata:\n  type: mock # tiny\n\n    # end\nserver:',
      ),
    );
  });
  it('a key goes to the end of the section it belongs to', () => {
    const text = CONFIG.replace('server:', 'ignore_eos: false # as users see it\nserver:');
    expect(after(text, 'CFG001', /Move/)).toBe(
      CONFIG.replace('http://h:1\n', 'http://h:1\n  ignore_eos: false # as users see it\n'),
    );
  });
  it('children that were not indented', () => {
    const text = CONFIG.concat(
      'data:\n  multimodal:\n    image:\n    # how many\n    count: { type: fixed, mean: 1 }\n    representation: png\n',
    );
    expect(after(text, 'CFG001', /Indent count, representation under data.multimodal.image/)).toContain(
      '    image:\n    # how many\n      count: { type: fixed, mean: 1 }\n      representation: png\n',
    );
  });
  it('a key without a home becomes a comment; in braces it goes', () => {
    const text = CONFIG.replace('server:', 'extra:\n  a: 1\n\n  b: [1,\n    2]\nserver:');
    expect(after(text, 'CFG001', /Comment out/)).toBe(
      CONFIG.replace('server:', '# extra:\n#   a: 1\n\n#   b: [1,\n#     2]\nserver:'),
    );
    expect(
      after(CONFIG.replace('base_url: http://h:1', "{ base_url: 'http://h:1', zz: 3 }"), 'CFG001', /Comment/),
    ).toContain("{ base_url: 'http://h:1' }");
  });
  it('an empty section', () => {
    expect(codes(after(CONFIG.concat('report:\n'), 'CFG007', /Comment out 'report'/))).not.toContain('CFG007');
  });
});

describe('what is missing or contradicts itself', () => {
  it.each([
    ['CFG003', /Add 'duration'/, CONFIG.replace('      duration: 60\n', '')],
    ['CFG003', /Add 'base_url'/, CONFIG.replace('base_url: http://h:1', 'model_name: m')],
    ['CFG006', /Set std_dev: 0/, RANDOM.replace('mean: 100', 'mean: 100\n    variance: 9\n    std_dev: 3')],
    ['CFG006', /Swap min and max/, RANDOM.replace('mean: 100', 'min: 90\n    max: 30\n    mean: 60')],
    [
      'CFG006',
      /Set load.type: concurrent/,
      CONFIG.replace('duration: 60', 'duration: 60\n      num_requests: 9\n      concurrency_level: 3'),
    ],
    ['CFG011', /server section/, CONFIG.replace(/server:[\s\S]*/, '')],
    ['CFG012', /Add a stage/, CONFIG.replace(/ {2}stages:[\s\S]*?60\n/, '  num_workers: 2\n')],
    ['CFG014', /Set api.type: completion/, RANDOM.concat('api: { type: chat }\n')],
    [
      'CFG014',
      /Set data.type: shared_prefix/,
      RANDOM.concat('  # x\n').replace('  output_dist', '  shared_prefix: {seed: 1}\n  output_dist'),
    ],
    ['CFG014', /Add data.output_distribution/, RANDOM.replace(/ {2}output_dist.*\n/, '')],
    ['CFG020', /Change to 'warmup'/, CONFIG.replace('warmup', 'warm-up')],
  ])('%s %s', (code, title, text) => {
    expect(codes(text)).toContain(code);
    expect(codes(after(text, code, title))).not.toContain(code);
  });
});

describe('pitfalls', () => {
  it.each([
    ['CMP006', /Write num_workers/],
    ['CMP008', /Add a warm-up stage/],
    ['CMP024', /Pin data.input_distribution to 100 tokens/],
    ['CMP029', /seed=42/],
    ['CMP029', /base_seed: 42/],
    ['CMP052', /Stream/],
    ['CMP064', /request_timeout: 300/],
  ])('%s %s', (code, title) => {
    expect(codes(RANDOM)).toContain(code);
    const text = after(RANDOM, code, title);
    expect(codes(text)).not.toContain(code);
    expect(text).toContain('# slow');
    expect(diagnostics(text).filter((entry) => entry.severity === 'error')).toEqual([]);
  });
  it('writing what applies leaves only that the mean moves', () => {
    const text = after(RANDOM, 'CMP024', /Write what applies: min: 10, max: 1024, std_dev: 200/);
    expect(codes(text)).not.toContain('CMP024');
    expect(codes(text)).toContain('CMP025');
  });
  it('every one can be accepted with a reason', () => {
    const found = diagnostics(RANDOM).filter((entry) => entry.code.startsWith('CMP'));
    expect(found.length).toBeGreaterThan(4);
    for (const { code } of found) {
      const text = after(RANDOM, code, /^Accept/);
      expect(text).toContain(`# isoperf: disable ${code} because reason\n`);
      expect(codes(text)).not.toContain(code);
    }
  });
});

const CORPUS = path.resolve(import.meta.dirname, '../../../../shared/corpus/configs');

describe('a key written twice', () => {
  const both = (text: string): readonly string[] => {
    return allActions(text)
      .filter(({ code }) => code === 'YML007' || code === 'YML012')
      .map(({ edits }) => applyEdits(text, edits));
  };
  it('the earlier one can be removed: what runs stays the same', () => {
    expect(both(CONFIG.replace('type: constant\n', 'type: poisson\n  type: constant\n'))).toEqual([CONFIG]);
    expect(both(CONFIG.replace('    - rate: 5', '    - rate: 7\n      rate: 5'))).toEqual([CONFIG]);
    expect(both(`${CONFIG}api: {type: chat, streaming: true, type: completion}\n`)).toEqual([
      `${CONFIG}api: {streaming: true, type: completion}\n`,
    ]);
    const twice = `data:\n  type: mock # first\n  path: x\n${CONFIG}data:\n  type: mock\n`;
    expect(both(twice)).toEqual([`${CONFIG}data:\n  type: mock\n`]);
  });
  it('fix all takes it only where both say the same', () => {
    const twice = (value: string): string => CONFIG.replace('type: constant\n', `type: ${value}\n  type: constant\n`);
    expect(fixedText(twice('constant'))).toBe(CONFIG);
    expect(fixedText(twice('poisson'))).toBe(twice('poisson'));
  });
});

describe('fix all', () => {
  it('mends several mistakes at once and changes nothing else', () => {
    const broken = CONFIG.replace('duration', 'duraton')
      .replace('constant', 'constnat')
      .concat('api: chat # as users\nzz: 1 # why\n');
    const text = fixedText(broken);
    expect(text).toBe(CONFIG.concat('api: { type: chat } # as users\n# zz: 1 # why\n'));
    const edit = fixAll(broken);
    expect(edit && applyEdits(broken, [edit])).toBe(text);
    expect(edit?.range.startLine).toBe(2);
    expect(fixAll(text)).toBeUndefined();
  });
  it('leaves judgements and choices to the author', () => {
    expect(fixAll(RANDOM)).toBeUndefined();
    expect(fixAll(RANDOM.replace(/server:[\s\S]*/, ''))).toBeUndefined();
  });

  /** Rejected public configs that no edit can mend without its author, by the beginning of their names, and why. */
  const REASONS: Readonly<Record<string, string>> = {
    '113-': 'redacted: the address of Prometheus is gone',
    '114-': 'a printed Python object: its fields must be written out',
    '132-': 'a load type of a fork, which main has not',
    '133-': 'a trace format of a fork, which main has not',
    'upstream/docs_snippet__docs__config__L0148': 'words separated by | stand for a choice',
    'upstream/docs_snippet__docs__config__L0175': 'words separated by | stand for a choice',
    'upstream/docs_snippet__docs__config__L0426': 'three trace sources, of which one must be chosen',
    'upstream/docs_snippet__docs__weka_trace_replay__L0021': 'no address of a server',
  };
  it.skipIf(!existsSync(CORPUS))(
    'makes every rejected public config one that main accepts, or there is a reason',
    () => {
      const mended: string[] = [];
      const left: string[] = [];
      for (const name of readdirSync(CORPUS, { recursive: true, encoding: 'utf8' }).filter((each) =>
        /\.ya?ml$/.test(each),
      )) {
        // Templates are filled in first: what is to be filled is not a mistake.
        const text = readFileSync(path.join(CORPUS, name), 'utf8').replaceAll(/\$\{\w+\}|REPLACE_ENV_\w+/g, '7');
        const { regions } = findRegions(text, 1_000_000);
        if (regions.length !== 1 || regions[0]!.kind !== 'file' || loaderVerdict(text).accepts) continue;
        const after = fixedText(text);
        if (!loaderVerdict(after).accepts) left.push(name);
        else {
          mended.push(name);
          // No line is lost: at most its indentation, its key, its value or a comment mark changed.
          expect(after.split('\n').length, name).toBe(text.split('\n').length);
        }
      }
      const reasons = Object.keys(REASONS);
      expect(left.filter((name) => !reasons.some((start) => name.startsWith(start)))).toEqual([]);
      // A reason that is none any more is taken out.
      expect(reasons.filter((start) => !left.some((name) => name.startsWith(start)))).toEqual([]);
      expect(mended.length).toBeGreaterThanOrEqual(7);
    },
  );
  if (!existsSync(CORPUS)) console.log('skipped: ../shared/corpus is not there');

  it('any text is answered without throwing, and the edit gives the mended text', () => {
    const soup = fc.string({
      unit: fc.constantFrom(
        ...Array.from('ab: -#\n\n  "[]{},&*|\t'),
        'load:\n',
        '  stages:\n',
        '    - rat: 1\n',
        'api: chat\n',
      ),
      maxLength: 30,
    });
    fc.assert(
      fc.property(soup, (text) => {
        const edit = fixAll(text);
        expect(edit ? applyEdits(text, [edit]) : text).toBe(fixedText(text));
      }),
      { numRuns: 300 },
    );
  });
});
