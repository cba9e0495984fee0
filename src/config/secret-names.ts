// Which names hold a secret (`--hf-token`, `AWS_SECRET_ACCESS_KEY`) and which only sound like one (`--tokenizer`, `max_tokens`).
import { redactText } from './secrets';

const REMOVED = '<removed>';

/** What follows such a word names or measures the secret and is none: `token_path`, `secret-name`, `key-id`. */
const ABOUT = new Set(
  'id ids index count counts len length limit budget size sizes path paths file files dir name names ref type types mode parser ratio rate level usage details url uri endpoint ttl bits algorithm format stream throughput latency time per max min mean position positions ranges pruning'.split(
    ' ',
  ),
);
/** `bos_token`, `max-token`, `public key`: words before it that make it a piece of text, a measure or a name. */
const OF_TEXT = new Set(
  'bos eos pad unk sep cls mask stop start end begin special added image audio video vision tool think thinking reasoning input output prompt completion per max min num next first last draft speculative batched generated total cached prefill decode new by'.split(
    ' ',
  ),
);
const OPEN_KEY = new Set(
  'public sort partition routing primary foreign cache map group hash label metric dict state'.split(' '),
);
const PLAIN = new Set(
  'password passwd passphrase pwd pass secret secrets credential credentials cred creds salt webhook authorization bearer cookie cookies signature sig jwt pat auth apikey apikeys'.split(
    ' ',
  ),
);
const JOINED =
  /(?:api|access|secret|private|auth|account|hub|hf)keys?$|(?:auth|access|api|hf|hub|bearer|session|refresh)tokens?$|password|passwd|passphrase|credential/;

/** Words of a name: `HF_TOKEN`, `--hf-token`, `hfToken` are all hf, token. A number at the end says which of several. */
function wordsOf(name: string): string[] {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/\d+$/, ''))
    .filter((word) => word !== '');
  return words;
}

/** Does a flag, a variable, a header or a key of this name hold something that must not be kept? In doubt it does. */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  return words.some((word, i) => {
    const isAbout = i < words.length - 1 && ABOUT.has(last);
    if (isAbout) return false;
    const before = words[i - 1] ?? '';
    if (PLAIN.has(word))
      return word !== 'auth' && word !== 'pass' ? true : i === words.length - 1 || words[i + 1] === 'header';
    if (word === 'key' || word === 'keys') return i === words.length - 1 && !OPEN_KEY.has(before);
    if (word === 'token') return !OF_TEXT.has(before) && !ABOUT.has(words[i + 1] ?? '');
    if (word === 'tokens') return /^(?:api|auth|access|hf|hub|bearer)$/.test(before);
    return JOINED.test(word);
  });
}

/** A switch, a reference to where the secret lies, nothing: shown, because it says something and opens no door. */
const OPEN_VALUE =
  /^(?:|true|false|null|none|~|yes|no|on|off|<removed>|\$\(\w+\)|\$\{?\w+\}?|\(from elsewhere\)|\((?:secret|config map|field|resource) [\w./?[\]'-]+\))$/i;

/** The value a name stands beside, hidden where the name says so; else without the secrets its own text shows. */
export function withoutSecretValue(name: string, value: string): string {
  const bare = value.replace(/^(["'])(.*)\1$/s, '$2');
  if (OPEN_VALUE.test(bare.trim())) return value;
  return isSecretName(name) ? REMOVED : withoutSecretText(value);
}

const FLAG = /(?<![\w.-])(--?[A-Za-z][\w.-]*)(\s+|=)(?!-)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']+)/g;
const PAIR =
  /(["']?)(?<![\w.-])([A-Za-z][\w.-]*)\1(\s*[:=]\s*)(?!\/\/)("(?:[^"\\]|\\.)*"|'[^']*'|(?:Bearer|Basic|Token|ApiKey|Digest)\s+[^\s"',;&})\]]+|[^\s"',;&})\]]+)/gi;

/**
 * Any text without secrets: a command line, a script, JSON, a header, a query string. Names decide (`--api-key x`, `"token": "x"`,
 * `?sig=x`), and what is a secret by its own looks goes whatever it is called.
 */
export function withoutSecretText(text: string): string {
  return hideNamed(redactText(text), 0);
}

/** Values within values (`--header "X-Api-Key: x"`, `url=https://h?sig=x`) are few deep; a hostile text may not nest more. */
const DEEPEST = 3;

function hideNamed(text: string, depth: number): string {
  const hide = (whole: string, name: string, head: string, value: string): string => {
    const [, quote = '', bare = ''] = /^(["']?)(.*)\1$/s.exec(value) ?? [];
    if (isSecretName(name)) return OPEN_VALUE.test(bare.trim()) ? whole : `${head}${quote}${REMOVED}${quote}`;
    return depth < DEEPEST && /[:=]|--/.test(bare) ? `${head}${quote}${hideNamed(bare, depth + 1)}${quote}` : whole;
  };
  return text
    .replace(FLAG, (whole, flag: string, gap: string, value: string) => hide(whole, flag, `${flag}${gap}`, value))
    .replace(PAIR, (whole, quote: string, name: string, gap: string, value: string) =>
      hide(whole, name, `${quote}${name}${quote}${gap}`, value),
    );
}

/** A value read from JSON or YAML without secrets: by the keys, by `{name: HF_TOKEN, value: x}`, and in every text. */
export function withoutSecretFields(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return withoutSecretValue(name, value);
  if (typeof value === 'number') return isSecretName(name) ? REMOVED : value;
  if (Array.isArray(value)) return value.map((entry) => withoutSecretFields(entry, name));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  const said: unknown = fields.find(([key]) => key === 'name')?.[1];
  return Object.fromEntries(
    fields.map(([key, entry]) => [
      key,
      withoutSecretFields(entry, key === 'value' && typeof said === 'string' ? said : isSecretName(name) ? name : key),
    ]),
  );
}
