// Records one answer as its bytes arrive and judges, at the end, whether it was one. Knows no sockets: the transport
// calls it with a time it took first thing in its data callback.
import type { Outcome, RequestRetries, ServerUsage } from '../metrics/record';
import { emptyFailure, httpFailure, inBandFailure, unreadableFailure, type Failure } from './failures';
import { readAnthropicPiece } from './anthropic';
import { endsAtOnce, modelOf, parseJson, readPiece } from './openai';
import { StreamReader } from './stream-reader';
import type { ReadPiece } from './template';
import { TokenTrace } from './trace';
import type { PreparedRequest, SendOptions, WireResult } from './types';

/** Of an answer that is not 200, this much of the body is kept for the message. */
const ERROR_BODY_BYTES = 65_536;
/** Of a stream, so much of its start is shown when it held nothing. */
const HEAD_BYTES = 400;

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

type HeaderFields = Readonly<Record<string, string | string[] | undefined>>;

/** Holds what arrived of one answer until it is handed over as a `WireResult`. Times are the caller's monotonic seconds. */
export class AnswerRecorder {
  readonly #streaming: boolean;
  readonly #keepRaw: boolean;
  readonly #readPiece: ReadPiece;
  readonly #trace: TokenTrace;
  readonly #redact: (text: string) => string;
  readonly #attemptedSeconds = performance.now() / 1000;
  #status = 0;
  #location: string | undefined;
  #encoding: string | undefined;
  /** Present once the body turned out to be an event stream. */
  #stream: StreamReader | undefined;
  #modeKnown = false;
  #head: Buffer | undefined;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #usage: ServerUsage | undefined;
  #finishReason: string | undefined;
  #outputText = '';
  #model: string | undefined;

  constructor(
    request: Pick<PreparedRequest, 'streaming'> & Partial<Pick<PreparedRequest, 'api'>>,
    options: Pick<SendOptions, 'keepRawBody' | 'keepTexts' | 'onFirstToken' | 'onChunk'>,
    /** Servers that echo the request must not bring the key into reports. */
    redact: (text: string) => string,
  ) {
    this.#redact = redact;
    this.#streaming = request.streaming;
    this.#keepRaw = options.keepRawBody;
    this.#readPiece = request.api === 'anthropic_messages' ? readAnthropicPiece : readPiece;
    this.#trace = new TokenTrace(options);
  }

  /** The request was handed to the socket. */
  sent(atSeconds: number): void {
    this.#trace.sentSeconds = atSeconds;
  }

  /** Status and headers arrived; names in lower case. */
  headers(status: number, fields: HeaderFields): void {
    this.#status = status;
    this.#location = single(fields['location']);
    const encoding = single(fields['content-encoding']);
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') this.#encoding = encoding;
  }

