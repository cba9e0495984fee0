// Finds the error that a server's JSON reports, in the dialects that are out there.
import { isObject } from '../own';

/** The sentence in an error body, whatever the server's dialect; undefined when the text is not a JSON object with one. */
export function errorText(body: string): string | undefined {
  try {
    return describeError(JSON.parse(body));
  } catch {
    return undefined;
  }
}

/**
 * The error that a decoded JSON value reports, or undefined when it reports none. Dialects: OpenAI `{error: {message}}`,
 * `{error: "text"}` (TGI), `{object: "error", message}` (older vLLM), `{detail}` (FastAPI), `{type: "error"}` (Anthropic).
 */
export function describeError(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const error = value['error'];
  if (typeof error === 'string' && error !== '') return error;
  if (isObject(error)) {
    const code = error['code'] ?? error['type'];
    const message = typeof error['message'] === 'string' ? error['message'] : JSON.stringify(error);
    return typeof code === 'number' || typeof code === 'string' ? `${message} (${code})` : message;
  }
  if (error !== undefined && error !== null && error !== false && error !== '') return JSON.stringify(error);
  const bare = value['object'] === 'error' || value['type'] === 'error' || !('choices' in value);
  if (!bare) return undefined;
  if (typeof value['message'] === 'string') return value['message'];
  const detail = value['detail'];
  if (detail !== undefined) return typeof detail === 'string' ? detail : JSON.stringify(detail);
  return value['object'] === 'error' || value['type'] === 'error' ? JSON.stringify(value) : undefined;
}
