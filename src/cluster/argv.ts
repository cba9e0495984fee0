// A server's command line as it is kept: words as a shell would cut them, the server's own command out of a script, no secrets.
import { commandsOf, type ShellCommand, type Variables } from './shell';
import { filledIn } from './container';
import { startOf } from './engines';
import { isSecretName, withoutSecretFields, withoutSecretText, withoutSecretValue } from '../config/secret-names';

const IS_FLAG = /^--?[A-Za-z]/;
/** What stands between two commands of a script, and what only leads to one. */
const SEPARATOR = /^(?:&&|\|\||;|\||&|\n)$/;
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;
/** Begins with a dash and is no flag: one dash, many letters, digits among them. */
const LIKE_A_SECRET = /^-(?=\w*\d)\w{8,}$/;
const SHELL = /(?:^|\/)(?:ba|da|z|k|a)?sh$/;

/** One argv element each, without secrets. A flag that names a secret takes what follows it up to the next flag. */
export function withoutSecretArguments(args: readonly string[]): string[] {
  const kept: string[] = [];
  let isSecret = false;
  for (const argument of args) {
    if (isSecret && LIKE_A_SECRET.test(argument)) {
      kept.push(withoutSecretValue('secret', argument));
      continue;
    }
    const [, flag = '', equals, value = ''] = /^(--?[A-Za-z][\w.-]*)(?:(=)(.*))?$/s.exec(argument) ?? [];
    if (flag !== '') {
      isSecret = equals === undefined && isSecretName(flag);
      kept.push(equals === undefined ? argument : `${flag}=${flagValue(flag, value)}`);
    } else if (isSecret && !SEPARATOR.test(argument)) kept.push(withoutSecretValue('secret', argument));
    else kept.push(withoutSecretElement(argument));
  }
  return kept;
}

function flagValue(flag: string, value: string): string {
  return isSecretName(flag) ? withoutSecretValue(flag, value) : withoutSecretElement(value);
}

