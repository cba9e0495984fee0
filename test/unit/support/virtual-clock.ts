// A clock that a test turns by itself: what waits for seconds is over at once, and is on time however busy the machine is.
//
// It stands in for performance.now, setTimeout, setInterval and setImmediate. Time goes on only when nothing is left to do: to the next
// timer, or by some microseconds where a loop turns round and waits actively. Microtasks and real I/O callbacks run in between.

/** A turn of the loop of one that waits with setImmediate. */
const TURN_MS = 0.02;
/** Something that waits for what never comes ends with words. */
const MOST_TURNS = 2_000_000;

interface Timer {
  readonly dueMs: number;
  readonly order: number;
  readonly everyMs?: number;
  readonly call: () => void;
}

export interface VirtualClock {
  nowMs(): number;
  /** The loop stands still for so long: everything that is due is late by it. */
  stall(milliseconds: number): void;
  /** Turns the clock until the promise is settled. */
  until<T>(promise: Promise<T>): Promise<T>;
  /** Turns it by so much. */
  pass(milliseconds: number): Promise<void>;
  /** Gives the machine's own clock back. */
  remove(): void;
}

export function virtualClock(startMs = 1000): VirtualClock {
  const real = {
    now: performance.now.bind(performance),
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval,
    setImmediate: globalThis.setImmediate,
    clearImmediate: globalThis.clearImmediate,
  };
  let nowMs = startMs;
  let order = 0;
  const timers = new Map<number, Timer>();
  const immediates = new Map<number, () => void>();

  const add = (call: () => void, milliseconds: number, everyMs?: number): number => {
    const id = ++order;
    timers.set(id, {
      dueMs: nowMs + Math.max(1, milliseconds),
      order: id,
      call,
      ...(everyMs === undefined ? {} : { everyMs }),
    });
    return id;
  };
  const clear = (id: unknown): void => {
    timers.delete(id as number);
    immediates.delete(id as number);
  };
  const replaced = {
    setTimeout: (call: (...args: unknown[]) => void, milliseconds = 1, ...args: unknown[]) =>
      add(() => call(...args), milliseconds),
    setInterval: (call: () => void, milliseconds = 1) => add(call, milliseconds, Math.max(1, milliseconds)),
    setImmediate: (call: (...args: unknown[]) => void, ...args: unknown[]) => {
      const id = ++order;
      immediates.set(id, () => call(...args));
      return id;
    },
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  };
  Object.assign(globalThis, replaced);
  performance.now = () => nowMs;

  const next = (): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of timers.values())
      if (
        first === undefined ||
        timer.dueMs < first.dueMs ||
        (timer.dueMs === first.dueMs && timer.order < first.order)
      )
        first = timer;
    return first;
  };
  /** Promises settle, and what the machine itself has to deliver comes in. */
  const breathe = (): Promise<void> => new Promise((resolve) => real.setImmediate(resolve));

  /** One turn of the loop, up to `limitMs`; false when nothing is left before it. */
  function turn(limitMs: number): boolean {
    const due = next();
    if (due !== undefined && due.dueMs <= nowMs) {
      timers.delete(due.order);
      if (due.everyMs !== undefined) timers.set(due.order, { ...due, dueMs: due.dueMs + due.everyMs });
      due.call();
      return true;
    }
    if (immediates.size > 0) {
      nowMs = Math.min(nowMs + TURN_MS, due?.dueMs ?? Infinity, limitMs);
      const calls = [...immediates.values()];
      immediates.clear();
      for (const call of calls) call();
      return true;
    }
    if (due === undefined || due.dueMs > limitMs) return false;
    nowMs = due.dueMs;
    return true;
  }

  return {
    nowMs: () => nowMs,
    stall: (milliseconds) => {
      nowMs += milliseconds;
    },
    async until(promise) {
      const settled = { yet: false };
      const over = (): void => {
        settled.yet = true;
      };
      promise.then(over, over);
      for (let turns = 0; ; turns++) {
        await breathe();
        if (settled.yet) return promise;
        if (turns > MOST_TURNS) throw new Error('the virtual clock turned and turned, and nothing ended');
        turn(Infinity);
      }
    },
    async pass(milliseconds) {
      const endMs = nowMs + milliseconds;
      do await breathe();
      while (nowMs < endMs && turn(endMs));
      nowMs = Math.max(nowMs, endMs);
      await breathe();
    },
    remove() {
      const { now, ...globals } = real;
      Object.assign(globalThis, globals);
      performance.now = now;
    },
  };
}
