// inference-perf's `*_lifecycle_metrics.json`, main's layout (reference inference-perf.md section 5.2). Seconds, tokens, bytes.

/** `mean`, `min`, `max`, then `median` or `p<q>` for each configured percentile; null where nothing was measured. */
export type Stat = Readonly<Record<string, number>> | null;

export interface LifecycleReport {
  readonly benchmark_time_seconds: number;
  readonly load_summary: {
    readonly count: number;
    readonly schedule_delay: Stat;
    readonly send_duration?: number;
    readonly requested_rate?: number;
    readonly achieved_rate?: number;
    readonly concurrency?: number;
  };
  readonly successes: {
    readonly count: number;
    readonly latency: {
      readonly request_latency: Stat;
      readonly normalized_time_per_output_token: Stat;
      readonly time_per_output_token: Stat;
      readonly time_to_first_token: Stat;
      readonly inter_token_latency: Stat;
    };
    readonly throughput: {
      readonly input_tokens_per_sec: number | null;
      readonly output_tokens_per_sec: number | null;
      readonly total_tokens_per_sec: number | null;
      readonly requests_per_sec: number;
      /** The media's only where some were sent. */
      readonly images_per_sec?: number;
      readonly videos_per_sec?: number;
      readonly audios_per_sec?: number;
    };
    readonly request_size_bytes: Stat;
    readonly prompt_tokens: Readonly<Record<string, number>> | null;
    readonly output_len: Stat;
    readonly output_tokens: Readonly<Record<string, number>> | null;
    /** Media of the successes: `count` over requests, the rest over items. Kinds that were not sent are absent. */
    readonly image?: Readonly<Record<string, Stat>>;
    readonly video?: Readonly<Record<string, Stat>>;
    readonly audio?: Readonly<Record<string, Stat>>;
    readonly token_count_mismatches: number;
    readonly goodput_metrics?: Readonly<Record<string, number>>;
  };
  readonly failures: {
    readonly count: number;
    readonly request_latency: Stat;
    readonly prompt_tokens: Readonly<Record<string, number>> | null;
    readonly by_label: Readonly<
      Record<string, { readonly count: number; readonly messages: readonly { readonly message: string }[] }>
    >;
  };
  /** Requests sent more than once (inference-perf 0.7.0); absent where there were none. */
  readonly retries?: {
    readonly requests_retried: number;
    /** Beyond the first of each. */
    readonly attempts: number;
    readonly recovered: number;
    readonly failed_after_retry: number;
    readonly wasted_sec_total: number;
    readonly wasted_sec: Stat;
  };
  /** Ours, beside inference-perf's keys (its readers ignore it). */
  readonly isoperf?: {
    /** Dotted key -> why its value is null, or what its numbers leave out. */
    readonly not_measured: Readonly<Record<string, string>>;
    /** Latencies of the successes from the scheduled instead of the send time: lateness of the client included. */
    readonly from_scheduled_time?: { readonly request_latency: Stat; readonly time_to_first_token: Stat };
    /**
     * Gaps between arrivals that carry a token, in vLLM's words its ITL. Beside `inter_token_latency` where that is between tokens and
     * chunks carried several; there it has a 0 for each token after a chunk's first.
     */
    readonly chunk_gap?: Stat;
    /**
     * `firstContentSeconds` minus `sentSeconds` of each success that came to visible content. Only where answers had reasoning or tool
     * calls, which TTFT counts as first tokens.
     */
    readonly time_to_first_content?: Stat;
    /** Dotted key -> how our number differs from inference-perf's of the same name, where it does in this report. */
    readonly differs_from_inference_perf?: Readonly<Record<string, string>>;
  };
}
