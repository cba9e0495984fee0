// The engine's arguments for a run, and the same as a line for a terminal. Secrets are in neither.
import type { Target } from './targets';

/** The engine reads the API key from this variable. */
export const API_KEY_VARIABLE = 'ISOPERF_API_KEY';

export function runArguments(config: string, target: Target, region?: string): string[] {
  return ['run', config, '--events', ...targetArguments(target), ...(region === undefined ? [] : ['--region', region])];
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
export function terminalLine(cli: string, config: string, target: Target, needsKey: boolean): string {
  const line = ['node', cli, 'run', config, ...targetArguments(target)].map(quoted).join(' ');
  return needsKey ? `${API_KEY_VARIABLE}=… ${line}` : line;
}

/** For POSIX shells; double quotes do for cmd and PowerShell what single ones do here. */
function quoted(word: string): string {
  return /^[\w@%+=:,./\\-]+$/.test(word) ? word : `"${word.replace(/(["$`\\])/g, '\\$1')}"`;
}
