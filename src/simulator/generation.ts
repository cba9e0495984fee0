// One generation over HTTP: hands the request to the engine, writes what comes back, and misbehaves where it is told to.
import type { ServerResponse } from 'node:http';
import type { Engine, Sequence, SequenceOutput } from './engine';
import { bodyKey, planAnswer, type AnswerPlan } from './model';
import type { FaultKind, SimulatorOptions } from './options';
import type { PrefixCache } from './prefix-cache';
import {
  createEventWriter,
  errorJson,
  wholeAnswer,
  wordsText,
  type ApiError,
  type EventWriter,
  type ParsedRequest,
  type UsageNumbers,
} from './protocol';

export interface GenerationContext {
  readonly options: SimulatorOptions;
  readonly engine: Engine;
  readonly cache: PrefixCache | undefined;
  /** Counts a fault that was injected. */
  fault(kind: FaultKind): void;
  /** Counts a request that found the queue full. */
  rejected(): void;
}

const SIMULATED = 'simulated fault';

const REFUSALS: Partial<Record<FaultKind, ApiError>> = {
  http429: { status: 429, type: 'TooManyRequests', message: `Rate limit reached (${SIMULATED}).` },
  http500: { status: 500, type: 'InternalServerError', message: `Internal server error (${SIMULATED}).` },
  http503: { status: 503, type: 'ServiceUnavailable', message: `Service unavailable (${SIMULATED}).` },
  'ok-with-error-body': { status: 200, type: 'InternalServerError', message: `The engine has died (${SIMULATED}).` },
};

export interface Arrival {
  /** The request as received. */
  readonly body: string;
  /** When its last byte came, performance.now(). */
  readonly arrivedMs: number;
}

/** Answers one parsed request. */
export function generate(
  context: GenerationContext,
  request: ParsedRequest,
  { body, arrivedMs }: Arrival,
  response: ServerResponse,
): void {
  const { options, engine, cache } = context;
  const key = bodyKey(body);
  const planned = planAnswer(options, key, request);
  const { fault } = planned;
  if (fault !== undefined) context.fault(fault);
  const refusal = fault === undefined ? undefined : REFUSALS[fault];
  if (refusal !== undefined) {
    sendJson(
      response,
      refusal.status,
      errorJson({ ...refusal, status: refusal.status === 200 ? 500 : refusal.status }),
    );
    return;
  }
  const plan: AnswerPlan = fault === 'empty' ? { ...planned, words: [], finishReason: 'stop' } : planned;
  const answer = new Answer(request, plan, key, options, response);
  const sequence = engine.submit({
    key,
    arrivedMs,
    plan,
    promptTokens: request.prompt.length,
    cachedTokens() {
      answer.cachedTokens = cache?.lookUp(request.prompt, request.cacheSalt);
      return answer.cachedTokens ?? 0;
    },
    output: answer,
  });
  if (sequence === undefined) {
    context.rejected();
    const status = options.overloadStatus;
    const message = `The server is full: ${options.slots} requests run and ${options.queueLimit} wait.`;
    sendJson(response, status, errorJson({ status, type: 'Overloaded', message }));
    return;
  }
  answer.begin(sequence);
}

/** After so many of its words an answer with a fault in its middle breaks. */
function breakPoint(words: readonly string[]): number {
  return Math.max(1, Math.floor(words.length / 2));
}

/** One answer on its way out; owns the response until it ends. */
class Answer implements SequenceOutput {
  cachedTokens: number | undefined;
  readonly #writer: EventWriter;
  readonly #named: Pick<ParsedRequest, 'route' | 'model'>;
  /** Of the answer's words, so many come first and are thought, not said. */
  readonly #reasoning: number;
  readonly #id: string;
  readonly #createdSeconds = Math.floor(Date.now() / 1000);
  #sequence: Sequence | undefined;
  #broken = false;

  constructor(
    private readonly request: ParsedRequest,
    private readonly plan: AnswerPlan,
    key: string,
    private readonly options: SimulatorOptions,
    private readonly response: ServerResponse,
  ) {
    this.#id = `${request.route === 'chat' ? 'chatcmpl' : 'cmpl'}-${key.replace(/[^A-Za-z0-9]/g, '').slice(0, 24)}`;
    this.#named = { route: request.route, model: options.answerModel ?? request.model };
    this.#writer = createEventWriter(this.#named, this.#id, this.#createdSeconds);
    this.#reasoning = request.route === 'chat' ? Math.min(options.reasoningTokens, plan.words.length) : 0;
  }

