// Bodies as bytes in large slabs outside V8's heap: hundreds of thousands of prompts are then nothing the collector walks through.

/** A slab is allocated whole and filled from the front; a larger body gets one of its own. */
const SLAB_BYTES = 4 * 1024 * 1024;

/** Where one body is. */
export class StoredBody {
  constructor(
    private readonly slab: Buffer,
    private readonly from: number,
    private readonly to: number,
  ) {}

  /** A view, not a copy. */
  get bytes(): Buffer {
    return this.slab.subarray(this.from, this.to);
  }
}

/** Owns the slabs, as long as a body of theirs is held by somebody. */
export class BodyStore {
  /** Of all bodies put so far. */
  bytes = 0;
  private slab: Buffer | undefined;
  private used = 0;

  /** @param length of the text in UTF-8 */
  put(text: string, length: number): StoredBody {
    this.bytes += length;
    if (length > SLAB_BYTES / 4) return new StoredBody(Buffer.from(text, 'utf8'), 0, length);
    if (this.slab === undefined || this.used + length > this.slab.length) {
      this.slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.used = 0;
    }
    const from = this.used;
    this.used += this.slab.write(text, from, length, 'utf8');
    return new StoredBody(this.slab, from, this.used);
  }
}
