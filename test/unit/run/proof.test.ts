// A folder that was changed after its run says so first, whatever was changed.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accessTo } from '../../../src/cli/access';
import { compare } from '../../../src/comparability/compare';
import { readRun } from '../../../src/readers/read';
import type { Run } from '../../../src/readers/run';
import { configOf, harness, type Harness } from './harness';
import { startSimulator, type Simulator } from '../../../src/simulator/server';

let h: Harness;
let server: Simulator;
beforeEach(async () => {
  h = harness();
  server = await startSimulator({ ttftSeconds: 0.003, tokenSeconds: 0.001, models: ['m'] });
});
afterEach(async () => {
  h.remove();
  await server.close();
});

async function read(folder: string): Promise<Run> {
  const found = await readRun(accessTo(folder, h.folder));
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return found.value;
}

type Json = Record<string, unknown>;

/** Each changes one thing of a folder, as somebody might who wants a better number. */
const CHANGES: readonly (readonly [string, string, (text: string) => string])[] = [
  [
    'times scaled',
    'records.jsonl',
    (text) => text.replace(/("endSeconds":)(\d+)/g, (_, key: string, n: string) => `${key}${Number(n) + 1}`),
  ],
  ['slow requests deleted', 'records.jsonl', (text) => text.split('\n').slice(3).join('\n')],
  ['a byte in a report', 'summary_lifecycle_metrics.json', (text) => text.replace(/"mean": (\d)/, '"mean": 9$1')],
  ['another stream named', 'run.json', (text) => text.replace(/"promptsHash": "..../, '"promptsHash": "0000')],
  [
    'another plan named',
    'run.json',
    (text) => {
      const manifest = JSON.parse(text) as { stages: Json[] };
      return JSON.stringify({ ...manifest, stages: manifest.stages.map((stage) => ({ ...stage, planned: 5 })) });
    },
  ],
];

describe('a folder that was changed', () => {
  it('is no side of a comparison; as it was written, it is', async () => {
    const load = '{ type: constant, stages: [{ rate: 30, duration: 1 }] }';
    const { folder } = await h.ran(configOf({ url: server.url, load, api: '{ type: completion, streaming: true }' }));
    const whole = await read(folder);
    expect(whole.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(compare(whole, whole).notes.join(' ')).toContain('A and B are the same run');
    for (const [what, file, change] of CHANGES) {
      const copy = path.join(h.folder, `changed ${what}`);
      cpSync(folder, copy, { recursive: true });
      const before = readFileSync(path.join(copy, file), 'utf8');
      const after = change(before);
      expect(after, what).not.toBe(before);
      writeFileSync(path.join(copy, file), after);
      const { verdict, notes } = compare(whole, await read(copy));
      expect(verdict, what).toMatchObject({ state: 'confounded', exitCode: 3 });
      expect(verdict.sentence, what).toMatch(/^Not comparable: a folder contradicts itself\. B: /);
      expect(notes.join(' '), what).toContain('one of them was changed');
    }
  });
});
