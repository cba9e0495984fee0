// `# isoperf:` comments: where they stand, what they say, and that none is without effect in silence.
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/load';

const stages = (body: string, head = ''): string => `${head}load:
  stages:
${body}
server:
  base_url: http://h:1
`;

function read(text: string) {
  const { loaded, problems } = readConfig(text);
  return {
    warmup: [...(loaded?.warmupStages ?? [])],
    seed: loaded?.seed,
    suppressed: loaded?.suppressions.flatMap((suppression) => suppression.codes) ?? [],
    problems: problems.map((problem) => `${problem.code}@${(problem.range?.startLine ?? 0) + 1}`),
    messages: problems.map((problem) => `${problem.message} ${problem.remedy ?? ''}`).join('\n'),
  };
}

describe('warmup', () => {
  it.each([
    [
      'at the end of the first line',
      '    - rate: 1 # isoperf: warmup\n      duration: 2\n    - {rate: 2, duration: 3}',
      [0],
    ],
    [
      'at the end of another line',
      '    - rate: 1\n      duration: 2 # isoperf: warmup\n    - {rate: 2, duration: 3}',
      [0],
    ],
    [
      'on the first line of the stage after another block',
      '    - rate: 1\n      duration: 2\n    - rate: 2 # isoperf: warmup\n      duration: 3\n    - rate: 2\n      duration: 3',
      [1],
    ],
    ['above the first item', '    # isoperf: warmup\n    - {rate: 1, duration: 2}\n    - {rate: 2, duration: 3}', [0]],
    ['above the second item', '    - {rate: 1, duration: 2}\n    # isoperf: warmup\n    - {rate: 2, duration: 3}', [1]],
    [
      'above, with blank and comment lines between',
      '    - {rate: 1, duration: 2}\n    # isoperf: warmup\n    # really\n\n    - {rate: 2, duration: 3}',
      [1],
    ],
    [
      'on its own line inside an item',
      '    - rate: 1\n      # isoperf: warmup\n      duration: 2\n    - {rate: 2, duration: 3}',
      [0],
    ],
    ['beside a lone dash', '    - # isoperf: warmup\n      rate: 1\n      duration: 2', [0]],
    [
      'on both',
      '    - {rate: 1, duration: 2} # isoperf: warmup\n    - {rate: 2, duration: 3} # isoperf: warmup',
      [0, 1],
    ],
    ['without blanks, in capitals', '    - {rate: 1, duration: 2} #ISOPERF:warmup', [0]],
  ])('%s', (_name, body, expected) => {
    const result = read(stages(body));
    expect(result.problems).toEqual([]);
    expect(result.warmup).toEqual(expected);
  });

  it.each([
    ['at the top', stages('    - {rate: 1, duration: 2}', '# isoperf: warmup\n'), 'CFG021@1'],
    [
      'at another section',
      stages('    - {rate: 1, duration: 2}').replace('server:', 'server: # isoperf: warmup'),
      'CFG021@4',
    ],
    [
      'on a line of several stages',
      'load:\n  stages: [{rate: 1, duration: 2}, {rate: 2, duration: 2}] # isoperf: warmup\nserver: {base_url: http://h:1}\n',
      'CFG021@2',
    ],
    ['with a value', stages('    - {rate: 1, duration: 2} # isoperf: warmup=yes'), 'CFG022@3'],
    ['misspelt', stages('    - {rate: 1, duration: 2} # isoperf: warmpu'), 'CFG020@3'],
    ['empty', stages('    - {rate: 1, duration: 2} # isoperf:'), 'CFG020@3'],
  ])('%s is an error', (_name, text, problem) => {
    expect(read(text).problems).toEqual([problem]);
  });

  it('says what was meant', () => {
    expect(read(stages('    - {rate: 1, duration: 2} # isoperf: warm-up')).messages).toContain(
      "Did you mean 'warmup'?",
    );
  });
});

describe('seed', () => {
  const with_ = (directive: string): string => stages('    - {rate: 1, duration: 2}', `# isoperf: ${directive}\n`);
  it.each([
    ['seed=42', 42],
    ['seed = 42', 42],
    ['seed="0"', 0],
    ['seed=4294967296', 4294967296],
    ['seed=9007199254740993', 9007199254740993n],
    ['seed=99999999999999999999', 99999999999999999999n],
  ])('%s', (directive, seed) => {
    expect(read(with_(directive))).toMatchObject({ seed, problems: [] });
  });
  it.each(['seed', 'seed=', 'seed=-1', 'seed=1.5', 'seed=abc', `seed=${'9'.repeat(40)}`])(
    '%s is an error',
    (directive) => {
      expect(read(with_(directive)).problems).toEqual(['CFG022@1']);
    },
  );
  it('twice alike is one, twice otherwise is an error', () => {
    expect(read(with_('seed=1, seed=1'))).toMatchObject({ seed: 1, problems: [] });
    expect(read(with_('seed=1, seed=2'))).toMatchObject({ problems: ['CFG022@1'] });
  });
});

describe('disable', () => {
  const with_ = (directive: string): string => stages('    - {rate: 1, duration: 2}', `# isoperf: ${directive}\n`);
  it('takes codes and a reason with commas', () => {
    expect(read(with_('disable CMP008, cmp012 because it is short, and that is fine'))).toMatchObject({
      suppressed: ['CMP008', 'CMP012'],
      problems: [],
    });
  });
  it.each(['disable', 'disable CMP008', 'disable CMP008 because', 'disable CFG001 because x', 'disable all because x'])(
    '%s is an error',
    (directive) => {
      expect(read(with_(directive)).problems).toEqual(['CFG022@1']);
    },
  );
});

describe('comments that are none', () => {
  it('are not read: other tools’ and quoted text', () => {
    const text = stages('    - {rate: 1, duration: 2} # see isoperf: warmup').replace(
      'http://h:1',
      '"http://h:1/# isoperf: seed=1"',
    );
    expect(read(text)).toMatchObject({ warmup: [], seed: undefined, problems: [] });
  });
});
