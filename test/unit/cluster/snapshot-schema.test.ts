// What run.json keeps of a cluster comes back as it was written; what is not ours is refused.
import { describe, expect, it } from 'vitest';
import {
  kubernetesFactsSchema,
  routeFactsSchema,
  type Change,
  type KubernetesFacts,
  type RouteFacts,
  type StackContainer,
  type StackPod,
  type StackSnapshot,
} from '../../../src/cluster/snapshot-schema';

const container: StackContainer = { role: 'server', workload: 'Pod a', name: 'c', digests: [], args: [], env: {} };
const pod: StackPod = { name: 'a', uid: 'u', role: 'server', workload: 'Pod a', ready: true, containers: [] };
const start: StackSnapshot = {
  atSeconds: -1,
  namespace: 'n',
  target: 'pod/a:8000',
  containers: [container],
  workloads: [],
  pods: [pod],
  accelerators: [],
  nodes: [],
  routing: {},
  missing: [{ what: 'nodes', reason: 'forbidden' }],
};

describe('facts of a cluster in run.json', () => {
  it('come back as they were written, with an end or killed before it', () => {
    const change: Change = { atSeconds: 3, kind: 'restart', object: 'Pod a', words: 'OOMKilled' };
    const facts: KubernetesFacts = { start, changes: [change] };
    expect(kubernetesFactsSchema.parse(JSON.parse(JSON.stringify(facts)))).toEqual(facts);
    expect(kubernetesFactsSchema.parse({ ...facts, end: start }).end).toEqual(start);
    expect(kubernetesFactsSchema.safeParse({ ...facts, changes: [{ ...change, kind: 'other' }] }).success).toBe(false);
  });

  it('a route without figures is one: they were not measured', () => {
    const route: RouteFacts = { kind: 'in-cluster' };
    expect(routeFactsSchema.parse(route)).toEqual(route);
  });
});
