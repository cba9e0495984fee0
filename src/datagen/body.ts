// Request bodies as inference-perf sends them (reference 4.1), serialised once, before the clock starts.
import { createHash } from 'node:crypto';
import { jsonDigits } from '../figures';
import { textOf, type ChatMessage, type PromptContent } from './prompts';

export interface BodyOptions {
  readonly model: string;
  readonly api: 'completion' | 'chat' | 'anthropic_messages';
  readonly streaming: boolean;
  readonly ignoreEos: boolean;
  /** The length asked for goes into `max_completion_tokens`: some servers take nothing else. */
  readonly maxCompletionTokens?: true | undefined;
  /** Temperature 0 is sent; without it the server's default decides. */
  readonly greedy?: true | undefined;
  /** vLLM's `cache_salt`: equal prompts with another salt find nothing of each other in the prefix cache. No part of the prompt's hash. */
  readonly cacheSalt?: string | undefined;
  /** `api.response_format`, null or undefined when it is not set. */
  readonly responseFormat?: ResponseFormat | undefined;
  /** False for prompts that hold their special tokens (chat templates): the server adds none. */
  readonly addSpecialTokens?: false | undefined;
}

export interface ResponseFormat {
  readonly type: 'json_schema' | 'json_object';
  readonly name: string;
  readonly jsonSchema: unknown;
}

export const ROUTES = {
  completion: '/v1/completions',
  chat: '/v1/chat/completions',
  anthropic_messages: '/v1/messages',
} as const;

/** inference-perf's max_tokens where a generator fixes none (openai_client.py:97). */
export const DEFAULT_MAX_TOKENS = 30;

export interface SerialisedBody {
  readonly body: string;
  readonly bytes: number;
  /** Hash of the body without the model name and the salt: the same prompt and parameters have the same hash, whatever the model. */
  readonly promptHash: string;
}

/** Makes the bodies of one run. Key order as inference-perf's; for chat a plain text is one user message. */
export function bodyMaker(options: BodyOptions): (content: PromptContent, maxTokens: number) => SerialisedBody {
  const head = modelHead(options);
  return (content, maxTokens) => {
    const rest = `${JSON.stringify(contentField(options.api, content)).slice(0, -1)},${jsonDigits(parameters(options, maxTokens)).slice(1)}`;
    const body = head + rest.slice(1);
    return { body, bytes: Buffer.byteLength(body), promptHash: hashOf(rest) };
  };
}

/** What stands before and after the text of a completion whose prompt is known only when it is sent; quotes included. */
export function turnFrame(options: BodyOptions, maxTokens: number): { readonly head: string; readonly tail: string } {
  const rest = jsonDigits(parameters(options, maxTokens));
  return { head: `${modelHead(options)}"prompt":"`, tail: `",${rest.slice(1)}` };
}

/** 128 bits keep a journal line short and are far beyond chance for any number of requests. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** What every body carries beside the model and the prompt. */
export function parameters(options: Omit<BodyOptions, 'model'>, maxTokens: number): Record<string, unknown> {
  const { streaming, ignoreEos, responseFormat, addSpecialTokens, maxCompletionTokens, greedy } = options;
  const sampling = greedy ? { temperature: 0 } : {};
  // The Messages API knows none of the rest; inference-perf leaves it out as well.
  if (options.api === 'anthropic_messages') return { max_tokens: maxTokens, stream: streaming, ...sampling };
  return {
    [maxCompletionTokens ? 'max_completion_tokens' : 'max_tokens']: maxTokens,
    // False is every server's default, and strict ones refuse a field they do not know. inference-perf sends it all the same.
    ...(ignoreEos ? { ignore_eos: true } : {}),
    stream: streaming,
    ...(streaming ? { stream_options: { include_usage: true } } : {}),
    ...sampling,
    ...(addSpecialTokens === false ? { add_special_tokens: false } : {}),
    ...(responseFormat ? { response_format: responseFormatField(responseFormat) } : {}),
  };
}

function modelHead({ model, cacheSalt }: Pick<BodyOptions, 'model' | 'cacheSalt'>): string {
  const salt = cacheSalt === undefined ? '' : `"cache_salt":${JSON.stringify(cacheSalt)},`;
  return `{"model":${JSON.stringify(model)},${salt}`;
}

function contentField(api: BodyOptions['api'], content: PromptContent): Record<string, unknown> {
  if (api === 'chat') return { messages: messagesOf(content) };
  if (api === 'anthropic_messages') return anthropicFields(messagesOf(content));
  return { prompt: typeof content === 'string' ? content : content.map(textOf).join('\n') };
}

/** System texts go into a field of their own, joined by a blank line; the rest are turns of user and assistant. */
function anthropicFields(messages: readonly ChatMessage[]): Record<string, unknown> {
  const system = messages.filter(({ role }) => role === 'system').map(textOf);
  const turns = messages.filter(({ role }) => role !== 'system');
  return {
    messages: turns.map(({ role, content }) => ({ role: role === 'assistant' ? 'assistant' : 'user', content })),
    ...(system.length > 0 ? { system: system.join('\n\n') } : {}),
  };
}

function messagesOf(content: PromptContent): readonly ChatMessage[] {
  return typeof content === 'string' ? [{ role: 'user', content }] : content;
}

function responseFormatField({ type, name, jsonSchema }: ResponseFormat): unknown {
  if (type === 'json_object') return { type };
  return { type, json_schema: { name, schema: jsonSchema ?? null } };
}
