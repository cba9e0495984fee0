// A YAML text that was read: its values, its problems, its comments, and where each path of it stands.
import type { ConfigPath, Problem, TextRange } from '../../problem';
import type { Lines } from './lines';
import { lineEnd } from './syntax';
import type { Comment } from './tokens';
import { locate, spotAt, type Located, type Spot, type YamlNode } from './tree';

export interface YamlDocument {
  readonly text: string;
  readonly lines: Lines;
  /** Absent for an empty document and for a text that could not be parsed. */
  readonly root: YamlNode | undefined;
  /** What safe_load would return; undefined when it would raise. Partial values are kept where that is useful. */
  readonly value: unknown;
  /** Code YMLnnn. Errors: safe_load raises. Warnings: it loads, but not what one would think. */
  readonly problems: readonly Problem[];
  readonly comments: readonly Comment[];
  /** How many problems are not listed, because there are so many. */
  readonly more: number;
  locate(path: ConfigPath): Located | undefined;
  spotAt(line: number, column: number): Spot | undefined;
  /**
   * Place of a path in the text: its key, or its value when that is a scalar and `part` says so.
   * The nearest ancestor that is written stands in for what is not.
   */
  range(path: ConfigPath, part?: 'key' | 'value'): TextRange | undefined;
}

export function makeDocument(
  text: string,
  lines: Lines,
  root: YamlNode | undefined,
  value: unknown,
  problems: readonly Problem[],
  comments: readonly Comment[],
): YamlDocument {
  const range = (path: ConfigPath, part: 'key' | 'value' = 'key'): TextRange | undefined => {
    if (!root) return undefined;
    for (let length = path.length; length >= 0; length -= 1) {
      const found = locate(root, path.slice(0, length));
      if (!found) continue;
      const { key, value } = found;
      const written = value.kind === 'alias' || (value.kind === 'scalar' && value.end > value.start);
      const node = part === 'value' && length === path.length && written ? value : (key ?? value);
      // Underlining a whole block would hide what is wrong in it: its first line is enough.
      return lines.range(node.start, Math.min(node.end, lineEnd(text, node.start)));
    }
    return undefined;
  };
  return {
    text,
    lines,
    root,
    value,
    problems,
    comments,
    more: 0,
    locate: (path) => root && locate(root, path),
    spotAt: (line, column) => root && spotAt(root, lines.offset({ line, column })),
    range,
  };
}
