// Flags of a server's arguments as an engine would read them. The one place that knows how a flag and its value are spelled.

/** Flags as an engine would read them, and the argv elements it cannot read as they were meant. */
export interface Flags {
  /** Name without dashes, `-` for `_`; a switch is "on" or "off"; several values of one flag are joined by a blank. */
  readonly values: ReadonlyMap<string, string>;
  /** Elements that hold a flag and its value in one: `--quantization bitsandbytes`. */
  readonly broken: readonly string[];
  /** Words before the first flag. */
  readonly positional: readonly string[];
}

const IS_FLAG = /^--?[A-Za-z]/;

export function flagsOf(args: readonly string[]): Flags {
  const values = new Map<string, string>();
  const broken: string[] = [];
  const first = args.findIndex((word) => IS_FLAG.test(word));
  const positional = first < 0 ? args : args.slice(0, first);
  for (let i = positional.length; i < args.length; i++) {
    const argument = args[i]!;
    const [, dashes, body = ''] = /^(--?)([A-Za-z].*)$/s.exec(argument) ?? [];
    if (dashes === undefined) continue;
    const equals = body.indexOf('=');
    const head = equals < 0 ? body : body.slice(0, equals);
    if (/\s/.test(head)) {
      broken.push(argument);
      continue;
    }
    const name = head.replace(/_/g, '-');
    const rest = args.slice(i + 1);
    const end = rest.findIndex((word) => IS_FLAG.test(word));
    const given = end < 0 ? rest : rest.slice(0, end);
    i += given.length;
    if (equals >= 0) values.set(name, [body.slice(equals + 1), ...given].join(' '));
    else if (given.length > 0) values.set(name, given.join(' '));
    else if (name.startsWith('no-')) values.set(name.slice(3), 'off');
    else values.set(name, 'on');
  }
  return { values, broken, positional };
}

export interface FlagChange {
  readonly name: string;
  /** Undefined: not given. */
  readonly left: string | undefined;
  readonly right: string | undefined;
}

/** Flags that two command lines do not share, whatever their spelling and order. */
export function flagChangesOf(left: readonly string[], right: readonly string[]): FlagChange[] {
  const [a, b] = [flagsOf(left).values, flagsOf(right).values];
  return [...new Set([...a.keys(), ...b.keys()])]
    .map((name) => ({ name, left: a.get(name), right: b.get(name) }))
    .filter((change) => change.left !== change.right);
}
