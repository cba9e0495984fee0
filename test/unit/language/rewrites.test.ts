// Changes where nothing is wrong: older spellings, an API key in the text.
import { describe, expect, it } from 'vitest';
import { mayBecomeConfig } from '../../../src/config/find/detect';
import { applyEdits } from '../../../src/language/edits';
import { rewrites, writtenKeys } from '../../../src/language/rewrites';
import { CONFIG } from './screen';

const whole = { startLine: 0, startColumn: 0, endLine: 99, endColumn: 0 };

describe('older spellings', () => {
  it('become the name in use, comments and values stay', () => {
    const text = CONFIG.concat(
      'data:\n  type: shared_prefix\n  shared_prefix:\n    num_unique_system_prompts: 3 # groups\n    question_distribution: { type: fixed, mean: 4 }\n',
    );
    const found = rewrites(text, whole);
    expect(found.map(({ title }) => title)).toEqual([
      "Change to 'num_groups', the name in use",
      "Change to 'question_len', the name in use",
    ]);
    expect(
      applyEdits(
        text,
        found.flatMap(({ edits }) => edits),
      ),
    ).toContain('    num_groups: 3 # groups\n    question_len: {');
    expect(rewrites(text, { ...whole, endLine: 3 })).toEqual([]);
  });
  it('are left where both names stand', () => {
    expect(
      rewrites(
        'data: {type: shared_prefix, shared_prefix: {question_len: 3, question_distribution: {mean: 4}}}\nload: {stages: []}\n',
        whole,
      ),
    ).toEqual([]);
  });
});

describe('an API key in the text', () => {
  it('is found and can be taken out, line and all', () => {
    const text = CONFIG.replace('  base_url', '  api_key: sk-abc # mine\n  base_url');
    expect(writtenKeys(text)).toMatchObject([{ key: 'sk-abc', baseUrl: 'http://h:1', range: { startLine: 7 } }]);
    expect(applyEdits(text, writtenKeys(text)[0]!.edits)).toBe(CONFIG);
    const flow = CONFIG.replace('\n  base_url: http://h:1', " { base_url: 'http://h:1', api_key: sk-abc }");
    expect(applyEdits(flow, writtenKeys(flow)[0]!.edits)).toContain("{ base_url: 'http://h:1' }");
  });
  it('is none when it is empty or to be filled', () => {
    for (const value of ['', 'null', '${KEY}', '"{{ .Values.key }}"', '<your key>'])
      expect(writtenKeys(CONFIG.replace('  base_url', `  api_key: ${value}\n  base_url`)), value).toEqual([]);
  });
});

describe('a config that is being written', () => {
  it.each([
    ['load:\n', true],
    ['# isoperf: \n', true],
    ['server:\n  \ndata:\n', true],
    ['', false],
    ['server:\n  port: 80\n', false],
    ['load:\nservices:\n  web: {}\n', false],
  ])('%j: %s', (text, expected) => {
    expect(mayBecomeConfig(text)).toBe(expected);
  });
});
