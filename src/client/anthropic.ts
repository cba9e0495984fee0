// What the JSON of Anthropic's Messages API means: one event of a stream or a whole answer, read into the same pieces as OpenAI's.
import type { ServerUsage } from '../metrics/record';
import type { Piece } from './openai';
import { describeError } from './server-error';
import { isObject } from '../own';

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Events: message_start (usage of the prompt), content_block_start, content_block_delta (text, thinking, tool input),
 * message_delta (stop reason, usage of the answer), message_stop, ping, error; whole answers have type message. Unknown types carry
 * nothing, as the API asks of its clients.
 * @returns undefined when the value is not an object
 */
export function readAnthropicPiece(value: unknown): Piece | undefined {
  if (!isObject(value)) return undefined;
  const error = describeError(value);
  if (error !== undefined) return { content: '', other: '', error };
  switch (value['type']) {
    case 'message_start':
      return piece('', '', isObject(value['message']) ? value['message']['usage'] : undefined, undefined);
    case 'content_block_start':
      return blockPiece(value['content_block']);
    case 'content_block_delta':
      return blockPiece(value['delta']);
    case 'message_delta': {
      const delta = isObject(value['delta']) ? value['delta'] : {};
      return piece('', '', value['usage'], delta['stop_reason']);
    }
    case 'message_stop':
      return { content: '', other: '', done: true };
    case 'message':
      return wholeMessage(value);
    default:
      return { content: '', other: '' };
  }
}

function wholeMessage(value: JsonObject): Piece {
  let [content, other] = ['', ''];
  const blocks = value['content'];
  for (const block of Array.isArray(blocks) ? (blocks as readonly unknown[]) : []) {
    const part = blockPiece(block);
    content += part.content;
    other += part.other;
    if (isObject(block) && isObject(block['input'])) other += JSON.stringify(block['input']);
  }
  return piece(content, other, value['usage'], value['stop_reason']);
}

/** Text is the content channel; thinking and the parts of a tool call are other channels. */
function blockPiece(block: unknown): Piece {
  if (!isObject(block)) return { content: '', other: '' };
  const type = block['type'];
  const toolName = type === 'tool_use' ? text(block['name']) : '';
  return { content: text(block['text']), other: text(block['thinking']) + toolName + text(block['partial_json']) };
}

function piece(content: string, other: string, usage: unknown, stopReason: unknown): Piece {
  const counted = readAnthropicUsage(usage);
  return {
    content,
    other,
    ...(typeof stopReason === 'string' && stopReason !== '' ? { finishReason: stopReason } : {}),
    ...(counted ? { usage: counted } : {}),
  };
}

/** Only what the server sent. `input_tokens` leaves cached ones out at Anthropic itself; it is kept as sent, like inference-perf does. */
function readAnthropicUsage(value: unknown): ServerUsage | undefined {
  if (!isObject(value)) return undefined;
  const promptTokens = count(value['input_tokens']);
  const completionTokens = count(value['output_tokens']);
  const cachedPromptTokens = count(value['cache_read_input_tokens']);
  const usage = {
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(completionTokens === undefined ? {} : { completionTokens }),
    ...(cachedPromptTokens === undefined ? {} : { cachedPromptTokens }),
  };
  return Object.keys(usage).length === 0 ? undefined : usage;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
