// Ctrl+C of what sends load: once, what is in flight may end; twice, it is cancelled; a third time ends the program.
import type { StopControl } from '../loadgen/stop';
import type { CliIo } from './command';

/** Returns how to stop listening. @param who for the message: `isoperf run` */
export function listenForSignals(stop: StopControl, io: CliIo, who: string): () => void {
  let asked = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    asked++;
    if (asked > 2) process.exit(130);
    stop.stop(`stopped by ${signal}`, asked > 1);
    const what = asked > 1 ? 'cancelling what is in flight' : 'waiting for what is in flight; once more cancels it';
    io.err(`\n${who}: stopping: ${what}\n`);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return () => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
}
