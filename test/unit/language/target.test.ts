// The version of the settings is the last word of every feature, after a directive in the file and an image tag beside the config.
import { describe, expect, it } from 'vitest';
import type { Target } from '../../../src/config/model/target';
import { completions } from '../../../src/language/completion';
import { diagnostics } from '../../../src/language/diagnostics';
import { fixAll } from '../../../src/language/fix-all';
import { codeActions } from '../../../src/language/fixes';
import { lenses } from '../../../src/language/lenses';
import { CONFIG } from './screen';

// An unknown key: main stops at it, releases up to v0.6.1 ignore it.
const UNKNOWN = `${CONFIG}api:\n  type: chat\n  zz: 1\n`;
const HELM = `image:\n  repository: quay.io/inference-perf\n  tag: v0.6.1\nconfig:\n${UNKNOWN.replace(/^(?=.)/gm, '  ')}`;
const ALL = { startLine: 0, startColumn: 0, endLine: 99, endColumn: 0 };

const errors = (text: string, defaultTarget?: Target): readonly string[] => {
  const asked = defaultTarget ? { defaultTarget } : {};
  const found = diagnostics(text, asked).filter(({ code }) => code === 'CFG001' || code === 'CFG016');
  const fixed = codeActions(text, ALL, asked).filter(({ code }) => code === 'CFG001' || code === 'CFG016');
  const inLens = lenses(text, asked)[0]?.errors ?? -1;
  return [...new Set([...found, ...fixed].map(({ code }) => code)), `${inLens} errors in the lens`];
};

describe('the version an editor judges for', () => {
  it('is main, the setting, the image, the directive: the last one that is there', () => {
    expect(errors(UNKNOWN)).toEqual(['CFG001', '1 errors in the lens']);
    expect(errors(UNKNOWN, 'v0.6.1')).toEqual(['CFG016', '0 errors in the lens']);
    expect(errors(HELM, 'main')).toEqual(['CFG016', '0 errors in the lens']);
    expect(errors(`# isoperf: target=main\n${UNKNOWN}`, 'v0.6.1')).toEqual(['CFG001', '1 errors in the lens']);
    expect(errors(HELM.replace('  load:', '  # isoperf: target=main\n  load:'), 'v0.6.1')[0]).toBe('CFG001');
  });
  it('is that of completion and fix all, too', () => {
    const words = (target: Target): readonly string[] =>
      completions(`${CONFIG}api:\n  type: \n`, { line: 9, column: 8 }, { defaultTarget: target }).map(
        ({ label }) => label,
      );
    expect(words('main')).toContain('anthropic_messages');
    expect(words('v0.2.0')).not.toContain('anthropic_messages');
    expect(fixAll(UNKNOWN, { defaultTarget: 'v0.6.1' })?.newText).toContain('# zz: 1');
  });
});
