// Hover: what a key, a word or a directive means, short, with the pitfalls that hang on it.
import { describe, expect, it } from 'vitest';
import { allFields } from '../../../src/config/model/fields';
import type { Target } from '../../../src/config/model/target';
import { hover } from '../../../src/language/hover';
import { pitfallsAt } from '../../../src/pitfalls/catalogue';
import { CONFIG, cursor } from './screen';

function over(marked: string): string {
  const { text, position } = cursor(marked);
  return hover(text, position)?.markdown ?? '';
}

describe('hover', () => {
  it('over a key: type, unit, default or duty, meaning, pitfalls with their place in the docs', () => {
    const markdown = over(CONFIG.replace('rate:', 'ra|te:'));
    expect(markdown).toContain('**`load.stages[].rate`**: number, requests/s, required');
    expect(markdown).toContain('Mean request rate.');
    expect(markdown).toContain('[CMP004](docs/pitfalls.md#cmp004)');
  });
  it('over a word: what the word means', () => {
    const markdown = over(CONFIG.replace('constant', 'const|ant'));
    expect(markdown).toMatch(/`constant`: Open loop at a mean rate\. Despite the name/);
    expect(markdown).toContain('CMP001');
  });
  it('over the key of a word: all words', () => {
    expect(over(CONFIG.replace('type:', 'ty|pe:'))).toContain(
      'One of `constant`, `poisson`, `trace_replay`, `concurrent`, `trace_session_replay`.',
    );
  });
  it('defaults that depend on the machine, versions, other names', () => {
    expect(over(CONFIG.replace('  stages', '  num_wor|kers: 3\n  stages'))).toContain('left out: the number of CPUs');
    expect(over('load: {stages: []}\ndata: {shared_prefix: {num_groups: 3, se|ed: 4}}')).toContain('since v0.5.0');
    expect(over('load: {stages: []}\ndata: {shared_prefix: {num_unique_system_pro|mpts: 3}}')).toContain(
      'Also written `num_unique_system_prompts`',
    );
  });
  it('says when the version that will run does not know a key: by the directive, else the image, else the setting', () => {
    const { text, position } = cursor(CONFIG.concat('circuit_br|eakers: []\n'));
    const note = (each: string, line = 0, target?: Target): boolean => {
      const place = { line: position.line + line, column: position.column };
      return (
        hover(each, place, target ? { defaultTarget: target } : {})?.markdown.includes('does not know it') === true
      );
    };
    expect(note(text)).toBe(false);
    expect(note(text, 0, 'v0.2.0')).toBe(true);
    expect(note(`# isoperf: target=v0.6.1\n${text}`, 1, 'v0.2.0')).toBe(false);
    expect(note(`# isoperf: target=v0.2.0\n${text}`, 1)).toBe(true);
    expect(note(`# image: x\n${text}`, 1, 'v0.2.0')).toBe(true);
  });
  it('over a section: what it is for', () => {
    expect(over(CONFIG.replace('server:', 'ser|ver:'))).toContain('The server under test');
  });
  it('over a directive', () => {
    expect(over(CONFIG.replace('warmup', 'war|mup'))).toContain('kept out of the measured window');
    expect(over(CONFIG.replace('seed=42', 'se|ed=42'))).toContain('seed=N');
  });
  it('over nothing known: nothing', () => {
    expect(over(CONFIG.replace('rate:', 'ra|et:'))).toBe('');
    expect(over(CONFIG.replace('    - rate', ' |   - rate'))).toBe('');
    expect(over('se|rvices:\n  web: {}\n')).toBe('');
  });
  it('inside a ConfigMap', () => {
    const text = `apiVersion: v1\nkind: ConfigMap\ndata:\n  config.yml: |\n${CONFIG.replace(/^(?=.)/gm, '    ')}`;
    const line = text.split('\n').findIndex((entry) => entry.includes('rate: 5'));
    const column = text.split('\n')[line]!.indexOf('rate') + 1;
    const found = hover(text, { line, column });
    expect(found?.markdown).toContain('load.stages[].rate');
    expect(found?.range).toMatchObject({ startLine: line, startColumn: column - 1 });
  });
  it('over every key and every word of the model: the facts, the meaning, at most a dozen lines', () => {
    let words = 0;
    for (const field of allFields()) {
      if (typeof field.path.at(-1) === 'number') continue;
      const name = field.path.join('.');
      const lines = field.path.map(
        (step, depth) => `${'  '.repeat(depth)}${typeof step === 'number' ? '-' : `${step}:`}`,
      );
      const line = lines.length - 1;
      const over = (value: string, column: number): string =>
        hover(`${lines.slice(0, line).join('\n')}\n${lines[line]!} ${value}\n`.replace(/^\n/, ''), { line, column })
          ?.markdown ?? '';
      const key = over('x', lines[line]!.length - 2);
      const all = key.split('\n');
      expect(all.length, name).toBeLessThanOrEqual(12);
      // The first line has the upstream name, the type, and what holds when it is left out; the unit and the version if there are any.
      expect(all[0], name).toContain(field.name);
      expect(all[0], name).toMatch(/default |required|left out: |defaults of its own fields/);
      if (field.unit !== undefined) expect(all[0], name).toContain(field.unit);
      if (field.since !== undefined) expect(all[0], name).toContain(`since ${field.since}`);
      expect(all[2]!.length, name).toBeGreaterThan(5);
      for (const { code } of pitfallsAt(field.path).slice(0, 2)) expect(key, name).toContain(code);
      for (const [word, { doc, since }] of Object.entries(field.enumValues ?? {})) {
        const meaning = over(word, lines[line]!.length + 2);
        expect(meaning, name).toContain(`\`${word}\`: ${doc}`);
        if (since !== undefined) expect(meaning).toContain(`(since ${since})`);
        expect(doc.length, word).toBeGreaterThan(5);
        expect(meaning.split('\n').length, `${name} ${word}`).toBeLessThanOrEqual(12);
        words += 1;
      }
    }
    expect(words).toBeGreaterThan(100);
  });
});
