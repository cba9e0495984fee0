// Results of other tools with one entry per request, made from one seeded truth: the same requests in each tool's words.
import { Draw } from './seeded';

/** Seconds of one clock; an answer of `gaps.length + 1` chunks, each of `perChunk` tokens. */
export interface TrueRequest {
  readonly sent: number;
  readonly ttft: number;
  readonly gaps: readonly number[];
  readonly prompt: number;
  readonly tokens: number;
  readonly failed: boolean;
}

export interface Truth {
  readonly seed: number;
  readonly requests: number;
  readonly rateRps: number;
  readonly ttftSeconds: number;
  readonly gapSeconds: number;
  readonly chunks?: number;
  readonly perChunk?: number;
  readonly startSeconds?: number;
  /** Every n-th request fails. */
  readonly failEvery?: number;
}

export function trueRequests(truth: Truth): TrueRequest[] {
  const { requests, rateRps, ttftSeconds, gapSeconds, chunks = 20, perChunk = 1, failEvery = Infinity } = truth;
  const draw = new Draw(truth.seed);
  let sent = truth.startSeconds ?? 1000;
  return Array.from({ length: requests }, (_, i) => {
    sent += -Math.log(1 - draw.next()) / rateRps;
    return {
      sent,
      ttft: ttftSeconds * (0.8 + 0.4 * draw.next()),
      gaps: Array.from({ length: chunks - 1 }, () => gapSeconds * (0.9 + 0.2 * draw.next())),
      prompt: 100 + Math.floor(20 * draw.next()),
      tokens: chunks * perChunk,
      failed: (i + 1) % failEvery === 0,
    };
  });
}

export function endOf({ sent, ttft, gaps }: TrueRequest): number {
  return gaps.reduce((sum, gap) => sum + gap, sent + ttft);
}

/** vLLM's --save-detailed. @param starts false: as versions before `start_times` wrote it */
export function vllmDetailed(all: readonly TrueRequest[], rateRps: number, starts = true): string {
  const ok = all.filter(({ failed }) => !failed);
  const ms = (values: readonly number[]): number => (1000 * values.reduce((sum, x) => sum + x, 0)) / values.length;
  const duration = Math.max(...all.map(endOf)) - all[0]!.sent;
  const tokens = ok.reduce((sum, request) => sum + request.tokens, 0);
  const prompts = ok.reduce((sum, request) => sum + request.prompt, 0);
  const tpots = ok.map(({ gaps, tokens: n }) => gaps.reduce((sum, gap) => sum + gap, 0) / (n - 1));
  return JSON.stringify({
    date: '20261129-120000',
    backend: 'openai',
    model_id: 'org/model-8b',
    tokenizer_id: 'org/model-8b',
    num_prompts: all.length,
    request_rate: rateRps,
    burstiness: 1,
    max_concurrency: null,
    duration,
    completed: ok.length,
    failed: all.length - ok.length,
    total_input_tokens: prompts,
    total_output_tokens: tokens,
    request_throughput: ok.length / duration,
    output_throughput: tokens / duration,
    total_token_throughput: (prompts + tokens) / duration,
    mean_ttft_ms: ms(ok.map(({ ttft }) => ttft)),
    mean_tpot_ms: ms(tpots),
    mean_itl_ms: ms(ok.flatMap(({ gaps }) => gaps)),
    input_lens: all.map(({ prompt }) => prompt),
    output_lens: all.map(({ tokens: n, failed }) => (failed ? 0 : n)),
    ttfts: all.map(({ ttft, failed }) => (failed ? 0 : ttft)),
    itls: all.map(({ gaps, failed }) => (failed ? [] : gaps)),
    ...(starts ? { start_times: all.map(({ sent }) => sent) } : {}),
    generated_texts: all.map(() => ''),
    errors: all.map(({ failed }) => (failed ? 'boom' : '')),
  });
}

