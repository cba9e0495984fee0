// The requests of a stage in memory that threads share: bodies and the rest as bytes, so that N threads do not hold them N times.
import type { RequestList } from './flights';
import type { EngineRequest } from './share';

/** Counters at fixed places of `counters`. */
const NEXT = 0;
const IN_FLIGHT = 1;
const SLOTS = 2;
const COUNTERS = 3;
const PLACES = 4;

export interface SharedTable {
  readonly bytes: SharedArrayBuffer;
  /** Float64: four per request, where its fields and its body begin and end in `bytes`. */
  readonly places: SharedArrayBuffer;
  /** Int32: index of the next untaken request, requests in flight, taken slots of an open loop's cap. */
  readonly counters: SharedArrayBuffer;
  /** Int32 per thread: the request for which it waits for a slot, `NOTHING` while it waits for none. */
  readonly waiting: SharedArrayBuffer;
  /** Float64 per request: when it was handed to a client, seconds of the shared clock; 0 while it was not. */
  readonly taken: SharedArrayBuffer;
}

const NOTHING = 2 ** 31 - 1;

/** Equal bodies are kept once. Prompt texts go along only where a conversation needs them. */
export function shareRequests(requests: readonly EngineRequest[], threads: number): SharedTable {
  const fields = requests.map((request) =>
    JSON.stringify({
      ...request,
      body: undefined,
      promptTexts: request.turn ? request.promptTexts : undefined,
    }),
  );
  const known = new Set<string>();
  let total = 0;
  for (const [index, request] of requests.entries()) {
    total += Buffer.byteLength(fields[index]!);
    const key = bodyKey(request);
    if (known.has(key)) continue;
    known.add(key);
    total += Buffer.byteLength(request.body);
  }
  const bytes = new SharedArrayBuffer(Math.max(1, total));
  const buffer = Buffer.from(bytes);
  const places = new SharedArrayBuffer(Math.max(1, requests.length) * 8 * PLACES);
  const place = new Float64Array(places);
  const bodies = new Map<string, readonly [number, number]>();
  let at = 0;
  for (const [index, request] of requests.entries()) {
    const fieldsAt = at;
    at += buffer.write(fields[index]!, at);
    const fieldsEnd = at;
    const key = bodyKey(request);
    let body = bodies.get(key);
    if (body === undefined) {
      const from = at;
      at += typeof request.body === 'string' ? buffer.write(request.body, at) : copy(request.body, buffer, at);
      bodies.set(key, (body = [from, at]));
    }
    place.set([fieldsAt, fieldsEnd, ...body], PLACES * index);
  }
  const waiting = new SharedArrayBuffer(4 * threads);
  new Int32Array(waiting).fill(NOTHING);
  return {
    bytes,
    places,
    counters: new SharedArrayBuffer(4 * COUNTERS),
    waiting,
    taken: new SharedArrayBuffer(Math.max(1, requests.length) * 8),
  };
}

/** Equal for equal bodies. Of prepared bytes the hash says all but the model's name, which an adapter replaces. */
function bodyKey({ body, promptHash, adapter = '' }: EngineRequest): string {
  return typeof body === 'string' ? body : `${promptHash} ${adapter}`;
}

function copy(bytes: Uint8Array, to: Uint8Array, at: number): number {
  to.set(bytes, at);
  return bytes.length;
}

/** A thread's view of its share; a request is read when it is sent. */
export class SharedRequests implements RequestList<EngineRequest> {
  readonly length: number;
  private readonly buffer: Buffer;
  private readonly places: Float64Array;

  constructor(
    table: SharedTable,
    private readonly indices: Uint32Array,
  ) {
    this.length = indices.length;
    this.buffer = Buffer.from(table.bytes);
    this.places = new Float64Array(table.places);
  }

  at(position: number): EngineRequest | undefined {
    const index = this.indices[position];
    if (index === undefined) return undefined;
    const [from, to, bodyFrom, bodyTo] = this.places.subarray(PLACES * index, PLACES * (index + 1));
    const fields = JSON.parse(this.buffer.toString('utf8', from, to)) as Omit<EngineRequest, 'body' | 'promptTexts'> &
      Partial<Pick<EngineRequest, 'promptTexts'>>;
    return { promptTexts: [], ...fields, body: this.buffer.subarray(bodyFrom, bodyTo) };
  }
}

/** What the threads of a stage count together. */
export class StageCounters {
  private readonly counters: Int32Array;
  private readonly waiting: Int32Array;
  private readonly times: Float64Array;

  constructor(table: SharedTable) {
    this.counters = new Int32Array(table.counters);
    this.waiting = new Int32Array(table.waiting);
    this.times = new Float64Array(table.taken);
  }

  take(): number {
    return Atomics.add(this.counters, NEXT, 1);
  }

  up(): number {
    return Atomics.add(this.counters, IN_FLIGHT, 1) + 1;
  }

  down(count = 1): void {
    Atomics.sub(this.counters, IN_FLIGHT, count);
  }

  /**
   * A slot of an open loop's cap, for request `index` of thread `thread`. False while all `limit` are taken, or while a request of
   * another thread that was planned earlier waits for one: then ask again soon.
   */
  takeSlot(thread: number, index: number, limit: number): boolean {
    const { counters, waiting } = this;
    let isFirst = true;
    for (let other = 0; isFirst && other < waiting.length; other++) {
      isFirst = other === thread || Atomics.load(waiting, other) > index;
    }
    while (isFirst) {
      const taken = Atomics.load(counters, SLOTS);
      if (taken >= limit) break;
      if (Atomics.compareExchange(counters, SLOTS, taken, taken + 1) !== taken) continue;
      if (waiting[thread] !== NOTHING) Atomics.store(waiting, thread, NOTHING);
      return true;
    }
    Atomics.store(waiting, thread, index);
    return false;
  }

  freeSlot(): void {
    Atomics.sub(this.counters, SLOTS, 1);
  }

  markTaken(index: number, sharedSeconds: number): void {
    this.times[index] = sharedSeconds;
  }

  takenAt(index: number): number | undefined {
    const seconds = this.times[index]!;
    return seconds === 0 ? undefined : seconds;
  }
}
