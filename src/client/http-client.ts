// The transport: prepared requests over HTTP/1.1 keep-alive connections of our own, one request at a time on each.
// The only file that knows undici.
//
// Client.dispatch with a list of free clients, not fetch and not Pool: fetch joins reads (0.4 reads per token) and
// costs half as much again; Pool looks through all its clients for every request (reference performance.md 2a, 8).
// A proxy is used only when the caller names one: between the clock and the server it is measured with it.
// Redirects are not followed, and nothing is retried unless the config asks for it: each would hide a request's true time.
import { buildConnector, Client as OwnConnection, ProxyAgent, type Dispatcher } from 'undici';
import type { Socket } from 'node:net';
import type { Outcome } from '../metrics/record';
import { AnswerRecorder } from './answer';
import { ChunkedBody, type BodySink } from './chunked';
import { createEndpoint, type Endpoint } from './endpoint';
import { timeoutFailure } from './failures';
import { isPassing, networkCode, networkFailure } from './network-failures';
import { probeServer, type FetchedText } from './probe';
import { takesFastPaths } from '../fast-paths';
import { readInPlace, sharedReads, type Reads } from './read-in-place';
import { sendingAgain } from './retries';
import { createSessions, type Sessions } from './sessions';
import type { Client, ClientOptions, PreparedRequest, SendOptions, WireResult } from './types';

/** A server that accepts no connection for so long is reported as such; the request's own timeout may be shorter. */
const CONNECT_TIMEOUT_MS = 30_000;
const PROBE_TIMEOUT_SECONDS = 10;
/** setTimeout takes no longer delay; 24 days is "no timeout" for a request. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * A client for one server.
 * @throws ClientProblem for options no request could be sent with (RUN101 address, RUN102 TLS file, RUN103 header)
 */
export function createClient(options: ClientOptions): Client {
  const endpoint = createEndpoint(options);
  const connections = createConnections(endpoint, Math.max(1, options.connections), options.proxy);
  const inFlight = createInFlight();
  const sessions = createSessions(options);
  const send: Client['send'] = (request, sendOptions) =>
    new Promise((resolve) => {
      new Exchange(endpoint, connections, inFlight, request, sendOptions, resolve, sessions).start();
    });
  return {
    send: options.retries ? sendingAgain(send, options.retries) : send,
    probe: () =>
      probeServer(endpoint.origin, endpoint.pathOf('').endsWith('/v1/'), (path) =>
        fetchText(endpoint, connections, inFlight, { method: 'GET', route: path, body: '' }),
      ),
    ask: async (route, body, timeoutSeconds, stop) => {
      const asked = { method: 'POST', route, body } as const;
      const { result, body: text } = await fetchText(endpoint, connections, inFlight, asked, timeoutSeconds, stop);
      return result.outcome.kind === 'ok' || text !== '' ? text : undefined;
    },
    async close() {
      inFlight.cancelAll('the client was closed');
      await connections.close();
    },
  };
}

interface Connection {
  readonly dispatcher: Pick<Dispatcher, 'dispatch' | 'destroy'>;
  readonly reads: Reads;
}

interface Connections {
  /** Calls back, now or later, with a connection that is this caller's alone; false from `use` declines it. */
  acquire(use: (connection: Connection) => boolean): void;
  release(connection: Connection): void;
  /** Gives up a connection whose request cannot be taken back any other way. */
  discard(connection: Connection): void;
  close(): Promise<void>;
}

/** Our own total timeout rules; the library's would end a long answer. */
const COMMON = { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 };

/** One connection to the proxy, of this caller alone: a tunnel for TLS, requests with the whole address else, as curl does. */
function throughProxy(uri: string, { origin, tls }: Endpoint): ProxyAgent {
  const { username, password } = new URL(uri);
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return new ProxyAgent({
    ...COMMON,
    uri,
    connections: 1,
    proxyTunnel: origin.startsWith('https:'),
    requestTls: { timeout: CONNECT_TIMEOUT_MS, ...tls },
    ...(username === '' ? {} : { token: `Basic ${Buffer.from(login).toString('base64')}` }),
  });
}

