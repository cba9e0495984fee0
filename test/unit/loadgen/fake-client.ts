// A client without a network: answers after a set time, and remembers how many requests were in flight.
import { setMaxListeners } from 'node:events';
import type { Client, PreparedRequest, SendOptions, WireResult } from '../../../src/client/types';

export interface FakeClient extends Client {
  readonly sent: PreparedRequest[];
  maxInFlight: number;
  /** In flight at each send, the new one included. */
  readonly inFlightAtSend: number[];
}

export type Answer = Partial<WireResult> | 'never';

export function fakeClient(
  answerSeconds: number | ((request: PreparedRequest) => number),
  answer: (request: PreparedRequest) => Answer = () => ({}),
): FakeClient {
  let inFlight = 0;
  const now = (): number => performance.now() / 1000;
  const client: FakeClient = {
    sent: [],
    maxInFlight: 0,
    inFlightAtSend: [],
    send: (request, options) =>
      new Promise((resolve) => {
        client.sent.push(request);
        inFlight++;
        client.maxInFlight = Math.max(client.maxInFlight, inFlight);
        client.inFlightAtSend.push(inFlight);
        start(request, options, (result) => {
          inFlight--;
          resolve(result);
        });
      }),
    probe: () => Promise.resolve({ notes: [] }),
    ask: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };

  function start(request: PreparedRequest, options: SendOptions, resolve: (result: WireResult) => void): void {
    const sentSeconds = now();
    const given = answer(request);
    const base = { sentSeconds, chunkSeconds: [], chunkTexts: [], outputText: '' };
    const seconds = typeof answerSeconds === 'number' ? answerSeconds : answerSeconds(request);
    const timer =
      given === 'never'
        ? undefined
        : setTimeout(() => {
            options.onFirstToken?.(now() - sentSeconds);
            resolve({ ...base, endSeconds: now(), outcome: { kind: 'ok' }, ...given });
          }, seconds * 1000);
    setMaxListeners(0, options.signal);
    options.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve({
        ...base,
        endSeconds: now(),
        outcome: { kind: 'cancelled', reason: String(options.signal.reason) },
      });
    });
  }
  return client;
}

export function requests(count: number, stage = 0, firstId = 0): PreparedRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    id: firstId + index,
    stage,
    api: 'completion' as const,
    streaming: true,
    route: '/v1/completions',
    body: '{}',
    promptHash: `hash-${firstId + index}`,
    maxTokens: 1,
    promptTexts: ['x'],
  }));
}
