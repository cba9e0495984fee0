// The catalogue: every known way in which two serving benchmarks are not comparable, by code and by field.
import { PITFALLS } from './list';
import type { Pitfall } from './pitfall';

const BY_CODE = new Map<string, Pitfall>(PITFALLS.map((pitfall) => [pitfall.code, pitfall]));

export function pitfallByCode(code: string): Pitfall | undefined {
  return BY_CODE.get(code);
}

/** Codes of pitfalls and of other findings have pages of their own. */
export function isPitfallCode(code: string): boolean {
  return /^CMP\d{3}$/.test(code);
}

/** Page and anchor that explain a code, relative to the repository: what a diagnostic's code links to. */
export function docsAnchor(code: string): string {
  return `docs/${isPitfallCode(code) ? 'pitfalls' : 'findings'}.md#${code.toLowerCase()}`;
}

/** Entries that hang on a field; list indexes in the path are left out. */
export function pitfallsAt(path: readonly (string | number)[]): readonly Pitfall[] {
  const dotted = path.filter((step) => typeof step === 'string').join('.');
  return PITFALLS.filter((pitfall) => pitfall.configPaths.includes(dotted));
}