/** Free connections on a stack (the warmest is used next), opened on demand; both operations are O(1). */
function createConnections(endpoint: Endpoint, limit: number, proxy: string | undefined): Connections {
  const free: Connection[] = [];
  const all = new Set<Connection>();
  let waiting: ((connection: Connection) => boolean)[] = [];
  let nextWaiting = 0;
  let closed = false;

  // One of each for all connections: made by each client of its own they are a kilobyte of it.
  const origin = new URL(endpoint.origin);
  const inPlace = takesFastPaths ? sharedReads() : undefined;
  // It gives the socket it makes, which its type does not say.
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, ...endpoint.tls, ...inPlace }) as unknown as (
    ...args: Parameters<buildConnector.connector>
  ) => Socket;

  function open(): Connection {
    const reads: Reads = { atSeconds: undefined, isFresh: false, sink: undefined, chunks: new ChunkedBody() };
    const connectReading: buildConnector.connector = (options, callback) => {
      const socket = connect(options, callback);
      if (inPlace) readInPlace(socket, reads);
    };
    const dispatcher =
      proxy === undefined
        ? new OwnConnection(origin, { ...COMMON, connect: connectReading })
        : throughProxy(proxy, endpoint);
    const connection = { dispatcher, reads };
    all.add(connection);
    return connection;
  }

  function hand(connection: Connection): void {
    while (!closed && nextWaiting < waiting.length) {
      const next = waiting[nextWaiting++]!;
      if (nextWaiting === waiting.length) {
        waiting = [];
        nextWaiting = 0;
      }
      if (next(connection)) return;
    }
    free.push(connection);
  }

  return {
    acquire(use) {
      const connection = free.pop() ?? (all.size < limit ? open() : undefined);
      if (connection === undefined) waiting.push(use);
      else if (!use(connection)) hand(connection);
    },
    release: hand,
    discard(connection) {
      all.delete(connection);
      void connection.dispatcher.destroy();
      if (!closed && nextWaiting < waiting.length) hand(open());
    },
    async close() {
      closed = true;
      await Promise.all([...all].map(({ dispatcher }) => dispatcher.destroy()));
      all.clear();
      free.length = 0;
    },
  };
}

/** The requests that have no result yet. */
interface InFlight {
  add(exchange: Exchange): void;
  remove(exchange: Exchange): void;
  cancelAll(reason: string): void;
}

/**
 * One listener per signal for all its requests: a listener per request would make each send walk through all others. And a list, not
 * a Set: V8 keeps a Set's outgrown tables linked to the next, so that one old table kept the requests of all later ones from being
 * collected young.
 */
function createInFlight(): InFlight {
  const all: Exchange[] = [];
  const watched = new WeakSet<AbortSignal>();

  function cancel(reason: string, signal?: AbortSignal): void {
    for (const each of [...all]) if (signal === undefined || each.signal === signal) each.cancel(reason);
  }

  function watch(signal: AbortSignal): void {
    watched.add(signal);
    signal.addEventListener(
      'abort',
      () => {
        cancel(reasonOf(signal), signal);
      },
      { once: true },
    );
  }

  return {
    add(exchange) {
      if (!watched.has(exchange.signal)) watch(exchange.signal);
      exchange.place = all.length;
      all.push(exchange);
    },
    remove(exchange) {
      const last = all.pop();
      if (last === undefined || last === exchange) return;
      all[exchange.place] = last;
      last.place = exchange.place;
    },
    cancelAll: cancel,
  };
}

function reasonOf(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  if (typeof reason === 'string') return reason;
  return reason instanceof Error ? reason.message : 'stopped';
}

/** One request on its way: owns a connection from the moment it gets one until its result is handed over. */
class Exchange implements Dispatcher.DispatchHandler, BodySink {
  readonly #recorder: AnswerRecorder;
  #connection: Connection | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #settled = false;
  #isListed = false;
  /** Where it stands in the list of those in flight. */
  place = 0;

  constructor(
    private readonly endpoint: Endpoint,
    private readonly connections: Connections,
    private readonly inFlight: InFlight,
    private readonly request: Pick<PreparedRequest, 'streaming' | 'route' | 'body'> &
      Partial<Pick<PreparedRequest, 'api' | 'sessionId'>> & { readonly method?: 'GET' | 'POST' },
    private readonly options: SendOptions,
    private readonly resolve: (result: WireResult) => void,
    private readonly sessions?: Sessions,
  ) {
    this.#recorder = new AnswerRecorder(request, options, endpoint.redact);
  }

  get signal(): AbortSignal {
    return this.options.signal;
  }

