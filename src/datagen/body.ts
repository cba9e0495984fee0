// Request bodies as inference-perf sends them (reference 4.1), serialised once, before the clock starts.
import { createHash } from 'node:crypto';

export interface BodyOptions {
  readonly model: string;
  readonly api: 'completion' | 'chat';
  readonly streaming: boolean;
  readonly ignoreEos: boolean;
  /** `api.response_format`, null or undefined when it is not set. */
  readonly responseFormat?: ResponseFormat | undefined;
}

export interface ResponseFormat {
  readonly type: 'json_schema' | 'json_object';
  readonly name: string;
  readonly jsonSchema: unknown;
}

export const ROUTES = { completion: '/v1/completions', chat: '/v1/chat/completions' } as const;

/** inference-perf's max_tokens where a generator fixes none (openai_client.py:97). */
export const DEFAULT_MAX_TOKENS = 30;

export interface SerialisedBody {
  readonly body: string;
  readonly bytes: number;
  /** Hash of the body without the model name: the same prompt and parameters have the same hash, whatever the model. */
  readonly promptHash: string;
}

/** Makes the bodies of one run. Key order as inference-perf's; for chat the prompt is one user message. */
export function bodyMaker(options: BodyOptions): (prompt: string, maxTokens: number) => SerialisedBody {
  const { model, api, streaming, ignoreEos, responseFormat } = options;
  const head = `{"model":${JSON.stringify(model)},`;
  return (prompt, maxTokens) => {
    const fields: Record<string, unknown> = {
      ...(api === 'chat' ? { messages: [{ role: 'user', content: prompt }] } : { prompt }),
      max_tokens: maxTokens,
      ignore_eos: ignoreEos,
      stream: streaming,
    };
    if (streaming) fields['stream_options'] = { include_usage: true };
    if (responseFormat) fields['response_format'] = responseFormatField(responseFormat);
    const rest = JSON.stringify(fields);
    const body = head + rest.slice(1);
    return {
      body,
      bytes: Buffer.byteLength(body),
      // 128 bits keep a journal line short and are far beyond chance for any number of requests.
      promptHash: createHash('sha256').update(rest).digest('hex').slice(0, 32),
    };
  };
}

function responseFormatField({ type, name, jsonSchema }: ResponseFormat): unknown {
  if (type === 'json_object') return { type };
  return { type, json_schema: { name, schema: jsonSchema ?? null } };
}
