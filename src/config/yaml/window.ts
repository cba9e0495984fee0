// The part of a broken text that decides its first mistake: the line where quick reading stopped, the keys and dashes it stands
// under, and some lines below. What was read before is blank here, so every offset is the whole text's.
import type { Lines } from './lines';
import type { QuickStop } from './quick';

export interface Window {
  readonly text: string;
  /** A mistake before this offset is the whole text's, too; one after it may come of the cut. */
  readonly sureUntil: number;
}

/** Lines with content below the stop: a mistake shows in the first ones, and the cut in the last ones. */
const SURE = 12;
const MORE = 12;

/** A value in quotes that are not closed on its line. */
const OPEN_QUOTE = /^ *(?:- +)*(?:[\w./-]+: +)?(?=["'])/;

/** The line on which the quotes are closed that open on a line and stay open there; the count of lines when nothing closes them. */
function closingLine(text: string, lines: Lines, line: number): number | undefined {
  const lead = OPEN_QUOTE.exec(lines.line(line));
  if (!lead) return undefined;
  const start = lines.lineStart(line) + lead[0].length;
  const inside = text[start] === '"' ? /(?:[^"\\]|\\[^])*/y : /(?:[^']|'')*/y;
  inside.lastIndex = start + 1;
  const end = start + 1 + inside.exec(text)![0].length;
  if (end >= text.length) return lines.count;
  const closing = lines.position(end).line;
  return closing > line ? closing : undefined;
}

/** Undefined when the window would be most of the text, or would not have what it hangs on: anchors, a block around it. */
export function windowOf(text: string, lines: Lines, { line, open, hasAnchors }: QuickStop): Window | undefined {
  const from = open.at(-1);
  // Below the end of all that is open stands what fits nothing above it.
  if (hasAnchors || from === undefined) return undefined;
  // However many lines stand in quotes, they are one value, and read as fast as one.
  const closing = from === line ? closingLine(text, lines, line) : undefined;
  const isEndless = closing === lines.count;
  const sure = below(lines, closing ?? line, SURE);
  const last = isEndless ? lines.count : below(lines, sure, MORE);
  const unquoted = last - from - ((closing ?? line) - line);
  if ((last >= lines.count && !isEndless) || (unquoted + open.length) * 3 > lines.count * 2) return undefined;
  const parts: string[] = [];
  let written = 0;
  const blankTo = (offset: number): void => {
    if (offset > written) parts.push(`${' '.repeat(offset - written - 1)}\n`);
    written = Math.max(written, offset);
  };
  for (const each of new Set(open.slice(0, -1))) {
    if (each >= from) continue;
    blankTo(lines.lineStart(each));
    written = lines.lineStart(each + 1);
    parts.push(text.slice(lines.lineStart(each), written));
  }
  blankTo(lines.lineStart(from));
  parts.push(text.slice(lines.lineStart(from), lines.lineStart(last)));
  return { text: parts.join(''), sureUntil: isEndless ? text.length + 1 : lines.lineStart(sure) };
}

/** The line so many lines with more than a comment below another one. */
function below(lines: Lines, line: number, count: number): number {
  let at = line;
  for (let left = count; left > 0 && at < lines.count; at += 1) if (/^\s*[^\s#]/.test(lines.line(at))) left -= 1;
  return at;
}
