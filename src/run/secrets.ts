// Which `--set` arguments carry a secret, whose value must not reach run.json.

const SECRET_PATH = /(?:^|\.)(?:api_key|token)\s*=|^api\.headers/;

/** True for `server.api_key=...`, `tokenizer.token=...`, and any header. */
export function isReservedOverride(override: string): boolean {
  return SECRET_PATH.test(override);
}
