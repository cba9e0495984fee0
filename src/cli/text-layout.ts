// Plain-text layout for terminals: wrapping, hanging labels, aligned columns.

/** No control characters from a report reach the terminal. */
export function clean(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
}

/** Lines of at most `width`, all indented. A word longer than a line stays whole. */
export function wrap(text: string, width: number, indent = 0): string {
  return linesOf(clean(text), width - indent)
    .map((line) => ' '.repeat(indent) + line)
    .join('\n');
}

/** "remedy: text" with the text hanging under itself. */
export function bullet(label: string, text: string, width: number, indent: number): string {
  const hang = indent + label.length + 1;
  const lines = linesOf(clean(text), width - hang);
  return lines.map((line, i) => (i === 0 ? `${' '.repeat(indent)}${label} ` : ' '.repeat(hang)) + line).join('\n');
}

function linesOf(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ +/).filter((part) => part !== '')) {
    if (line === '') line = word;
    else if (line.length + 1 + word.length <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

export interface ColumnOptions {
  readonly room: number;
  readonly indent?: number;
  /** Columns aligned to the right. */
  readonly right?: readonly number[];
  /** Columns whose text is wrapped when the row would be wider than the room. */
  readonly shrink: readonly number[];
  /** Most lines of a row; what does not fit ends in an ellipsis. */
  readonly lines?: number;
}

const GAP = 2;
const NARROWEST = 12;

/** Rows of cells in aligned columns, two spaces apart. */
export function columns(rows: readonly (readonly string[])[], options: ColumnOptions): string {
  const cells = rows.map((row) => row.map(clean));
  const widths = fit(cells, options);
  return cells
    .flatMap((row) => {
      const wrapped = row.map((cell, c) =>
        options.shrink.includes(c) ? atMost(linesIn(cell, widths[c]!, options), options.lines, widths[c]!) : [cell],
      );
      const height = Math.max(...wrapped.map((lines) => lines.length));
      return Array.from({ length: height }, (_, i) => {
        const line = wrapped.map((lines, c) => {
          const text = lines[i] ?? '';
          return options.right?.includes(c) ? text.padStart(widths[c]!) : text.padEnd(widths[c]!);
        });
        return (' '.repeat(options.indent ?? 0) + line.join(' '.repeat(GAP))).trimEnd();
      });
    })
    .join('\n');
}

/** Widths that fit: shrinkable columns give way, the widest first. */
function fit(cells: readonly (readonly string[])[], { room, indent = 0, shrink }: ColumnOptions): number[] {
  const count = Math.max(...cells.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, c) => Math.max(...cells.map((row) => (row[c] ?? '').length)));
  const total = (): number => indent + widths.reduce((sum, width) => sum + width, 0) + GAP * (count - 1);
  while (total() > room) {
    const widest = shrink.reduce((best, c) => (widths[c]! > widths[best]! ? c : best), shrink[0]!);
    if (widths[widest]! <= NARROWEST) break;
    widths[widest]!--;
  }
  return widths;
}

/** A cell of one line is cut where it ends, not before the word that does not fit. */
function linesIn(cell: string, width: number, { lines }: ColumnOptions): readonly string[] {
  return lines === 1 && cell.length > width ? [cell.slice(0, width), ''] : pieces(cell, width);
}

/** The first lines, the last of them ending in an ellipsis where more came. */
function atMost(lines: readonly string[], most: number | undefined, width: number): readonly string[] {
  if (most === undefined || lines.length <= most) return lines;
  const last = lines[most - 1]!;
  return [...lines.slice(0, most - 1), `${last.slice(0, width - 1).trimEnd()}…`];
}

/** A text of several lines cut to its first ones, the last one at most `width` wide. */
export function clip(text: string, most: number, width = 80): string {
  return atMost(text.split('\n'), most, width).join('\n');
}

/** Like linesOf, but a table must keep its shape: words wider than the column break, after a dot or slash where there is one. */
function pieces(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  const parts = text
    .split(/(?<=[ /_]|\.(?=[a-z]))/i)
    .flatMap((part) => part.match(new RegExp(`.{1,${width}}`, 'gu')) ?? []);
  for (const part of parts) {
    if (line !== '' && (line + part).trimEnd().length > width) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += part;
  }
  return [...lines, line.trimEnd()];
}
