// `isoperf compare` of other tools' results with one entry per request: intervals from the requests, whichever tool wrote them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Comparison } from '../../../src/comparability/comparison';
import type { CliIo } from '../../../src/cli/command';
import { compareCommand } from '../../../src/cli/compare';
import { aiperfLines, lifecycle, perRequest, trueRequests, vllmDetailed, type Truth } from '../support/foreign-results';

const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-compare-foreign-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** B's first token comes 30 % later than A's; everything else is drawn from one law. */
const A: Truth = { seed: 1, requests: 500, rateRps: 20, ttftSeconds: 0.1, gapSeconds: 0.01, perChunk: 2 };
const B: Truth = { ...A, seed: 2, ttftSeconds: 0.13 };

function write(name: string, text: string): string {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), text);
  return name;
}

async function compared(...args: readonly string[]): Promise<Comparison> {
  let out = '';
  const io: CliIo = {
    out: (text) => (out += text),
    err: () => undefined,
    isTerminal: false,
    columns: 120,
    env: {},
    cwd: folder,
  };
  await compareCommand.run([...args, '--json'], io);
  return JSON.parse(out) as Comparison;
}

function row({ metrics }: Comparison, metric: string, statistic: string) {
  return metrics.find((entry) => entry.metric === metric && entry.statistic === statistic);
}

function expectTheDifference(comparison: Comparison): void {
  const ttft = row(comparison, 'ttft', 'mean')!;
  expect(ttft.unit).toBe('ms');
  expect(Math.abs(ttft.a.value! - 100)).toBeLessThan(3);
  expect(Math.abs(ttft.b.value! - 130)).toBeLessThan(3);
  // 30 ms by construction; without requests there is no interval at all.
  const { low: lower, high: upper } = ttft.difference!.interval!;
  expect(lower).toBeLessThan(31);
  expect(upper).toBeGreaterThan(29);
  expect(lower).toBeGreaterThan(25);
  expect(upper).toBeLessThan(35);
  // Nobody recorded when a request was due: no row, rather than one of zeros.
  expect(row(comparison, 'schedule_delay', 'p50')?.a.value).toBeUndefined();
  const findings = new Map(comparison.findings.map((finding) => [finding.dimension, finding]));
  expect(findings.get('metric-definition')!.state).toBe('same');
  expect(findings.get('prompt-identity')!.state).not.toBe('same');
}

describe('requests of other tools', () => {
  it('two files of vLLM, with the files named as they were given', async () => {
    write('vllmA.json', vllmDetailed(trueRequests(A), 20));
    write('vllmB.json', vllmDetailed(trueRequests(B), 20));
    const comparison = await compared('vllmA.json', 'vllmB.json');
    expectTheDifference(comparison);
    expect([comparison.a.folder, comparison.b.folder]).toEqual(['vllmA.json', 'vllmB.json']);
    const evidence = comparison.findings.flatMap(({ a }) => a.evidence.map(({ file }) => file));
    expect(evidence).toContain('vllmA.json');
    expect(evidence).not.toContain('records.jsonl');
    const completeness = comparison.findings.find(({ dimension }) => dimension === 'completeness')!;
    expect(completeness.state).toBe('same');
  });

  it('two summaries of vLLM: the gaps between chunks are compared, under that name', async () => {
    const bare = (truth: Truth): string => {
      const all = JSON.parse(vllmDetailed(trueRequests(truth), 20)) as Record<string, unknown>;
      return JSON.stringify(Object.fromEntries(Object.entries(all).filter(([, value]) => !Array.isArray(value))));
    };
    write('bareA.json', bare(A));
    write('bareB.json', bare({ ...B, gapSeconds: 0.02 }));
    const gap = row(await compared('bareA.json', 'bareB.json'), 'itl', 'mean')!;
    expect(gap.label).toBe('Chunk gap mean');
    expect(gap.a.value).toBeCloseTo(10, 0);
    expect(gap.b.value).toBeCloseTo(20, 0);
  });

  it('two folders of AIPerf', async () => {
    write('aiA/profile_export.jsonl', aiperfLines(trueRequests(A)));
    write('aiB/profile_export.jsonl', aiperfLines(trueRequests(B)));
    expectTheDifference(await compared('aiA', 'aiB'));
  });

  it.each(['v0.1', 'v0.4', 'v0.5', 'main'] as const)('two folders of inference-perf %s', async (generation) => {
    const config = 'load:\n  type: poisson\n  stages:\n    - rate: 20\n      duration: 25\n';
    for (const [name, truth] of [
      ['A', A],
      ['B', B],
    ] as const) {
      const all = trueRequests(truth);
      write(`ip-${generation}-${name}/stage_0_lifecycle_metrics.json`, lifecycle(all, 20));
      write(`ip-${generation}-${name}/per_request_lifecycle_metrics.json`, perRequest(all, generation));
      write(`ip-${generation}-${name}/config.yaml`, config);
    }
    const comparison = await compared(`ip-${generation}-A`, `ip-${generation}-B`);
    expectTheDifference(comparison);
    // 20 requests/s for 25 s, by the config beside the report: all 500 ended.
    const completeness = comparison.findings.find(({ dimension }) => dimension === 'completeness')!;
    expect(completeness.state).toBe('same');
    expect(completeness.a.summary).toContain('500 requests ok of 500 planned');
  });

  it('inference-perf that lost requests its config planned is not complete', async () => {
    const config = 'load:\n  type: poisson\n  stages:\n    - rate: 20\n      duration: 30\n';
    for (const name of ['A', 'B']) {
      write(`short-${name}/stage_0_lifecycle_metrics.json`, lifecycle(trueRequests(A), 20));
      write(`short-${name}/config.yaml`, config);
    }
    const { findings } = await compared('short-A', 'short-B');
    const completeness = findings.find(({ dimension }) => dimension === 'completeness')!;
    expect(completeness.state).toBe('confounds');
    expect(completeness.message).toContain('100 requests of A were planned and are in no number of its report');
  });

  it('two tools that stamp other moments differ in their definitions, computed again or not', async () => {
    write('mixed/vllm.json', vllmDetailed(trueRequests(A), 20));
    const all = trueRequests(A);
    write('mixed-ip/stage_0_lifecycle_metrics.json', lifecycle(all, 20));
    write('mixed-ip/per_request_lifecycle_metrics.json', perRequest(all, 'main'));
    const { findings } = await compared('mixed/vllm.json', 'mixed-ip');
    const definition = findings.find(({ dimension }) => dimension === 'metric-definition')!;
    expect(definition.state).toBe('confounds');
    expect(definition.message).toContain('the tools stamp other moments');
  });

  it('names of tokenizers are names, not files', async () => {
    const other = vllmDetailed(trueRequests(B), 20).replace('"tokenizer_id":"org/model-8b"', '"tokenizer_id":"/m/8b"');
    write('tokA.json', vllmDetailed(trueRequests(A), 20));
    write('tokB.json', other);
    const { findings } = await compared('tokA.json', 'tokB.json');
    const source = findings.find(({ dimension }) => dimension === 'token-source')!;
    expect(source.message).toContain('tokenizers of other names (org/model-8b on A, /m/8b on B)');
    expect(source.message).not.toContain('tokenizer.json');
  });
});
