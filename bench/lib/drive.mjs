// One measurement in a process of its own: `node drive.mjs '{"client":"ours","bundle":...,"port":...,...}'` prints one JSON line.
// Clients: "ours" is the engine's own client and dispatcher, "bare" the bare sockets of bare-client.mjs.
import { pathToFileURL } from 'node:url';
import { createBareClient } from './bare-client.mjs';

const job = JSON.parse(process.argv[2]);
const body = JSON.stringify({
  model: 'bench-model',
  prompt: 'Once upon a time',
  max_tokens: 128,
  ignore_eos: true,
  stream: true,
  stream_options: { include_usage: true },
});
const now = () => performance.now() / 1000;
const engine = job.client === 'ours' ? await import(pathToFileURL(job.bundle).href) : undefined;
/** hrtime and performance.now read the same clock from different zeros: the tightest of many bracketed readings. */
const hrZero = (() => {
  let best = { width: Infinity, zero: 0 };
  for (let index = 0; index < 200; index++) {
    const before = performance.now();
    const hr = Number(process.hrtime.bigint()) / 1e6;
    const after = performance.now();
    if (after - before < best.width) best = { width: after - before, zero: hr - (before + after) / 2 };
  }
  return best.zero;
})();

const quantiles = (values) => {
  const sorted = Float64Array.from(values).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return sorted.length === 0 ? undefined : { n: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99) };
};

function requestsOf(count) {
  return Array.from({ length: count }, (_, id) => ({
    id,
    stage: 0,
    api: 'completion',
    streaming: true,
    route: '/v1/completions',
    body,
    promptHash: '',
    maxTokens: 128,
    promptTexts: [],
  }));
}

/** The same through the engine's sending threads: results come as the records' lines, as in a run. */
async function pooledLoop(route, pacing, warmUp, count, delays) {
  const pool = await engine.WorkerPool.start({
    count: job.workers,
    file: job.workerFile,
    client: { baseUrl: `http://127.0.0.1:${job.port}/${route}`, headers: {}, connections: 8192 },
  });
  let startSeconds = 0;
  const send = async (number, ended) => {
    const stage = { plan: { pacing }, requests: requestsOf(number) };
    const { done } = pool.run({
      stage,
      timeoutSeconds: 300,
      answers: { texts: delays !== undefined, raw: false },
      stop: new engine.StopControl(),
      graceSeconds: () => 0,
      zeroSeconds: 0,
      onStarted: (seconds) => {
        startSeconds = seconds;
      },
      onEnded: (each) => ended.push(each),
      onCrash: (why) => {
        throw new Error(why);
      },
    });
    return done;
  };
  await send(warmUp, []);
  const ended = [];
  let threads = [];
  const measured = await measure(async () => {
    ({ threads } = await send(count, ended));
    return 0;
  });
  await pool.close();
  // Read after the measurement: a run counts from the journal as well.
  const tally = { requests: ended.length, tokens: 0, lags: [], delays: [] };
  for (const { line, answer, outcome } of ended) {
    if (outcome.kind !== 'ok') throw new Error(JSON.stringify(outcome));
    const { chunkSeconds } = JSON.parse(line);
    tally.tokens += chunkSeconds.length;
    if (delays === undefined) continue;
    for (const [index, text] of JSON.parse(answer).chunks.entries())
      tally.delays.push({ text, seconds: chunkSeconds[index] });
  }
  tally.delays = delaysOf(tally.delays, startSeconds, delays);
  return { ...measured, eventLoopUse: Math.max(...threads.map(({ eventLoopUse }) => eventLoopUse)), ...tally };
}

/** Receive delays of the tokens whose stamps lie in `window`, seconds from the start. */
function delaysOf(tokens, startSeconds, window) {
  if (window === undefined) return [];
  const [from, to] = window.map((seconds) => startSeconds + seconds);
  return tokens
    .filter(({ text, seconds }) => text !== '' && seconds >= from && seconds <= to)
    .map(({ text, seconds }) => seconds + hrZero / 1000 - Number(text) / 1e9);
}

function createOurs(route) {
  const client = engine.createClient({
    baseUrl: `http://127.0.0.1:${job.port}/${route}`,
    headers: {},
    connections: 8192,
  });
  let closing = false;
  return {
    client,
    run: (pacing, count, onResult, onStarted) => {
      let spin = () => 0;
      const requests = requestsOf(count);
      const live = new engine.LiveFigures();
      return engine
        .dispatch({
          requests,
          pacing,
          client,
          timeoutSeconds: 300,
          keepRawBody: false,
          stop: new engine.StopControl(),
          live,
          graceSeconds: () => 0,
          onStarted: (startSeconds, ask) => {
            onStarted?.(startSeconds);
            spin = ask;
          },
          onResult: (_request, scheduled, result) => {
            // The streams in the background are broken off when the measurement is over.
            if (closing) return;
            if (result.outcome.kind !== 'ok') throw new Error(JSON.stringify(result.outcome));
            onResult(scheduled, result);
          },
          onNotSent: () => undefined,
        })
        .then(() => spin());
    },
    close: () => {
      closing = true;
      return client.close();
    },
  };
}

