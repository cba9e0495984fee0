// Missing evidence is unknown in every path: each field of a report folder is removed in turn, on A, on B and on both.
import { describe, expect, it } from 'vitest';
import type { DimensionId, Finding } from '../../../src/comparability/comparison';
import type { Context } from '../../../src/comparability/dimension';
import { DIMENSIONS } from '../../../src/comparability/dimensions';
import { sideOf } from '../../../src/comparability/side';
import { matchStages } from '../../../src/comparability/stages';
import type { RunManifest } from '../../../src/folder/manifest';
import type { Run } from '../../../src/readers/run';
import { contentFields, contentsOf, fieldInFolder, readWithout, type Contents } from '../support/removal';
import { withoutRecords } from '../support/lacking';
import { foreignRun, richRun } from '../support/rich-run';
import { watched, type FieldPath } from '../support/watched';
import { DECIDED_ELSEWHERE, DIFFERENCE_WAS_THERE, NOT_SET_IS_A_VALUE } from './removal-list';

type State = Finding['state'] | 'assumed' | 'follows';
type Where = 'A' | 'B' | 'both';
type States = ReadonlyMap<DimensionId, State>;

function contextOf(a: Run, b: Run): Context {
  const sides = { a: sideOf('A', a), b: sideOf('B', b) };
  return { ...sides, matching: matchStages(sides.a, sides.b) };
}

function statesOf(a: Run, b: Run): States {
  const context = contextOf(a, b);
  return new Map(
    DIMENSIONS.map((dimension) => {
      const { assumed, follows, state } = dimension.examine(context);
      return [dimension.id, assumed === undefined ? (follows === undefined ? state : 'follows') : 'assumed'];
    }),
  );
}

/** Fields of the folder that each dimension looks at, beyond what pairs the stages. */
function readsOf(a: Run, b: Run): ReadonlyMap<DimensionId, ReadonlySet<FieldPath>> {
  return new Map(
    DIMENSIONS.map((dimension) => {
      const fields = new Set<FieldPath>();
      let on = false;
      const report = (path: FieldPath): void => {
        const field = fieldInFolder(path);
        if (on && field !== undefined) fields.add(field);
      };
      const context = contextOf(watched(a, report), watched(b, report));
      on = true;
      dimension.examine(context);
      return [dimension.id, fields];
    }),
  );
}

interface Removed {
  readonly field: FieldPath;
  readonly where: Where;
  /** Undefined: the reader refuses the folder. */
  readonly runs: readonly [Run, Run] | undefined;
}

async function* removals(a: Contents, b: Contents, fields: Iterable<FieldPath>): AsyncGenerator<Removed> {
  const [wholeA, wholeB] = [(await readWithout(a, new Set()))!, (await readWithout(b, new Set()))!];
  for (const field of fields) {
    const dropped = new Set([field]);
    const [lackA, lackB] = [await readWithout(a, dropped), await readWithout(b, dropped)];
    const pair = (x: Run | undefined, y: Run | undefined) => (x && y ? ([x, y] as const) : undefined);
    yield { field, where: 'A', runs: pair(lackA, wholeB) };
    yield { field, where: 'B', runs: pair(wholeA, lackB) };
    yield { field, where: 'both', runs: pair(lackA, lackB) };
  }
}

/** The rest of a path under another one; empty when it is not under it. */
function under(path: FieldPath, part: FieldPath): string {
  return path.startsWith(part) ? path.slice(part.length) : '';
}

/** Without a required key the reader has no run.json, or no request: it says so, and that is a finding of its own. */
const isDamaged = (run: Run): boolean => run.damaged === true || run.problems.some(({ code }) => code === 'REP110');

const KINDS: Readonly<Record<string, (seed: number) => Promise<Contents>>> = {
  'our folder': (seed) => Promise.resolve(contentsOf(richRun({ seed }))),
  'our folder without its records.jsonl': (seed) => Promise.resolve(contentsOf(withoutRecords(richRun({ seed })))),
  'inference-perf’s folder': async (seed) => {
    const { run, report } = await foreignRun({ seed });
    return { ...contentsOf(run), report };
  },
};

/** Hundreds of folders are read; on a busy machine that takes a while. */
const LONG = { timeout: 180_000 };

/** Dimensions whose every single removal was looked at, over all kinds. */
const hit = new Set<DimensionId>();
const used = new Set<string>();

