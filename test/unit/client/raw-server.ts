// A loopback server that sends whatever bytes a test tells it to, and a client to send it requests with.
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createClient } from '../../../src/client/http-client';
import type { Client, ClientOptions, PreparedRequest, SendOptions } from '../../../src/client/types';

export interface RawServer {
  readonly url: string;
  /** Requests as received, head and body. */
  readonly requests: string[];
  connections(): number;
  close(): Promise<void>;
}

/** Calls `respond` for every complete request; it writes to the socket as it likes. */
export async function rawServer(respond: (socket: Socket, request: string) => unknown): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let opened = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    opened++;
    sockets.add(socket);
    let received = '';
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (data) => {
      received += data.toString('utf8');
      const head = received.indexOf('\r\n\r\n');
      if (head === -1) return;
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
      if (Buffer.byteLength(received.slice(head + 4)) < length) return;
      const request = received;
      received = '';
      requests.push(request);
      void respond(socket, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => opened,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function client(baseUrl: string, options: Partial<ClientOptions> = {}): Client {
  return createClient({ baseUrl, headers: {}, connections: 4, ...options });
}

export function request(changes: Partial<PreparedRequest> = {}): PreparedRequest {
  return {
    id: 0,
    stage: 0,
    api: 'completion',
    streaming: true,
    route: '/v1/completions',
    body: '{"model":"m","prompt":"x"}',
    promptHash: 'h',
    maxTokens: 4,
    promptTexts: ['x'],
    ...changes,
  };
}

export function options(changes: Partial<SendOptions> = {}): SendOptions {
  return { timeoutSeconds: 10, signal: new AbortController().signal, keepRawBody: false, ...changes };
}

/** A response head for an event stream that ends when the connection does. */
export const STREAM_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n';
export const CHUNKED_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';

/** One piece in HTTP's chunked encoding. */
export function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

export function whole(status: string, body: string, headers = ''): string {
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}

/** A token event as completions servers send it. */
export function token(text: string, finish: string | null = null): string {
  return `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, text, finish_reason: finish }] })}\n\n`;
}

export const DONE = 'data: [DONE]\n\n';
