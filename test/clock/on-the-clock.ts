// A test of the clock floor: what was measured is judged as it is, unless an idle process beside it was late as well.
import { fork } from 'node:child_process';
import path from 'node:path';
import { it } from 'vitest';

/** On a quiet machine an idle process's timers are late by less than 2 ms in 95 of 100; from here on the machine is to blame. */
const BUSY_MS = 5;

interface Gauge {
  /** How late the timers of a process with nothing else to do were, 95th percentile. */
  stop(): Promise<number>;
}

function startGauge(): Promise<Gauge> {
  const child = fork(path.join(import.meta.dirname, 'idle-process.mjs'), { execArgv: [] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('message', () => {
      resolve({
        stop: () =>
          new Promise((told) => {
            child.once('message', (milliseconds) => told(Number(milliseconds)));
            child.send('stop');
          }),
      });
    });
  });
}

/**
 * @param measure runs on the real clock; what must hold on any machine (counts, outcomes) is asserted here
 * @param judge asserts times. Where it fails on a machine whose own timers are late, the test is skipped, with the measured delay
 */
export function onTheClock<T>(name: string, measure: () => Promise<T>, judge: (measured: T) => void): void {
  it(name, async ({ skip, task }) => {
    const gauge = await startGauge();
    const [measured] = await Promise.allSettled([measure()]);
    const lateMs = await gauge.stop();
    if (measured.status === 'rejected') throw measured.reason;
    try {
      judge(measured.value);
    } catch (error) {
      if (lateMs < BUSY_MS) throw error;
      const busy = `machine too busy: timers of an idle process beside it were ${lateMs.toFixed(1)} ms late at p95 (limit ${BUSY_MS} ms); ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`;
      Object.assign(task.meta, { busy });
      skip(busy);
    }
  });
}
