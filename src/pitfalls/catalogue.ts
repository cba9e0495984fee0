// The catalogue: every known way in which two serving benchmarks are not comparable, as one list.
import { FURTHER_PITFALLS } from './catalogue/beyond';
import { DATA_PITFALLS } from './catalogue/data';
import { LOAD_PITFALLS } from './catalogue/load';
import { MEASUREMENT_PITFALLS } from './catalogue/measurement';
import { RECORD_PITFALLS } from './catalogue/records';
import { REPLAY_PITFALLS } from './catalogue/replay';
import type { Pitfall } from './pitfall';

export const PITFALLS: readonly Pitfall[] = [
  ...LOAD_PITFALLS,
  ...DATA_PITFALLS,
  ...REPLAY_PITFALLS,
  ...MEASUREMENT_PITFALLS,
  ...RECORD_PITFALLS,
  ...FURTHER_PITFALLS,
];

const BY_CODE = new Map(PITFALLS.map((pitfall) => [pitfall.code, pitfall]));

export function pitfallByCode(code: string): Pitfall | undefined {
  return BY_CODE.get(code);
}

/** Page and anchor that explain a code, relative to the repository: what a diagnostic's code links to. */
export function docsAnchor(code: string): string {
  return `docs/${code.startsWith('CMP') ? 'pitfalls' : 'findings'}.md#${code.toLowerCase()}`;
}

/** Entries that hang on a field; list indexes in the path are left out. */
export function pitfallsAt(path: readonly (string | number)[]): readonly Pitfall[] {
  const dotted = path.filter((step) => typeof step === 'string').join('.');
  return PITFALLS.filter((pitfall) => pitfall.configPaths.includes(dotted));
}
