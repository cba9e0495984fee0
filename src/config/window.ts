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

/** Undefined when the window would be most of the text, or would not have the anchors it needs. */
export function windowOf(text: string, lines: Lines, { line, open, hasAnchors }: QuickStop): Window | undefined {
  if (hasAnchors) return undefined;
  const from = open.at(-1) ?? line;
  const sure = below(lines, line, SURE);
  const last = below(lines, sure, MORE);
  if (last >= lines.count || (last - from + open.length) * 3 > lines.count * 2) return undefined;
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
  return { text: parts.join(''), sureUntil: lines.lineStart(sure) };
}

/** The line so many lines with more than a comment below another one. */
function below(lines: Lines, line: number, count: number): number {
  let at = line;
  for (let left = count; left > 0 && at < lines.count; at += 1) if (/^\s*[^\s#]/.test(lines.line(at))) left -= 1;
  return at;
}
