// The OpenAI-compatible wire format as vLLM speaks it: requests in, events and answers out.
import type { AnswerPlan } from './model';
import type { SimulatorOptions } from './options';
import { END_TOKEN, decodeIds, tokenize } from './vocabulary';
import { isObject } from '../own';

export type Route = 'completion' | 'chat';

export interface ParsedRequest {
  readonly route: Route;
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** `stream_options.continuous_usage_stats`: usage so far in every event. */
  readonly continuousUsage: boolean;
  readonly maxTokens: number;
  readonly minTokens: number;
  readonly ignoreEos: boolean;
  readonly prompt: readonly string[];
  /** Prompts with another salt find nothing of this one in the prefix cache. */
  readonly cacheSalt: string;
}

export interface ApiError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
}

/** OpenAI's and vLLM's default for completions; chat may fill the context. */
const DEFAULT_COMPLETION_TOKENS = 16;

type JsonObject = Readonly<Record<string, unknown>>;

/** Reads a request as vLLM would, or says what it would answer instead. */
export function parseRequest(route: Route, body: string, options: SimulatorOptions): ParsedRequest | ApiError {
  const json = parseObject(body);
  if (json === undefined) return badRequest('The body is not a JSON object.');
  const refused = refusedFields(json, options);
  if (refused) return refused;
  const model = checkModel(json['model'], options);
  if (typeof model !== 'string') return model;
  const prompt =
    route === 'chat' ? chatPrompt(json['messages'], options.templateTokens) : completionPrompt(json['prompt']);
  if (typeof prompt === 'string') return badRequest(prompt);
  if (json['n'] !== undefined && json['n'] !== null && json['n'] !== 1) return badRequest('Only n = 1 is simulated.');
  const room = options.maxModelTokens - prompt.length;
  const asked =
    json['max_completion_tokens'] ?? json['max_tokens'] ?? (route === 'chat' ? room : DEFAULT_COMPLETION_TOKENS);
  if (!isCount(asked) || asked < 1)
    return badRequest(`max_tokens must be a whole number of at least 1, got ${JSON.stringify(asked)}.`);
  if (asked > room) {
    return badRequest(
      `The maximum context length is ${options.maxModelTokens} tokens, but ${prompt.length + asked} were asked for (${prompt.length} in the prompt, ${asked} to generate).`,
    );
  }
  const minTokens = json['min_tokens'] ?? 0;
  if (!isCount(minTokens) || minTokens > asked) return badRequest('min_tokens must be between 0 and max_tokens.');
  const streamOptions = isObject(json['stream_options']) ? json['stream_options'] : {};
  return {
    route,
    model,
    stream: json['stream'] === true,
    includeUsage: streamOptions['include_usage'] === true,
    continuousUsage: streamOptions['continuous_usage_stats'] === true,
    maxTokens: asked,
    minTokens,
    ignoreEos: json['ignore_eos'] === true,
    prompt,
    cacheSalt: typeof json['cache_salt'] === 'string' ? json['cache_salt'] : '',
  };
}

/** Of OpenAI's API, both routes. */
const KNOWN_FIELDS = new Set(
  'model prompt messages max_tokens max_completion_tokens stream stream_options n temperature top_p seed stop user logprobs top_logprobs echo best_of suffix frequency_penalty presence_penalty logit_bias response_format tools tool_choice metadata store reasoning_effort service_tier'.split(
    ' ',
  ),
);

function refusedFields(json: JsonObject, options: SimulatorOptions): ApiError | undefined {
  const unknown = options.strict ? Object.keys(json).filter((name) => !KNOWN_FIELDS.has(name)) : [];
  if (unknown.length > 0) {
    const message = `Unexpected fields in the request: {${unknown.map((name) => `'${name}'`).join(', ')}}`;
    return { status: 422, type: 'UnprocessableEntity', message };
  }
  if (!options.onlyMaxCompletionTokens || json['max_tokens'] === undefined) return undefined;
  return badRequest(
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  );
}

export function isApiError(value: object): value is ApiError {
  return 'status' in value;
}

function badRequest(message: string): ApiError {
  return { status: 400, type: 'BadRequestError', message };
}

function checkModel(model: unknown, options: SimulatorOptions): string | ApiError {
  if (typeof model !== 'string' || model === '') return badRequest('The field model is missing.');
  if (options.models.length === 0 || options.models.includes(model)) return model;
  return {
    status: 404,
    type: 'NotFoundError',
    message: `No such model: ${model}. Served here: ${options.models.join(', ')}.`,
  };
}

/** Tokens, or what is wrong. A prompt may be text or token ids, alone or as the only member of a list. */
function completionPrompt(prompt: unknown): readonly string[] | string {
  if (typeof prompt === 'string') return tokenize(prompt);
  if (!Array.isArray(prompt)) return 'The field prompt is missing.';
  const list = prompt as readonly unknown[];
  if (list.every(isCount) && list.length > 0) return tokenize(decodeIds(list));
  const [only] = list;
  return list.length === 1 ? completionPrompt(only) : 'Only one prompt per request is simulated.';
}

