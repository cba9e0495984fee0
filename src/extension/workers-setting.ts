// The setting `isoperf.run.workers`: how many threads send a run that is started here.
import * as vscode from 'vscode';
import { threadsAsked, THREADS_IN_WORDS, type ThreadsAsked } from '../config/will/sending-threads';

export const WORKERS_SETTING = 'isoperf.run.workers';

/** For a config; what is no number of threads comes with the words to say so. */
export function workersFor(config: vscode.Uri): { readonly asked: ThreadsAsked; readonly wrong?: string } {
  const value = vscode.workspace.getConfiguration('isoperf', config).get<unknown>('run.workers', 'auto');
  const asked = threadsAsked(value);
  if (asked !== undefined) return { asked };
  return {
    asked: 'auto',
    wrong: `Nothing was sent: the setting ${WORKERS_SETTING} is ${JSON.stringify(value)}, and must be ${THREADS_IN_WORDS}.`,
  };
}
