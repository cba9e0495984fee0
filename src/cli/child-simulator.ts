// `isoperf run --simulator`: the embedded simulator in a process of its own, for the length of one run.
import { spawn } from 'node:child_process';
import { UsageError } from './command';

export interface ChildSimulator {
  readonly url: string;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 20_000;

/** @param flags of `isoperf simulate`, as one text. Throws UsageError when the simulator does not take them. */
export async function startChildSimulator(flags: string): Promise<ChildSimulator> {
  const cli = process.argv[1];
  if (cli === undefined) throw new Error('the path of the command line is not known');
  const words = flags.split(/\s+/).filter((word) => word !== '');
  const child = spawn(process.execPath, [cli, 'simulate', '--port', '0', ...words, '--json', '--exit-with-parent'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl+C in the terminal reaches the whole foreground group: the simulator must outlive what is in flight.
    detached: true,
  });
  let said = '';
  let complained = '';
  const ended = new Promise<void>((resolve) =>
    child.once('close', () => {
      resolve();
    }),
  );
  const url = await new Promise<string>((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error('the simulator did not start within 20 s')), START_LIMIT_MS);
    child.once('error', reject);
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complained += text));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [line, rest] = said.split('\n', 2);
      if (rest === undefined || line === undefined) return;
      clearTimeout(limit);
      resolve((JSON.parse(line) as { url: string }).url);
    });
    void ended.then(() => {
      clearTimeout(limit);
      reject(new UsageError(`--simulator: ${complained.trim() || 'the simulator ended at once'}`));
    });
  });
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      // It watches its standard input to see whether we live; an open pipe would keep it waiting.
      child.stdin.end();
      await ended;
    },
  };
}