function chatPrompt(messages: unknown, templateTokens: number): readonly string[] | string {
  if (!Array.isArray(messages) || messages.length === 0) return 'The field messages is missing or empty.';
  const tokens: string[] = [];
  for (const message of messages as readonly unknown[]) {
    if (!isObject(message)) return 'A message is not an object.';
    for (let i = 0; i < templateTokens; i++) tokens.push(END_TOKEN);
    for (const token of tokenize(contentText(message['content']))) tokens.push(token);
  }
  return tokens;
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as readonly unknown[])
    .map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join(' ');
}

/** Text or messages to tokens, for `/tokenize`. */
export function tokenizePrompt(json: JsonObject, templateTokens: number): readonly string[] | string {
  return json['messages'] === undefined
    ? completionPrompt(json['prompt'])
    : chatPrompt(json['messages'], templateTokens);
}

export interface UsageNumbers {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Absent when there is no prefix cache: vLLM then sends no details. */
  readonly cachedTokens?: number;
  readonly reasoningTokens?: number;
}

function usageJson({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: UsageNumbers): object {
  return {
    prompt_tokens: promptTokens,
    total_tokens: promptTokens + completionTokens,
    completion_tokens: completionTokens,
    ...(cachedTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    ...(reasoningTokens === undefined ? {} : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}

/** Words as they are appended to the answer: with a space before each but the very first. */
export function wordsText(words: readonly string[], from: number, to: number): string {
  const text = words.slice(from, to).join(' ');
  return from === 0 || text === '' ? text : ` ${text}`;
}

export interface EventWriter {
  /** The events before the first token, if the route has any. */
  opening(): string;
  tokens(
    text: string,
    finishReason: string | undefined,
    usage: UsageNumbers | undefined,
    channel?: 'content' | 'reasoning_content',
  ): string;
  usage(usage: UsageNumbers): string;
  readonly done: string;
}

/** Events of one stream; what is the same in all of them is written once. */
export function createEventWriter(
  request: Pick<ParsedRequest, 'route' | 'model'>,
  id: string,
  createdSeconds: number,
): EventWriter {
  const chat = request.route === 'chat';
  const frame = (choices: string, usage: UsageNumbers | undefined): string => {
    const tail = usage === undefined ? '' : `,"usage":${JSON.stringify(usageJson(usage))}`;
    return `data: ${head}${choices}${tail}}\n\n`;
  };
  const head = `{"id":${JSON.stringify(id)},"object":"${chat ? 'chat.completion.chunk' : 'text_completion'}","created":${createdSeconds},"model":${JSON.stringify(request.model)},"choices":`;
  const reason = (finishReason: string | undefined): string =>
    finishReason === undefined ? 'null' : `"${finishReason}"`;
  return {
    opening: () =>
      chat
        ? frame(
            '[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]',
            undefined,
          )
        : '',
    tokens(text, finishReason, usage, channel = 'content') {
      const value = JSON.stringify(text);
      const choice = chat
        ? `[{"index":0,"delta":{"${channel}":${value}},"logprobs":null,"finish_reason":${reason(finishReason)}}]`
        : `[{"index":0,"text":${value},"logprobs":null,"finish_reason":${reason(finishReason)},"stop_reason":null}]`;
      return frame(choice, usage);
    },
    usage: (usage) => frame('[]', usage),
    done: 'data: [DONE]\n\n',
  };
}

/** A whole answer, not streamed. */
export function wholeAnswer(
  request: Pick<ParsedRequest, 'route' | 'model'>,
  id: string,
  createdSeconds: number,
  plan: Pick<AnswerPlan, 'words'> & { readonly finishReason: string | null; readonly reasoning: number },
  usage: UsageNumbers | undefined,
): string {
  const text = wordsText(plan.words, 0, plan.words.length);
  const chat = request.route === 'chat';
  const reasoning = chat && plan.reasoning > 0;
  const [thought, said] = reasoning
    ? [wordsText(plan.words, 0, plan.reasoning), wordsText(plan.words, plan.reasoning, plan.words.length)]
    : ['', text];
  const message = { role: 'assistant', content: said, ...(reasoning ? { reasoning_content: thought } : {}) };
  const content = chat ? { message } : { text };
  return JSON.stringify({
    id,
    object: chat ? 'chat.completion' : 'text_completion',
    created: createdSeconds,
    model: request.model,
    choices: [{ index: 0, ...content, logprobs: null, finish_reason: plan.finishReason }],
    ...(usage === undefined ? {} : { usage: usageJson(usage) }),
  });
}

export function errorJson({ status, type, message }: ApiError): string {
  return JSON.stringify({ error: { message, type, param: null, code: status } });
}

export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