/** AIPerf's per-request JSONL. @param chunks false: a run that kept no inter-chunk latencies */
export function aiperfLines(all: readonly TrueRequest[], chunks = true): string {
  return all
    .map((request) => {
      const { sent, ttft, gaps, prompt, tokens, failed } = request;
      const ms = (value: unknown): unknown => ({ value, unit: 'ms' });
      const latency = endOf(request) - sent;
      const metrics = {
        input_sequence_length: { value: prompt, unit: 'tokens' },
        output_sequence_length: { value: tokens, unit: 'tokens' },
        request_latency: ms(1000 * latency),
        time_to_first_token: ms(1000 * ttft),
        inter_token_latency: ms((1000 * (latency - ttft)) / (tokens - 1)),
        ...(chunks ? { inter_chunk_latency: ms(gaps.map((gap) => 1000 * gap)) } : {}),
      };
      return JSON.stringify({
        metadata: {
          request_start_ns: Math.round(sent * 1e9),
          request_end_ns: Math.round(endOf(request) * 1e9),
          benchmark_phase: 'profiling',
          was_cancelled: false,
        },
        metrics: failed ? {} : metrics,
        error: failed ? { code: 500, type: 'x', message: 'boom' } : null,
      });
    })
    .join('\n');
}

/** One stage of inference-perf: its lifecycle report, as far as a comparison asks. */
export function lifecycle(all: readonly TrueRequest[], rateRps: number): string {
  const ok = all.filter(({ failed }) => !failed);
  const span = Math.max(...all.map(endOf)) - Math.min(...all.map(({ sent }) => sent));
  const stat = (values: readonly number[]): unknown => {
    const sorted = [...values].sort((a, b) => a - b);
    return {
      mean: values.reduce((sum, x) => sum + x, 0) / values.length,
      min: sorted[0],
      median: sorted[Math.floor(sorted.length / 2)],
      max: sorted.at(-1),
    };
  };
  const tokens = ok.reduce((sum, request) => sum + request.tokens, 0);
  return JSON.stringify({
    load_summary: {
      count: all.length,
      schedule_delay: stat(all.map(() => 0.001)),
      requested_rate: rateRps,
      achieved_rate: all.length / span,
    },
    benchmark_time_seconds: span,
    successes: {
      count: ok.length,
      latency: {
        request_latency: stat(ok.map((request) => endOf(request) - request.sent)),
        time_to_first_token: stat(ok.map(({ ttft }) => ttft)),
      },
      throughput: {
        input_tokens_per_sec: 1,
        output_tokens_per_sec: tokens / span,
        total_tokens_per_sec: 1 + tokens / span,
        requests_per_sec: ok.length / span,
      },
      prompt_len: stat(ok.map(({ prompt }) => prompt)),
      output_len: stat(ok.map(({ tokens: n }) => n)),
    },
    failures: { count: all.length - ok.length, request_latency: null, prompt_len: null },
  });
}

export type Generation = 'v0.1' | 'v0.4' | 'v0.5' | 'main';

/** inference-perf's per-request file in the keys of each generation; up to v0.2 every token was stamped twice. */
export function perRequest(all: readonly TrueRequest[], generation: Generation): string {
  const entries = all.map((request) => {
    const { sent, ttft, gaps, prompt, tokens, failed } = request;
    const chunks: number[] = [sent + ttft];
    for (const gap of gaps) chunks.push(chunks.at(-1)! + gap);
    const perChunk = tokens / chunks.length;
    const each = generation === 'v0.1' ? 2 : 1;
    const stamps = chunks.flatMap((time) => new Array<number>(perChunk * each).fill(time));
    const flat = { input_tokens: prompt, output_tokens: tokens, output_token_times: failed ? [] : stamps };
    const info = {
      'v0.1': flat,
      'v0.4': { ...flat, lora_adapter: null },
      'v0.5': {
        input_tokens: prompt,
        extra_info: {},
        response_info: { output_tokens: tokens, output_token_times: flat.output_token_times },
      },
      main: {
        request_metrics: { text: { input_tokens: prompt } },
        response_metrics: {
          output_tokens: tokens,
          server_usage: { prompt_tokens: prompt, completion_tokens: tokens },
          chunk_times: failed ? [] : chunks,
          output_token_times: flat.output_token_times,
        },
        labels: {},
      },
    }[generation];
    return {
      start_time: sent,
      end_time: endOf(request),
      request: '{"prompt":"x"}',
      response: 'data: {}',
      info,
      error: failed ? { error_type: 'Boom', error_msg: 'boom' } : null,
    };
  });
  // As inference-perf does: in the order they ended.
  return JSON.stringify(entries.sort((a, b) => a.end_time - b.end_time));
}
