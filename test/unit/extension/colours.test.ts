// The colours of A and B: at least 3 : 1 against the editor of every kind of theme that VS Code brings.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { comparisonHtml } from '../../../src/cli/comparison-html';
import type { ComparisonView } from '../../../src/views/comparison/model';

/** Editor backgrounds of the built-in themes: Dark Modern, Dark+ and Visual Studio Dark, Light Modern and Light+, both of high contrast. */
const BACKGROUNDS = {
  dark: ['#1f1f1f', '#1e1e1e', '#272822', '#002b36', '#000c18', '#221a0f', '#390000'],
  light: ['#ffffff', '#f5f5f5', '#fdf6e3'],
  highContrast: ['#000000'],
  highContrastLight: ['#ffffff'],
} as const;

interface Colour {
  readonly id: string;
  readonly defaults: Readonly<Record<keyof typeof BACKGROUNDS, string>>;
}

const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly contributes: { readonly colors: readonly Colour[] };
};

/** Relative luminance of WCAG 2. */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05);
}

describe('colours of the two sides', () => {
  it.each(contributes.colors.flatMap(({ id, defaults }) => Object.entries(defaults).map((entry) => [id, ...entry])))(
    '%s in %s themes (%s)',
    (_id, kind, colour) => {
      for (const background of BACKGROUNDS[kind as keyof typeof BACKGROUNDS]) {
        expect([background, contrast(colour, background) >= 3]).toEqual([background, true]);
      }
    },
  );

  it('are the same in the page that needs no editor', () => {
    const page = comparisonHtml({ title: '' } as ComparisonView, { script: '', style: '' });
    for (const { id, defaults } of contributes.colors) {
      const name = `--vscode-${id.replaceAll('.', '-')}`;
      const written = [...page.matchAll(new RegExp(`${name}: (#\\w+);`, 'g'))].map(([, colour]) => colour);
      expect([id, written]).toEqual([id, [defaults.light, defaults.dark]]);
    }
  });

  it('the measure is right: black on white is 21 : 1', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 6);
  });
});
