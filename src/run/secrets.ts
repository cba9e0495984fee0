// What of a `--set` argument may be kept in run.json: everything but a secret.
import { withoutCredentials } from '../folder/write-config';

const SECRET_PATH = /(?:^|\.)(?:api_key|token)$|^api\.headers/;
/** A secret inside a flow mapping: `server={api_key: ...}`. */
const SECRET_INSIDE = /["']?\b(?:api_key|token|headers)["']?\s*:/;

/** `server.api_key=...`, `tokenizer.token=...`, headers, and passwords in addresses lose their values. */
export function withoutSecret(override: string): string {
  const [path = '', ...rest] = override.split('=');
  const value = rest.join('=');
  if (SECRET_PATH.test(path.trim()) || SECRET_INSIDE.test(value)) return `${path}=<removed>`;
  return `${path}=${withoutCredentials(value)}`;
}
