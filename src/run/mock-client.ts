// server.type mock: no server at all. inference-perf waits one second and records an answer of zero tokens; so do we.
import { setMaxListeners } from 'node:events';
import type { Client, SendOptions, WireResult } from '../client/types';

const ANSWER_SECONDS = 1;

export function createMockClient(): Client {
  return {
    send: (_request, options) =>
      new Promise((resolve) => {
        answer(options, resolve);
      }),
    probe: () =>
      Promise.resolve({ notes: ['server.type is mock: nothing was asked, and no answer is a measurement.'] }),
    ask: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };
}

function answer({ timeoutSeconds, signal }: SendOptions, resolve: (result: WireResult) => void): void {
  const sentSeconds = performance.now() / 1000;
  const timesOut = timeoutSeconds < ANSWER_SECONDS;
  const end = (outcome: WireResult['outcome']): void => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    const endSeconds = performance.now() / 1000;
    resolve({ sentSeconds, endSeconds, outcome, chunkSeconds: [], chunkTexts: [], outputText: '' });
  };
  const onAbort = (): void => end({ kind: 'cancelled', reason: String(signal.reason) });
  const timer = setTimeout(
    () =>
      end(
        timesOut
          ? { kind: 'failed', errorType: 'TimeoutError', label: 'Timeout', message: 'Request timed out' }
          : { kind: 'ok' },
      ),
    Math.min(timeoutSeconds, ANSWER_SECONDS) * 1000,
  );
  // One listener for each request in flight is meant, not a leak.
  setMaxListeners(0, signal);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
}
