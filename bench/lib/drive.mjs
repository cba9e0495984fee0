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
async function pooledLoop(route, concurrency, count, withDelays) {
  const pool = await engine.WorkerPool.start({
    count: job.workers,
    file: job.workerFile,
    client: { baseUrl: `http://127.0.0.1:${job.port}/${route}`, headers: {}, connections: 8192 },
  });
  const send = async (number, ended) => {
    const stage = { plan: { pacing: { kind: 'closed', concurrency } }, requests: requestsOf(number) };
    const { done } = pool.run({
      stage,
      timeoutSeconds: 300,
      answers: { texts: withDelays, raw: false },
      stop: new engine.StopControl(),
      graceSeconds: () => 0,
      zeroSeconds: 0,
      onStarted: () => undefined,
      onEnded: (each) => ended.push(each),
      onCrash: (why) => {
        throw new Error(why);
      },
    });
    return done;
  };
  await send(concurrency * 2, []);
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
    if (!withDelays) continue;
    for (const [index, text] of JSON.parse(answer).chunks.entries()) {
      if (text !== '') tally.delays.push(chunkSeconds[index] + hrZero / 1000 - Number(text) / 1e9);
    }
  }
  return { ...measured, eventLoopUse: Math.max(...threads.map(({ eventLoopUse }) => eventLoopUse)), ...tally };
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
    run: (pacing, count, onResult) => {
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
          onStarted: (_, ask) => {
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
function createTally(withDelays) {
  const tally = { requests: 0, tokens: 0, lags: [], delays: [] };
  return {
    tally,
    ours: (scheduled, result) => {
      tally.requests++;
      tally.tokens += result.chunkSeconds.length;
      tally.lags.push(result.sentSeconds - scheduled);
      if (!withDelays) return;
      for (const [index, text] of result.chunkTexts.entries()) {
        tally.delays.push(result.chunkSeconds[index] + hrZero / 1000 - Number(text) / 1e9);
      }
    },
    bare: ({ texts }) => {
      tally.requests++;
      tally.tokens += texts.length;
    },
  };
}

async function closedLoop(route, concurrency, count, withDelays = false) {
  if (engine && job.workers) return pooledLoop(route, concurrency, count, withDelays);
  const { tally, ours, bare } = createTally(withDelays);
  if (engine) {
    const runner = createOurs(route);
    await runner.run({ kind: 'closed', concurrency }, concurrency * 2, () => undefined);
    const measured = await measure(() => runner.run({ kind: 'closed', concurrency }, count, ours));
    await runner.close();
    return { ...measured, ...tally };
  }
  const client = createBareClient(job.port, `/${route}/v1/completions`, body);
  const go = async (total, onAnswer) => {
    let left = total;
    await Promise.all(
      Array.from({ length: concurrency }, async () => {
        while (left-- > 0) onAnswer(await client.send());
      }),
    );
    return 0;
  };
  await go(concurrency * 2, () => undefined);
  const measured = await measure(() => go(count, bare));
  client.close();
  return { ...measured, ...tally };
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
    const { lags, delays, ...rest } = await closedLoop(job.route, job.concurrency, job.count, job.delays === true);
    void lags;
    return { ...rest, ...(job.delays === true ? { delay: quantiles(delays) } : {}) };
  },
  lag,
  memory,
};
process.stdout.write(`${JSON.stringify(await modes[job.mode]())}\n`, () => process.exit(0));
