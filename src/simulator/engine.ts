// Continuous batching: sequences are admitted when a slot is free, and each gets its tokens at its own due times.
import { createPace, type AnswerPlan, type Pace } from './model';
import type { MetricsBook } from './metrics';
import type { SimulatorOptions } from './options';
import { createTicker, type Tick, type Ticker } from './ticker';

/** What a sequence does with its tokens; called on the ticker's turn, must be quick. */
export interface SequenceOutput {
  /** Words `from` up to but not including `to` are ready, in one event; `last` when no more follow. */
  tokens(from: number, to: number, last: boolean): void;
  /** The model ended the answer by itself, one step after its last token. */
  stopped(): void;
}

interface SequenceInput {
  /** Of the request's body, see model.ts. */
  readonly key: string;
  /** performance.now() when the request was whole; a sequence that need not wait is admitted at this very time. */
  readonly arrivedMs: number;
  readonly plan: AnswerPlan;
  readonly promptTokens: number;
  /** Asked once, at admission: what is in the cache then decides the prefill. */
  readonly cachedTokens: () => number;
  readonly output: SequenceOutput;
}

export interface Sequence {
  /** The client is gone, or a fault ends the sequence: frees the slot. Harmless when it is over. */
  cancel(): void;
}

export interface Engine {
  /** Undefined when the queue is full. */
  submit(input: SequenceInput): Sequence | undefined;
  running(): number;
  waiting(): number;
  /** Tokens held by running sequences. */
  tokensHeld(): number;
  close(): void;
}

/** An engine with its own clock. */
export function createEngine(options: SimulatorOptions, book: MetricsBook): Engine {
  const batch: Batch = { options, book, ticker: createTicker(), running: new Set(), waiting: new Set() };
  return {
    submit(input) {
      const sequence = new BatchedSequence(batch, input);
      if (batch.running.size < options.slots) sequence.admit(input.arrivedMs);
      else if (batch.waiting.size < options.queueLimit) batch.waiting.add(sequence);
      else return undefined;
      return sequence;
    },
    running: () => batch.running.size,
    waiting: () => batch.waiting.size,
    tokensHeld() {
      let held = 0;
      for (const each of batch.running) held += each.tokensHeld();
      return held;
    },
    close: () => {
      batch.ticker.close();
    },
  };
}

/** What the sequences share. Sets keep the order of arrival. */
interface Batch {
  readonly options: SimulatorOptions;
  readonly book: MetricsBook;
  readonly ticker: Ticker;
  readonly running: Set<BatchedSequence>;
  readonly waiting: Set<BatchedSequence>;
}

/** One sequence from arrival to its last step; owns a slot while it runs. */
class BatchedSequence implements Sequence, Tick {
  /** Of the next event. Each due time is the one before plus a step, never "now" plus a step: lateness does not add up. */
  dueMs = 0;
  #emitted = 0;
  #state: 'waiting' | 'running' | 'over' = 'waiting';
  #admittedMs = 0;
  #firstTokenMs = 0;
  /** When the latest token was due; before the first event, when the first token is. */
  #tokenDueMs = 0;
  readonly #pace: Pace;

  constructor(
    private readonly batch: Batch,
    private readonly input: SequenceInput,
  ) {
    this.#pace = createPace(batch.options, input.key, input.plan.fault);
  }

  admit(atMs: number): void {
    const { batch, input } = this;
    this.#state = 'running';
    batch.running.add(this);
    this.#admittedMs = atMs;
    const cached = input.cachedTokens();
    batch.book.admitted((this.#admittedMs - this.input.arrivedMs) / 1000);
    batch.book.prompt(input.promptTokens, cached);
    this.#firstTokenMs = this.#admittedMs + 1000 * this.#pace.first(input.promptTokens - cached);
    this.#tokenDueMs = this.#firstTokenMs;
    this.dueMs = this.#tokenDueMs;
    this.#schedule();
  }

  tokensHeld(): number {
    return this.input.promptTokens + this.#emitted;
  }

  fire(): void {
    if (this.#state !== 'running') return;
    const { plan, output } = this.input;
    const from = this.#emitted;
    if (from === plan.words.length) {
      this.#finish();
      output.stopped();
      return;
    }
    this.#emitted += this.#nextChunk();
    this.#record(from);
    const last = this.#emitted === plan.words.length && plan.finishReason === 'length';
    if (last) {
      this.#finish();
      output.tokens(from, this.#emitted, true);
      return;
    }
    output.tokens(from, this.#emitted, false);
    this.dueMs += this.#stepMs();
    this.#schedule();
  }

  cancel(): void {
    if (this.#state === 'over') return;
    this.#leave();
    this.batch.book.aborted();
  }

  /** `dueMs` is when the next token is ready; an event of several tokens leaves when the last of them is. */
  #schedule(): void {
    for (let i = 1; i < this.#nextChunk(); i++) this.dueMs += this.#stepMs();
    this.batch.ticker.at(this);
  }

  #stepMs(): number {
    return 1000 * this.#pace.next(this.batch.running.size);
  }

  #nextChunk(): number {
    return Math.min(this.batch.options.tokensPerChunk, this.input.plan.words.length - this.#emitted);
  }

  /** The server's own metrics are due times: the truth that a client's measurement is held against. */
  #record(from: number): void {
    const { book } = this.batch;
    const count = this.#emitted - from;
    if (from === 0) {
      book.firstToken((this.#tokenDueMs - this.input.arrivedMs) / 1000, (this.#tokenDueMs - this.#admittedMs) / 1000);
    }
    const gaps = from === 0 ? count - 1 : count;
    if (gaps > 0) book.interTokens((this.dueMs - this.#tokenDueMs) / 1000 / gaps, gaps);
    book.generated(count);
    this.#tokenDueMs = this.dueMs;
  }

  #finish(): void {
    this.#leave();
    this.batch.book.finished(this.input.plan.finishReason, {
      outputTokens: this.#emitted,
      latencySeconds: (this.dueMs - this.input.arrivedMs) / 1000,
      runSeconds: (this.dueMs - this.#admittedMs) / 1000,
      decodeSeconds: (this.#tokenDueMs - this.#firstTokenMs) / 1000,
    });
  }

  #leave(): void {
    const { running, waiting, options } = this.batch;
    this.#state = 'over';
    waiting.delete(this);
    running.delete(this);
    for (const next of waiting) {
      if (running.size >= options.slots) break;
      waiting.delete(next);
      next.admit(performance.now());
    }
  }
}
