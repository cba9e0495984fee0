// Records one answer as its bytes arrive and judges, at the end, whether it was one. Knows no sockets: the transport
// calls it with a time it took first thing in its data callback.
import type { Outcome, ServerUsage } from '../metrics/record';
import {
  emptyFailure,
  endedEarlyFailure,
  httpFailure,
  inBandFailure,
  unreadableFailure,
  type Failure,
} from './failures';
import { readPiece, type Piece } from './openai';
import { createSseParser, type SseParser } from './sse';
import { createTemplate } from './template';
import type { PreparedRequest, SendOptions, WireResult } from './types';

/** Of an answer that is not 200, this much of the body is kept for the message. */
const ERROR_BODY_BYTES = 65_536;
const DONE = Buffer.from('[DONE]');

export interface AnswerRecorder {
  /** The request was handed to the socket. */
  sent(atSeconds: number): void;
  /** Status and headers arrived; names in lower case. */
  headers(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void;
  bytes(chunk: Buffer, atSeconds: number): void;
  /** The body ended by the rules of HTTP. */
  ended(atSeconds: number): WireResult;
  /** The network, the clock or the server broke it off; `failure` is built late because it may depend on what arrived. */
  broken(atSeconds: number, outcome: Outcome): WireResult;
  /** How far it came, for messages: "nothing arrived", "12 token events arrived". */
  progress(): string;
  /** How far the answer had come once a response began; undefined before that. */
  started(): string | undefined;
}

type BodyMode = 'undecided' | 'stream' | 'whole' | 'error';

/** A recorder for one request. Times are the caller's monotonic seconds. */
export function createAnswerRecorder(
  request: Pick<PreparedRequest, 'streaming'>,
  options: Pick<SendOptions, 'keepRawBody' | 'onFirstToken' | 'onChunk'>,
): AnswerRecorder {
  let sentSeconds: number | undefined;
  let firstByteSeconds: number | undefined;
  let firstTokenSeconds: number | undefined;
  let firstContentSeconds: number | undefined;
  let lastTokenSeconds: number | undefined;
  const chunkSeconds: number[] = [];
  const chunkTexts: string[] = [];
  let usage: ServerUsage | undefined;
  let finishReason: string | undefined;
  let outputText = '';
  let failure: Failure | undefined;
  let status = 0;
  let location: string | undefined;
  let done = false;
  let mode: BodyMode = 'undecided';
  let head: Buffer | undefined;
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let now = 0;
  let parser: SseParser | undefined;
  const template = createTemplate();

  function token(text: string, isContent: boolean): void {
    if (firstTokenSeconds === undefined) {
      firstTokenSeconds = now;
      options.onFirstToken?.(now - (sentSeconds ?? now));
    } else {
      options.onChunk?.(now - (lastTokenSeconds ?? now));
    }
    if (isContent && firstContentSeconds === undefined) firstContentSeconds = now;
    lastTokenSeconds = now;
    chunkSeconds.push(now);
    chunkTexts.push(text);
  }

  function take(piece: Piece): void {
    if (piece.usage !== undefined) usage = usage === undefined ? piece.usage : { ...usage, ...piece.usage };
    if (piece.finishReason !== undefined) finishReason = piece.finishReason;
    if (piece.error !== undefined) failure ??= inBandFailure('stream', piece.error);
    if (piece.content === '' && piece.other === '') return;
    outputText += piece.content;
    token(piece.other + piece.content, piece.content !== '');
  }

  function event(bytes: Buffer, start: number, end: number, name: string): void {
    if (done || failure !== undefined) return;
    const text = name === '' ? template.match(bytes, start, end) : undefined;
    if (text !== undefined) {
      outputText += text;
      token(text, true);
      return;
    }
    slowEvent(bytes, start, end, name);
  }

  function slowEvent(bytes: Buffer, start: number, end: number, name: string): void {
    if (end - start === DONE.length && bytes.compare(DONE, 0, DONE.length, start, end) === 0) {
      done = true;
      return;
    }
    const data = bytes.toString('utf8', start, end);
    if (data.trim() === '') return;
    if (data.trim() === '[DONE]') {
      done = true;
      return;
    }
    const value = parseJson(data);
    const piece = value.ok ? readPiece(value.value) : undefined;
    if (name === 'error' && piece?.error === undefined) {
      failure = inBandFailure('stream', data);
      return;
    }
    if (piece === undefined) {
      failure = unreadableFailure(value.ok ? 'an event is not a JSON object' : 'an event is not JSON', data);
      return;
    }
    take(piece);
    template.learn(bytes, start, end, piece);
  }

  /** The whole body of an answer that is not a stream. */
  function whole(body: string): void {
    const value = parseJson(body);
    const piece = value.ok ? readPiece(value.value) : undefined;
    if (piece?.error !== undefined) failure = inBandFailure('answer', piece.error);
    else if (request.streaming) failure = unreadableFailure('a stream was asked for, a whole body came', body);
    else if (body.trim() === '') failure = emptyFailure(body);
    else if (piece === undefined) failure = unreadableFailure('it is not a JSON object', body);
    else {
      usage = piece.usage;
      finishReason = piece.finishReason;
      outputText = piece.content;
      if (piece.content === '' && piece.other === '') failure = emptyFailure(body);
    }
  }

  function judgeStream(): Failure | undefined {
    parser?.end();
    if (failure) return failure;
    if (chunkSeconds.length === 0) {
      const start = head?.toString('utf8', 0, 400) ?? '';
      const looksLikeStream = /^\uFEFF?(data|event|id|retry|:)/.test(start);
      if (start.trim() !== '' && !looksLikeStream) return unreadableFailure('it is not an event stream', start);
      return emptyFailure(start);
    }
    return done || finishReason !== undefined ? undefined : endedEarlyFailure(chunkSeconds.length);
  }

  function judge(atSeconds: number): Failure | undefined {
    if (status !== 200) return httpFailure(status, keptText(), location);
    if (mode === 'stream') return judgeStream();
    if (failure) return failure;
    whole(keptText());
    if (!request.streaming && failure === undefined) lastTokenSeconds = atSeconds;
    return failure;
  }

  function keptText(): string {
    return Buffer.concat(kept).toString('utf8');
  }

  function result(endSeconds: number, outcome: Outcome): WireResult {
    return {
      ...optional('sentSeconds', sentSeconds),
      ...optional('firstByteSeconds', firstByteSeconds),
      ...optional('firstTokenSeconds', firstTokenSeconds),
      ...optional('firstContentSeconds', firstContentSeconds),
      chunkSeconds,
      chunkTexts,
      ...optional('lastTokenSeconds', lastTokenSeconds),
      endSeconds,
      outcome,
      ...optional('usage', usage),
      ...optional('finishReason', finishReason),
      outputText,
      ...(options.keepRawBody && mode !== 'undecided' ? { rawBody: keptText() } : {}),
    };
  }

  function decideMode(chunk: Buffer): void {
    const first = firstVisible(chunk);
    if (first === undefined) return;
    // A stream never starts with a brace: a server that answers a streaming request with JSON mostly reports an error.
    mode = request.streaming && first !== 0x7b && first !== 0x5b ? 'stream' : 'whole';
    if (mode === 'stream') parser = createSseParser(event);
  }

  return {
    sent(atSeconds) {
      sentSeconds = atSeconds;
    },
    headers(code, fields) {
      status = code;
      const encoding = single(fields['content-encoding']);
      if (code !== 200) {
        mode = 'error';
        location = single(fields['location']);
      } else if (encoding !== undefined && encoding !== 'identity') {
        mode = 'error';
        failure = unreadableFailure('it is compressed though nothing asked for that', `content-encoding: ${encoding}`);
      }
    },
    bytes(chunk, atSeconds) {
      now = atSeconds;
      firstByteSeconds ??= atSeconds;
      head ??= chunk;
      if (mode === 'undecided') decideMode(chunk);
      if (
        options.keepRawBody ||
        mode === 'whole' ||
        mode === 'undecided' ||
        (mode === 'error' && keptBytes < ERROR_BODY_BYTES)
      ) {
        kept.push(chunk);
        keptBytes += chunk.length;
      }
      parser?.push(chunk);
    },
    ended(atSeconds) {
      now = atSeconds;
      const failed = judge(atSeconds);
      return result(atSeconds, failed ? { kind: 'failed', ...failed } : { kind: 'ok' });
    },
    broken(atSeconds, outcome) {
      return result(atSeconds, outcome);
    },
    progress() {
      if (status === 0) return sentSeconds === undefined ? 'it was not sent yet' : 'nothing arrived';
      if (chunkSeconds.length === 0) return keptBytes === 0 && !head ? 'headers arrived, no body' : 'no token arrived';
      const complete = done ? ', the answer was complete but the response was not ended' : '';
      return `${chunkSeconds.length} token events arrived${complete}`;
    },
    started() {
      return status === 0 ? undefined : this.progress();
    },
  };
}

function optional<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, V>);
}

function parseJson(text: string): { readonly ok: true; readonly value: unknown } | { readonly ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    return { ok: false };
  }
}

/** The first byte that is neither white space nor part of a byte order mark. */
function firstVisible(bytes: Buffer): number | undefined {
  for (const byte of bytes) {
    if (byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf) return byte;
  }
  return undefined;
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
