// Pitfalls seen between two runs: those of one report travel into every comparison of it, the others need the pair.
import { describe, expect, it } from 'vitest';
import { pitfallByCode } from '../../../src/pitfalls/catalogue';
import type { Patch, PerfFolder } from '../support/perf-folder';
import { syntheticRun } from '../support/synthetic-run';
import { casesOf, compared, HONEST } from './cases';

const PAIRED = new Set(casesOf('pair').map(([code]) => code));

describe('pitfalls that only a pair shows', () => {
  it.each(casesOf('pair'))('%s', async (code, { fires, silent }) => {
    const seen = (await compared(fires)).pitfalls.find((pitfall) => pitfall.code === code);
    expect(seen).toMatchObject({ side: 'between', title: pitfallByCode(code)?.title });
    expect(seen?.words).toMatch(/\w{3}/);
    expect((await compared(silent)).pitfalls.map((pitfall) => pitfall.code)).not.toContain(code);
  });
});

describe('pitfalls of one report, in a comparison with an honest one', () => {
  it.each(casesOf('report').filter(([code]) => !PAIRED.has(code)))('%s', async (code, { fires, silent }) => {
    const seen = (await compared({ a: fires, b: HONEST })).pitfalls.find((pitfall) => pitfall.code === code);
    expect(seen?.side).toBe('A');
    const swapped = (await compared({ a: HONEST, b: fires })).pitfalls.find((pitfall) => pitfall.code === code);
    expect(swapped?.side).toBe('B');
    const beside = await compared({ a: silent, b: HONEST });
    expect(beside.pitfalls.map((pitfall) => pitfall.code)).not.toContain(code);
  });
});

describe('a finding belongs to the pitfall that its difference is', () => {
  const patched = (patch: Patch): PerfFolder => ({ stages: [{}], config: patch });
  it.each([
    ['endpoint-mode', 'CMP038', syntheticRun(), syntheticRun({ api: 'chat' })],
    ['endpoint-mode', 'CMP038', syntheticRun(), syntheticRun({ template: 9 })],
    ['endpoint-mode', 'CMP053', syntheticRun(), syntheticRun({ streaming: false })],
    ['network-path', 'CMP086', HONEST, patched({ server: { base_url: 'http://localhost:8000' } })],
    ['network-path', 'CMP056', HONEST, patched({ server: { base_url: 'https://models.example.com' } })],
    [
      'token-source',
      'CMP057',
      syntheticRun({ tokensPerChunk: 2 }),
      syntheticRun({ tokensPerChunk: 2, tokenizer: false }),
    ],
    ['token-source', 'CMP058', HONEST, patched({ report: { request_lifecycle: { use_server_output_tokens: true } } })],
    ['client-limit', 'CMP003', syntheticRun(), syntheticRun({ lagSeconds: 0.2 })],
    ['client-limit', 'CMP004', HONEST, patched({ load: { num_workers: 1, worker_max_concurrency: 39 } })],
  ] as const)('%s: %s', async (dimension, code, a, b) => {
    const finding = (await compared({ a, b })).findings.find((entry) => entry.dimension === dimension);
    expect(finding).toMatchObject({ state: 'confounds', pitfall: code });
  });
});
