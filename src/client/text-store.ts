// The texts of one answer's chunks as bytes in one buffer: a string for each would be moved by every collection until the answer ends.

const FIRST_BYTES = 128;
/** Copying a few bytes in a loop is cheaper than a call out of JavaScript. */
const SHORT = 24;

/** Owns the bytes; strings are made when they are asked for. */
export class TextStore {
  private bytes = Buffer.allocUnsafe(FIRST_BYTES);
  private length = 0;
  private readonly ends: number[] = [];
  /** Texts that UTF-8 cannot hold (half of a surrogate pair, as a server cut it), by chunk. */
  private odd: Map<number, string> | undefined;
  /** Once a chunk was on another channel: what was content. */
  private contentText: string | undefined;

  add(other: string, content: string): void {
    if (other !== '') this.contentText ??= this.all().join('');
    if (this.contentText !== undefined) this.contentText += content;
    const text = other + content;
    if (/\p{Surrogate}/u.test(text)) (this.odd ??= new Map<number, string>()).set(this.ends.length, text);
    this.makeRoom(3 * text.length);
    this.length += this.bytes.write(text, this.length);
    this.ends.push(this.length);
  }

  /** Content as it stands in `bytes[from, to)`, UTF-8. */
  addBytes(bytes: Buffer, from: number, to: number): void {
    const added = to - from;
    this.makeRoom(added);
    if (added <= SHORT) {
      const own = this.bytes;
      for (let at = this.length, source = from; source < to; at++, source++) own[at] = bytes[source]!;
    } else bytes.copy(this.bytes, this.length, from, to);
    this.length += added;
    this.ends.push(this.length);
    if (this.contentText !== undefined) this.contentText += bytes.toString('utf8', from, to);
  }

  all(): string[] {
    let from = 0;
    return this.ends.map((end, index) => {
      const text = this.odd?.get(index) ?? this.bytes.toString('utf8', from, end);
      from = end;
      return text;
    });
  }

  content(): string {
    return this.contentText ?? (this.odd ? this.all().join('') : this.bytes.toString('utf8', 0, this.length));
  }

  private makeRoom(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.bytes.length, this.length + more));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}
