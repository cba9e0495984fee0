// A server's command line as it is kept: words as a shell would cut them, the server's own command out of a script, no secrets.
import { isSecretName, withoutSecretFields, withoutSecretText, withoutSecretValue } from '../config/secret-names';

const IS_FLAG = /^--?[A-Za-z]/;
/** What stands between two commands of a script, and what only leads to one. */
const SEPARATOR = /^(?:&&|\|\||;|\||&|\n)$/;
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;
const SHELL = /(?:^|\/)(?:ba|da|z|k|a)?sh$/;
const ENGINE =
  /(?:^|[/.\s])(?:vllm|sglang|text-generation-launcher|llama-server|llama_cpp|trtllm-serve|tritonserver|lmdeploy|mlc_llm|tensorrt_llm|openai\.api_server|launch_server|ollama|max-serve)/;

/** One argv element each, without secrets. A flag that names a secret takes what follows it up to the next flag. */
export function withoutSecretArguments(args: readonly string[]): string[] {
  const kept: string[] = [];
  let isSecret = false;
  for (const argument of args) {
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

/** Words as a POSIX shell cuts them, separators as words of their own; undefined where a quote is never closed. */
export function shellWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  const end = (): void => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  for (let i = 0; i < text.length; i++) {
    const letter = text[i]!;
    if (quote === "'" || (quote === '"' && letter !== '\\')) {
      if (letter === quote) quote = '';
      else word = (word ?? '') + letter;
    } else if (letter === '\\') {
      const next = text[++i];
      if (next === undefined) return undefined;
      // A broken line goes on; inside double quotes a backslash stays before all but a few letters.
      if (next !== '\n') word = (word ?? '') + (quote === '"' && !/["\\$`]/.test(next) ? `\\${next}` : next);
    } else if (letter === '"' || letter === "'") {
      quote = letter;
      word ??= '';
    } else if (letter === '#' && word === undefined) {
      while (i + 1 < text.length && text[i + 1] !== '\n') i++;
    } else if (/[;&|\n]/.test(letter)) {
      end();
      const double = letter !== '\n' && letter !== ';' && text[i + 1] === letter;
      words.push(double ? letter + letter : letter);
      if (double) i++;
    } else if (/\s/.test(letter)) end();
    else word = (word ?? '') + letter;
  }
  end();
  return quote === '' ? words : undefined;
}

export interface CommandLine {
  /** The server's arguments, or all where no script hides them. */
  readonly args: string[];
  /** Variables that the script sets. */
  readonly env: Record<string, string>;
  /** What the script does beside starting the server, one command each. */
  readonly beside: string[];
}

/** A container's command and arguments; of `sh -c "..."` the server's own command. Secrets are removed. */
export function commandLine(argv: readonly string[]): CommandLine {
  const script = scriptOf(argv);
  const words = script && shellWords(script.text);
  if (!words) return { args: withoutSecretArguments(argv), env: {}, beside: [] };
  const commands = split(words);
  const env: [string, string][] = [];
  const clean = commands.map((command) => {
    const exported = command[0] === 'export' ? command.slice(1) : command;
    const until = exported.findIndex((word) => !ASSIGNMENT.test(word));
    const assigned = until < 0 ? exported : exported.slice(0, until);
    for (const word of assigned) {
      const [, name = '', value = ''] = ASSIGNMENT.exec(word)!;
      env.push([name, withoutSecretValue(name, value)]);
    }
    const rest = until < 0 ? [] : exported.slice(until);
    return rest[0] === 'exec' ? rest.slice(1) : rest;
  });
  const full = clean.filter((command) => command.length > 0);
  const server =
    full.find(
      (command) =>
        command.some((word) => ENGINE.test(word)) && !/^(?:pip3?|uv|apt(?:-get)?|echo|curl|wget)$/.test(command[0]!),
    ) ??
    full.findLast((command) => command.some((word) => IS_FLAG.test(word))) ??
    full.at(-1);
  return {
    // `"$@"` in the script stands for what follows it.
    args: withoutSecretArguments((server ?? []).flatMap((word) => (word === '$@' ? script.rest.slice(1) : [word]))),
    env: Object.fromEntries(env),
    beside: full.filter((command) => command !== server).map((command) => withoutSecretArguments(command).join(' ')),
  };
}

function scriptOf(argv: readonly string[]): { text: string; rest: readonly string[] } | undefined {
  const shell = argv.findIndex((word) => SHELL.test(word));
  if (shell < 0 || shell > 2) return undefined;
  const at = argv.findIndex((word, i) => i > shell && /^-[a-z]*c[a-z]*$/.test(word));
  const text = at < 0 ? undefined : argv[at + 1];
  return text === undefined ? undefined : { text, rest: argv.slice(at + 2) };
}

function split(words: readonly string[]): string[][] {
  const commands: string[][] = [[]];
  for (const word of words) {
    if (SEPARATOR.test(word)) commands.push([]);
    else commands.at(-1)!.push(word);
  }
  return commands;
}

/** `a: b` of an environment without secrets. */
export function withoutSecretVariables(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  return Object.fromEntries(pairs.map(([name, value]) => [name, withoutSecretValue(name, value)]));
}
