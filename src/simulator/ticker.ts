// One clock for all sequences: calls each of them at its due time, to a fraction of a millisecond.
//
// Node's timers count whole milliseconds and fire up to one early. So: one timer until shortly before the next due time,
// then turns of the event loop (setImmediate, sockets are served in between) until it is reached. Due times are absolute;
// a late call never shifts the next one. A binary heap keeps insertion and removal cheap with thousands of sequences.

export interface Tick {
  /** performance.now() milliseconds. */
  readonly dueMs: number;
  fire(nowMs: number): void;
}

export interface Ticker {
  /** A tick cannot be taken back: one that is no longer wanted does nothing when it fires. */
  at(tick: Tick): void;
  close(): void;
}

/** The spin starts so long before the due time: a timer may be this late. */
const SPIN_MS = 1.6;

export function createTicker(): Ticker {
  const heap: Tick[] = [];
  let timer: NodeJS.Timeout | undefined;
  let spinning: NodeJS.Immediate | undefined;
  let timerDueMs = 0;

  function arm(): void {
    const next = heap[0];
    if (next === undefined || spinning !== undefined) return;
    const waitMs = Math.floor(next.dueMs - performance.now() - SPIN_MS);
    if (waitMs < 1) {
      disarm();
      spinning = setImmediate(run);
    } else if (timer === undefined || next.dueMs < timerDueMs) {
      disarm();
      timerDueMs = next.dueMs;
      timer = setTimeout(() => {
        timer = undefined;
        run();
      }, waitMs);
    }
  }

  function disarm(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  function run(): void {
    spinning = undefined;
    for (let next = heap[0]; next !== undefined && next.dueMs <= performance.now(); next = heap[0]) {
      popHeap(heap);
      next.fire(performance.now());
    }
    arm();
  }

  return {
    at(tick) {
      pushHeap(heap, tick);
      arm();
    },
    close() {
      heap.length = 0;
      disarm();
      if (spinning !== undefined) clearImmediate(spinning);
      spinning = undefined;
    },
  };
}

function pushHeap(heap: Tick[], tick: Tick): void {
  let index = heap.length;
  heap.push(tick);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (heap[parent]!.dueMs <= tick.dueMs) break;
    heap[index] = heap[parent]!;
    index = parent;
  }
  heap[index] = tick;
}

function popHeap(heap: Tick[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1]!.dueMs < heap[child]!.dueMs) child++;
    if (heap[child]!.dueMs >= last.dueMs) break;
    heap[index] = heap[child]!;
    index = child;
  }
  heap[index] = last;
}
