// A run that is killed, stopped or faulted: the folder opens, and every planned request is accounted for.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder, isoperf, simulator, smallConfig, start, type Simulator } from './support';

const { folder, remove } = emptyFolder();
let sim: Simulator;
beforeAll(async () => {
  sim = await simulator(['--ttft-ms', '20', '--tpot-ms', '5']);
});
afterAll(async () => {
  await sim.stop();
  remove();
});

interface Counts {
  readonly planned: number;
  readonly ok: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly notSent: number;
}

function manifest(name: string): { state: string; counts?: Counts } {
  return JSON.parse(readFileSync(path.join(folder, name, 'run.json'), 'utf8')) as { state: string; counts?: Counts };
}

describe('a run that does not end by itself', () => {
  it('kill -9 leaves a folder that opens and says incomplete: N of M', async () => {
    writeFileSync(path.join(folder, 'kill.yaml'), smallConfig(sim.url, { stages: '    - { rate: 50, duration: 20 }' }));
    const running = start(['run', 'kill.yaml', '--out', 'killed', '--events'], { cwd: folder });
    await running.waitFor(/"type":"tick".*"type":"tick".*"type":"tick"/s, 30_000);
    running.child.kill('SIGKILL');
    await running.done;
    const { out, err, code } = await isoperf(['compare', 'killed', 'killed'], { cwd: folder });
    const match = /incomplete: (\d[\d,]*) of ([\d,]+)/.exec(out + err);
    expect(match, out + err).not.toBeNull();
    const done = Number(match![1]!.replaceAll(',', ''));
    expect(done).toBeGreaterThan(20);
    expect(done).toBeLessThan(1000);
    expect(Number(match![2]!.replaceAll(',', ''))).toBe(1000);
    expect(code).not.toBe(0);
  });

  it('Ctrl+C: what was planned is accounted for and the report is written', async () => {
    writeFileSync(path.join(folder, 'stop.yaml'), smallConfig(sim.url, { stages: '    - { rate: 50, duration: 20 }' }));
    const running = start(['run', 'stop.yaml', '--out', 'stopped', '--events'], { cwd: folder });
    await running.waitFor(/"type":"tick".*"type":"tick"/s, 30_000);
    running.child.kill('SIGINT');
    const { code } = await running.done;
    expect(code).toBe(1);
    const { state, counts } = manifest('stopped');
    expect(state).toBe('incomplete');
    expect(counts!.ok + counts!.failed + counts!.cancelled + counts!.notSent).toBe(1000);
    expect(counts!.notSent).toBeGreaterThan(500);
    expect(counts!.ok).toBeGreaterThan(20);
  });

  it('a reader who has seen enough (| head) ends nothing; one who watched the events, the run', async () => {
    const config = smallConfig(sim.url, { stages: '    - { rate: 50, duration: 3 }' });
    writeFileSync(path.join(folder, 'pipe.yaml'), config);
    const running = start(['run', 'pipe.yaml', '--out', 'piped'], { cwd: folder });
    running.child.stdout!.destroy();
    running.child.stderr!.destroy();
    expect((await running.done).code).toBe(0);
    expect(manifest('piped')).toMatchObject({ state: 'complete', counts: { planned: 150, ok: 150 } });
    const watched = start(['run', 'pipe.yaml', '--out', 'watched', '--events'], { cwd: folder });
    await watched.waitFor(/"type":"tick"/s, 30_000);
    watched.child.stdout!.destroy();
    expect((await watched.done).code).toBe(1);
    const { state, counts } = manifest('watched');
    expect(state).toBe('incomplete');
    expect(counts!.ok + counts!.failed + counts!.cancelled + counts!.notSent).toBe(150);
  });

  it('faults on the way are counted, not lost', async () => {
    const faulty = await simulator([
      '--ttft-ms',
      '5',
      '--tpot-ms',
      '1',
      '--fault-rate',
      '0.2',
      '--fault-kind',
      'http500',
    ]);
    try {
      writeFileSync(
        path.join(folder, 'faults.yaml'),
        smallConfig(faulty.url, { stages: '    - { rate: 100, duration: 2 }' }),
      );
      const { code, out, err } = await isoperf(['run', 'faults.yaml', '--out', 'faults'], { cwd: folder });
      const { counts } = manifest('faults');
      expect(counts!.planned, out + err).toBe(200);
      expect(counts!.ok + counts!.failed).toBe(200);
      expect(counts!.failed).toBeGreaterThan(10);
      expect(code).toBe(0);
    } finally {
      await faulty.stop();
    }
  });
});
