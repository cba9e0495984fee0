// The table that people paste into issues: of vLLM old and new, of SGLang, in a log, in Markdown, several in one file.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import type { CanonicalReport } from '../../../src/readers/canonical';
import { factsOf } from '../../../src/readers/facts-of';
import { openReports } from '../../../src/readers/open';
import { readRun } from '../../../src/readers/read';
import { memoryFolder } from '../support/memory-folder';

const HEAD = '============ Serving Benchmark Result ============';
const END = '='.repeat(50);
const row = (label: string, value: string | number): string => `${`${label}:`.padEnd(41)}${value}`;

const stats = (name: string, mean: number, extra: Readonly<Record<string, number>> = {}): string[] => [
  `${'-'.repeat(15)}${name}${'-'.repeat(15)}`,
  ...Object.entries({ Mean: mean, Median: mean * 0.9, P99: mean * 2, ...extra }).map(([one, value]) =>
    row(`${one} ${name} (ms)`, value.toFixed(2)),
  ),
];

function vllm(ttft = 80, more: readonly string[] = []): string {
  return [
    HEAD,
    row('Successful requests', 100),
    row('Failed requests', 3),
    row('Maximum request concurrency', 16),
    row('Benchmark duration (s)', '20.00'),
    row('Total input tokens', 51200),
    row('Total generated tokens', 12800),
    row('Request throughput (req/s)', '5.00'),
    row('Output token throughput (tok/s)', '640.00'),
    row('Peak output token throughput (tok/s)', '900.00'),
    row('Total token throughput (tok/s)', '3200.00'),
    ...stats('TTFT', ttft),
    ...stats('TPOT', 10),
    ...stats('ITL', 10),
    ...stats('E2EL', 1350),
    ...more,
    END,
  ].join('\n');
}

const SGLANG = [
  HEAD,
  row('Backend', 'sglang-oai'),
  row('Traffic request rate', '8.0'),
  row('Max request concurrency', 'not set'),
  row('Successful requests', 200),
  row('Benchmark duration (s)', '25.00'),
  row('Total input tokens', 20000),
  row('Total input text tokens', 20000),
  row('Total generated tokens', 6400),
  row('Total generated tokens (retokenized)', 6390),
  row('Request throughput (req/s)', '8.00'),
  row('Input token throughput (tok/s)', '800.00'),
  row('Output token throughput (tok/s)', '256.00'),
  row('Total token throughput (tok/s)', '1056.00'),
  row('Concurrency', '3.20'),
  ...stats('E2E Latency', 400, { P90: 500, P95: 600 }),
  ...stats('TTFT', 50, { P90: 60, P95: 70 }),
  ...stats('TPOT', 11),
  ...stats('ITL', 11, { Max: 99 }),
  END,
].join('\n');

async function reportsIn(text: string, name = 'bench.log'): Promise<readonly CanonicalReport[]> {
  const opened = await openReports(memoryFolder({ [name]: text }));
  if (!opened.ok) throw new Error(opened.problems.map(({ message }) => message).join('\n'));
  return opened.value.reports.map(({ report }) => report);
}

const of = ({ scopes }: CanonicalReport, quantity: string): Readonly<Record<string, number>> =>
  scopes[0]!.measures.find((one) => one.quantity === quantity)!.stats;