/** JSON by its keys, `NAME=value` by its name, all else as text. What holds no secret stays letter by letter. */
function withoutSecretElement(text: string): string {
  if (/^\s*[[{]/.test(text)) {
    try {
      const value: unknown = JSON.parse(text);
      const clean = JSON.stringify(withoutSecretFields(value));
      return clean === JSON.stringify(value) ? text : clean;
    } catch {
      return withoutSecretText(text);
    }
  }
  const [, name, value = ''] = ASSIGNMENT.exec(text) ?? [];
  if (name !== undefined && isSecretName(name)) return `${name}=${withoutSecretValue(name, value)}`;
  return withoutSecretText(text);
}

export interface CommandLine {
  /** The server's arguments, or all where no script hides them. */
  readonly args: string[];
  /** Variables that the script sets. */
  readonly env: Record<string, string>;
  /** What the script does beside starting the server, one command each. */
  readonly beside: string[];
}

/** Scripts within scripts are few deep. */
const DEEPEST = 4;

/**
 * A container's command and arguments; of `sh -c "..."` the server's own command, variables filled in. Secrets are removed.
 * @param environment the container's variables; one without a text is known by name alone
 */
export function commandLine(argv: readonly string[], environment: Variables = new Map()): CommandLine {
  const found = unshelled(
    argv.map((word) => filledIn(word, environment)),
    environment,
    0,
  );
  const env = found.assigned.map(([name, value]): [string, string] => [name, withoutSecretValue(name, value)]);
  return {
    args: withoutSecretArguments(found.words),
    env: Object.fromEntries(env),
    beside: found.beside.flatMap(besideWords),
  };
}

interface Unshelled {
  readonly words: readonly string[];
  readonly assigned: readonly (readonly [string, string])[];
  readonly beside: readonly ShellCommand[];
}

function unshelled(argv: readonly string[], known: Variables, depth: number, input?: string): Unshelled {
  const script = depth < DEEPEST ? scriptOf(argv, input) : undefined;
  const positional = script?.rest.map((word, i): [string, string[]] => [String(i), [word]]) ?? [];
  const all = script?.rest.slice(1) ?? [];
  const variables = new Map([...known, ...positional, ['@', all] as const, ['*', all] as const]);
  const commands = script && commandsOf(script.text, variables);
  if (!commands) return { words: argv, assigned: [], beside: [] };
  const assigned = commands.flatMap((command) => command.assigned);
  const full = commands.filter((command) => command.words.length > 0);
  const inner = full.map((command) => unshelled(command.words, variables, depth + 1, command.input));
  const at = [
    inner.findIndex(({ words }) => startOf(words) !== undefined),
    inner.findLastIndex(({ words }) => words.some((word) => IS_FLAG.test(word)) && !isPreparation(words)),
    inner.findLastIndex(({ words }) => !isPreparation(words)),
    full.length - 1,
  ].find((index) => index >= 0);
  const server = at === undefined ? undefined : inner[at];
  return {
    words: server?.words ?? [],
    assigned: [...assigned, ...(server?.assigned ?? [])],
    beside: [...full.filter((_, i) => i !== at), ...(server?.beside ?? [])],
  };
}

/** Starts nothing that serves. */
function isPreparation([first = '', second = '']: readonly string[]): boolean {
  return (
    /^(?:set|echo|printf|cd|mkdir|cp|mv|ln|rm|cat|chmod|chown|export|source|\.|sleep|wait|trap|apt(?:-get)?|curl|wget|git|\[|\[\[|test|ulimit|tee|huggingface-cli|hf|true|exit|pip3?)$/.test(
      first,
    ) ||
    (first === 'uv' && second === 'pip')
  );
}

/** What a script does beside; a here-document with its lines. What it prints says nothing of a server, and may be a password for a pipe. */
function besideWords({ words, redirects, input }: ShellCommand): string[] {
  const isPrinting = words[0] === 'echo' || words[0] === 'printf';
  if (isPrinting && redirects.length === 0) return [];
  const shown = redirects.map((redirect) =>
    redirect.startsWith('<<<') ? '<<< (a text)' : withoutSecretText(redirect),
  );
  const line = [...withoutSecretArguments(withoutNamedWords(words)), ...shown].join(' ');
  if (input === undefined || redirects.some((redirect) => redirect.startsWith('<<<'))) return [line];
  const body = input.split('\n').map((text) => withoutNamedWords(withoutSecretText(text).split(' ')).join(' '));
  return [[line, ...body].join('\n')];
}

/** `machine h password X`, `configure set secret_key X`, `curl -u name:X`: the word after such a name. */
function withoutNamedWords(words: readonly string[]): string[] {
  return words.map((word, i) => {
    const before = words[i - 1] ?? '';
    const isNamed = /^[A-Za-z][\w-]*$/.test(before) && isSecretName(before) && !/[:=]$/.test(before);
    const isLogin = /^(?:-u|--user|--proxy-user)$/.test(before) && word.includes(':');
    return isNamed || isLogin ? withoutSecretValue('secret', word) : word;
  });
}

/** The script of `sh -c SCRIPT ...`, whatever stands before the shell; of a shell without one what it is given to read. */
function scriptOf(
  argv: readonly string[],
  input: string | undefined,
): { text: string; rest: readonly string[] } | undefined {
  const shell = argv.findIndex((word) => SHELL.test(word));
  if (shell < 0 || shell > 6 || startOf(argv.slice(0, shell)) !== undefined) return undefined;
  let runs = false;
  let i = shell + 1;
  for (; i < argv.length; i++) {
    const word = argv[i]!;
    if (!/^[-+][A-Za-z-]/.test(word) || word === '--') break;
    if (/^-[a-z]*c[a-z]*$/.test(word)) runs = true;
    if (/^[-+][a-z]*o$/.test(word)) i++;
  }
  if (argv[i] === '--') i++;
  const text = runs ? argv[i] : argv.length === i || argv[i] === '-' ? input : undefined;
  return text === undefined ? undefined : { text, rest: argv.slice(i + 1) };
}

/** `a: b` of an environment without secrets. */
export function withoutSecretVariables(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  return Object.fromEntries(pairs.map(([name, value]) => [name, withoutSecretValue(name, value)]));
}
