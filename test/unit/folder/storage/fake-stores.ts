// Just enough of S3 and of Google Cloud Storage on loopback to upload to, and to refuse as they do.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CRC32C } from '@google-cloud/storage';

export interface StoredObject {
  readonly body: Buffer;
  readonly contentType: string | undefined;
}

export interface FakeStore {
  readonly url: string;
  /** By "bucket/key". */
  readonly objects: Map<string, StoredObject>;
  readonly requests: { readonly method: string; readonly path: string; readonly headers: IncomingMessage['headers'] }[];
  /** Answers instead of the store when it returns a refusal: status and the store's own code. */
  refuse: (method: string, key: string) => { readonly status: number; readonly code: string } | undefined;
  close(): Promise<void>;
}

type Handler = (request: IncomingMessage, url: URL, body: Buffer, response: ServerResponse, store: FakeStore) => void;

async function start(handler: Handler): Promise<FakeStore> {
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      store.requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers });
      handler(request, url, Buffer.concat(pieces), response, store);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const store: FakeStore = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects: new Map(),
    requests: [],
    refuse: () => undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return store;
}

/** Path-style: `/bucket/key`. @param knowsConditions false: a store that answers 501 to If-None-Match */
export function fakeS3(knowsConditions = true): Promise<FakeStore> {
  return start((request, url, body, response, store) => {
    const [, bucket = '', ...rest] = decodeURIComponent(url.pathname).split('/');
    const key = rest.join('/');
    const xmlError = (status: number, code: string): void => {
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code} it is</Message></Error>`);
    };
    const refusal = store.refuse(request.method ?? '', key);
    if (refusal) {
      xmlError(refusal.status, refusal.code);
      return;
    }
    if (request.method === 'GET') {
      const prefix = url.searchParams.get('prefix') ?? '';
      const keys = [...store.objects.keys()].filter((name) => name.startsWith(`${bucket}/${prefix}`));
      const contents = keys.map((name) => `<Contents><Key>${name.slice(bucket.length + 1)}</Key></Contents>`);
      response.writeHead(200, { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0"?><ListBucketResult>${contents.join('')}</ListBucketResult>`);
      return;
    }
    const isConditional = request.headers['if-none-match'] === '*';
    if (isConditional && !knowsConditions) xmlError(501, 'NotImplemented');
    else if (isConditional && store.objects.has(`${bucket}/${key}`)) xmlError(412, 'PreconditionFailed');
    else {
      store.objects.set(`${bucket}/${key}`, { body, contentType: request.headers['content-type'] });
      response.writeHead(200, { etag: '"1"' }).end();
    }
  });
}

/** The JSON API: uploads in one piece (multipart) and in several (resumable). */
export function fakeGcs(): Promise<FakeStore> {
  const sessions = new Map<string, { key: string; contentType: string | undefined }>();
  return start((request, url, body, response, store) => {
    const json = (status: number, value: unknown, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
    };
    const bucket = /\/b\/([^/]+)\/o/.exec(url.pathname)?.[1] ?? '';
    const key = url.searchParams.get('name') ?? '';
    const keep = (name: string, bytes: Buffer, contentType: string | undefined): void => {
      store.objects.set(name, { body: bytes, contentType });
      const checksum = new CRC32C();
      checksum.update(bytes);
      json(200, { name: name.slice(name.indexOf('/') + 1), generation: '1', crc32c: checksum.toString() });
    };
    const session = sessions.get(url.searchParams.get('upload_id') ?? '');
    if (session && request.method === 'PUT') {
      keep(session.key, body, session.contentType);
      return;
    }
    const refusal = store.refuse(request.method ?? '', key);
    if (refusal) {
      json(refusal.status, {
        error: { code: refusal.status, message: refusal.code, errors: [{ reason: refusal.code }] },
      });
    } else if (request.method === 'GET') {
      const prefix = url.searchParams.get('prefix') ?? '';
      const names = [...store.objects.keys()].filter((name) => name.startsWith(`${bucket}/${prefix}`));
      json(200, { items: names.map((name) => ({ name: name.slice(bucket.length + 1), bucket })) });
    } else if (url.searchParams.get('ifGenerationMatch') === '0' && store.objects.has(`${bucket}/${key}`)) {
      json(412, { error: { code: 412, message: 'conditionNotMet', errors: [{ reason: 'conditionNotMet' }] } });
    } else if (url.searchParams.get('uploadType') === 'resumable') {
      const id = String(sessions.size + 1);
      sessions.set(id, { key: `${bucket}/${key}`, contentType: request.headers['x-upload-content-type'] as string });
      json(200, {}, { location: `${store.url}${url.pathname}?upload_id=${id}` });
    } else keep(`${bucket}/${key}`, ...parts(body));
  });
}

/** The second part of a multipart/related body, and its content type. */
function parts(body: Buffer): [Buffer, string | undefined] {
  const text = body.toString('latin1');
  const boundary = text.slice(0, text.indexOf('\r\n'));
  const part = text.split(boundary)[2] ?? '';
  const head = part.slice(0, part.indexOf('\r\n\r\n'));
  const content = part.slice(head.length + 4, part.lastIndexOf('\r\n'));
  return [Buffer.from(content, 'latin1'), /content-type: *(\S+)/i.exec(head)?.[1]];
}