  /** The next part of the body is `bytes[from, to)`, which are the caller's again afterwards. */
  bytes(bytes: Buffer, from: number, to: number, atSeconds: number): void {
    if (this.#trace.firstByteSeconds === undefined) this.#trace.firstByteSeconds = atSeconds;
    // Shown when no token comes.
    if (this.#trace.lastTokenSeconds === undefined)
      this.#head ??= Buffer.from(bytes.subarray(from, to).subarray(0, HEAD_BYTES));
    else if (this.#head !== undefined) this.#head = undefined;
    if (!this.#modeKnown) this.#decideMode(bytes.subarray(from, to));
    const stream = this.#stream;
    if (stream !== undefined) stream.push(bytes, from, to, atSeconds);
    if (this.#keepRaw || (stream === undefined && (this.#status === 200 || this.#keptBytes < ERROR_BODY_BYTES))) {
      this.#kept.push(Buffer.from(bytes.subarray(from, to)));
      this.#keptBytes += to - from;
    }
  }

  /** The body ended by the rules of HTTP. */
  ended(atSeconds: number): WireResult {
    const failure = this.#judge(atSeconds);
    return this.#result(atSeconds, failure ? { kind: 'failed', ...failure } : { kind: 'ok' });
  }

  /** The network, the clock or the user broke it off; what had arrived stays in the result. */
  broken(atSeconds: number, outcome: Outcome, networkCode?: string, mayRetry?: boolean): WireResult {
    const result = this.#result(atSeconds, outcome);
    result.networkCode = networkCode;
    result.mayRetry = mayRetry;
    return result;
  }

  /** How far it came, for messages. */
  progress(): string {
    const { sentSeconds, firstByteSeconds, chunkSeconds } = this.#trace;
    if (this.#status === 0) return sentSeconds === undefined ? 'it could not be sent yet' : 'nothing arrived';
    if (firstByteSeconds === undefined) return `status ${this.#status} and no body arrived`;
    if (chunkSeconds.length === 0) return 'no token arrived';
    const complete = this.#stream?.done === true ? ' and [DONE], but not the end of the response' : '';
    return `${chunkSeconds.length} token events${complete} arrived`;
  }

  /** `progress()` once a response began; undefined before that. */
  started(): string | undefined {
    return this.#status === 0 ? undefined : this.progress();
  }

  /** A stream never starts with a brace: a server that answers a streaming request with JSON mostly reports an error. */
  #decideMode(chunk: Buffer): void {
    const first = firstVisible(chunk);
    if (first === undefined) return;
    this.#modeKnown = true;
    if (!this.#streaming || this.#status !== 200 || this.#encoding !== undefined) return;
    if (first === OPEN_BRACE || first === OPEN_BRACKET) return;
    this.#stream = new StreamReader(this.#trace, this.#readPiece);
    for (const earlier of this.#kept) this.#stream.push(earlier, 0, earlier.length, this.#trace.firstByteSeconds ?? 0);
  }

  #judge(atSeconds: number): Failure | undefined {
    if (this.#status !== 200) return httpFailure(this.#status, this.#keptText(), this.#location);
    if (this.#encoding !== undefined) {
      return unreadableFailure('it is compressed though nothing asked for that', `content-encoding: ${this.#encoding}`);
    }
    if (this.#stream !== undefined) return this.#stream.end(this.#head?.toString('utf8') ?? '');
    return this.#judgeWhole(this.#keptText(), atSeconds);
  }

  #judgeWhole(body: string, atSeconds: number): Failure | undefined {
    if (body.trim() === '') return emptyFailure(body);
    const value = parseJson(body);
    const piece = value === undefined ? undefined : this.#readPiece(value.json);
    if (piece?.error !== undefined) return inBandFailure('answer', piece.error);
    if (this.#streaming) return unreadableFailure('a stream was asked for, a whole body came', body);
    if (piece === undefined)
      return unreadableFailure(value === undefined ? 'it is not JSON' : 'it is not a JSON object', body);
    this.#usage = piece.usage;
    this.#finishReason = piece.finishReason;
    this.#outputText = piece.content;
    this.#model = modelOf(value?.json);
    if (piece.content === '' && piece.other === '')
      return endsAtOnce(piece.finishReason) ? undefined : emptyFailure(body);
    this.#trace.hashText(piece.other + piece.content);
    this.#trace.lastTokenSeconds = atSeconds;
    return undefined;
  }

  #keptText(): string {
    return Buffer.concat(this.#kept).toString('utf8');
  }

  #result(endSeconds: number, outcome: Outcome): Answer {
    const redact = this.#redact;
    const judged = outcome.kind === 'failed' ? { ...outcome, message: redact(outcome.message) } : outcome;
    const answer = new Answer(this.#attemptedSeconds, this.#trace, endSeconds, judged, redact);
    answer.usage = this.#stream?.usage ?? this.#usage;
    answer.finishReason = this.#stream?.finishReason ?? this.#finishReason;
    answer.model = this.#stream?.model ?? this.#model;
    if (this.#stream === undefined) answer.whole = this.#outputText;
    if (this.#keepRaw) answer.rawBody = redact(this.#keptText());
    return answer;
  }
}

/**
 * Texts are made of the bytes when somebody asks for them, not on the receiving loop. A class for its getters: an object literal with
 * getters gets a hidden class of its own, by which V8 held every answer until its next full collection.
 */
class Answer implements WireResult {
  usage: ServerUsage | undefined;
  finishReason: string | undefined;
  model: string | undefined;
  rawBody: string | undefined;
  networkCode: string | undefined;
  mayRetry: boolean | undefined;
  retries: RequestRetries | undefined;
  /** The text of an answer in one piece. */
  whole: string | undefined;
  readonly sentSeconds: number | undefined;
  readonly firstByteSeconds: number | undefined;
  readonly firstTokenSeconds: number | undefined;
  readonly firstContentSeconds: number | undefined;
  readonly lastTokenSeconds: number | undefined;
  readonly chunkSeconds: readonly number[];

  constructor(
    readonly attemptedSeconds: number,
    private readonly trace: TokenTrace,
    readonly endSeconds: number,
    readonly outcome: Outcome,
    private readonly redact: (text: string) => string,
  ) {
    this.sentSeconds = trace.sentSeconds;
    this.firstByteSeconds = trace.firstByteSeconds;
    this.firstTokenSeconds = trace.firstTokenSeconds;
    this.firstContentSeconds = trace.firstContentSeconds;
    this.lastTokenSeconds = trace.lastTokenSeconds;
    this.chunkSeconds = trace.chunkSeconds;
  }

  get chunkTexts(): readonly string[] {
    return this.trace.chunkTexts;
  }

  get answerHash(): string {
    return this.trace.textHash;
  }

  get outputText(): string {
    return this.redact(this.whole ?? this.trace.outputText);
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
