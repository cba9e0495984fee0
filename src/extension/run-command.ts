// The engine's arguments for a run, and the same as a line for a terminal. Secrets are in neither.
import type { ThreadsAsked } from '../config/will/sending-threads';
import type { Target } from './targets';

/** The engine reads the API key from this variable. */
export const API_KEY_VARIABLE = 'ISOPERF_API_KEY';

export interface RunWish {
  readonly config: string;
  readonly target: Target;
  /** Which config, when the file holds several. */
  readonly region?: string | undefined;
  readonly workers: ThreadsAsked;
}

export function runArguments({ config, target, region, workers }: RunWish): string[] {
  return [
    ...['run', config, '--events', ...targetArguments(target), ...workerArguments(workers)],
    ...(region === undefined ? [] : ['--region', region]),
  ];
}

/** `auto` is the engine's own default. */
function workerArguments(workers: ThreadsAsked): string[] {
  return workers === 'auto' ? [] : ['--workers', String(workers)];
}

function targetArguments(target: Target): string[] {
  switch (target.kind) {
    case 'config':
      return [];
    case 'url':
      return ['--set', `server.base_url=${target.url}`];
    case 'simulator':
      return ['--simulator'];
  }
}

/** What a user types to run the same in a terminal. Where a key is needed its variable is named; the key itself is not shown. */
export function terminalLine(
  cli: string,
  { config, target, workers }: Omit<RunWish, 'region'>,
  needsKey: boolean,
): string {
  const words = ['node', cli, 'run', config, ...targetArguments(target), ...workerArguments(workers)];
  const line = words.map(quoted).join(' ');
  return needsKey ? `${API_KEY_VARIABLE}=… ${line}` : line;
}

/** For POSIX shells; double quotes do for cmd and PowerShell what single ones do here. */
function quoted(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word.replace(/(["$`\\])/g, '\\$1')}"`;
}