  start(): void {
    const { signal, timeoutSeconds } = this.options;
    if (signal.aborted) {
      this.cancel(reasonOf(signal));
      return;
    }
    this.inFlight.add(this);
    this.#isListed = true;
    const timeoutMs = timeoutSeconds * 1000;
    if (timeoutMs <= LONGEST_TIMER_MS) {
      this.#timer = setTimeout(() => {
        this.#giveUp({ kind: 'failed', ...timeoutFailure(timeoutSeconds, this.#recorder.progress()) });
      }, timeoutMs);
    }
    this.connections.acquire((connection) => this.#dispatchOn(connection));
  }

  cancel(reason: string): void {
    this.#giveUp({ kind: 'cancelled', reason });
  }

  #dispatchOn(connection: Connection): boolean {
    if (this.#settled) return false;
    this.#connection = connection;
    const { method = 'POST', route, body } = this.request;
    connection.dispatcher.dispatch(
      {
        origin: this.endpoint.origin,
        path: this.endpoint.pathOf(route),
        method,
        headers: (this.sessions?.headers(this.endpoint.headers, this.request.sessionId) ??
          this.endpoint.headers) as string[],
        ...(method === 'POST' ? { body } : {}),
      },
      this,
    );
    return true;
  }

  // undici calls this right before it writes the request to a connected socket. Not at dispatch: a connection still
  // being opened, and from 7.30 on a reused idle one, are written to later. So opening a connection, or waiting for a
  // free one, counts as lateness (scheduled to sent); inference-perf counts it as latency (reference section 4.2).
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#recorder.sent(performance.now() / 1000);
    this.#controller = controller;
    if (this.#connection) this.#connection.reads.isFresh = true;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#recorder.headers(status, headers);
    // Nobody here asks for the header's bytes again, and they would be kept as long as the answer.
    controller.rawHeaders = null;
    if (this.#connection && headers['transfer-encoding'] === 'chunked') {
      this.#connection.reads.chunks.begin();
      this.#connection.reads.sink = this;
    }
    if (this.request.sessionId !== undefined) this.sessions?.answered(this.request.sessionId, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.onBody(chunk, 0, chunk.length);
  }

  /** Body bytes: from the HTTP parser, or taken where the socket's read put them. */
  onBody(bytes: Buffer, from: number, to: number): void {
    // What came in the same read after the token at which somebody cancelled is nobody's.
    if (!this.#settled) this.#recorder.bytes(bytes, from, to, this.#arrivedSeconds());
  }

  onResponseEnd(): void {
    if (!this.#settled) this.#settle(this.#recorder.ended(this.#arrivedSeconds()), true);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#settled) return;
    const now = performance.now() / 1000;
    const started = this.#recorder.started();
    const failure = networkFailure(error, this.endpoint, started);
    const outcome: Outcome = { kind: 'failed', ...failure };
    const mayRetry = started === undefined && isPassing(error);
    this.#settle(this.#recorder.broken(now, outcome, networkCode(error), mayRetry), true);
  }

  /** Time of the socket's read that is being taken in; through a proxy, of this call. */
  #arrivedSeconds(): number {
    return this.#connection?.reads.atSeconds ?? performance.now() / 1000;
  }

  /** Ends the request from our side: by its controller once it is on the wire, by closing the connection before that. */
  #giveUp(outcome: Outcome): void {
    if (this.#settled) return;
    const connection = this.#connection;
    this.#settle(this.#recorder.broken(performance.now() / 1000, outcome), false);
    if (connection === undefined) return;
    if (this.#controller === undefined) {
      this.connections.discard(connection);
      return;
    }
    this.#controller.abort(new Error('given up'));
    this.connections.release(connection);
  }

  #settle(result: WireResult, release: boolean): void {
    this.#settled = true;
    clearTimeout(this.#timer);
    if (this.#isListed) this.inFlight.remove(this);
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection) connection.reads.sink = undefined;
    if (release && connection !== undefined) this.connections.release(connection);
    this.resolve(result);
  }
}

/** A small GET through the same connections, headers and TLS as the load. */
async function fetchText(
  endpoint: Endpoint,
  connections: Connections,
  inFlight: InFlight,
  asked: { readonly method: 'GET' | 'POST'; readonly route: string; readonly body: string },
  timeoutSeconds = PROBE_TIMEOUT_SECONDS,
  stop = new AbortController().signal,
): Promise<FetchedText> {
  const result = await new Promise<WireResult>((resolve) => {
    const request = { ...asked, streaming: false };
    const options: SendOptions = {
      timeoutSeconds,
      signal: stop,
      keepRawBody: true,
    };
    new Exchange(endpoint, connections, inFlight, request, options, resolve).start();
  });
  return { result, body: result.rawBody ?? '' };
}
