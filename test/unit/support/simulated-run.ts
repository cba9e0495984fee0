// A synthetic run's requests, answered by the simulator's own engine on a clock that a test turns: seconds pass at once.
import type { RequestRecord } from '../../../src/metrics/record';
import type { Run } from '../../../src/readers/run';
import { createEngine, type Engine } from '../../../src/simulator/engine';
import { createMetricsBook } from '../../../src/simulator/metrics';
import { planAnswer } from '../../../src/simulator/model';
import { DEFAULT_OPTIONS, type SimulatorOptions } from '../../../src/simulator/options';
import { syntheticRun, type SyntheticOptions } from './synthetic-run';
import { virtualClock } from './virtual-clock';

export interface Served {
  readonly slots?: number;
  /** Of a request's first token. @param at seconds of the run @param admitted requests before it */
  readonly ttftSeconds?: (at: number, admitted: number) => number;
  readonly tokenSeconds?: (at: number) => number;
}

/** What the engine made of the run's schedule; a closed loop sends when an answer ends. */
export async function simulatedRun(options: SyntheticOptions, served: Served): Promise<Run> {
  const run = syntheticRun({ maxTokens: 4, ...options });
  const clock = virtualClock();
  const startMs = clock.nowMs();
  const seconds = (): number => (performance.now() - startMs) / 1000;
  let admitted = 0;
  const truth: SimulatorOptions = {
    ...DEFAULT_OPTIONS,
    jitter: 0.1,
    seed: options.seed ?? 1,
    slots: served.slots ?? 1000,
    queueLimit: 100_000,
    get ttftSeconds() {
      return served.ttftSeconds?.(seconds(), admitted++) ?? 0.05;
    },
    get tokenSeconds() {
      return served.tokenSeconds?.(seconds()) ?? 0.05;
    },
  };
  const engine = createEngine(truth, createMetricsBook(truth, 'm'));
  const done: RequestRecord[] = [];
  try {
    let endMs = 0;
    for (const { load, records } of stagesOf(run)) {
      const queue = [...records];
      const ended = (record: RequestRecord): void => {
        done.push(record);
        const next = load.closed ? queue.shift() : undefined;
        if (next) send(engine, truth, { ...next, scheduledSeconds: seconds() }, seconds, ended);
      };
      const zero = load.closed ? 0 : Math.max(0, endMs / 1000 - records[0]!.scheduledSeconds);
      if (load.closed) {
        for (const record of queue.splice(0, load.concurrency))
          send(engine, truth, { ...record, scheduledSeconds: seconds() }, seconds, ended);
      } else {
        for (const record of queue.splice(0)) {
          const at = record.scheduledSeconds + zero;
          const timely = (): void => {
            send(engine, truth, { ...record, scheduledSeconds: at }, seconds, ended);
          };
          setTimeout(timely, 1000 * at - (performance.now() - startMs));
        }
      }
      const wanted = done.length + records.length;
      while (done.length < wanted) await clock.pass(500);
      endMs = clock.nowMs() - startMs + 500;
    }
  } finally {
    engine.close();
    clock.remove();
  }
  return { ...run, records: done.sort((x, y) => x.id - y.id) };
}

function stagesOf({ manifest, records }: Run) {
  return manifest!.stages.map(({ id, requestedConcurrency: concurrency }) => ({
    load: { closed: concurrency !== undefined, concurrency: concurrency ?? 0 },
    records: records!.filter(({ stage }) => stage === id),
  }));
}

function send(
  engine: Engine,
  truth: SimulatorOptions,
  record: RequestRecord,
  seconds: () => number,
  ended: (record: RequestRecord) => void,
): void {
  const key = `${record.promptHash} ${record.id}`;
  const maxTokens = record.maxTokens ?? 4;
  const plan = planAnswer(truth, key, { maxTokens, minTokens: 0, ignoreEos: true });
  const sentSeconds = seconds();
  const chunkSeconds: number[] = [];
  engine.submit({
    key,
    arrivedMs: performance.now(),
    plan,
    promptTokens: record.askedPromptTokens ?? 1,
    cachedTokens: () => 0,
    output: {
      tokens: (from, to, last) => {
        const now = seconds();
        for (let i = from; i < to; i++) chunkSeconds.push(now);
        if (!last) return;
        const [first] = chunkSeconds;
        ended({
          ...record,
          sentSeconds,
          firstByteSeconds: first!,
          firstTokenSeconds: first!,
          firstContentSeconds: first!,
          chunkSeconds,
          lastTokenSeconds: now,
          endSeconds: now + 0.0001,
        });
      },
      stopped: () => undefined,
    },
  });
}
