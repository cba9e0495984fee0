// What was not recorded is unknown, case by case; removal.test.ts removes every field in turn.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { Comparison, DimensionId } from '../../../src/comparability/comparison';
import type { Run } from '../../../src/readers/run';
import { drop, recordsWithout, without, withoutRecords } from '../support/lacking';
import { syntheticRun, type SyntheticOptions } from '../support/synthetic-run';

const run = (options: SyntheticOptions = {}): Run => syntheticRun(options);

function stateOf(comparison: Comparison, dimension: DimensionId): string {
  return comparison.findings.find((finding) => finding.dimension === dimension)!.state;
}

describe('missing evidence is unknown, on either side and on both, never silently same', () => {
  const CASES: readonly [DimensionId, string, (original: Run) => Run][] = [
    [
      'load-model',
      'load type',
      (o) =>
        drop(o, (m) => {
          m.stages = [];
          delete m.config.effective['load']!['type'];
        }),
    ],
    ['arrival-process', 'law', (o) => drop(o, (m) => m.stages.forEach((s) => delete s['arrivalLaw']))],
    ['offered-load', 'rate', (o) => drop(o, (m) => m.stages.forEach((s) => delete s['requestedRateRps']))],
    [
      'client-limit',
      'health',
      (o) =>
        drop(o, (m) => {
          m.health = [];
        }),
    ],
    [
      'completeness',
      'counts and records',
      (o) => withoutRecords(drop(o, (m) => m.stages.forEach((s) => delete s['counts']))),
    ],
    [
      'input-length',
      'every trace of the prompts',
      (o) => recordsWithout(o, 'usage', 'clientPromptTokens', 'askedPromptTokens', 'requestBytes'),
    ],
    [
      'output-length',
      'counts and finish reasons',
      (o) => recordsWithout(o, 'usage', 'clientOutputTokens', 'finishReason'),
    ],
    [
      'stop-behaviour',
      'ignore_eos',
      (o) =>
        drop(o, (m) => {
          delete m.endpoint['ignoreEos'];
          delete m.config.effective['server']!['ignore_eos'];
        }),
    ],
    ['stop-behaviour', 'why answers ended', (o) => recordsWithout(o, 'usage', 'clientOutputTokens', 'finishReason')],
    [
      'token-source',
      'who counted',
      (o) =>
        drop(o, (m) => {
          delete m.tokens;
        }),
    ],
    [
      'endpoint-mode',
      'api',
      (o) =>
        drop(o, (m) => {
          delete m.endpoint['apiType'];
          delete m.config.effective['api']!['type'];
        }),
    ],
    [
      'endpoint-mode',
      'streaming',
      (o) =>
        drop(o, (m) => {
          delete m.endpoint['streaming'];
          delete m.config.effective['api']!['streaming'];
        }),
    ],
    [
      'sample-size',
      'counts and records',
      (o) => withoutRecords(drop(o, (m) => m.stages.forEach((s) => delete s['counts']))),
    ],
    ['sampling', 'body parameters', (o) => drop(o, (m) => delete m.workload['parameters'])],
    [
      'prompt-identity',
      'where prompts come from',
      (o) =>
        drop(o, (m) => {
          delete m.workload['dataType'];
          delete m.config.effective['data']!['type'];
        }),
    ],
    [
      'network-path',
      'the address',
      (o) =>
        drop(o, (m) => {
          delete m.endpoint['baseUrl'];
        }),
    ],
    [
      'server',
      'the model',
      (o) =>
        drop(o, (m) => {
          delete m.endpoint['model'];
        }),
    ],
    ['goodput-definition', 'the config', (o) => without(o, 'config')],
    ['metric-definition', 'records and reports', withoutRecords],
    [
      'warmup-window',
      'the manifest',
      (o) => {
        return without(o, 'manifest');
      },
    ],
  ];

  it.each(CASES)('%s: %s', (dimension, _, remove) => {
    const whole = run({ seed: 1 });
    const other = run({ seed: 2 });
    for (const [a, b, where] of [
      [remove(whole), other, 'A'],
      [whole, remove(other), 'B'],
      [remove(whole), remove(other), 'either side'],
    ] as const) {
      const comparison = compare(a, b);
      expect(stateOf(comparison, dimension), where).toBe('unknown');
      expect(comparison.verdict.exitCode).not.toBe(0);
      const finding = comparison.findings.find((entry) => entry.dimension === dimension)!;
      if (!finding.message.includes('only')) expect(finding.message).toContain(`not recorded on ${where}`);
      expect([...finding.a.evidence, ...finding.b.evidence].some((entry) => entry.value === undefined)).toBe(true);
    }
  });

  it('with nothing recorded at all, nothing is same and nothing is claimed', () => {
    const bare: Run = { folder: 'bare', tool: { name: 'x' }, stages: new Map(), files: [], problems: [] };
    const comparison = compare(bare, bare);
    expect(new Set(comparison.findings.map((finding) => finding.state))).toEqual(new Set(['unknown']));
    expect(comparison.verdict.exitCode).toBe(4);
    expect(comparison.claim.text).toBeUndefined();
  });
});
