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
    if (content !== '') this.firstContentSeconds ??= atSeconds;
    this.stamp(atSeconds);
  }

  /** The same for content that stands as it is in `bytes[from, to)`, UTF-8. */
  contentBytes(bytes: Buffer, from: number, to: number, atSeconds: number): void {
    this.texts?.addBytes(bytes, from, to);
    if (this.firstContentSeconds === undefined) this.firstContentSeconds = atSeconds;
    this.stamp(atSeconds);
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
