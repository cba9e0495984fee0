// How fast large per-request files are opened: 1 M requests of inference-perf (target: under 5 s, under 1 GB), 25 MB of vLLM's
// --save-detailed (target: under 1 s). Run: node bench/open-records.mjs [requests] [tokens per request]
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';

const requests = Number(process.argv[2] ?? 1_000_000);
const tokens = Number(process.argv[3] ?? 8);
const place = mkdtempSync(path.join(os.tmpdir(), 'isoperf-bench-'));

/** A growing clock and lengths that differ, so that nothing is a constant. */
function entry(i) {
  const start = 12345.678901234 + i * 0.00125;
  const n = 2 + ((i * 7) % (2 * tokens - 3));
  const times = Array.from({ length: n }, (_, k) =>
    Number((start + 0.031 + k * 0.0101 + ((i + k) % 13) * 1e-4).toFixed(9)),
  );
  return {
    start_time: start,
    end_time: times[n - 1] + 0.0007,
    request: JSON.stringify({ model: 'm', prompt: `word ${i} `.repeat(6), max_tokens: n }),
    response: 'data: {}\n'.repeat(4),
    info: {
      request_metrics: { text: { input_tokens: 20 + (i % 50) }, image: null, video: null, audio: null },
      response_metrics: {
        output_tokens: n,
        server_usage: { prompt_tokens: 21 + (i % 50), completion_tokens: n },
        chunk_times: times,
        output_token_times: times,
      },
      input_tokens: 20 + (i % 50),
    },
    error: i % 1000 === 999 ? { error_type: 'HTTP Error 500', error_msg: 'x' } : null,
  };
}

async function writeInferencePerf(file) {
  const out = createWriteStream(file);
  out.write('[\n');
  for (let i = 0; i < requests; i++) {
    const text = JSON.stringify(entry(i), null, 2).replaceAll('\n', '\n  ');
    if (!out.write(`  ${text}${i + 1 < requests ? ',' : ''}\n`)) await once(out, 'drain');
  }
  out.end(']\n');
  await once(out, 'finish');
}

async function writeVllm(file, megabytes) {
  const count = Math.ceil((megabytes * 1e6) / (250 * 16));
  const rows = (make) => Array.from({ length: count }, (_, i) => make(i));
  const itls = rows((i) => Array.from({ length: 250 }, (_, k) => 0.0100000000001 + ((i * 31 + k) % 997) * 1e-6));
  const value = {
    date: '20260722-060114',
    backend: 'vllm',
    model_id: 'm',
    tokenizer_id: 'm',
    num_prompts: count,
    request_rate: 10,
    burstiness: 1,
    max_concurrency: null,
    duration: 100,
    completed: count,
    failed: 0,
    total_input_tokens: count * 100,
    total_output_tokens: count * 251,
    request_throughput: count / 100,
    mean_ttft_ms: 50,
    median_ttft_ms: 50,
    mean_tpot_ms: 10,
    mean_itl_ms: 10,
    input_lens: rows(() => 100),
    output_lens: rows(() => 251),
    ttfts: rows((i) => 0.05 + (i % 7) * 1e-3),
    itls,
    start_times: rows((i) => 1000 + i * 0.1),
    generated_texts: rows(() => ''),
    errors: rows(() => ''),
  };
  const out = createWriteStream(file);
  out.end(JSON.stringify(value));
  await once(out, 'finish');
}

/** Peak of the resident set while something runs. */
async function measured(name, work) {
  globalThis.gc?.();
  let peak = process.memoryUsage().rss;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
  const from = performance.now();
  const cpuFrom = process.cpuUsage();
  const detail = await work();
  const seconds = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(cpuFrom);
  clearInterval(timer);
  console.log(
    `${name}: ${seconds.toFixed(2)} s (${((user + system) / 1e6).toFixed(2)} s of CPU), peak ${Math.round(Math.max(peak, process.memoryUsage().rss) / 1e6)} MB${detail}`,
  );
}

try {
  const bundle = path.join(place, 'records.mjs');
  await build({
    stdin: {
      contents: `export { openReports } from './src/readers/open'; export { openRecords, ownDefinition } from './src/readers/records/open-records';
        export { recompute } from './src/readers/records/recompute'; export { accessTo } from './src/cli/access';`,
      resolveDir: process.cwd(),
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: bundle,
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  const isoperf = await import(bundle);
  const open = async (file) => {
    const opened = await isoperf.openReports(isoperf.accessTo(file, process.cwd()));
    const one = opened.value.reports[0];
    const records = await isoperf.openRecords(one);
    const again = isoperf.recompute(records.requests, isoperf.ownDefinition(one.report), file);
    return ` for ${again.counts.total.toLocaleString('en-US')} requests, ${Math.round(statSync(file).size / 1e6)} MB on disk`;
  };
  const big = path.join(place, 'per_request_lifecycle_metrics.json');
  await writeInferencePerf(big);
  await measured('inference-perf per-request file, opened and recomputed', () => open(big));
  const detailed = path.join(place, 'detailed.json');
  await writeVllm(detailed, 25);
  await measured('vLLM detailed file, opened and recomputed', () => open(detailed));
} finally {
  rmSync(place, { recursive: true, force: true });
}
