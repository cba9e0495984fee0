// The simulated model server: routes, keys, life and death of the HTTP server around the engine.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEngine } from './engine';
import { generate, sendJson, type GenerationContext } from './generation';
import { createMetricsBook, type MetricsBook } from './metrics';
import { DEFAULT_MODEL, DEFAULT_OPTIONS, type FaultKind, type SimulatorOptions } from './options';
import { createPrefixCache } from './prefix-cache';
import { errorJson, isApiError, parseObject, parseRequest, type Route } from './protocol';
import { tokenizeAnswer } from './tokenize';
import { decodeIds } from './vocabulary';
import { own } from '../own';

declare const ISOPERF_VERSION: string;

/** Longest body that is read, bytes. */
const BODY_LIMIT = 64 * 1024 * 1024;

interface SimulatorStats {
  /** Generation requests that were understood. */
  readonly received: number;
  readonly running: number;
  readonly waiting: number;
  readonly maxRunning: number;
  readonly rejected: number;
  readonly unauthorized: number;
  readonly finished: { readonly stop: number; readonly length: number; readonly abort: number };
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly generatedTokens: number;
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>;
}

export interface Simulator {
  readonly url: string;
  readonly port: number;
  readonly options: SimulatorOptions;
  stats(): SimulatorStats;
  /** Drops every connection; resolves when the port is free. */
  close(): Promise<void>;
}

interface World extends GenerationContext {
  readonly book: MetricsBook;
  readonly model: string;
  counts: { received: number; rejected: number; unauthorized: number; maxRunning: number };
}

/**
 * Starts a server with the given truth; what is not given has the default.
 * @throws the error of `listen` (EADDRINUSE, EACCES) when the address cannot be taken
 */
export async function startSimulator(given: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const options: SimulatorOptions = { ...DEFAULT_OPTIONS, ...given };
  const model = options.models[0] ?? DEFAULT_MODEL;
  const book = createMetricsBook(options, model);
  const engine = createEngine(options, book);
  const faults: Partial<Record<FaultKind, number>> = {};
  const counts = { received: 0, rejected: 0, unauthorized: 0, maxRunning: 0 };
  const world: World = {
    options,
    engine,
    cache: options.prefixCache ? createPrefixCache(options.cacheTokens) : undefined,
    book,
    model,
    counts,
    fault(kind) {
      faults[kind] = (faults[kind] ?? 0) + 1;
    },
    rejected() {
      counts.rejected++;
    },
  };
  const server = createServer((request, response) => {
    answer(world, request, response);
  });
  // A benchmark's client may keep a connection idle between stages.
  server.keepAliveTimeout = 30_000;
  server.requestTimeout = 0;
  const port = await listen(server, options);
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    port,
    options: { ...options, port },
    stats() {
      const { stop, length, abort, promptTokens, cachedTokens, generatedTokens } = book.totals;
      const now = { running: engine.running(), waiting: engine.waiting() };
      return {
        ...counts,
        ...now,
        finished: { stop, length, abort },
        promptTokens,
        cachedTokens,
        generatedTokens,
        faults,
      };
    },
    async close() {
      engine.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, { host, port }: SimulatorOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

type Handler = (world: World, body: string, response: ServerResponse, arrivedMs: number) => void;

const ROUTES: Readonly<Record<string, Handler>> = {
  'POST /v1/completions': (world, body, response, arrivedMs) =>
    startGeneration(world, 'completion', body, response, arrivedMs),
  'POST /v1/chat/completions': (world, body, response, arrivedMs) =>
    startGeneration(world, 'chat', body, response, arrivedMs),
  'GET /v1/models': ({ options, model }, _body, response) => {
    const names = options.models.length > 0 ? options.models : [model];
    const data = names.map((id) => ({
      id,
      object: 'model',
      created: 0,
      owned_by: 'isoperf',
      root: id,
      parent: null,
      max_model_len: options.maxModelTokens,
    }));
    sendJson(response, 200, JSON.stringify({ object: 'list', data }));
  },
  'GET /version': (_world, _body, response) => {
    sendJson(response, 200, JSON.stringify({ version: `isoperf-simulator ${ISOPERF_VERSION}` }));
  },
  'GET /health': (_world, _body, response) => void response.writeHead(200, { 'content-length': 0 }).end(),
  'GET /metrics': ({ book, engine }, _body, response) => {
    const now = { running: engine.running(), waiting: engine.waiting(), tokensHeld: engine.tokensHeld() };
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(book.render(now));
  },
  'POST /tokenize': ({ options }, body, response) => {
    const answer = tokenizeAnswer(body, options);
    if (answer === undefined) sendJson(response, 404, JSON.stringify({ detail: 'Not Found' }));
    else if ('json' in answer) sendJson(response, 200, answer.json);
    else sendJson(response, 400, errorJson({ status: 400, type: 'BadRequestError', message: answer.refused }));
  },
  'POST /detokenize': (_world, body, response) => {
    const ids = parseObject(body)?.['tokens'];
    const prompt = Array.isArray(ids) ? decodeIds(ids.map(Number)) : '';
    sendJson(response, 200, JSON.stringify({ prompt }));
  },
  'POST /reset_prefix_cache': ({ cache }, _body, response) => {
    cache?.clear();
    response.writeHead(200, { 'content-length': 0 }).end();
  },
};

function startGeneration(world: World, route: Route, body: string, response: ServerResponse, arrivedMs: number): void {
  const request = parseRequest(route, body, world.options);
  if (isApiError(request)) {
    sendJson(response, request.status, errorJson(request));
    return;
  }
  world.counts.received++;
  generate(world, request, { body, arrivedMs }, response);
  world.counts.maxRunning = Math.max(world.counts.maxRunning, world.engine.running());
}

function answer(world: World, request: IncomingMessage, response: ServerResponse): void {
  const path = (request.url ?? '/').split('?', 1)[0]!;
  const handler = own(ROUTES, `${request.method ?? 'GET'} ${path}`);
  // A client that vanishes is its own affair; the generation hears of it by the response's `close`.
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  if (path.startsWith('/v1/') && !isAuthorized(world.options.apiKey, request.headers.authorization)) {
    world.counts.unauthorized++;
    request.resume();
    sendJson(response, 401, JSON.stringify({ error: 'Unauthorized' }));
    return;
  }
  if (!handler) {
    const known = Object.keys(ROUTES).some((route) => route.endsWith(` ${path}`));
    request.resume();
    sendJson(response, known ? 405 : 404, JSON.stringify({ detail: known ? 'Method Not Allowed' : 'Not Found' }));
    return;
  }
  readBody(request, (body, arrivedMs) => {
    if (body === undefined) sendJson(response, 413, JSON.stringify({ detail: 'The body is too large.' }));
    else handler(world, body, response, arrivedMs);
  });
}

function isAuthorized(apiKey: string | undefined, authorization: string | undefined): boolean {
  return apiKey === undefined || authorization === `Bearer ${apiKey}`;
}

/** Calls back with the whole body and with when its last byte came: reading and planning are not part of any latency. */
function readBody(request: IncomingMessage, done: (body: string | undefined, arrivedMs: number) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let arrivedMs = performance.now();
  request.on('data', (chunk: Buffer) => {
    arrivedMs = performance.now();
    bytes += chunk.length;
    if (bytes <= BODY_LIMIT) chunks.push(chunk);
  });
  request.once('end', () => {
    done(bytes > BODY_LIMIT ? undefined : Buffer.concat(chunks).toString('utf8'), arrivedMs);
  });
}
