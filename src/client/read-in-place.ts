// Sockets whose reads are stamped first and then taken where they are: no stream, no queue and no buffer for each read stands between
// the operating system and the events of an answer.
//
// The HTTP parser (undici's) stays the judge of everything: connections, heads, where a body ends, what is a mistake. Only the whole
// chunks of a chunked body do not pass through it: they are given out here, and the parser sees a body without them, which is as
// valid as the one with them. Parsing each chunk there costs a call out of its machine and a buffer for each; measured in
// docs/decisions/007-engine-threads.md. Bytes that the parser does get are its own: it may keep them.
import type { Socket } from 'node:net';
import type { BodySink, ChunkedBody } from './chunked';

/** As much as Node itself reads at once. */
const READ_BYTES = 65_536;

/** What the transport and a connection's sockets know of each other. */
export interface Reads {
  /** Monotonic seconds of the read being handed on, taken before anything else was done with it; undefined outside of one. */
  atSeconds: number | undefined;
  /** Set by the transport when a request goes out: the next byte is the first of an answer. */
  isFresh: boolean;
  /** Set by the transport once it has read the head of an answer in chunks, which are then its own; removed with its end. */
  sink: BodySink | undefined;
  readonly chunks: ChunkedBody;
}

const READS = Symbol('reads');
const PART = Symbol('part');

interface ReadingSocket extends Socket {
  [READS]?: Reads;
  /** Bytes on their way to the parser: null once taken, undefined when none are. */
  [PART]?: Buffer | null | undefined;
}

/**
 * The option of `net.connect` and `tls.connect` that does it; one for any number of sockets, each then made known by `readInPlace`.
 *
 * A read fills the buffer and is handed on before the next one begins, so all sockets can share it. On Windows the buffer is given
 * to the operating system before there is anything to read, and each socket would need its own: undefined, streams are used.
 */
export function sharedReads(
  platform: NodeJS.Platform = process.platform,
):
  | { readonly onread: { readonly buffer: Buffer; readonly callback: (length: number, bytes: Uint8Array) => boolean } }
  | undefined {
  if (platform === 'win32') return undefined;
  const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  return {
    onread: {
      buffer,
      // Node calls this as a method of the socket: whose read it is, without a closure for each.
      callback(this: unknown, length) {
        arrived(this as ReadingSocket, buffer, length);
        return true;
      },
    },
  };
}

/** Ties a socket, just made with `sharedReads`, to what its connection knows. */
export function readInPlace(socket: Socket, reads: Reads): void {
  const reading = socket as ReadingSocket;
  reading[READS] = reads;
  reading[PART] = undefined;
  reading.read = read;
}

/** What the parser reads by. */
function read(this: ReadingSocket, size?: number): unknown {
  const part = this[PART];
  // Size 0 asks for nothing: Node starts reading by it.
  if (part === undefined || size === 0) return (Object.getPrototypeOf(this) as Socket).read.call(this, size);
  this[PART] = null;
  return part;
}

function arrived(socket: ReadingSocket, buffer: Buffer, length: number): void {
  const atSeconds = performance.now() / 1000;
  const reads = socket[READS];
  if (reads === undefined) throw new Error('a socket that reads in place was not made known');
  reads.atSeconds = atSeconds;
  try {
    take(socket, reads, buffer, length);
  } catch (error) {
    // As the parser does with what its handler throws: this request fails, the others go on.
    socket.destroy(error instanceof Error ? error : new Error(String(error)));
  }
  reads.atSeconds = undefined;
}

function take(socket: ReadingSocket, reads: Reads, buffer: Buffer, length: number): void {
  let at = reads.sink === undefined ? takeHead(socket, reads, buffer, length) : 0;
  const { sink, chunks } = reads;
  if (at === length || isGone(socket)) return;
  if (sink === undefined) {
    give(socket, buffer, at, length);
    // A head that did not come whole or not first: the parser has begun the body, and how far it is in it is not known here.
    if (reads.sink !== undefined) chunks.lose();
    return;
  }
  if (!chunks.isAtChunk) {
    const from = at;
    at = chunks.isLost ? length : chunks.follow(buffer, at, length);
    give(socket, buffer, from, at);
    if (at === length || isGone(socket)) return;
  }
  // Where the parser has not come to what it was given (it paused), data must not overtake it.
  if (socket.readableLength === 0) at = chunks.whole(buffer, at, length, sink);
  if (at < length) rest(socket, chunks, buffer, at, length);
}

/** Gives the parser a whole head alone, so that the body can be taken here from its first byte. */
function takeHead(socket: ReadingSocket, reads: Reads, buffer: Buffer, length: number): number {
  if (!reads.isFresh) return 0;
  reads.isFresh = false;
  const end = endOfHead(buffer, length);
  if (end > 0) give(socket, buffer, 0, end);
  return end;
}

/** What begins with a chunk that is not whole: the parser's, all of it. */
function rest(socket: ReadingSocket, chunks: ChunkedBody, buffer: Buffer, from: number, to: number): void {
  for (let at = from; at < to;) at = chunks.follow(buffer, at, to);
  give(socket, buffer, from, to);
}

/** Gives the parser bytes of its own. */
function give(socket: ReadingSocket, buffer: Buffer, from: number, to: number): void {
  const part = Buffer.from(buffer.subarray(from, to));
  if (socket.readableLength > 0) {
    socket.push(part);
    return;
  }
  socket[PART] = part;
  socket.emit('readable');
  // Nobody listens yet, or the parser has paused: it waits in the stream.
  if (!isTaken(socket) && !socket.destroyed) socket.push(part);
  socket[PART] = undefined;
}

// Functions, for both change under the call that gives a part away.
function isTaken(socket: ReadingSocket): boolean {
  return socket[PART] === null;
}

function isGone(socket: ReadingSocket): boolean {
  return socket.destroyed;
}

const OK_HEAD = Buffer.from('HTTP/1.1 200');
const HEAD_END = Buffer.from('\r\n\r\n');

/** Length of a whole head of an answer with status 200 that `buffer` begins with; 0 when it is cut, or another one. */
function endOfHead(buffer: Buffer, length: number): number {
  if (length < OK_HEAD.length || OK_HEAD.compare(buffer, 0, OK_HEAD.length) !== 0) return 0;
  const found = buffer.indexOf(HEAD_END);
  return found >= 0 && found + HEAD_END.length <= length ? found + HEAD_END.length : 0;
}
