// A public pair of two tools, vLLM's bench and inference-perf: canonical names side by side, and a reason for every refusal.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRun } from '../../../src/cli/compare-input';
import type { CliIo } from '../../../src/cli/command';
import { compare } from '../../../src/comparability/compare';
import { comparisonSchema } from '../../../src/comparability/comparison-schema';

const CORPUS = path.resolve(import.meta.dirname, '../../../../shared/corpus/reports');
const present = existsSync(CORPUS);
if (!present) console.log(`skipped: ${CORPUS} is not there`);

const VLLM = 'vllm-bench-serve/vllm-10.0qps-Llama-3.2-3B-Instruct-20250530-203806.json';

describe.skipIf(!present)('vllm bench serve against inference-perf', () => {
  it('is shown side by side, refused with reasons, and every piece of evidence names a file of its own side', async () => {
    const io: CliIo = { out: () => 0, err: () => 0, isTerminal: false, columns: 100, env: {}, cwd: CORPUS };
    const a = (await openRun(VLLM, undefined, io))!;
    const b = (await openRun('inference-perf/corpus-v0_5_0', undefined, io))!;
    const comparison = compare(a, b);
    expect(comparison.verdict.exitCode).toBe(3);
    expect(comparison.claim.text).toBeUndefined();
    const of = (id: string) => comparison.findings.find((finding) => finding.dimension === id)!;
    expect(of('metric-definition').message).toMatch(/ttft: anchor: first-chunk against first-content/);
    expect(of('metric-definition').moves.map(({ metric }) => metric)).toContain('ttft');
    expect(of('offered-load').state).toBe('confounds');
    expect(of('token-source').state).toBe('confounds');
    for (const finding of comparison.findings) {
      for (const { file } of finding.a.evidence) expect(file).not.toMatch(/lifecycle_metrics\.json$/);
      if (finding.state !== 'same' && finding.state !== 'follows' && finding.assumed === undefined)
        expect(finding.remedy).toBeTruthy();
    }
    const ttft = comparison.metrics.find((row) => row.metric === 'ttft' && row.statistic === 'mean')!;
    expect(ttft.a.value).toBeGreaterThan(0);
    expect(ttft.verdict).toBe('confounded');
    const text = JSON.parse(JSON.stringify(comparison)) as unknown;
    expect(comparisonSchema.parse(text)).toEqual(text);
  });
});