describe.each(Object.entries(KINDS))('equal runs: %s', (kind, contents) => {
  it('no field whose absence makes a difference, and none whose absence is nothing', LONG, async () => {
    const [a, b] = [await contents(1), await contents(2)];
    const [wholeA, wholeB] = [(await readWithout(a, new Set()))!, (await readWithout(b, new Set()))!];
    const whole = statesOf(wholeA, wholeB);
    const reads = readsOf(wholeA, wholeB);
    const faults: string[] = [];
    for await (const { field, where, runs } of removals(a, b, contentFields(a))) {
      if (!runs) continue;
      const damaged = runs.some(isDamaged);
      for (const [id, state] of statesOf(...runs)) {
        const was = whole.get(id)!;
        const at = `${id} without ${field} on ${where}: ${was} -> ${state}`;
        if (state === 'confounds') {
          const notSet = NOT_SET_IS_A_VALUE.some(([known, fields]) => known === id && fields.test(field));
          if (!notSet && !(damaged && id === 'completeness')) faults.push(`invented: ${at}`);
        }
        const version = NOT_SET_IS_A_VALUE.some(([known, fields]) => known === id && fields.test(field));
        if ((was === 'unknown' || was === 'assumed') && state === 'same' && !version)
          faults.push(`settled by nothing: ${at}`);
        if (![...reads.get(id)!].some((read) => read === field || /^(?:\[\])?\./.test(under(read, field)))) continue;
        hit.add(id);
        if (was !== 'same' || state !== 'same') continue;
        const listed = DECIDED_ELSEWHERE.find(([known, fields]) => known === id && fields.test(field));
        if (listed) used.add(`${listed[0]} ${String(listed[1])}`);
        else faults.push(`still same: ${at}`);
      }
    }
    expect(faults, kind).toEqual([]);
  });
});

type Options = Omit<Parameters<typeof richRun>[0], 'seed'>;
const changed = (change: (manifest: RunManifest) => Partial<RunManifest>): Options => ({
  manifest: (manifest) => ({ ...manifest, ...change(manifest) }),
});
const goodput = (ttft: number): Options =>
  changed(({ config }) => ({
    config: { ...config, effective: { ...config.effective, report: { goodput: { constraints: { ttft } } } } },
  }));

/** A difference in every dimension that our own folders can differ in. */
const DIFFERENT: readonly (readonly [DimensionId, Options, Options])[] = [
  ['load-model', {}, { stages: [{ concurrency: 4, requests: 80 }] }],
  ['arrival-process', {}, { law: 'even' }],
  ['offered-load', {}, { stages: [{ rateRps: 30, durationSeconds: 4 }] }],
  ['client-limit', {}, { lagSeconds: 0.05 }],
  ['warmup-window', {}, { coldSeconds: 0.4, coldRequests: 12 }],
  ['steady-state', {}, { stages: [{ concurrency: 16, requests: 64 }] }],
  ['completeness', {}, { failureShare: 0.3 }],
  ['input-length', {}, { promptTokens: 200 }],
  ['output-length', {}, { maxTokens: 64 }],
  ['stop-behaviour', {}, { ignoreEos: false }],
  ['prompt-identity', {}, { repeatShare: 0.4 }],
  ['sampling', {}, changed(({ workload }) => ({ workload: { ...workload, parameters: { temperature: 1 } } }))],
  ['token-source', {}, { outputSource: 'client-tokenizer' }],
  ['endpoint-mode', {}, { template: 40 }],
  ['cache-state', {}, { cachedShare: 0.6 }],
  ['server', {}, changed(({ stack }) => ({ stack: { ...stack!, image: 'vllm/vllm-openai:v0.9.0' } }))],
  ['topology', {}, changed(({ stack }) => ({ stack: { ...stack!, replicas: 2 } }))],
  ['network-path', {}, { tokensPerChunk: 4 }],
  ['client-host', {}, changed(({ runtime }) => ({ runtime: { ...runtime, cpuModel: 'Xeon' } }))],
  ['sample-size', {}, { stages: [{ rateRps: 20, durationSeconds: 2 }] }],
  ['goodput-definition', goodput(0.1), goodput(0.2)],
  ['telemetry', {}, { clientFactor: 0.8 }],
];

describe.each(DIFFERENT)('different runs: %s', (id, optionsA, optionsB) => {
  it('no difference turns into sameness because something was not recorded', LONG, async () => {
    const [a, b] = [contentsOf(richRun({ seed: 1, ...optionsA })), contentsOf(richRun({ seed: 2, ...optionsB }))];
    const [wholeA, wholeB] = [(await readWithout(a, new Set()))!, (await readWithout(b, new Set()))!];
    expect(statesOf(wholeA, wholeB).get(id)).toBe('confounds');
    const reads = readsOf(wholeA, wholeB).get(id)!;
    const faults: string[] = [];
    for await (const { field, where, runs } of removals(a, b, reads)) {
      if (!runs || runs.some(isDamaged)) continue;
      const state = statesOf(...runs).get(id)!;
      const listed = DIFFERENCE_WAS_THERE.some(([known, fields]) => known === id && fields.test(field));
      if (state === 'same' && !listed) faults.push(`${field} on ${where}`);
    }
    expect(faults).toEqual([]);
  });
});

it('every dimension was reached, and the list holds nothing that is no longer so', () => {
  expect([...hit].sort()).toEqual(DIMENSIONS.map(({ id }) => id).sort());
  const all = DECIDED_ELSEWHERE.map(([id, fields]) => `${id} ${String(fields)}`);
  expect(all.filter((entry) => !used.has(entry))).toEqual([]);
});
