// The times of one answer: when it was sent, and when each token-carrying event arrived.
import type { SendOptions } from './types';

/** Grows while the answer arrives; one per request, on the hot path, hence a class with plain fields. */
export class TokenTrace {
  sentSeconds: number | undefined;
  firstByteSeconds: number | undefined;
  firstTokenSeconds: number | undefined;
  firstContentSeconds: number | undefined;
  lastTokenSeconds: number | undefined;
  readonly chunkSeconds: number[] = [];
  readonly chunkTexts: string[] = [];

  constructor(private readonly live: Pick<SendOptions, 'onFirstToken' | 'onChunk'>) {}

  /** An event that carries at least one token, on the content channel or on another. */
  token(text: string, isContent: boolean, atSeconds: number): void {
    if (this.lastTokenSeconds === undefined) {
      this.firstTokenSeconds = atSeconds;
      this.live.onFirstToken?.(atSeconds - (this.sentSeconds ?? atSeconds));
    } else {
      this.live.onChunk?.(atSeconds - this.lastTokenSeconds);
    }
    if (isContent) this.firstContentSeconds ??= atSeconds;
    this.lastTokenSeconds = atSeconds;
    this.chunkSeconds.push(atSeconds);
    this.chunkTexts.push(text);
  }
}