  begin(sequence: Sequence): void {
    this.#sequence = sequence;
    // Also after a whole answer; the sequence is over by then and does not mind.
    this.response.once('close', () => sequence.cancel());
    if (!this.request.stream) return;
    this.response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
    this.response.flushHeaders();
  }

  tokens(from: number, to: number, last: boolean): void {
    const { request, plan, response } = this;
    if (this.#broken || response.destroyed) return;
    if (!request.stream) {
      if (last) this.#sendWhole();
      return;
    }
    const breaks = this.#breaksAt(to);
    const text = wordsText(plan.words, from, to);
    const finishReason = last && !breaks ? this.#finishReason() : undefined;
    const usage = request.continuousUsage ? this.#usage(to) : undefined;
    const channel = to <= this.#reasoning ? 'reasoning_content' : 'content';
    const event = this.#writer.tokens(text, finishReason, usage, channel);
    response.write(from === 0 ? this.#writer.opening() + event : event, 'latin1');
    if (breaks) this.#break();
    else if (last) this.#endStream();
  }

  stopped(): void {
    if (this.#broken || this.response.destroyed) return;
    if (!this.request.stream) {
      this.#sendWhole();
      return;
    }
    const opening = this.plan.words.length === 0 ? this.#writer.opening() : '';
    const reason = this.#finishReason();
    const last = reason === undefined ? '' : this.#writer.tokens('', reason, undefined);
    if (opening + last !== '') this.response.write(opening + last, 'latin1');
    this.#endStream();
  }

  /** A model that ends at once says so; the fault `empty` is a server that says nothing at all. */
  #finishReason(): AnswerPlan['finishReason'] | undefined {
    return this.options.finishReason && this.plan.fault !== 'empty' ? this.plan.finishReason : undefined;
  }

  #usage(completionTokens: number): UsageNumbers | undefined {
    if (!this.options.usage) return undefined;
    return {
      promptTokens: this.request.prompt.length,
      completionTokens,
      ...(this.cachedTokens === undefined || !this.options.cachedUsage ? {} : { cachedTokens: this.cachedTokens }),
      ...(this.#reasoning === 0 ? {} : { reasoningTokens: Math.min(this.#reasoning, completionTokens) }),
    };
  }

  #endStream(): void {
    const usage = this.request.includeUsage ? this.#usage(this.plan.words.length) : undefined;
    this.response.end((usage === undefined ? '' : this.#writer.usage(usage)) + this.#writer.done, 'latin1');
  }

  #sendWhole(): void {
    const { plan, response } = this;
    const told = { words: plan.words, finishReason: this.#finishReason() ?? null, reasoning: this.#reasoning };
    const usage = this.#usage(plan.words.length);
    const body = wholeAnswer(this.#named, this.#id, this.#createdSeconds, told, usage);
    const { fault } = plan;
    if (fault === 'stall') return;
    if (fault === 'reset') response.socket?.resetAndDestroy();
    else if (fault === 'error-in-stream') sendJson(response, 200, ENGINE_ERROR);
    else if (fault === 'truncate') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
      response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
    } else sendJson(response, 200, body);
  }

  #breaksAt(words: number): boolean {
    const { fault } = this.plan;
    const inTheMiddle = fault === 'reset' || fault === 'stall' || fault === 'truncate' || fault === 'error-in-stream';
    return inTheMiddle && words >= breakPoint(this.plan.words);
  }

  #break(): void {
    const { fault } = this.plan;
    const { response } = this;
    this.#broken = true;
    // The tokens already written should leave first.
    if (fault === 'reset') setImmediate(() => response.socket?.resetAndDestroy());
    else if (fault === 'error-in-stream') response.end(`data: ${ENGINE_ERROR}\n\n${this.#writer.done}`, 'latin1');
    else if (fault === 'truncate') response.end();
    // A stalled one says nothing more and never ends; its sequence runs on unseen, as in a server whose front end hangs.
    if (fault !== 'stall') this.#sequence?.cancel();
  }
}

const ENGINE_ERROR = errorJson({
  status: 500,
  type: 'InternalServerError',
  message: `The engine has died (${SIMULATED}).`,
});

export function sendJson(response: ServerResponse, status: number, body: string): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
