// Reads a streamed answer: events to tokens, usage, finish reason, and whether the stream was a whole one.
import { takesFastPaths } from '../fast-paths';
import type { ServerUsage } from '../metrics/record';
import { emptyFailure, endedEarlyFailure, inBandFailure, unreadableFailure, type Failure } from './failures';
import { endsAtOnce, modelOf, parseJson, type Piece } from './openai';
import { SseParser, type SseHandler } from './sse';
import { Template, type ReadPiece } from './template';
import type { TokenTrace } from './trace';

/** Anthropic names its events; those of this name carry the tokens. */
const TOKEN_EVENT = 'content_block_delta';

/** State of one stream; owns the parser that holds its unfinished bytes. */
export class StreamReader implements SseHandler {
  usage: ServerUsage | undefined;
  finishReason: string | undefined;
  /** The model that the answer names, as its last parsed event does. */
  model: string | undefined;
  /** `[DONE]` was seen: nothing after it is read, but the body is followed to its end. */
  done = false;
  #failure: Failure | undefined;
  #now = 0;
  readonly #template: Template;
  readonly #parser = new SseParser(this);

  constructor(
    private readonly trace: TokenTrace,
    private readonly readPiece: ReadPiece,
  ) {
    this.#template = new Template(readPiece);
  }

  /**
   * Takes the next part of the body, `bytes[start, end)`; they are the caller's again afterwards.
   * All events that one read completes share its time: they did arrive together.
   */
  push(bytes: Buffer, start: number, end: number, atSeconds: number): void {
    this.#now = atSeconds;
    const isUsual = !this.done && this.#failure === undefined && this.#parser.isBetweenEvents;
    const from = isUsual ? this.#template.skim(bytes, start, end, this.trace, atSeconds) : start;
    if (from < end) this.#parser.push(bytes.subarray(from, end));
  }

  /** The body ended by the rules of HTTP. Says what is wrong with the answer, or undefined. */
  end(bodyStart: string): Failure | undefined {
    this.#parser.end();
    if (this.#failure) return this.#failure;
    const chunks = this.trace.chunkSeconds.length;
    if (chunks === 0) {
      if (endsAtOnce(this.finishReason)) return undefined;
      const isStream = /^\uFEFF?(data|event|id|retry|:)/.test(bodyStart) || bodyStart.trim() === '';
      return isStream ? emptyFailure(bodyStart) : unreadableFailure('it is not an event stream', bodyStart);
    }
    return this.done || this.finishReason !== undefined ? undefined : endedEarlyFailure(chunks);
  }

  /** One event, from the parser. */
  onEvent(bytes: Buffer, start: number, end: number, name: string): void {
    if (this.done || this.#failure !== undefined) return;
    const to = name === '' || name === TOKEN_EVENT ? this.#template.match(bytes, start, end) : -1;
    if (to < 0) this.#parsedEvent(bytes, start, end, name);
    else this.trace.contentBytes(bytes, start + this.#template.prefixLength, to, this.#now);
  }

  #parsedEvent(bytes: Buffer, start: number, end: number, name: string): void {
    const data = bytes.toString('utf8', start, end);
    const trimmed = data.trim();
    if (trimmed === '') return;
    if (trimmed === '[DONE]') {
      this.done = true;
      return;
    }
    const value = parseJson(data);
    const piece = value === undefined ? undefined : this.readPiece(value.json);
    if (name === 'error' && piece?.error === undefined) this.#failure = inBandFailure('stream', data);
    else if (value === undefined) this.#failure = unreadableFailure('an event is not JSON', data);
    else if (piece === undefined) this.#failure = unreadableFailure('an event is not a JSON object', data);
    else {
      this.#take(piece);
      this.model = modelOf(value.json) ?? this.model;
      if (takesFastPaths) this.#template.learn(bytes, start, end, piece);
    }
  }

  #take(piece: Piece): void {
    // Merged key by key, the last value wins: a server may count up with every event.
    if (piece.usage !== undefined)
      this.usage = this.usage === undefined ? piece.usage : { ...this.usage, ...piece.usage };
    if (piece.finishReason !== undefined) this.finishReason = piece.finishReason;
    if (piece.done === true) this.done = true;
    if (piece.error !== undefined) this.#failure = inBandFailure('stream', piece.error);
    if (piece.content === '' && piece.other === '') return;
    this.trace.token(piece.other, piece.content, this.#now);
  }
}
