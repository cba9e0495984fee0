// What the load generator asks of a client: send one prepared request, give back what was seen on the wire.
import type { Outcome, RequestRetries, ServerUsage } from '../metrics/record';

export type ApiType = 'completion' | 'chat' | 'anthropic_messages';

/** A request prepared before the clock starts: nothing is built or serialised on the sending loop. */
export interface PreparedRequest {
  readonly id: number;
  readonly stage: number;
  readonly api: ApiType;
  readonly streaming: boolean;
  /** Path of the route, e.g. `/v1/completions`; joined to the base URL by the client. */
  readonly route: string;
  /** The JSON body, serialised; UTF-8 bytes where threads share it. */
  readonly body: string | Uint8Array;
  readonly promptHash: string;
  readonly askedPromptTokens?: number;
  readonly maxTokens: number;
  /** LoRA adapter named in the body in place of the model. */
  readonly adapter?: string;
  /** Names the session in the header of `ClientOptions.sessionIdHeader`. */
  readonly sessionId?: string;
  /** The prompt's texts as a client tokenizer would count them. */
  readonly promptTexts: readonly string[];
}

/** What one request looked like on the wire. Times: seconds on the monotonic clock (performance.now() / 1000), taken at the data event. */
export interface WireResult {
  /** When the client was asked to send; with a new connection, before it was opened. */
  readonly attemptedSeconds?: number | undefined;
  readonly sentSeconds?: number | undefined;
  readonly firstByteSeconds?: number | undefined;
  readonly firstTokenSeconds?: number | undefined;
  readonly firstContentSeconds?: number | undefined;
  readonly chunkSeconds: readonly number[];
  /** Text of each entry of chunkSeconds, all channels, to be tokenized after the clock stops. */
  readonly chunkTexts: readonly string[];
  readonly lastTokenSeconds?: number | undefined;
  readonly endSeconds: number;
  readonly outcome: Outcome;
  readonly usage?: ServerUsage | undefined;
  readonly finishReason?: string | undefined;
  /** The model that the answer names. */
  readonly model?: string | undefined;
  /** Hash of the answer's text on all channels, whatever its chunks; 64 bits tell answers apart, they prove nothing. */
  readonly answerHash?: string | undefined;
  /** The whole answer as text (content channel; for streams, the deltas joined). */
  readonly outputText: string;
  /** Code of the network's or TLS's error that broke it off, e.g. `CERT_HAS_EXPIRED`. */
  readonly networkCode?: string | undefined;
  /** The connection failed before any answer, by no timeout and no certificate: another attempt may succeed. */
  readonly mayRetry?: boolean | undefined;
  readonly retries?: RequestRetries | undefined;
  /** Raw body as received, kept only when asked for. */
  readonly rawBody?: string | undefined;
}

export interface SendOptions {
  readonly timeoutSeconds: number;
  /** Aborting cancels the request: outcome `cancelled` with the signal's reason. */
  readonly signal: AbortSignal;
  readonly keepRawBody: boolean;
  /** False: nobody will ask for a stream's texts, `chunkTexts` and `outputText` stay empty. Default true. */
  readonly keepTexts?: boolean;
  /** Live figures; called from the data event's turn, must be cheap. */
  readonly onFirstToken?: (latencySeconds: number) => void;
  readonly onChunk?: (gapSeconds: number) => void;
}

/** `load.request_retries` and `load.request_retry_backoff_sec`. */
export interface RetryRule {
  readonly times: number;
  readonly backoffSeconds: number;
}

export interface ServerFacts {
  readonly version?: string;
  readonly models?: readonly string[];
  /** `max_model_len` by model, where the server says it. */
  readonly maxModelTokens?: ReadonlyMap<string, number>;
  /** The server answered 401 or 403: every request of the run would fail the same way. */
  readonly keyRejected?: boolean;
  readonly notes: readonly string[];
}

export interface Client {
  /** Never rejects: every expected failure is an outcome. */
  send(request: PreparedRequest, options: SendOptions): Promise<WireResult>;
  /** Asks `/v1/models` and `/version`; what is missing is said in `notes`. A server that cannot be reached at all is a thrown ClientProblem's `problem`. */
  probe(): Promise<ServerFacts>;
  /**
   * Posts a small JSON body beside the load and gives what came back, whatever its status; undefined when nothing did within so many
   * seconds, or when `stop` came first. Never rejects.
   */
  ask(route: string, body: string, timeoutSeconds: number, stop?: AbortSignal): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface ClientOptions {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly apiKey?: string;
  /** Decides how the key is sent. Default: as a bearer token. */
  readonly api?: ApiType;
  /** Request header that carries a request's session (`api.session_id_header_key`). */
  readonly sessionIdHeader?: string;
  /** Response header whose last value in a session is sent back with its later requests (`api.session_token_header_key`). */
  readonly sessionTokenHeader?: string;
  readonly certPath?: string;
  readonly keyPath?: string;
  readonly caPath?: string;
  /** HTTP proxy the requests go through; by default none, whatever the environment says. */
  readonly proxy?: string;
  /** Default: each request is sent once. */
  readonly retries?: RetryRule;
  /** Never fewer than the largest number of requests in flight. */
  readonly connections: number;
}
