// The record of one request: the raw material of every number the product prints.
import type { RequestMedia } from './media';

/**
 * Times are seconds on the run's monotonic clock, counted from the run's zero (see RunManifest.clock).
 * Socket times are taken at the data event, before any parsing. `undefined` means "did not happen" or "not measured".
 */
export interface RequestRecord {
  /** Position in the planned stream, from 0, unique in the run. */
  readonly id: number;
  readonly stage: number;
  /** When the schedule wanted it sent. For a closed loop: when its slot became free. NaN in results of a tool that did not record it. */
  readonly scheduledSeconds: number;
  /** When the request was handed to the socket. */
  readonly sentSeconds?: number;
  /** For a request that never reached a socket (refused, no connection in time): when the client tried to send it. */
  readonly attemptedSeconds?: number;
  /** First byte of the response's body. */
  readonly firstByteSeconds?: number;
  /** First non-empty delta on any channel (content, reasoning, tool call). Streaming only. */
  readonly firstTokenSeconds?: number;
  /** First non-empty content delta. Streaming only. */
  readonly firstContentSeconds?: number;
  /** Arrival of every token-carrying event, ascending. Empty when not streaming. */
  readonly chunkSeconds: readonly number[];
  /**
   * Set where `chunkSeconds` holds only the first and the last moment, as some tools record it: how many chunks there were, NaN when
   * nobody counted them. There are then no gaps. Never in records of ours.
   */
  readonly chunkCount?: number;
  /** Client-tokenizer count per entry of `chunkSeconds`; absent when no tokenizer was at hand. */
  readonly chunkTokens?: readonly number[];
  /** Arrival of the last token-carrying event; for a body that is not streamed, its last byte. */
  readonly lastTokenSeconds?: number;
  /** Last byte of the response, or the moment of failure or cancellation. */
  readonly endSeconds?: number;
  readonly outcome: Outcome;
  /** What the server said it counted; a field it did not send is absent, never 0. */
  readonly usage?: ServerUsage;
  readonly finishReason?: string;
  /** The model that the answer names, by the server's own word. */
  readonly answeredModel?: string;
  /** Hash of a whole answer's text (all channels, whatever its chunks): equal answers have equal hashes. */
  readonly answerHash?: string;
  /** Prompt length the workload asked for, tokens; absent when the workload does not fix one. */
  readonly askedPromptTokens?: number;
  /** `max_tokens` that was sent. */
  readonly maxTokens?: number;
  /** Client-tokenizer count of the prompt (special tokens as the config's data type counts them). */
  readonly clientPromptTokens?: number;
  /** Client-tokenizer count of the whole answer, without special tokens. */
  readonly clientOutputTokens?: number;
  /** UTF-8 length of the request's JSON body. */
  readonly requestBytes?: number;
  /** LoRA adapter that was asked for in place of the model (`load.lora_traffic_split`). */
  readonly adapter?: string;
  /** Images, videos and sounds that were sent with the text. */
  readonly media?: RequestMedia;
  /** Absent where the first attempt was the only one. */
  readonly retries?: RequestRetries;
  /** Hash of the request body without the model name: the same prompt and parameters have the same hash. Empty where a tool kept no prompt. */
  readonly promptHash: string;
}

/** What `load.request_retries` made of a request; its times count from the first attempt. */
export interface RequestRetries {
  /** After the first. */
  readonly attempts: number;
  /** The last attempt succeeded. */
  readonly recovered: boolean;
  /** Failed attempts and the pauses between them; of a request that never succeeded, all its time. */
  readonly wastedSeconds: number;
}

export interface ServerUsage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cachedPromptTokens?: number;
  readonly reasoningTokens?: number;
}

export type Outcome =
  | { readonly kind: 'ok' }
  | {
      readonly kind: 'failed';
      /** Class of the failure in inference-perf's words: `HTTP Error 429`, `TimeoutError`, `ClientConnectorError`, ... */
      readonly errorType: string;
      /** Label reports group by: `429 - Rate Limit`, `Timeout`, `Connection Error`, `error in stream`, `empty answer`, ... */
      readonly label: string;
      readonly message: string;
      readonly httpStatus?: number;
    }
  /** Sent, then given up by us (stop, stage deadline). */
  | { readonly kind: 'cancelled'; readonly reason: string }
  /** Planned, never sent (stop before its time, breaker, the stage's deadline). */
  | { readonly kind: 'notSent'; readonly reason: string };

export interface OutcomeCounts {
  readonly planned: number;
  readonly ok: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly notSent: number;
}