describe('a printed table', () => {
  it('of vLLM has every figure, in seconds and tokens, with its own labels as places', async () => {
    const [report] = await reportsIn(vllm());
    expect(report!.tool).toBe('vllm bench serve');
    expect(of(report!, 'ttft')).toEqual({ mean: 0.08, p50: expect.closeTo(0.072, 9) as number, p99: 0.16 });
    expect(of(report!, 'e2e').mean).toBeCloseTo(1.35, 9);
    expect(of(report!, 'prompt_tokens')).toMatchObject({ total: 51200, mean: 512 });
    expect(report!.scopes[0]!.counts).toMatchObject({ ok: 100, failed: 3 });
    expect(report!.scopes[0]!.load).toMatchObject({ model: 'closed', concurrency: 16 });
    expect(report!.scopes[0]!.windowSeconds!.value).toBe(20);
    const keys = report!.scopes[0]!.measures.map(({ source }) => source.key);
    expect(keys).toContain('TTFT (ms)');
    expect(keys.filter((key) => key.includes('_'))).toEqual([]);
    expect(report!.scopes[0]!.keys).toMatchObject({ ok: 'Successful requests', window: 'Benchmark duration (s)' });
    expect(report!.notRecorded.join(' ')).toContain('model, tokenizer and server');
  });

  it('of SGLang is SGLang’s: its counters, its E2E, its total', async () => {
    const [report] = await reportsIn(SGLANG);
    expect(report!.tool).toBe('sglang bench_serving');
    expect(of(report!, 'e2e')).toMatchObject({ mean: 0.4, p90: 0.5, p95: 0.6 });
    expect(of(report!, 'total_tokens_per_sec')).toEqual({ value: 1056 });
    expect(report!.scopes[0]!.load).toMatchObject({ model: 'open', requestedRateRps: 8 });
    expect(report!.scopes[0]!.measures.filter(({ quantity }) => quantity === 'output_tokens')).toHaveLength(2);
  });

  it('in a log: the rate asked and the command before it are its own', async () => {
    const log = `INFO starting\n$ vllm bench serve --model org/m \\\n  --random-input-len 512 --seed 7\nTraffic request rate: 12.5\nBurstiness factor: 1.0 (Poisson process)\nMaximum request concurrency: None\n${vllm().replace(/Maximum request.*\n/, '')}\nbye`;
    const [report] = await reportsIn(log);
    expect(report!.scopes[0]!.load).toMatchObject({ model: 'open', requestedRateRps: 12.5 });
    const read = await readRun(memoryFolder({ 'bench.log': log }));
    if (!read.ok) throw new Error('not read');
    const facts = factsOf(read.value);
    expect(facts.model.value).toBe('org/m');
    expect(facts.seed.value).toBe(7);
  });

  it.each([
    ['Markdown', (text: string) => `# Result\n\n\`\`\`\n${text}\n\`\`\`\n`, 'issue.md'],
    ['quoted', (text: string) => text.replaceAll(/^/gm, '> '), 'mail.txt'],
    ['with prefixes of a log', (text: string) => text.replaceAll(/^/gm, '2026-01-01T00:00:00Z stdout F '), 'pod.log'],
    ['with Windows’ line ends', (text: string) => text.replaceAll('\n', '\r\n'), 'win.txt'],
    ['cut before its end', (text: string) => text.split('\n').slice(0, 16).join('\n'), 'cut.txt'],
    ['under a name of YAML', (text: string) => `note: pasted\n${text}`, 'x.yaml'],
  ])('%s', async (_, dress, name) => {
    const [report] = await reportsIn(dress(vllm()), name);
    expect(of(report!, 'ttft').mean).toBe(0.08);
    expect(report!.scopes[0]!.counts.ok).toBe(100);
  });

  it('several in one file are several reports', async () => {
    const both = await reportsIn(`${vllm(80)}\n\n${vllm(120)}\n${SGLANG}`);
    expect(both.map(({ name, tool }) => [name, tool])).toEqual([
      ['bench.log, table 1', 'vllm bench serve'],
      ['bench.log, table 2', 'vllm bench serve'],
      ['bench.log, table 3', 'sglang bench_serving'],
    ]);
    expect(of(both[1]!, 'ttft').mean).toBe(0.12);
  });

  it('nothing measured is no number', async () => {
    const [report] = await reportsIn(vllm().replace(/Mean TTFT.*/, row('Mean TTFT (ms)', 'nan')));
    expect(of(report!, 'ttft')).not.toHaveProperty('mean');
  });

  it('is compared, and never more than it can say', async () => {
    const runs = await Promise.all(
      [vllm(80), vllm(60)].map(async (text) => {
        const read = await readRun(memoryFolder({ 'bench.log': text }));
        if (!read.ok) throw new Error('not read');
        return read.value;
      }),
    );
    const comparison = compare(runs[0]!, runs[1]!, { resamples: 20 });
    const ttft = comparison.metrics.find(({ metric, statistic }) => metric === 'ttft' && statistic === 'mean')!;
    expect([ttft.a.value, ttft.b.value]).toEqual([80, 60]);
    expect(comparison.verdict.exitCode).not.toBe(0);
  });

  it('text that only mentions it is none', async () => {
    await expect(
      reportsIn('A note on the Serving Benchmark Result table\nSuccessful requests: many'),
    ).rejects.toThrow();
  });
});
