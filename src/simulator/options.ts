// What a simulated server can be told to be, with the defaults. Flags are read in cli/simulate.ts.

export const FAULT_KINDS = [
  'http429',
  'http500',
  'http503',
  'reset',
  'stall',
  'truncate',
  'error-in-stream',
  'empty',
  'ok-with-error-body',
  'slow',
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export interface SimulatorOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly seed: number;
  /** From admission to the first token, before prefill is added. */
  readonly ttftSeconds: number;
  /** Added to the time to first token for every prompt token that is not in the prefix cache. */
  readonly prefillSecondsPerToken: number;
  /** From one token of a sequence to its next. */
  readonly tokenSeconds: number;
  /** Every further running sequence makes a token this fraction slower; 0 for a server that does not slow down. */
  readonly loadFactor: number;
  /** Each interval is multiplied by a seeded factor, uniform in [1 - jitter, 1 + jitter]. */
  readonly jitter: number;
  /** Sequences that run at a time; more of them wait. */
  readonly slots: number;
  /** Sequences that may wait; more of them are turned away. */
  readonly queueLimit: number;
  readonly overloadStatus: 429 | 503;
  readonly prefixCache: boolean;
  /** Size of the key-value cache: the denominator of its use, and how much the prefix cache remembers. */
  readonly cacheTokens: number;
  readonly ignoreEos: 'honour' | 'ignore';
  /** Mean length of an answer that ends by itself, tokens. */
  readonly eosMean: number;
  readonly usage: boolean;
  readonly tokensPerChunk: number;
  /** Tokens a chat template adds to each message. */
  readonly templateTokens: number;
  readonly faultRate: number;
  readonly faultKinds: readonly FaultKind[];
  /** Names that are served; none: every name is accepted. */
  readonly models: readonly string[];
  readonly maxModelTokens: number;
  /** Fields that are not of OpenAI's API are refused with 422, as `transformers serve` does. */
  readonly strict: boolean;
  /** `max_tokens` is refused, as OpenAI's reasoning models do. */
  readonly onlyMaxCompletionTokens: boolean;
  /** Named in answers in place of the model that was asked for. */
  readonly answerModel?: string;
  /** So many tokens of each chat answer go over the reasoning channel first, and are counted as such in usage. */
  readonly reasoningTokens: number;
  /** False: streams end with [DONE] and never say why. */
  readonly finishReason: boolean;
  /** False: prefix-cache hits stand on /metrics only, as in vLLM without --enable-prompt-tokens-details. */
  readonly cachedUsage: boolean;
  /** Whose POST /tokenize it has. */
  readonly tokenizeRoute: 'vllm' | 'tgi' | 'llama.cpp' | 'none';
  /** When set, `/v1` answers 401 without it. */
  readonly apiKey?: string;
}

export const DEFAULT_MODEL = 'isoperf-simulated';

export const DEFAULT_OPTIONS: SimulatorOptions = {
  host: '127.0.0.1',
  port: 0,
  seed: 0,
  ttftSeconds: 0.05,
  prefillSecondsPerToken: 0,
  tokenSeconds: 0.01,
  loadFactor: 0,
  jitter: 0,
  slots: 256,
  queueLimit: Number.POSITIVE_INFINITY,
  overloadStatus: 503,
  prefixCache: false,
  cacheTokens: 1_048_576,
  ignoreEos: 'honour',
  eosMean: 128,
  usage: true,
  tokensPerChunk: 1,
  templateTokens: 0,
  faultRate: 0,
  faultKinds: FAULT_KINDS,
  models: [],
  maxModelTokens: 131_072,
  strict: false,
  onlyMaxCompletionTokens: false,
  reasoningTokens: 0,
  finishReason: true,
  cachedUsage: true,
  tokenizeRoute: 'vllm',
};
