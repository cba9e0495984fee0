// A model server for benchmarks of clients, on raw sockets: it does as little as possible per token and says how busy it was.
//
// The path says what it does: /instant-128/v1/completions answers 128 events at once, /paced-64-20/v1/completions answers 64 events,
// one each 20 ms. GET /stats gives its CPU time and event-loop use since the last GET /stats. Every other GET is /v1/models.
// In paced answers each token's text is the server's monotonic time in ns, taken right before the write.
import net from 'node:net';

const HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\nserver: bench\r\n\r\n';
// As long as vLLM's events are, and one HTTP chunk per event as uvicorn sends them.
const BEFORE =
  'data: {"id":"cmpl-0123456789abcdef0123456789abcdef","object":"text_completion","created":1790000000,"model":"bench-model","choices":[{"index":0,"text":"';
const AFTER = '","logprobs":null,"finish_reason":null,"stop_reason":null}],"usage":null}\n\n';
const FINISH =
  'data: {"id":"cmpl-0123456789abcdef0123456789abcdef","object":"text_completion","created":1790000000,"model":"bench-model","choices":[{"index":0,"text":"","logprobs":null,"finish_reason":"length","stop_reason":null}],"usage":null}\n\n';
const usage = (tokens) =>
  `data: {"id":"cmpl-0123456789abcdef0123456789abcdef","object":"text_completion","created":1790000000,"model":"bench-model","choices":[],"usage":{"prompt_tokens":8,"total_tokens":${8 + tokens},"completion_tokens":${tokens}}}\n\n`;
const frame = (text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const end = (tokens) => `${frame(FINISH)}${frame(usage(tokens))}${frame('data: [DONE]\n\n')}0\r\n\r\n`;

const instant = new Map();
function instantAnswer(tokens) {
  let answer = instant.get(tokens);
  if (!answer) {
    let text = HEAD;
    for (let index = 0; index < tokens; index++) text += frame(`${BEFORE} token${index % 10}${AFTER}`);
    answer = Buffer.from(text + end(tokens), 'latin1');
    instant.set(tokens, answer);
  }
  return answer;
}

/** Streams by the millisecond of their next token. */
const wheel = new Map();
let wheelAt = Math.floor(performance.now());
function schedule(stream, atMs) {
  const slot = Math.max(wheelAt + 1, Math.round(atMs));
  const list = wheel.get(slot);
  if (list) list.push(stream);
  else wheel.set(slot, [stream]);
}
let streaming = 0;
setInterval(() => {
  const now = Math.floor(performance.now());
  for (; wheelAt < now;) {
    wheelAt++;
    const due = wheel.get(wheelAt);
    if (!due) continue;
    wheel.delete(wheelAt);
    for (const stream of due) token(stream);
  }
}, 1);

function token(stream) {
  const { socket } = stream;
  if (socket.destroyed) {
    streaming--;
    return;
  }
  socket.write(frame(BEFORE + process.hrtime.bigint() + AFTER), 'latin1');
  stream.left--;
  if (stream.left > 0) {
    stream.nextMs += stream.gapMs;
    schedule(stream, stream.nextMs);
    return;
  }
  streaming--;
  socket.write(end(stream.tokens), 'latin1');
}

let cpu = process.cpuUsage();
let loop = performance.eventLoopUtilization();
let since = performance.now();
function stats() {
  const used = process.cpuUsage(cpu);
  const use = performance.eventLoopUtilization(loop);
  const wall = performance.now() - since;
  cpu = process.cpuUsage();
  loop = performance.eventLoopUtilization();
  since = performance.now();
  return JSON.stringify({
    cores: (used.user + used.system) / 1000 / wall,
    eventLoopUse: use.utilization,
    streaming,
    heldMs: performance.now() - wheelAt,
  });
}

const json = (text) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

function answer(socket, head) {
  const [method, path] = head.split(' ', 2);
  if (method === 'GET') {
    const isStats = path.endsWith('/stats');
    socket.write(json(isStats ? stats() : '{"object":"list","data":[{"id":"bench-model","object":"model"}]}'));
    return;
  }
  const [, kind, tokens, gap] = /\/(instant|paced)-(\d+)(?:-([\d.]+))?\//.exec(path) ?? [];
  if (kind === 'instant') socket.write(instantAnswer(Number(tokens)));
  else if (kind === 'paced') {
    socket.write(HEAD, 'latin1');
    streaming++;
    const gapMs = Number(gap);
    const stream = { socket, left: Number(tokens), tokens: Number(tokens), gapMs, nextMs: performance.now() + gapMs };
    schedule(stream, stream.nextMs);
  } else socket.write('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
}

const server = net.createServer({ noDelay: true }, (socket) => {
  let pending = '';
  socket.setEncoding('latin1');
  socket.on('error', () => undefined);
  socket.on('data', (text) => {
    pending += text;
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = pending.slice(0, headEnd);
      const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      if (pending.length < headEnd + 4 + length) return;
      pending = pending.slice(headEnd + 4 + length);
      answer(socket, head);
    }
  });
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 8192 }, () => {
  process.stdout.write(`listening on ${server.address().port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
