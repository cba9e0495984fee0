// Counts of the server's own tokenizer, asked after the run, have a name of their own: they are neither its usage nor the client's.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { RunManifest } from '../../../src/folder/manifest';
import { measureOf } from '../../../src/readers/canonical';
import { numbersOfRecords } from '../../../src/readers/own';
import type { Run } from '../../../src/readers/run';
import { syntheticRun } from '../support/synthetic-run';

type Tokens = NonNullable<RunManifest['tokens']>;

function counted(by: Tokens['output']['source']): Run {
  const run = syntheticRun({});
  const { tokens } = run.manifest!;
  const source = { ...tokens!.output, source: by };
  return { ...run, manifest: { ...run.manifest!, tokens: { ...tokens!, input: source, output: source } } };
}

describe('the server’s own tokenizer', () => {
  const run = counted('server-tokenizer');

  it('stands in the definition of lengths, rates and TPOT', () => {
    const by = { input: 'server-tokenizer', output: 'server-tokenizer', itl: 'tokens' } as const;
    const scope = numbersOfRecords(run.records!, [50], by);
    for (const id of ['prompt_tokens', 'output_tokens', 'output_tokens_per_sec', 'tpot'] as const)
      expect([id, measureOf(scope, id)?.definition.tokens]).toEqual([id, 'server-tokenizer']);
    const all = scope.measures.map(({ definition }) => definition.tokens);
    expect(all).not.toContain('client');
  });

  it('is another counter than the client’s and than usage, and the same as itself', () => {
    const source = (a: Run, b: Run) =>
      compare(a, b, { resamples: 20 }).findings.find(({ dimension }) => dimension === 'token-source')!;
    for (const other of ['client-tokenizer', 'server-usage'] as const) {
      const found = source(run, counted(other));
      expect(found.state).toBe('confounds');
      expect(found.message).toContain('the server’s own tokenizer');
    }
    expect(source(run, run).state).toBe('same');
  });
});