/** Counts what comes back from either client. */
function createTally(keepTokens) {
  const tally = { requests: 0, tokens: 0, lags: [], delays: [] };
  const count = (times, texts) => {
    tally.requests++;
    tally.tokens += times.length;
    if (keepTokens) for (const [index, text] of texts().entries()) tally.delays.push({ text, seconds: times[index] });
  };
  return {
    tally,
    ours: (scheduled, result) => {
      count(result.chunkSeconds, () => result.chunkTexts);
      tally.lags.push(result.sentSeconds - scheduled);
    },
    bare: ({ texts, times }) => count(times, () => texts),
  };
}

/**
 * So many streams at once, twice: the first time opens the connections. With `spread` they begin evenly over a second and last three, so
 * that from the first to the third second tokens come at an even rate; without, all begin at once.
 */
async function loop(route, concurrency, count, delays, spread) {
  const offsets = Float64Array.from({ length: count }, (_, index) => index / count);
  const pacing = spread ? { kind: 'open', offsets, inFlightCap: 8192 } : { kind: 'closed', concurrency };
  const warmUp = spread ? count : concurrency * 2;
  if (engine && job.workers) return pooledLoop(route, pacing, warmUp, count, delays);
  const { tally, ours, bare } = createTally(delays !== undefined);
  let startSeconds = 0;
  let measured;
  if (engine) {
    const runner = createOurs(route);
    await runner.run(pacing, warmUp, () => undefined);
    measured = await measure(() =>
      runner.run(pacing, count, ours, (seconds) => {
        startSeconds = seconds;
      }),
    );
    await runner.close();
  } else {
    const client = createBareClient(job.port, `/${route}/v1/completions`, body);
    await bareLoop(client, spread ? offsets : undefined, concurrency, warmUp, () => undefined);
    measured = await measure(() => {
      startSeconds = now();
      return bareLoop(client, spread ? offsets : undefined, concurrency, count, bare);
    });
    client.close();
  }
  return { ...measured, ...tally, delays: delaysOf(tally.delays, startSeconds, delays) };
}

async function bareLoop(client, offsets, concurrency, count, onAnswer) {
  let left = count;
  const start = now();
  const slot = async () => {
    while (left-- > 0) onAnswer(await client.send());
  };
  const at = async (offset) => {
    await new Promise((resolve) => setTimeout(resolve, (start + offset - now()) * 1000));
    onAnswer(await client.send());
  };
  await Promise.all(offsets ? Array.from(offsets, at) : Array.from({ length: concurrency }, slot));
  return 0;
}

async function measure(work) {
  const cpu = process.cpuUsage();
  const loop = performance.eventLoopUtilization();
  const start = now();
  const spinSeconds = await work();
  const used = process.cpuUsage(cpu);
  const { active, idle } = performance.eventLoopUtilization(loop);
  return {
    cpuSeconds: (used.user + used.system) / 1e6,
    wallSeconds: now() - start,
    // Waiting actively for a deadline is not work: it is there at once for anything that comes.
    eventLoopUse: Math.max(0, (active - spinSeconds * 1000) / (active + idle)),
  };
}

/** Poisson arrivals at a rate, alone or beside streams that are being received. */
async function lag() {
  const runner = createOurs(job.route);
  const count = Math.max(30, Math.round(job.rate * job.seconds));
  const offsets = new Float64Array(count);
  let at = 0;
  for (let index = 0; index < count; index++) offsets[index] = at -= Math.log(1 - Math.random()) / job.rate;
  const { tally, ours } = createTally(false);
  let background = Promise.resolve();
  let streams;
  if (job.streams > 0) {
    streams = createOurs(job.streamRoute);
    background = streams.run({ kind: 'closed', concurrency: job.streams }, job.streams, () => undefined);
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
  await runner.run(
    { kind: 'open', offsets: Float64Array.from({ length: 200 }, (_, i) => i / 1000), inFlightCap: 8192 },
    200,
    () => undefined,
  );
  const measured = await measure(() => runner.run({ kind: 'open', offsets, inFlightCap: 8192 }, count, ours));
  await streams?.close();
  await runner.close();
  await background.catch(() => undefined);
  return { ...measured, requests: tally.requests, lag: quantiles(tally.lags) };
}

/** Resident memory with so many streams open; tokens keep coming. */
async function memory() {
  const route = 'paced-40-500';
  if (engine) {
    const runner = createOurs(route);
    void runner.run({ kind: 'closed', concurrency: job.streams }, job.streams, () => undefined);
  } else {
    const client = createBareClient(job.port, `/${route}/v1/completions`, body);
    for (let index = 0; index < job.streams; index++) void client.send();
  }
  await new Promise((resolve) => setTimeout(resolve, 5000));
  return { rssMb: process.memoryUsage().rss / 1e6 };
}

const modes = {
  closed: async () => {
    const { lags, delays, ...rest } = await loop(
      job.route,
      job.concurrency,
      job.count,
      job.delays,
      job.spread === true,
    );
    void lags;
    return { ...rest, ...(job.delays ? { delay: quantiles(delays) } : {}) };
  },
  lag,
  memory,
};
process.stdout.write(`${JSON.stringify(await modes[job.mode]())}\n`, () => process.exit(0));
