// One way to mend a problem, and what a pitfall's own remedy may do to the text of a config.
import type { LoadedConfig } from '../config/load';
import type { Circumstances } from '../config/will/expectations';
import type { Position } from '../config/yaml/lines';
import type { ConfigPath, Problem, TextRange } from '../problem';

export interface Edit {
  readonly range: TextRange;
  readonly newText: string;
  /** newText is a snippet with a tab stop for what only the author knows. */
  readonly snippet?: boolean;
}

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

type Edits = readonly Edit[] | undefined;
interface AsSnippet {
  readonly snippet?: boolean;
}

/** The text of a config, by path; `Page` in the room of the language is one. */
export interface ConfigText {
  readonly has: (path: ConfigPath) => boolean;
  readonly scalar: (path: ConfigPath) => string | undefined;
  readonly set: (path: ConfigPath, value: string, more?: AsSnippet) => Edits;
  readonly add: (path: ConfigPath, value: string, more?: AsSnippet) => Edits;
  readonly addAll: (path: ConfigPath, entries: readonly string[]) => Edits;
  readonly commentOut: (path: ConfigPath) => Edits;
  readonly dash: (path: ConfigPath) => Position | undefined;
  readonly above: (position: Position, lines: readonly string[], more?: AsSnippet) => Edit;
  readonly note: (line: number, comment: string) => Edit;
  readonly start: () => Position;
}

/** The fixes for a problem of this pitfall. */
export type Mend = (problem: Problem, page: ConfigText, loaded: LoadedConfig, given: Circumstances) => readonly Fix[];

export const SEED = 42;

export function seedDirective(page: ConfigText): readonly Fix[] {
  const line = `# isoperf: seed=${SEED}`;
  return fix(`Fix the seed of this run (${line})`, [page.above(page.start(), [line])], false);
}
