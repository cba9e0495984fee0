// The word about another YAML extension: said once, only where it is installed, and what it then asks of it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { shouldGreet, withFile } from '../../../src/extension/neighbour-rules';

describe('the word about the YAML extension', () => {
  const installed = (name: string) => (extension: string) => extension === name;
  it('is said when it is there, and never again', () => {
    expect(shouldGreet(false, installed('redhat.vscode-yaml'))).toBe(true);
    expect(shouldGreet(true, installed('redhat.vscode-yaml'))).toBe(false);
    expect(shouldGreet(false, installed('ms-python.python'))).toBe(false);
  });
  it('keeps what the user keeps out already', () => {
    expect(withFile(undefined, 'a.yaml')).toEqual(['a.yaml']);
    expect(withFile(['b.yaml', 'a.yaml', 7], 'a.yaml')).toEqual(['b.yaml', 'a.yaml']);
  });
  it('is marked as said before it is shown, so that two windows or a crash do not repeat it', () => {
    const source = readFileSync(path.resolve(import.meta.dirname, '../../../src/extension/neighbours.ts'), 'utf8');
    expect(source.indexOf('globalState.update(SAID, true)')).toBeGreaterThan(0);
    expect(source.indexOf('globalState.update(SAID, true)')).toBeLessThan(source.indexOf('showInformationMessage'));
  });
});
