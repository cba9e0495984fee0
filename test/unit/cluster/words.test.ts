// What a list of targets says of each, in words.
import { describe, expect, it } from 'vitest';
import type { Target } from '../../../src/cluster/types';
import { replicaWords, routeWords, targetWords } from '../../../src/cluster/words';

describe('words', () => {
  it.each([
    [{ podsEach: 1 }, 'ready unknown'],
    [{ ready: 2, podsEach: 1 }, '2 ready'],
    [{ ready: 2, wanted: 3, podsEach: 1 }, '2 of 3 ready'],
    [{ wanted: 2, podsEach: 4 }, 'unknown of 2 ready (4 pods each)'],
    [{ ready: 0, wanted: 0, podsEach: 1 }, '0 of 0 ready'],
  ])('replicas %j: %s', (replicas, words) => {
    expect(replicaWords(replicas)).toBe(words);
  });

  it('a target says the name it is asked by, and leaves out what nobody says', () => {
    const target: Target = {
      kind: 'Deployment',
      name: 'a',
      namespace: 'n',
      evidence: { engine: 'vllm', reasons: ['r'], container: 'c', model: 'm', port: 8000, readyPaths: ['/health'] },
      replicas: { ready: 1, wanted: 1, podsEach: 1 },
      pods: ['a-1'],
      routes: [],
    };
    expect(targetWords(target)).toBe('vllm, m, 1 of 1 ready');
    expect(
      targetWords({
        ...target,
        evidence: { ...target.evidence, servedName: 's' },
        role: 'decode',
        accelerator: '1 x g',
      }),
    ).toBe('vllm, s, decode, 1 of 1 ready, 1 x g');
  });

  it('a route says why it cannot be forwarded to', () => {
    const route = { kind: 'service', spelling: 'svc/a:80', pods: [], trace: ['Service a'] } as const;
    expect(routeWords({ ...route, url: 'http://a.n.svc:80', host: 'h' })).toBe('Service a: http://a.n.svc:80, Host h');
    expect(routeWords({ ...route, noForward: { code: 'several-pods', words: '3 ready pods' } })).toBe(
      'Service a; no port-forward: 3 ready pods',
    );
  });
});
