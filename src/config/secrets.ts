// What must not reach logs, reports, manifests or screens: keys, tokens, passwords in URLs.
import type { Config } from './schema';

const REDACTED = '<redacted>';

const SECRET_HEADER = /authorization|api[-_]?key|token|secret|password|cookie|credential|signature/i;
const URL_USER = /([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi;

/** A copy without secrets: api_key, tokenizer.token, headers that authorise, user and password in URLs. Same type, same keys. */
export function redactConfig<T extends Config>(config: T): T {
  const copy = redactUrls(config) as T;
  const { server, tokenizer } = config;
  const headers = copy.api.headers && redactHeaders(copy.api.headers);
  return {
    ...copy,
    api: { ...copy.api, headers },
    server: copy.server && { ...copy.server, api_key: hide(server?.api_key ?? null) },
    tokenizer: copy.tokenizer && { ...copy.tokenizer, token: hide(tokenizer?.token ?? null) },
  };
}

function hide(value: string | null): string | null {
  return value === null || value === '' ? value : REDACTED;
}

/** Header values that carry authority are replaced; x-slo-* and the like stay readable. */
function redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SECRET_HEADER.test(name) ? REDACTED : redactText(value)]),
  );
}

function redactUrls(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('@') ? value.replace(URL_USER, `$1${REDACTED}@`) : value;
  if (Array.isArray(value)) return value.map(redactUrls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, redactUrls(entry)]));
}

// Bearer values, key-like tokens of well-known services, and `api_key: x` or `token=x` in free text and YAML.
const BEARER = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi;
const KNOWN_TOKEN = /\b(?:hf_[A-Za-z0-9]{8,}|sk-[A-Za-z0-9_-]{8,}|nvapi-[A-Za-z0-9_-]{8,}|gh[pousr]_[A-Za-z0-9]{20,})/g;
const ASSIGNED =
  /((?:^|[\s{,"'])(?:api[-_]?key|token|password|secret|authorization|[\w-]*-(?:api-key|token))["']?\s*[:=]\s*)(["']?)([^\s"',}#]+)\2/gim;

/** Free text (a message, a log line, a config's YAML) without secrets; structure and line numbers stay. */
export function redactText(text: string): string {
  return text
    .replace(URL_USER, `$1${REDACTED}@`)
    .replace(BEARER, `$1 ${REDACTED}`)
    .replace(KNOWN_TOKEN, REDACTED)
    .replace(ASSIGNED, (whole, head: string, quote: string, value: string) =>
      /^(?:null|~|<redacted>)$/.test(value) || /^(?:Bearer|Basic)$/i.test(value)
        ? whole
        : `${head}${quote}${REDACTED}${quote}`,
    );
}
