// Calls a verb as a terminal would, in a folder, and keeps what it says.
import type { CliIo, Command } from '../../../src/cli/command';

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** @param more of the terminal: its width, whether it has colours */
export async function called(
  command: Command,
  cwd: string,
  args: readonly string[],
  more: Partial<CliIo> = {},
): Promise<Said> {
  let [out, err] = ['', ''];
  const code = await command.run(args, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    isTerminal: false,
    columns: 100,
    env: {},
    cwd,
    ...more,
  });
  return { code, out, err };
}
