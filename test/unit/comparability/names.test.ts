// Two runs in folders of one name, or of one config, are told apart in every title.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import { runNames } from '../../../src/comparability/identity';
import type { ComparedRun } from '../../../src/comparability/comparison';
import { comparisonMarkdown } from '../../../src/views/comparison/markdown';
import { comparisonView } from '../../../src/views/comparison/view';
import { distinctPaths } from '../../../src/readers/distinct';
import { readRun } from '../../../src/readers/read';
import type { Run } from '../../../src/readers/run';
import { trueRequests, vllmDetailed } from '../support/foreign-results';
import { memoryFolder } from '../support/memory-folder';

describe('the shortest paths that differ', () => {
  it.each([
    ['x/run-3', 'y/run-4', 'run-3', 'run-4'],
    ['x/run', 'y/run', 'x/run', 'y/run'],
    ['a/x/run/out', 'a/y/run/out', 'x/run/out', 'y/run/out'],
    ['run', 'old/run', 'run', 'old/run'],
    ['/tmp/run/', './run', 'tmp/run', 'run'],
    ['C:\\a\\run', 'C:\\b\\run', 'a/run', 'b/run'],
    ['x/run', 'x/run', 'run', 'run'],
    ['x/run', 'x//run/', 'x/run', 'x//run/'],
    ['.', 'x', '.', 'x'],
  ])('%s and %s', (a, b, x, y) => {
    expect(distinctPaths(a, b)).toEqual([x, y]);
  });

  it('differ whenever the paths do', () => {
    const part = fc.constantFrom('a', 'b', 'run');
    const place = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(place, place, (a, b) => {
        const [x, y] = distinctPaths(a, b);
        return a.endsWith(x) && b.endsWith(y) && (x === y) === (a === b);
      }),
    );
  });
});

describe('titles', () => {
  const named = (folder: string, name: string): ComparedRun => ({ folder, name, tool: 't', load: 'l', state: 's' });

  it('of two runs of one config have their folders in brackets', () => {
    expect(runNames(named('r/1', 'chat'), named('r/2', 'chat'))).toEqual(['chat (1)', 'chat (2)']);
    expect(runNames(named('r/1', 'chat'), named('r/2', 'code'))).toEqual(['chat', 'code']);
    expect(runNames(named('r/1', 'chat'), named('r/1', 'chat'))).toEqual(['chat', 'chat']);
  });

  it('of two folders of one name say what tells them apart, in Markdown and in the view', async () => {
    const text = vllmDetailed(
      trueRequests({ seed: 1, requests: 30, rateRps: 10, ttftSeconds: 0.1, gapSeconds: 0.01 }),
      10,
    );
    const run = async (folder: string): Promise<Run> => {
      const read = await readRun(memoryFolder({ 'r.json': text }));
      if (!read.ok) throw new Error(JSON.stringify(read.problems));
      return { ...read.value, folder };
    };
    const [a, b] = [await run('before/results'), await run('after/results')];
    const comparison = compare(a, b);
    expect(comparisonMarkdown(comparison).split('\n')[0]).toMatch(/: before\/results \(A\) and after\/results \(B\)$/);
    const view = comparisonView(comparison, a, b);
    expect([view.title, view.names]).toEqual([
      'before/results and after/results',
      { a: 'before/results', b: 'after/results' },
    ]);
  });
});
