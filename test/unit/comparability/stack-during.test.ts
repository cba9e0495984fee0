// A stack that changed while it was measured, and the way that requests took into a cluster: both stand in the verdict.
import { describe, expect, it } from 'vitest';
import type { Change, KubernetesFacts, RouteFacts, StackSnapshot } from '../../../src/cluster/snapshot-schema';
import { compare } from '../../../src/comparability/compare';
import type { DimensionId, Finding } from '../../../src/comparability/comparison';
import type { RunManifest } from '../../../src/folder/manifest';
import type { Run } from '../../../src/readers/run';
import { reportView } from '../../../src/views/report/view';
import { syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

const STAGES: SyntheticOptions = {
  stages: [
    { rateRps: 20, durationSeconds: 10, warmup: true },
    { rateRps: 20, durationSeconds: 30 },
  ],
};

const snapshot = (wanted: number): StackSnapshot => ({
  atSeconds: 0,
  namespace: 'llm',
  target: 'svc/v:80',
  containers: [
    {
      role: 'server',
      workload: 'Deployment v',
      name: 'v',
      engine: 'vllm',
      image: 'v:1',
      digests: [],
      args: [],
      env: {},
    },
  ],
  workloads: [{ kind: 'Deployment', name: 'v', role: 'server', wanted, ready: wanted }],
  pods: [],
  accelerators: [],
  nodes: [],
  routing: {},
  missing: [{ what: 'nodes', reason: 'forbidden' }],
});

const restart = (atSeconds: number, kind: Change['kind'] = 'restart'): Change => ({
  atSeconds,
  kind,
  object: 'Pod v-0',
  words: 'container v restarted: OOMKilled (exit 137)',
});

function on(change: Partial<RunManifest>): Run {
  return syntheticRun({ ...STAGES, manifest: (manifest) => ({ ...manifest, ...change }) });
}

function watched(changes: readonly Change[], end?: StackSnapshot): Run {
  const kubernetes: KubernetesFacts = { start: snapshot(1), ...(end ? { end } : {}), changes: [...changes] };
  return on({ stack: { source: 'k8s', kubernetes } });
}

function finding(a: Run, b: Run, id: DimensionId, intended: readonly DimensionId[] = []): Finding {
  const comparison = compare(a, b, { intended });
  return comparison.findings.find((one) => one.dimension === id)!;
}

describe('a change of the stack', () => {
  const quiet = watched([]);
  it('in the measured window confounds everything, also where the server is the change under test', () => {
    const found = finding(quiet, watched([restart(20)]), 'steady-state', ['server']);
    expect(found).toMatchObject({ state: 'confounds' });
    expect(found.message).toBe(
      'The stack changed while it was measured. B: at 20 s Pod v-0: container v restarted: OOMKilled (exit 137).',
    );
    expect(finding(watched([restart(20)]), quiet, 'steady-state').message).toMatch(/ A: at 20 s/);
  });

  it.each([
    ['before it, in the warm-up', restart(5)],
    ['after it', restart(500)],
    ['a warning alone', restart(20, 'event')],
    ['ready again', restart(20, 'ready')],
  ])('%s is none of the numbers', (_, change) => {
    expect(finding(quiet, watched([change]), 'steady-state').state).toBe('same');
  });

  it('that only the two ends show was at a time nobody knows', () => {
    expect(finding(quiet, watched([], snapshot(2)), 'steady-state')).toMatchObject({
      state: 'confounds',
      message: expect.stringContaining(
        'some time between start and end Deployment v: replicas wanted changed (1 to 2)',
      ) as string,
    });
    expect(finding(quiet, watched([], snapshot(1)), 'steady-state').state).toBe('same');
  });
});

describe('a flag apart', () => {
  it('stands alone before the whole command line, on both sides', () => {
    const serving = (args: string[]): Run => on({ stack: { source: 's', args, env: {} } });
    const found = finding(serving(['--a', '1', '--b', '2']), serving(['--b=3', '--a=1', '--c']), 'server');
    const flags = ({ evidence }: Finding['a']): unknown[] =>
      evidence.filter(({ key }) => key.startsWith('flag ')).map(({ value }) => value);
    expect(flags(found.a)).toEqual(['--b=2', '--c not given']);
    expect(flags(found.b)).toEqual(['--b=3', '--c=on']);
  });
});

describe('the way into a cluster', () => {
  const by = (kind: RouteFacts['kind'], p50?: number): Run =>
    on({ route: { kind, ...(p50 === undefined ? {} : { rttMilliseconds: { p50, p99: 9 } }) } });

  it('a port-forward against another way confounds, with both round trips', () => {
    const found = finding(by('port-forward', 3.1), by('in-cluster', 0.4), 'network-path');
    expect(found.state).toBe('confounds');
    expect(found.message).toContain('route port-forward (round trip 3.1 ms) on A, in-cluster (round trip 0.4 ms) on B');
    expect(finding(by('gateway'), by('direct'), 'network-path').message).toContain('route gateway on A, direct on B');
  });

  it('the same way with another round trip is the same way; recorded on one side it is not known', () => {
    expect(finding(by('port-forward', 3), by('port-forward', 4), 'network-path').state).not.toBe('confounds');
    expect(finding(by('port-forward', 3), on({}), 'network-path').state).toBe('unknown');
  });
});

describe('the stack card of a report', () => {
  const group = (run: Run, title: string): Record<string, string> | undefined => {
    const found = reportView(run).provenance.find((one) => one.title === title);
    return found && Object.fromEntries(found.facts.map(({ label, value }) => [label, value]));
  };

  it('says what served, what is not known, and what changed when', () => {
    const run = watched([restart(20)]);
    expect(group(run, 'Stack')).toMatchObject({ 'Deployment v': '1 of 1 ready', 'Not known': 'nodes: forbidden' });
    expect(group(run, 'Changes during the run')).toEqual({
      '20 s': 'Pod v-0: container v restarted: OOMKilled (exit 137)',
    });
    expect(group(watched([]), 'Changes during the run')).toEqual({
      None: 'none was seen, and the end was not recorded',
    });
  });

  it('has the way and its times; a run of nothing known has no card', () => {
    const route: RouteFacts = {
      kind: 'port-forward',
      target: 'k8s://c/llm/svc/v:80',
      pod: 'v-0',
      rttMilliseconds: { p50: 3.1, p99: 9 },
      losses: [{ fromSeconds: 40, reason: 'pod deleted' }],
    };
    expect(group(on({ route }), 'Stack')).toEqual({
      'Way to it': 'port-forward: k8s://c/llm/svc/v:80, pod v-0',
      'Round trip': '3.1 ms (p50), 9 ms (p99)',
      'Route lost': '40 s to the end: pod deleted',
    });
    expect(group(on({}), 'Stack')).toBeUndefined();
  });
});
