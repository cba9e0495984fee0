// Attempts after a fault of the connection (`load.request_retries`): one request, one result, its clock that of the first attempt.
import type { RequestRetries } from '../metrics/record';
import type { Client, PreparedRequest, RetryRule, SendOptions, WireResult } from './types';

/**
 * Sends again what met a fault of the connection before any answer; everything else is a result. As inference-perf 0.7.0: the pause
 * doubles with each attempt and is stretched by 0.5 to 1.5, the timeout is each attempt's own, and latencies count from the first.
 */
export function sendingAgain(send: Client['send'], rule: RetryRule): Client['send'] {
  return async (request, options) => {
    const first = await send(request, options);
    return first.mayRetry && rule.times > 0 ? again(send, rule, request, options, first) : first;
  };
}

async function again(
  send: Client['send'],
  { times, backoffSeconds }: RetryRule,
  request: PreparedRequest,
  options: SendOptions,
  first: WireResult,
): Promise<WireResult> {
  let result = first;
  let attempts = 0;
  let began = 0;
  while (result.mayRetry && attempts < times) {
    await pause(backoffSeconds * 2 ** attempts * (0.5 + spread(request.id, attempts)), options.signal);
    // A stop ends the waiting; the last fault is what became of the request.
    if (options.signal.aborted) break;
    attempts++;
    began = performance.now() / 1000;
    result = await send(request, options);
  }
  if (attempts === 0) return first;
  const startSeconds = first.sentSeconds ?? first.attemptedSeconds ?? began;
  const recovered = result.outcome.kind === 'ok';
  const retries: RequestRetries = {
    attempts,
    recovered,
    wastedSeconds: (recovered ? began : result.endSeconds) - startSeconds,
  };
  // Not a copy: an answer's texts are made when somebody asks it for them.
  return Object.assign(result, { sentSeconds: startSeconds, retries });
}

/** 0 to 1, the same for the same request and attempt: which run had which pauses is no accident. */
function spread(id: number, attempt: number): number {
  let bits = Math.imul(id ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(attempt + 1, 0xc2b2ae35);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  return ((bits ^ (bits >>> 12)) >>> 0) / 2 ** 32;
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, seconds * 1000);
    signal.addEventListener('abort', done, { once: true });
  });
}
