// What a translation says beside its result: a line for every flag or key, and every reason why there is no result.

/** `assumed`: nothing was given, and the tool's own default is written out. `dropped`: it changes nothing that is measured. */
export type LineKind = 'lossless' | 'changed' | 'assumed' | 'dropped';

export interface Line {
  readonly kind: LineKind;
  /** `--random-range-ratio`, or `data.type`. */
  readonly what: string;
  readonly words: string;
}

export interface Refusal {
  readonly what: string;
  readonly why: string;
  readonly remedy: string;
}

/** Collects both while a tool's rows are walked. */
export interface Sheet {
  readonly lines: Line[];
  readonly refusals: Refusal[];
}

export function emptySheet(): Sheet {
  return { lines: [], refusals: [] };
}

export function say({ lines }: Sheet, kind: LineKind, what: string, words: string): void {
  lines.push({ kind, what, words });
}

export function refuse({ refusals }: Sheet, what: string, why: string, remedy: string): void {
  refusals.push({ what, why, remedy });
}

/** Meaning changed somewhere: numbers of the two are not those of one workload. */
export function isChanged({ lines }: Pick<Sheet, 'lines'>): boolean {
  return lines.some(({ kind }) => kind === 'changed');
}
