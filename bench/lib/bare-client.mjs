// The limit: a client on bare sockets that does nothing but what a measurement cannot do without. It stamps each read once, finds the
// events, takes each token's text from between the bytes that all events of this server share, and knows when the answer is over.
// No HTTP parser, no JSON, no connection management, no time limits, no errors: an event cut by a read is counted in the next.
import net from 'node:net';

const BEFORE_TEXT = Buffer.from('"text":"');
const QUOTE = 0x22;
const BODY_END = Buffer.from('\r\n0\r\n\r\n');

/** Opens keep-alive connections on demand; `send` resolves with the tokens and their times. */
export function createBareClient(port, path, body) {
  const free = [];
  const request = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

  function open() {
    const connection = { socket: undefined, done: undefined, times: [], texts: [], sentSeconds: 0 };
    const buffer = Buffer.allocUnsafe(65_536);
    connection.socket = net.connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer,
        callback: (length, bytes) => {
          const now = performance.now() / 1000;
          let at = 0;
          const part = bytes.subarray(0, length);
          for (let found = part.indexOf(BEFORE_TEXT, at); found >= 0; found = part.indexOf(BEFORE_TEXT, at)) {
            const from = found + BEFORE_TEXT.length;
            const to = part.indexOf(QUOTE, from);
            if (to < 0) break;
            if (to > from) {
              connection.texts.push(part.latin1Slice(from, to));
              connection.times.push(now);
            }
            at = to;
          }
          if (part.length >= 7 && part.compare(BODY_END, 0, 7, part.length - 7) === 0) {
            const { texts, times, sentSeconds, done } = connection;
            connection.texts = [];
            connection.times = [];
            free.push(connection);
            done({ texts, times, sentSeconds });
          }
          return true;
        },
      },
    });
    connection.socket.on('error', (error) => {
      throw error;
    });
    return connection;
  }

  return {
    send() {
      return new Promise((resolve) => {
        const connection = free.pop() ?? open();
        connection.done = resolve;
        connection.sentSeconds = performance.now() / 1000;
        connection.socket.write(request, 'latin1');
      });
    },
    close() {
      for (const { socket } of free) socket.destroy();
    },
  };
}
