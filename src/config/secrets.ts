// What must not reach logs, reports, manifests or screens: keys, tokens, passwords in URLs.
import type { ConfigPath } from '../problem';
import type { Config } from './model/schema';

/** Stands where a secret stood. Read as a config it is a placeholder: to be filled before the next run. */
const REDACTED = '<removed>';

/** Wide on purpose: a harmless header that loses its value costs less than a key in a report. */
export const SECRET_HEADER = /auth|key|token|secret|password|cookie|credential|signature/i;
/** A password may hold an @ or a slash; `registry:5000/image@sha256:...` holds neither. */
const URL_USER = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)(?:[^\s/"']+|[^\s/"'@:]*:(?!\d+\/)[^\s"']+)@/gi;

/**
 * A copy without secrets. Keys and tokens become null, so that the copy can be read and run again where the server asks for none;
 * headers that authorise are marked as removed; user and password vanish from URLs. Same type, same keys.
 */
export function redactConfig<T extends Config>(config: T): T {
  const copy = redactUrls(config) as T;
  return {
    ...copy,
    api: { ...copy.api, headers: copy.api.headers && redactHeaders(copy.api.headers) },
    server: copy.server && { ...copy.server, api_key: null },
    tokenizer: copy.tokenizer && { ...copy.tokenizer, token: null },
  };
}

/** `http://user:password@host` without what stands before the `@`. */
export function withoutCredentials<T>(url: T): T | string {
  return typeof url === 'string' ? url.replace(URL_USER, '$1') : url;
}

/** Must the value at this path stay out of messages? */
export function isSecretPath(path: ConfigPath): boolean {
  const [section, key] = path;
  if (section === 'api') return key === 'headers';
  return (section === 'server' && key === 'api_key') || (section === 'tokenizer' && key === 'token');
}

/** Header values that carry authority are replaced; x-slo-* and the like stay readable. */
function redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SECRET_HEADER.test(name) ? REDACTED : redactText(value)]),
  );
}

function redactUrls(value: unknown): unknown {
  if (typeof value === 'string') return withoutCredentials(value);
  if (Array.isArray(value)) return value.map(redactUrls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, redactUrls(entry)]));
}

// Bearer values, key-like tokens of well-known services, and `api_key: x` or `token=x` in free text and YAML.
const BEARER = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi;
const KNOWN_TOKEN =
  /\b(?:hf_[A-Za-z0-9]{8,}|sk-[A-Za-z0-9_-]{8,}|nvapi-[A-Za-z0-9_-]{8,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|A[KS]IA[A-Z0-9]{16}\b|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]+)/g;
/** A key as OpenSSL writes it, cut off or whole; certificates are public. */
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
/** A path that is itself the key to a channel. */
const WEBHOOK =
  /(https:\/\/(?:hooks\.slack\.com\/services|discord(?:app)?\.com\/api\/webhooks|[\w.-]+\.webhook\.office\.com)\/)[^\s"']+/gi;
const ASSIGNED =
  /((?:^|[\s{,"'])(?:api[-_]?key|token|password|secret|authorization|[\w-]*-(?:api-key|token))["']?\s*[:=]\s*)(["']?)([^\s"',}#]+)\2/gim;

/** Free text (a message, a log line, a config's YAML) without secrets; structure and line numbers stay. */
export function redactText(text: string): string {
  return text
    .replace(URL_USER, `$1${REDACTED}@`)
    .replace(BEARER, `$1 ${REDACTED}`)
    .replace(KNOWN_TOKEN, REDACTED)
    .replace(PRIVATE_KEY, REDACTED)
    .replace(WEBHOOK, `$1${REDACTED}`)
    .replace(ASSIGNED, (whole, head: string, quote: string, value: string) =>
      /^(?:null|~)$/.test(value) || /^(?:Bearer|Basic|Token|ApiKey|Digest)$/i.test(value)
        ? whole
        : `${head}${quote}${REDACTED}${quote}`,
    );
}
