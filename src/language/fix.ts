// One way to mend a problem.
import type { Edit } from './edits';

export interface Fix {
  readonly title: string;
  readonly edits: readonly Edit[];
  /** The one obvious fix: may be applied without looking. */
  readonly preferred: boolean;
}

/** One fix, or none where there is no edit to make. */
export function fix(title: string, edits: readonly Edit[] | undefined, preferred = true): readonly Fix[] {
  return edits === undefined || edits.length === 0 ? [] : [{ title, edits, preferred }];
}
