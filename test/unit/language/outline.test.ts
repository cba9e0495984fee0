// Outline, folds, links and templates.
import { describe, expect, it } from 'vitest';
import { loaderVerdict } from '../../../src/config/loader';
import { diagnostics } from '../../../src/language/diagnostics';
import { hints } from '../../../src/language/hints';
import { links } from '../../../src/language/links';
import { folds, outline, type OutlineEntry } from '../../../src/language/symbols';
import { TEMPLATES } from '../../../src/language/templates';
import { CONFIG } from './screen';

const TEXT = CONFIG.replace('duration: 60\n', 'duration: 60\n    - rate: 10\n      duration: 30\n');

function tree(entries: readonly OutlineEntry[], depth = 0): string[] {
  return entries.flatMap(({ name, detail, children }) => [
    `${'  '.repeat(depth)}${name}${detail === '' ? '' : ` [${detail}]`}`,
    ...tree(children, depth + 1),
  ]);
}

describe('outline', () => {
  it('names stages by their load', () => {
    expect(tree(outline(TEXT))).toEqual([
      'load [constant]',
      '  type [constant]',
      '  stages [2 stages]',
      '    stage 0: 5 rps, 60 s, warm-up',
      '    stage 1: 10 rps, 30 s',
      'server',
      '  base_url [http://h:1]',
    ]);
    const closed = 'load:\n  type: concurrent\n  stages: [{num_requests: 640, concurrency_level: 32}]\n';
    expect(tree(outline(closed))).toContain('    stage 0: 32 concurrent, 640 requests');
  });
  it('has one entry for each config of a file, and every selection lies in its range', () => {
    const body = TEXT.replace(/^(?=.)/gm, '    ');
    const found = outline(`workload:\n  one:\n${body}  two:\n${body}`);
    expect(found.map((entry) => entry.name)).toEqual(['workload.one', 'workload.two']);
    const visit = ({ range, selection, children }: OutlineEntry): void => {
      expect(selection.startLine).toBeGreaterThanOrEqual(range.startLine);
      expect(selection.endLine).toBeLessThanOrEqual(range.endLine);
      children.forEach(visit);
    };
    found.forEach(visit);
  });
  it('shows no secrets', () => {
    const secret = CONFIG.concat('  api_key: sk-verysecret\ntokenizer: {token: hf_verysecret}\n');
    expect(JSON.stringify(outline(secret))).not.toContain('verysecret');
  });
  it('is there while a line is broken, and empty for what is no config', () => {
    expect(tree(outline(TEXT.concat('tokeni\n'))).join()).toContain('load');
    expect(outline('')).toEqual([]);
  });
});

describe('folds', () => {
  it('sections, lists, stages, runs of comments', () => {
    const text = `# one\n# two\n${TEXT}`;
    const found = folds(text);
    expect(found).toContainEqual({ startLine: 3, endLine: 9, kind: 'block' });
    expect(found).toContainEqual({ startLine: 6, endLine: 7, kind: 'block' });
    expect(found).toContainEqual({ startLine: 0, endLine: 2, kind: 'comment' });
  });
});

describe('links', () => {
  it('addresses, files, codes; not what is to be filled', () => {
    const text = `# isoperf: disable CMP001, CMP008 because CMP009 is worse\n${CONFIG}data:
  path: data/set.json
  trace: { file: /traces/azure.csv }
tokenizer:
  pretrained_model_name_or_path: org/model
metrics: { type: prometheus, prometheus: { url: "http://p:9090" } }
storage: { local_storage: { path: "\${OUT}" } }
`;
    expect(links(text).map(({ kind, target }) => `${kind} ${target}`)).toEqual([
      'url http://h:1',
      'file data/set.json',
      'file /traces/azure.csv',
      'url http://p:9090',
      'pitfall docs/pitfalls.md#cmp001',
      'pitfall docs/pitfalls.md#cmp008',
    ]);
    const [address] = links(text);
    expect(
      text.split('\n')[address!.range.startLine]!.slice(address!.range.startColumn, address!.range.endColumn),
    ).toBe('http://h:1');
  });
  it('a tokenizer that is a folder', () => {
    expect(
      links(CONFIG.concat('tokenizer: {pretrained_model_name_or_path: ./tok}\n')).map((link) => link.target),
    ).toContain('./tok');
  });
});

describe('templates', () => {
  it.each(TEMPLATES.map((template) => [template.name, template] as const))(
    '%s: main accepts it and nothing is left to warn about',
    (_name, template) => {
      expect(loaderVerdict(template.text).problems).toEqual([]);
      const found = diagnostics(template.text).filter((problem) => problem.severity !== 'information');
      expect(found.map((problem) => `${problem.code} ${problem.message}`)).toEqual([]);
      expect(hints(template.text).length).toBeGreaterThan(3);
      expect(template.text).toMatch(/^# /);
    },
  );
});
