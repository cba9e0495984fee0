// The times and texts of one answer: when it was sent, and when each token-carrying event arrived with what.
import { TextStore } from './text-store';
import type { SendOptions } from './types';

/** Grows while the answer arrives; one per request, on the hot path, hence a class with plain fields. */
export class TokenTrace {
  sentSeconds: number | undefined;
  firstByteSeconds: number | undefined;
  firstTokenSeconds: number | undefined;
  firstContentSeconds: number | undefined;
  lastTokenSeconds: number | undefined;
  readonly chunkSeconds: number[] = [];
  private readonly texts: TextStore | undefined;
  /** Two FNV-1a hashes of 32 bits over the answer's UTF-8, whatever its chunks: counted as it comes, so that no text need be kept. */
  private low = 0x811c9dc5;
  private high = 0x01000193;

  constructor(private readonly options: Pick<SendOptions, 'onFirstToken' | 'onChunk' | 'keepTexts'>) {
    this.texts = options.keepTexts === false ? undefined : new TextStore();
  }

  /** Text of each entry of `chunkSeconds`, all channels; empty when texts are not kept. */
  get chunkTexts(): readonly string[] {
    return this.texts?.all() ?? [];
  }

  /** The content channel alone, joined. */
  get outputText(): string {
    return this.texts?.content() ?? '';
  }

  /** An event that carries at least one token: `other` on the other channels, `content` on the content channel. */
  token(other: string, content: string, atSeconds: number): void {
    this.texts?.add(other, content);
    this.hashText(other + content);
    if (content !== '') this.firstContentSeconds ??= atSeconds;
    this.stamp(atSeconds);
  }

  /** The same for content that stands as it is in `bytes[from, to)`, UTF-8. */
  contentBytes(bytes: Buffer, from: number, to: number, atSeconds: number): void {
    this.texts?.addBytes(bytes, from, to);
    this.hashBytes(bytes, from, to);
    if (this.firstContentSeconds === undefined) this.firstContentSeconds = atSeconds;
    this.stamp(atSeconds);
  }

  /** Equal for equal answers; all channels, in the order they came. */
  get textHash(): string {
    return hex(this.high) + hex(this.low);
  }

  hashText(text: string): void {
    const bytes = Buffer.from(text);
    this.hashBytes(bytes, 0, bytes.length);
  }

  private hashBytes(bytes: Buffer, from: number, to: number): void {
    let { low, high } = this;
    for (let at = from; at < to; at++) {
      const byte = bytes[at]!;
      low = Math.imul(low ^ byte, 0x01000193);
      high = Math.imul(high ^ byte, 0x5bd1e995) ^ (high >>> 15);
    }
    this.low = low;
    this.high = high;
  }

  private stamp(atSeconds: number): void {
    if (this.lastTokenSeconds === undefined) {
      this.firstTokenSeconds = atSeconds;
      this.options.onFirstToken?.(atSeconds - (this.sentSeconds ?? atSeconds));
    } else {
      this.options.onChunk?.(atSeconds - this.lastTokenSeconds);
    }
    this.lastTokenSeconds = atSeconds;
    this.chunkSeconds.push(atSeconds);
  }
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
