// `isoperf completion`: a script for the shell, made of the verbs and of the options that their help texts list.
import { EXIT, UsageError, type Command, type Verb } from './command';
import { parseOptions } from './options';

const HELP = `isoperf completion: print a script that completes verbs, options and files.

Usage: isoperf completion bash|zsh|fish

  bash  add to ~/.bashrc:                     eval "$(isoperf completion bash)"
  zsh   add to ~/.zshrc, after compinit:      eval "$(isoperf completion zsh)"
  fish  keep as a file that fish finds:       isoperf completion fish > ~/.config/fish/completions/isoperf.fish

Exit codes: 0 printed, 2 no such shell.

Example:
  isoperf completion bash >> ~/.bashrc
`;

interface Completed {
  readonly name: string;
  readonly summary: string;
  /** With their dashes. */
  readonly options: readonly string[];
}

const SHELLS: ReadonlyMap<string, (verbs: readonly Completed[]) => string> = new Map([
  ['bash', bash],
  ['zsh', zsh],
  ['fish', fish],
]);

/** @param listed every verb that a person types */
export function completionOf(listed: readonly Verb[]): Command {
  return {
    name: 'completion',
    summary: 'print a script that completes verbs and options in bash, zsh or fish',
    help: HELP,
    async run(args, io) {
      const { positionals } = parseOptions({ args: [...args], options: {}, allowPositionals: true });
      const [shell, ...more] = positionals;
      const script = shell === undefined || more.length > 0 ? undefined : SHELLS.get(shell);
      if (!script) throw new UsageError(`one shell of ${[...SHELLS.keys()].join(', ')} is needed`);
      const verbs = await Promise.all(
        listed.map(async ({ name, summary, load }) => ({ name, summary, options: optionsIn((await load()).help) })),
      );
      io.out(script(verbs));
      return EXIT.ok;
    },
  };
}

/** Every `--name` at the head of a line of options, and --help. */
export function optionsIn(help: string): string[] {
  const names = help
    .split('\n')
    .filter((line) => /^ {2,}(?:-\w, )?--[a-z]/.test(line))
    // "--stack-a FILE, --stack-b FILE    what served": the options end where the explanation begins.
    .flatMap(
      (line) =>
        line
          .trim()
          .split(/ {2,}/)[0]!
          .match(/--[a-z][a-z-]*/g) ?? [],
    );
  return [...new Set([...names, '--help'])].sort();
}

function bash(verbs: readonly Completed[]): string {
  const cases = verbs.map(({ name, options }) => `    ${name}) words='${options.join(' ')}' ;;`).join('\n');
  return `# bash completion of isoperf
_isoperf() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${verbs.map(({ name }) => name).join(' ')} --help --version' -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases}
  esac
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _isoperf isoperf
`;
}

function zsh(verbs: readonly Completed[]): string {
  const described = verbs.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join('\n');
  const cases = verbs.map(({ name, options }) => `    ${name}) options=(${options.join(' ')}) ;;`).join('\n');
  return `# zsh completion of isoperf
_isoperf() {
  local -a verbs options
  verbs=(
${described}
  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  case "\${words[2]}" in
${cases}
  esac
  if [[ "$PREFIX" == -* ]]; then
    compadd -- $options
  else
    _files
  fi
}
compdef _isoperf isoperf
`;
}

function fish(verbs: readonly Completed[]): string {
  const lines = verbs.flatMap(({ name, summary, options }) => [
    `complete -c isoperf -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
    ...options.map((option) => `complete -c isoperf -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`),
  ]);
  return `# fish completion of isoperf\n${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
