// How much memory prepared requests may take: their bodies of the machine's, the rest of them of V8's heap.
import os from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Problem } from '../problem';

export interface MemoryLimits {
  /** Of V8's heap: records and answers need the rest. */
  readonly heapBytes: number;
  /** Outside of it, for bodies. */
  readonly bodyBytes: number;
}

const SHARE = 0.6;
/** Of a request beside its body and its texts, hash included. */
const REQUEST_BYTES = 400;

function limitsHere(): MemoryLimits {
  const constrained = process.constrainedMemory();
  const machine = os.totalmem();
  const bytes = constrained > 0 && constrained < machine ? constrained : machine;
  return { heapBytes: getHeapStatistics().heap_size_limit * SHARE, bodyBytes: bytes * SHARE };
}

/** Counts what the requests made so far take. */
export class Memory {
  private heapBytes = 0;
  private bodyBytes = 0;

  constructor(
    private readonly total: number,
    private readonly limits: MemoryLimits = limitsHere(),
  ) {}

  /** One more request. RUN018 when it no longer fits. */
  add(bodyBytes: number, heldCharacters: number, made: number): Problem | undefined {
    this.bodyBytes += bodyBytes;
    // Texts with a character beyond Latin-1 take two bytes for each.
    this.heapBytes += REQUEST_BYTES + 2 * heldCharacters;
    if (this.heapBytes <= this.limits.heapBytes && this.bodyBytes <= this.limits.bodyBytes) return undefined;
    const isHeap = this.heapBytes > this.limits.heapBytes;
    const megabytes = Math.round((isHeap ? this.heapBytes : this.bodyBytes) / 1e6).toLocaleString('en-US');
    return {
      code: 'RUN018',
      severity: 'error',
      path: ['data'],
      message: `Nothing was sent: ${made} of ${this.total} prompts already take ${megabytes} MB of memory, and all are prepared before the clock starts.`,
      remedy: isHeap
        ? 'Send fewer or shorter prompts, or start Node with a larger heap (NODE_OPTIONS=--max-old-space-size=8192).'
        : 'Send fewer or shorter prompts, or run on a machine with more memory.',
    };
  }
}
