// A pass over the parser's tokens: comments with their places, nesting depth, and characters that PyYAML refuses.
import type { Problem, TextRange } from '../../problem';
import type { Lines } from './lines';

export interface Comment {
  /** Without the `#`. */
  readonly text: string;
  readonly range: TextRange;
  /** No other text on its line. */
  readonly ownLine: boolean;
}

export interface TokenScan {
  readonly comments: readonly Comment[];
  readonly depth: number;
  readonly problems: readonly Problem[];
}

// What PyYAML's reader lets through; everything else is a ReaderError.

const NON_PRINTABLE = /[^\t\n\r\u0020-\u007E\u0085\u00A0-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

type Entry = { readonly token: unknown; readonly depth: number };

/** Iterative, so that no text can overflow the stack here. */
export function scanTokens(tokens: readonly unknown[], text: string, lines: Lines): TokenScan {
  const comments: Comment[] = [];
  const problems: Problem[] = [];
  let depth = 0;
  const stack: Entry[] = tokens.map((token) => ({ token, depth: 0 })).reverse();
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    const { token } = entry;
    if (typeof token !== 'object' || token === null) continue;
    depth = Math.max(depth, entry.depth);
    const { type, source, offset } = token as { type?: string; source?: string; offset?: number };
    if (type === 'comment' && source !== undefined && offset !== undefined)
      comments.push(makeComment(source, offset, text, lines));
    if (source?.includes('\t') && (type === 'space' || type === 'scalar' || type === 'newline') && offset !== undefined)
      problems.push(tabProblem(offset + source.indexOf('\t'), lines));
    pushChildren(token, entry.depth, stack);
  }
  const stray = strayEnd(tokens, lines);
  if (stray) problems.push(stray);
  const bad = NON_PRINTABLE.exec(text);
  if (bad) problems.push(unprintable(bad.index, bad[0], lines));
  comments.sort((left, right) => left.range.startLine - right.range.startLine);
  return { comments, depth, problems };
}

function pushChildren(token: object, depth: number, stack: Entry[]): void {
  const parts = token as Record<string, unknown>;
  const deeper = Array.isArray(parts['items']) ? depth + 1 : depth;
  for (const name of ['end', 'value', 'sep', 'key', 'items', 'props', 'start']) {
    const part = parts[name];
    if (Array.isArray(part))
      for (let index = part.length - 1; index >= 0; index -= 1) stack.push({ token: part[index], depth: deeper });
    else if (typeof part === 'object' && part !== null) stack.push({ token: part, depth: deeper });
  }
}

function makeComment(source: string, offset: number, text: string, lines: Lines): Comment {
  const range = lines.range(offset, offset + source.length);
  const before = text.slice(lines.lineStart(range.startLine), offset);
  return { text: source.replace(/^#/, ''), range, ownLine: /^\s*$/.test(before) };
}

/** PyYAML wants a document before its end mark `...`. */
function strayEnd(tokens: readonly unknown[], lines: Lines): Problem | undefined {
  for (const token of tokens) {
    const { type, offset, start, value } = token as {
      type?: string;
      offset?: number;
      start?: unknown[];
      value?: unknown;
    };
    if (type === 'document' && (value !== undefined || (start?.length ?? 0) > 0)) return undefined;
    if (type !== 'doc-end' || offset === undefined) continue;
    return {
      code: 'YML001',
      severity: 'error',
      path: [],
      message: 'The document ends (`...`) before it begins.',
      remedy: 'Remove the line.',
      range: lines.range(offset, offset + 3),
    };
  }
  return undefined;
}

function tabProblem(offset: number, lines: Lines): Problem {
  const indents = lines.line(lines.position(offset).line).slice(0, lines.position(offset).column).trim() === '';
  return {
    code: 'YML005',
    severity: 'error',
    path: [],
    message: indents
      ? 'A tab indents this line; YAML allows only spaces.'
      : 'A tab stands outside quotes; inference-perf’s YAML reader stops here.',
    remedy: 'Replace the tab by spaces.',
    range: lines.range(offset, offset + 1),
  };
}

function unprintable(offset: number, character: string, lines: Lines): Problem {
  const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return {
    code: 'YML001',
    severity: 'error',
    path: [],
    message: `The character U+${code} is not allowed in YAML.`,
    remedy: 'Remove it; inside double quotes write it as an escape.',
    range: lines.range(offset, offset + character.length),
  };
}
