// Which lines of a file belong to a config, and the directives in the comments there.
import type { TextRange } from '../../problem';
import { readDirectives, type StageLines } from '../directives';
import type { Lines } from './lines';
import type { Region } from '../find/regions';
import { resolveAlias } from './tree';

export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** The lines of a region's document that hold its config. */
export function regionSpan(region: Region): LineSpan {
  const { lines, text } = region.document;
  const node = region.document.locate(region.prefix);
  if (!node || region.prefix.length === 0) return { first: 0, last: lines.count };
  const body = resolveAlias(node.value) ?? node.value;
  return {
    first: lines.position((node.key ?? body).start).line,
    last: lines.position(Math.min(body.end, text.length)).line,
  };
}

export function within(range: TextRange | undefined, span: LineSpan): boolean {
  return range === undefined || (range.startLine >= span.first && range.startLine <= span.last);
}

/** Line of the `-` of a list item: its own, or one above it when only blanks and comments stand between. */
function dashLine(lines: Lines, start: number): number {
  const own = lines.position(start);
  let line = own.line;
  let rest = lines.line(line).slice(0, own.column);
  while (rest.replace(/(^|\s)#.*$/, '').trim() === '' && line > 0) {
    line -= 1;
    rest = lines.line(line);
  }
  return rest
    .replace(/\s#.*$/, '')
    .trimEnd()
    .endsWith('-')
    ? line
    : own.line;
}

/** The directives of a config, with ranges of the file. */
export function directivesOf(region: Region, span: LineSpan): ReturnType<typeof readDirectives> {
  const { document } = region;
  const { lines } = document;
  const list = document.locate([...region.prefix, 'load', 'stages']);
  const body = list && resolveAlias(list.value);
  const stages = (body?.kind === 'list' ? body.items : []).map((item): StageLines => {
    return { first: dashLine(lines, item.start), last: lines.position(item.end).line };
  });
  const comments = document.comments.filter((comment) => within(comment.range, span));
  const reading = readDirectives(
    comments,
    stages,
    (line) => line < lines.count && /^\s*(#.*)?$/.test(lines.line(line)),
  );
  const toFile = <T extends { range?: TextRange }>(entry: T): T =>
    entry.range ? { ...entry, range: region.toFile(entry.range) } : entry;
  return {
    directives: reading.directives.map(toFile),
    suppressions: reading.suppressions.map(toFile),
    problems: reading.problems.map(toFile),
    more: reading.more,
  };
}
