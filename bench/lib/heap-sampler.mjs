// Loaded into a run before it starts (`node --expose-gc --import`): what is really held, every few seconds, as lines of JSON.
import { appendFileSync } from 'node:fs';

setInterval(() => {
  globalThis.gc();
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  const line = JSON.stringify({ at: performance.now() / 1000, rss, heapUsed, external, arrayBuffers });
  appendFileSync(process.env.ISOPERF_HEAP_FILE, `${line}\n`);
}, 5000).unref();
