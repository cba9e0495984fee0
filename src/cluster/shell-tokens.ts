// A shell script cut into words, operators, redirections and here-documents, as POSIX sh and bash cut it.

/** A stretch of a word. `'`: stands letter by letter (quotes, a backslash, a command substitution); else variables are filled in. */
export interface Piece {
  readonly text: string;
  readonly quote: '' | '"' | "'";
}

export type Token =
  | { readonly kind: 'word'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'array'; readonly name: string; readonly adds: boolean; readonly words: readonly Token[] }
  | { readonly kind: 'operator'; readonly text: string }
  | { kind: 'redirect'; readonly text: string; body?: string };

const OPERATOR = /^(?:&&|\|\||;;|\|&|[;&|()\n])/;
const REDIRECT = /^(?:&>>|&>|<<<|<<-|<<|<>|<&|>>|>&|>\||[<>])/;

/** Undefined where a quote, a bracket or a here-document is never closed. */
export function tokensOf(source: string): Token[] | undefined {
  // A broken line goes on, but not inside quotes of one kind; there the letters are the same to a reader of flags.
  const text = source.replace(/\r\n/g, '\n');
  const reader = { text, at: 0 };
  const tokens = read(reader, false);
  return tokens && reader.at >= text.length ? tokens : undefined;
}

interface Reader {
  readonly text: string;
  at: number;
}

function read(reader: Reader, inArray: boolean): Token[] | undefined {
  const { text } = reader;
  const tokens: Token[] = [];
  const documents: { token: { body?: string }; strip: boolean }[] = [];
  let pieces: Piece[] | undefined;
  const end = (): void => {
    if (pieces) tokens.push({ kind: 'word', pieces });
    pieces = undefined;
  };
  const add = (more: string, quote: Piece['quote']): void => {
    const last = pieces?.at(-1);
    if (pieces && last?.quote === quote) pieces[pieces.length - 1] = { text: last.text + more, quote };
    else pieces = [...(pieces ?? []), { text: more, quote }];
  };
  while (reader.at < text.length) {
    const letter = text[reader.at]!;
    const rest = text.slice(reader.at, reader.at + 3);
    if (letter === '\\') {
      const next = text[reader.at + 1];
      if (next === undefined) return undefined;
      if (next !== '\n') add(next, "'");
      reader.at += 2;
    } else if (letter === "'" || (letter === '$' && text[reader.at + 1] === "'")) {
      const open = reader.at + (letter === '$' ? 2 : 1);
      const close = text.indexOf("'", open);
      if (close < 0) return undefined;
      add(text.slice(open, close), "'");
      reader.at = close + 1;
    } else if (letter === '"') {
      reader.at++;
      add('', '"');
      if (!readQuoted(reader, add)) return undefined;
    } else if (letter === '`' || rest.startsWith('$(') || rest.startsWith('${')) {
      const whole = substitution(reader);
      if (whole === undefined) return undefined;
      add(whole, whole.startsWith('${') ? '' : "'");
    } else if (letter === '#' && pieces === undefined) {
      while (reader.at < text.length && text[reader.at] !== '\n') reader.at++;
    } else if (inArray && letter === ')') {
      reader.at++;
      end();
      return tokens;
    } else if (letter === '(' && pieces?.length === 1 && /^[A-Za-z_]\w*\+?=$/.test(pieces[0]!.text)) {
      const head = pieces[0]!.text;
      pieces = undefined;
      reader.at++;
      const words = read(reader, true);
      if (!words) return undefined;
      tokens.push({ kind: 'array', name: head.replace(/\+?=$/, ''), adds: head.endsWith('+='), words });
    } else if ((letter === '<' || letter === '>') && text[reader.at + 1] === '(') {
      const whole = substitution(reader);
      if (whole === undefined) return undefined;
      add(whole, "'");
    } else if (REDIRECT.test(rest)) {
      const mark = REDIRECT.exec(rest)![0];
      // `2>`: the number before it is no word.
      const number = pieces?.length === 1 && pieces[0]!.quote === '' && /^\d+$/.test(pieces[0]!.text);
      const before = number ? pieces![0]!.text : '';
      if (number) pieces = undefined;
      else end();
      const token: Token = { kind: 'redirect', text: `${before}${mark}` };
      tokens.push(token);
      reader.at += mark.length;
      if (mark === '<<' || mark === '<<-') documents.push({ token, strip: mark === '<<-' });
    } else if (OPERATOR.test(rest)) {
      const mark = OPERATOR.exec(rest)![0];
      end();
      if (!(inArray && mark === '\n')) tokens.push({ kind: 'operator', text: mark });
      reader.at += mark.length;
      if (mark === '\n' && documents.length > 0 && !readDocuments(reader, tokens, documents)) return undefined;
    } else if (/\s/.test(letter)) {
      end();
      reader.at++;
    } else {
      add(letter, '');
      reader.at++;
    }
  }
  end();
  return inArray || documents.length > 0 ? undefined : tokens;
}

/** Inside double quotes a backslash stays before all but a few letters. */
function readQuoted(reader: Reader, add: (text: string, quote: Piece['quote']) => void): boolean {
  const { text } = reader;
  while (reader.at < text.length) {
    const letter = text[reader.at]!;
    if (letter === '"') {
      reader.at++;
      return true;
    }
    if (letter === '\\') {
      const next = text[reader.at + 1];
      if (next === undefined) return false;
      if (/["\\$`]/.test(next)) add(next, "'");
      else if (next !== '\n') add(`\\${next}`, '"');
      reader.at += 2;
    } else if (letter === '`' || (letter === '$' && /[({]/.test(text[reader.at + 1] ?? ''))) {
      const whole = substitution(reader);
      if (whole === undefined) return false;
      add(whole, whole.startsWith('${') ? '"' : "'");
    } else {
      add(letter, '"');
      reader.at++;
    }
  }
  return false;
}

/** `$(...)`, `${...}`, `<(...)` or backticks as they stand, brackets and quotes within them closed; undefined where they are not. */
function substitution(reader: Reader): string | undefined {
  const { text, at } = reader;
  if (text[at] === '`') {
    const close = text.indexOf('`', at + 1);
    reader.at = close + 1;
    return close < 0 ? undefined : text.slice(at, close + 1);
  }
  const [open, close] = text[at + 1] === '(' ? ['(', ')'] : ['{', '}'];
  let depth = 0;
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === "'" && open === '(') {
      i = text.indexOf("'", i + 1);
      if (i < 0) return undefined;
    } else if (text[i] === open) depth++;
    else if (text[i] === close && --depth === 0) {
      reader.at = i + 1;
      return text.slice(at, i + 1);
    }
  }
  return undefined;
}

/** Bodies of the here-documents that the line before asked for, one after the other. */
function readDocuments(
  reader: Reader,
  tokens: readonly Token[],
  documents: { token: { body?: string }; strip: boolean }[],
): boolean {
  for (const { token, strip } of documents.splice(0)) {
    const name = tokens[tokens.indexOf(token as Token) + 1];
    if (name?.kind !== 'word') return false;
    const mark = name.pieces.map((piece) => piece.text).join('');
    const lines: string[] = [];
    for (;;) {
      if (reader.at >= reader.text.length) return false;
      const until = reader.text.indexOf('\n', reader.at);
      const line = reader.text.slice(reader.at, until < 0 ? undefined : until);
      reader.at = until < 0 ? reader.text.length : until + 1;
      const bare = strip ? line.replace(/^\t+/, '') : line;
      if (bare === mark) break;
      lines.push(bare);
    }
    token.body = lines.join('\n');
  }
  return true;
}
