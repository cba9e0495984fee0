// What a shell script starts: its commands one by one, with the variables that are known filled in.
import { isSecretName } from '../config/secret-names';
import { tokensOf, type Piece, type Token } from './shell-tokens';

/** By name: the value's words; undefined where the name is set to something that is not known or must not be shown. */
export type Variables = ReadonlyMap<string, readonly string[] | undefined>;

export interface ShellCommand {
  /** `A=b` before it, or of an `export`; a value that is not known as it is written. */
  readonly assigned: readonly (readonly [string, string])[];
  readonly words: readonly string[];
  /** `> /tmp/log`, as written. */
  readonly redirects: readonly string[];
  /** What a here-document gives it to read. */
  readonly input?: string;
}

/** Words that lead to a command and are none of it. */
const LEADS = new Set('{ ! if then elif else do while until time exec nohup command builtin'.split(' '));
const DECLARES = new Set('export declare local readonly typeset'.split(' '));
const ASSIGNS = /^([A-Za-z_]\w*)(\+?)=/;

/** Words as a shell cuts them, separators as words of their own, variables as written; undefined where a quote is never closed. */
export function shellWords(text: string): string[] | undefined {
  return tokensOf(text)?.flatMap((token) =>
    token.kind === 'word'
      ? [written(token.pieces)]
      : token.kind === 'array'
        ? [
            `${token.name}=(`,
            ...token.words.flatMap((word) => (word.kind === 'word' ? [written(word.pieces)] : [])),
            ')',
          ]
        : [token.text],
  );
}

/** The commands of a script in their order; undefined where it is none that a shell could read. */
export function commandsOf(script: string, known: Variables): ShellCommand[] | undefined {
  const tokens = tokensOf(script);
  if (!tokens) return undefined;
  const variables = new Map(known);
  const commands: ShellCommand[] = [];
  let part: Token[] = [];
  const end = (): void => {
    const command = commandOf(part, variables);
    if (command.words.length + command.assigned.length + command.redirects.length > 0) commands.push(command);
    part = [];
  };
  for (const token of tokens) {
    if (token.kind === 'operator') end();
    else part.push(token);
  }
  end();
  return commands;
}

function commandOf(tokens: readonly Token[], variables: Map<string, readonly string[] | undefined>): ShellCommand {
  const words: string[] = [];
  const redirects: string[] = [];
  const assigned: [string, string][] = [];
  const settings: (() => void)[] = [];
  let input: string | undefined;
  let declares = false;
  let leads = true;
  const assign = (name: string, value: readonly string[], adds: boolean): void => {
    const before = adds ? (variables.get(name) ?? []) : [];
    const isHidden = isSecretName(name);
    assigned.push([name, [...before, ...value].join(' ')]);
    settings.push(() => variables.set(name, isHidden ? undefined : [...before, ...value]));
  };
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token.kind === 'redirect') {
      const target = tokens[i + 1];
      if (target?.kind === 'word') i++;
      redirects.push(`${token.text} ${target?.kind === 'word' ? written(target.pieces) : ''}`.trim());
      if (token.body !== undefined) input = token.body;
      else if (token.text === '<<<' && target?.kind === 'word') input = expand(target.pieces, variables).join(' ');
    } else if (token.kind === 'array') {
      const list = token.words.flatMap((word) => (word.kind === 'word' ? expand(word.pieces, variables) : []));
      assign(token.name, list, token.adds);
    } else if (token.kind === 'word') {
      const { pieces } = token;
      const [head, name = '', plus] = (pieces[0]?.quote === '' && ASSIGNS.exec(pieces[0].text)) || [];
      const word = written(pieces);
      if (head !== undefined && (declares || words.length === 0)) {
        const value = [
          { text: pieces[0]!.text.slice(head.length), quote: '"' as const },
          ...pieces.slice(1).map(whole),
        ];
        assign(name, [expand(value, variables).join(' ')], plus === '+');
      } else if (words.length === 0 && DECLARES.has(word)) declares = true;
      else if (declares) continue;
      else if (leads && words.length === 0 && (LEADS.has(word) || word === 'env')) continue;
      else if (words.length === 0 && assigned.length === 0 && /^-[iu]$/.test(word)) i += word === '-u' ? 1 : 0;
      else {
        leads = false;
        words.push(...expand(pieces, variables));
      }
    }
  }
  // Before a command they hold for that command alone.
  if (words.length === 0) for (const set of settings) set();
  return { assigned, words, redirects, ...(input === undefined ? {} : { input }) };
}

/** An assigned value is not cut at blanks. */
function whole({ text, quote }: Piece): Piece {
  return { text, quote: quote === '' ? '"' : quote };
}

function written(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text).join('');
}

const VARIABLE =
  /\$(?:([A-Za-z_]\w*|[@*0-9])|\{([A-Za-z_]\w*|[@*0-9])(\[[@*]\])?(?:(:?[-=+])((?:[^{}]|\{[^{}]*\})*))?\})/g;

/** The words that a word becomes; a variable that is not known stays as it is written. */
function expand(pieces: readonly Piece[], variables: Variables): string[] {
  const words: string[] = [];
  let word: string | undefined;
  const add = (text: string): void => {
    word = (word ?? '') + text;
  };
  const next = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  for (const { text, quote } of pieces) {
    if (quote === "'") {
      add(text);
      continue;
    }
    if (quote === '"' && text === '') add('');
    let from = 0;
    for (const match of text.matchAll(VARIABLE)) {
      if (match.index > from) add(text.slice(from, match.index));
      from = match.index + match[0].length;
      const value = valueOf(match, variables);
      if (value === undefined) {
        add(match[0]);
        continue;
      }
      const filled = value.join(' ');
      const isList = match[3] !== undefined || /^[@*]$/.test(match[1] ?? match[2] ?? '');
      const parts = quote === '"' ? (isList ? value : [filled]) : filled.split(/\s+/).filter((part) => part !== '');
      if (quote === '' && /^\s/.test(filled)) next();
      parts.forEach((part, i) => {
        if (i > 0) next();
        add(part);
      });
      if (quote === '' && /\s$/.test(filled)) next();
    }
    if (from < text.length) add(text.slice(from));
  }
  next();
  return words;
}

/** `${A:-x}` of a name that nobody set is x; a name that is set to what is not known stays a name. */
function valueOf(match: RegExpMatchArray, variables: Variables): readonly string[] | undefined {
  const [, bare, braced, , operator = '', otherwise = ''] = match;
  const name = bare ?? braced ?? '';
  const value = variables.get(name);
  const isKnown = value !== undefined;
  if (variables.has(name) && !isKnown) return undefined;
  const isSet = isKnown && (!operator.startsWith(':') || value.join('') !== '');
  if (operator.endsWith('+')) return isSet ? expand([{ text: otherwise, quote: '' }], variables) : [];
  if (isSet) return value;
  if (operator === '') return undefined;
  return defaultWords(otherwise, variables);
}

function defaultWords(text: string, variables: Variables): readonly string[] {
  const bare = text.replace(/^(["'])(.*)\1$/s, '$2');
  return expand([{ text: bare, quote: '"' }], variables);
}
