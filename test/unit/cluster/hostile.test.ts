// Objects of strangers: whatever stands where something else was expected, nothing throws; thousands of pods are read in a moment.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../../src/cluster/argv';
import { changesBetween, warningsOf } from '../../../src/cluster/changes';
import { discover } from '../../../src/cluster/discover';
import { recordOf } from '../../../src/cluster/record';
import { snapshotOf } from '../../../src/cluster/snapshot';
import { stackSnapshotSchema } from '../../../src/cluster/snapshot-schema';
import type { KubeObject } from '../../../src/cluster/types';
import { deployment, object, pod, service, VLLM } from './objects';

const FULL: readonly KubeObject[] = [
  ...deployment('a', 2, { labels: { app: 'ms', 'llm-d.ai/role': 'decode' }, node: 'n' }),
  service('s', { app: 'ms' }),
  object('InferencePool', 'p', {
    spec: { selector: { matchLabels: { app: 'ms' } }, endpointPickerRef: { name: 's' } },
  }),
  object('HTTPRoute', 'r', {
    spec: { parentRefs: [{ name: 'g' }], rules: [{ backendRefs: [{ kind: 'InferencePool', name: 'p' }] }] },
  }),
  object('Gateway', 'g', { spec: { listeners: [{ port: 80, protocol: 'HTTP' }] } }),
  object('Node', 'n', { labels: { 'nvidia.com/gpu.product': 'x' }, status: { nodeInfo: {} } }),
  object('EndpointSlice', 'e', {}),
  object('HorizontalPodAutoscaler', 'h', { spec: { scaleTargetRef: { name: 'a' } } }),
  object('LeaderWorkerSet', 'l', {
    spec: { leaderWorkerTemplate: { workerTemplate: { spec: { containers: [VLLM] } } } },
  }),
  object('InferenceService', 'i', { spec: { predictor: { model: { args: ['--model_id=m'] } } } }),
  object('RayService', 'y', { spec: { serveConfigV2: 'import_path: x' } }),
  { kind: 'Event', type: 'Warning', metadata: { namespace: 'llm' }, involvedObject: { kind: 'Pod', name: 'a-h1-0' } },
];

/** Every place of a value, as paths. */
function placesOf(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, entry]) => placesOf(entry, [...at, key]))];
}

function withAt(value: unknown, [key, ...rest]: readonly string[], put: unknown): unknown {
  if (key === undefined) return put;
  const entry = withAt((value as Record<string, unknown>)[key], rest, put);
  if (Array.isArray(value)) return value.map((one, i): unknown => (String(i) === key ? entry : one));
  return { ...(value as object), [key]: entry };
}

const PLACES = placesOf(FULL).filter((place) => place.length > 0);

describe('whatever stands in a place', () => {
  it('nothing throws, and what is kept of it is what run.json may hold', () => {
    const odd = fc.constantFrom<unknown>(
      undefined,
      null,
      7,
      '',
      'x',
      [],
      {},
      [null],
      [[]],
      { a: null },
      true,
      ['x'],
      -1,
      Infinity,
    );
    const before = snapshotOf(FULL, { kind: 'Deployment', name: 'a', namespace: 'llm' }, { atSeconds: 0, target: 't' });
    fc.assert(
      fc.property(fc.constantFrom(...PLACES), odd, (place, put) => {
        const changed = withAt(FULL, place, put) as unknown[];
        const objects = changed.filter(
          (one): one is KubeObject => typeof one === 'object' && one !== null && !Array.isArray(one),
        );
        for (const target of discover(objects)) {
          const after = snapshotOf(objects, target, { atSeconds: 1, target: 't' });
          expect(stackSnapshotSchema.safeParse(JSON.parse(JSON.stringify(after))).error).toBeUndefined();
          recordOf(after);
          changesBetween(before, after);
          warningsOf(objects, after, 0);
        }
      }),
      { numRuns: 600 },
    );
  });

  it('no script throws, nor loses what a secret flag guards', () => {
    const piece = fc.constantFrom(
      'vllm serve m',
      '--a 1',
      "'",
      '"',
      '$(',
      '${',
      '`',
      '<<X',
      '\nX\n',
      '\\',
      '(',
      ')',
      ';',
      '&&',
      '|',
      '>',
      '#',
      'A=(',
      ' ',
      '$A',
      '\n',
      '{',
      '}',
      '2>&1',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const { args } = commandLine(['sh', '-c', pieces.join(' ')]);
        expect(args.every((word) => typeof word === 'string')).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

it('two thousand pods behind a hundred Services', () => {
  const objects = Array.from({ length: 100 }, (_, i) => [
    ...deployment(`d${i}`, 20),
    service(`s${i}`, { app: `d${i}` }),
  ]).flat();
  const many = [
    ...objects,
    ...Array.from({ length: 500 }, (_, i) => pod(`x${i}`, { containers: [{ name: 'c', image: 'busybox' }] })),
  ];
  const start = performance.now();
  expect(discover(many)).toHaveLength(100);
  expect(performance.now() - start).toBeLessThan(8_000);
});
