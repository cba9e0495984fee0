// per_request_lifecycle_metrics.json: one array in inference-perf main's layout, written entry by entry (reference 5.6).
import type { RequestRecord } from '../metrics/record';
import { instancesOf, MEDIA_KINDS } from '../metrics/media';
import { inputTokens, startSeconds } from '../metrics/request-metrics';
import { LineFile } from './write-lines';

export interface PerRequestEntry {
  readonly record: RequestRecord;
  /** The request's JSON body. */
  readonly request: string;
  /** The answer as received. */
  readonly response: string;
}

/** Owns the file; entries come in planned order (upstream's in that of completion). Cancelled requests are in no file of inference-perf's. */
export class PerRequestFile {
  private pending: string | undefined;

  private constructor(
    private readonly lines: LineFile,
    /** Added to every time: inference-perf's are seconds of the monotonic clock, not of the run. */
    private readonly zeroSeconds: number,
  ) {}

  static async create(file: string, zeroSeconds: number): Promise<PerRequestFile> {
    const lines = await LineFile.create(file);
    lines.append('[');
    return new PerRequestFile(lines, zeroSeconds);
  }

  async add(entry: PerRequestEntry): Promise<void> {
    if (entry.record.outcome.kind !== 'ok' && entry.record.outcome.kind !== 'failed') return;
    if (this.pending !== undefined) this.lines.append(`${this.pending},`);
    this.pending = indent(JSON.stringify(entryOf(entry, this.zeroSeconds), null, 2));
    await this.lines.drained();
  }

  /** Rejects with the disk's error, if there was one. */
  async close(): Promise<void> {
    if (this.pending !== undefined) this.lines.append(this.pending);
    this.lines.append(']');
    await this.lines.close();
    if (this.lines.error) throw this.lines.error;
  }
}

function indent(text: string): string {
  return `  ${text.replaceAll('\n', '\n  ')}`;
}

function entryOf({ record, request, response }: PerRequestEntry, zeroSeconds: number): unknown {
  const { outcome, usage } = record;
  const clock = (seconds: number | undefined): number | null => (seconds === undefined ? null : seconds + zeroSeconds);
  const input = inputTokens(record, 'mixed') ?? null;
  const streamed = record.firstTokenSeconds !== undefined;
  return {
    start_time: clock(startSeconds(record)),
    end_time: clock(record.endSeconds),
    request,
    response,
    info: {
      request_metrics: { text: { input_tokens: input }, ...mediaMetrics(record) },
      response_metrics: {
        output_tokens: record.clientOutputTokens ?? null,
        server_usage: usage ? serverUsage(record) : null,
        ...(streamed
          ? {
              chunk_times: record.chunkSeconds.map(clock),
              output_token_times: tokenSeconds(record).map(clock),
            }
          : {}),
      },
      extra_info: {},
      lora_adapter: record.adapter ?? null,
      labels: null,
      input_tokens: input,
      ...retryInfo(record),
    },
    error: outcome.kind === 'failed' ? { error_type: outcome.errorType, error_msg: outcome.message } : null,
  };
}

/** As inference-perf 0.7.0: no key in a request that was sent once. */
function retryInfo({ retries }: RequestRecord): object {
  if (!retries) return {};
  const { attempts, recovered, wastedSeconds } = retries;
  return { retries_attempted: attempts, retries_recovered: recovered, retry_wasted_sec: wastedSeconds };
}

/** Null for a kind that the request had none of. */
function mediaMetrics({ media = {} }: RequestRecord): object {
  return Object.fromEntries(
    MEDIA_KINDS.map((kind) => {
      const instances = instancesOf(media, kind);
      return [kind, instances.length > 0 ? { count: instances.length, instances } : null];
    }),
  );
}

/** A chunk's arrival once per token in it, as inference-perf does when the config names a tokenizer. */
function tokenSeconds({ chunkSeconds, chunkTokens }: RequestRecord): readonly number[] {
  if (!chunkTokens) return chunkSeconds;
  return chunkSeconds.flatMap((seconds, index) => new Array<number>(chunkTokens[index] ?? 0).fill(seconds));
}

function serverUsage({ usage }: RequestRecord): unknown {
  const { promptTokens, completionTokens, cachedPromptTokens, reasoningTokens } = usage ?? {};
  return {
    ...(promptTokens === undefined ? {} : { prompt_tokens: promptTokens }),
    ...(completionTokens === undefined ? {} : { completion_tokens: completionTokens }),
    ...(cachedPromptTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedPromptTokens } }),
    ...(reasoningTokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}
