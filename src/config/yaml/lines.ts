// Offsets to lines and columns and back, as editors count them (UTF-16, lines end at \n, \r\n or \r).
import type { TextRange } from '../../problem';

export interface Position {
  readonly line: number;
  readonly column: number;
}

export class Lines {
  private readonly starts: readonly number[];
  constructor(private readonly text: string) {
    // A byte-order mark is no character of the line for anybody who counts.
    const starts = [text.startsWith('\uFEFF') ? 1 : 0];
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code === 10 || (code === 13 && text.charCodeAt(index + 1) !== 10)) starts.push(index + 1);
    }
    this.starts = starts;
  }

  get count(): number {
    return this.starts.length;
  }

  position(offset: number): Position {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low, column: Math.max(0, offset - this.starts[low]!) };
  }

  /** Clamped to the text. */
  offset(position: Position): number {
    const start = this.starts[Math.max(0, Math.min(position.line, this.starts.length - 1))]!;
    const end = this.starts[position.line + 1] ?? this.text.length;
    return Math.min(start + Math.max(0, position.column), end);
  }

  range(start: number, end: number): TextRange {
    const from = this.position(start);
    const to = this.position(Math.max(start, end));
    return { startLine: from.line, startColumn: from.column, endLine: to.line, endColumn: to.column };
  }

  /** The line's text without its line break. */
  line(index: number): string {
    const start = this.starts[index];
    if (start === undefined) return '';
    return this.text.slice(start, this.starts[index + 1] ?? this.text.length).replace(/\r?\n$|\r$/, '');
  }

  lineStart(index: number): number {
    return this.starts[index] ?? this.text.length;
  }
}
