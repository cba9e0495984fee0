// What the JSON of an OpenAI-compatible server means: completions and chat, one event of a stream or a whole answer.
import type { ServerUsage } from '../metrics/record';
import { describeError } from './server-error';
import { isObject } from '../own';

/** What one event, or one whole answer, contributes. Absent parts were not in it. */
export interface Piece {
  /** Text on the content channel; '' when there is none. */
  readonly content: string;
  /** Text on the other channels (reasoning, refusal, tool calls), in that order; '' when there is none. */
  readonly other: string;
  readonly finishReason?: string;
  readonly usage?: ServerUsage;
  /** The server reports a failure here. */
  readonly error?: string;
  /** The protocol's own end of a stream, where it is an event of its own (Anthropic's message_stop). */
  readonly done?: boolean;
}

/** A decoded JSON text in a box (the value itself may be null); undefined when the text is not JSON. */
export function parseJson(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** A model that ends before its first token says `stop`: an answer of length 0, and no failure of the server's. */
export function endsAtOnce(finishReason: string | undefined): boolean {
  return finishReason !== undefined && /^(?:stop|eos|eos_token|end_turn|stop_sequence)$/.test(finishReason);
}

/** Who answers, by the server's own word; Anthropic's first event has it inside its message. */
export function modelOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { model, message } = value;
  if (typeof model === 'string') return model;
  return isObject(message) && typeof message['model'] === 'string' ? message['model'] : undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads one decoded event or answer. Usage is read before `choices` is touched: the last event of a stream usually has
 * usage and no choices. Null and role-only deltas carry nothing. Only choice 0 is read, as inference-perf does; we
 * never ask for more than one.
 * @returns undefined when the value is not an object, so cannot be anything an OpenAI-compatible server sends
 */
export function readPiece(value: unknown): Piece | undefined {
  if (!isObject(value)) return undefined;
  const error = describeError(value);
  if (error !== undefined) return { content: '', other: '', error };
  const usage = readUsage(value['usage']);
  const choice = firstChoice(value['choices']);
  if (!choice) return usage === undefined ? NOTHING : { content: '', other: '', usage };
  // `delta` in streams, `message` in whole answers, `text` beside them in completions.
  const message = choice['delta'] ?? choice['message'];
  const parts = isObject(message) ? message : undefined;
  const content = textOf(choice['text']) + textOf(parts?.['content']);
  const other = parts === undefined ? '' : otherChannels(parts);
  const finish = choice['finish_reason'];
  const finishReason = typeof finish === 'string' && finish !== '' ? finish : undefined;
  if (finishReason === 'error' || finishReason === 'abort') {
    return { content, other, finishReason, error: describeError(choice) ?? `finish_reason "${finishReason}"` };
  }
  return {
    content,
    other,
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(usage === undefined ? {} : { usage }),
  };
}

const NOTHING: Piece = { content: '', other: '' };

function firstChoice(choices: unknown): JsonObject | undefined {
  if (!Array.isArray(choices)) return undefined;
  for (const choice of choices as readonly unknown[]) {
    if (isObject(choice) && (choice['index'] === undefined || choice['index'] === null || choice['index'] === 0))
      return choice;
  }
  return undefined;
}

/** vLLM and DeepSeek write `reasoning_content`, newer vLLM and OpenRouter `reasoning`; some send both with the same text. */
function otherChannels(parts: JsonObject): string {
  let text = textOf(parts['reasoning_content']);
  if (text === '') text = textOf(parts['reasoning']);
  text += textOf(parts['refusal']);
  const calls = parts['tool_calls'];
  if (Array.isArray(calls)) for (const call of calls as readonly unknown[]) text += callText(call);
  text += functionText(parts['function_call']);
  return text;
}

function callText(call: unknown): string {
  return isObject(call) ? functionText(call['function']) : '';
}

function functionText(called: unknown): string {
  return isObject(called) ? textOf(called['name']) + textOf(called['arguments']) : '';
}

/** Plain text, or the text parts of a content array. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return '';
  let text = '';
  for (const part of value as readonly unknown[]) if (isObject(part)) text += textOf(part['text']);
  return text;
}

/** Only what the server sent; a count that is not a whole number of tokens was not counted. */
export function readUsage(value: unknown): ServerUsage | undefined {
  if (!isObject(value)) return undefined;
  const promptTokens = tokenCount(value['prompt_tokens']);
  const completionTokens = tokenCount(value['completion_tokens']);
  const cachedPromptTokens = detail(value['prompt_tokens_details'], 'cached_tokens');
  const reasoningTokens = detail(value['completion_tokens_details'], 'reasoning_tokens');
  if (
    promptTokens === undefined &&
    completionTokens === undefined &&
    cachedPromptTokens === undefined &&
    reasoningTokens === undefined
  )
    return undefined;
  // No spreading: V8 would hold what it makes of many answers until its next full collection.
  const usage: { -readonly [Key in keyof ServerUsage]: ServerUsage[Key] } = {};
  if (promptTokens !== undefined) usage.promptTokens = promptTokens;
  if (completionTokens !== undefined) usage.completionTokens = completionTokens;
  if (cachedPromptTokens !== undefined) usage.cachedPromptTokens = cachedPromptTokens;
  if (reasoningTokens !== undefined) usage.reasoningTokens = reasoningTokens;
  return usage;
}

function detail(details: unknown, key: string): number | undefined {
  return isObject(details) ? tokenCount(details[key]) : undefined;
}

function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
