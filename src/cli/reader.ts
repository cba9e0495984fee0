// `isoperf reader`: the process that the extension forks for reports and comparisons. It lives as long as its channel.
import type { FromReader, NeedKind, Needs, Place, ToReader } from '../reader-messages';
import { EXIT, UsageError, type Command } from './command';
import { readerDesk } from './reader-desk';

function run(): Promise<number> {
  const send = process.send?.bind(process);
  if (!send) throw new UsageError('the extension starts it, with a channel to ask on');
  const say = (message: FromReader): boolean => send(message);
  const needed = new Map<number, { resolve(value: Needs[NeedKind]): void; reject(error: Error): void }>();
  let needs = 0;
  const askFiles = <K extends NeedKind>(need: K, uri: Place['uri']): Promise<Needs[K]> =>
    new Promise((resolve, reject) => {
      needed.set(++needs, { resolve: resolve as (value: Needs[NeedKind]) => void, reject });
      say({ type: 'need', id: needs, need, uri });
    });
  const desk = readerDesk(askFiles);

  process.on('message', (message: ToReader) => {
    if (message.type === 'ask') {
      const { id, kind, ask } = message;
      // Kind and ask belong together by their type, which a call by name cannot show.
      desk[kind](ask as never).then(
        (answer) => say({ type: 'answer', id, answer }),
        (error: unknown) => say({ type: 'failed', id, stack: stackOf(error) }),
      );
      return;
    }
    const waiting = needed.get(message.id);
    needed.delete(message.id);
    if (message.type === 'got') waiting?.resolve(message.value);
    else waiting?.reject(new Error(message.message));
  });
  return new Promise((resolve) => process.once('disconnect', () => resolve(EXIT.ok)));
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

export const readerCommand: Command = {
  name: 'reader',
  summary: 'reads and judges reports for the extension',
  help: 'isoperf reader: started by the VS Code extension, which asks over its channel. Not for people.\n',
  run,
};
