// What a tool stamps: chunks that were read in one moment are chunks all the same, and a server's count is no client's.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../../src/comparability/compare';
import { readRun } from '../../../../src/readers/read';
import { withRecords } from '../../../../src/readers/records/attach';
import type { Run } from '../../../../src/readers/run';
import { memoryFolder } from '../../support/memory-folder';

const MS = 1_000_000;

/** One answer of AIPerf: `gaps` in milliseconds after the first chunk. */
function line(index: number, ttft: number, gaps: readonly number[], tokens: number): string {
  const start = 1_700_000_000_000 * MS + index * 100 * MS;
  const latency = ttft + gaps.reduce((sum, gap) => sum + gap, 0);
  const value = (number: number, unit: string) => ({ value: number, unit });
  return JSON.stringify({
    metadata: {
      session_num: index,
      request_start_ns: start,
      request_end_ns: start + latency * MS,
      benchmark_phase: 'profiling',
      was_cancelled: false,
      worker_id: 'w',
    },
    metrics: {
      request_latency: value(latency, 'ms'),
      time_to_first_token: value(ttft, 'ms'),
      input_sequence_length: value(64, 'tokens'),
      output_sequence_length: value(tokens, 'tokens'),
      usage_completion_tokens: value(tokens, 'tokens'),
      usage_prompt_tokens: value(64, 'tokens'),
      inter_chunk_latency: { value: gaps, unit: 'ms' },
    },
  });
}

async function runOf(lines: readonly string[]): Promise<Run> {
  const found = await readRun(memoryFolder({ 'profile_export.jsonl': `${lines.join('\n')}\n` }));
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return withRecords(found.value);
}

describe('chunks that came in one moment', () => {
  it('count as the tool counts them: a TPOT of 0 is in the mean, a gap of 0 among the gaps', async () => {
    // All at once, and one by one every 10 ms: TPOT 0 and 10 ms.
    const run = await runOf([line(0, 200, Array(9).fill(0), 10), line(1, 50, Array(9).fill(10), 10)]);
    const { metrics } = compare(run, run);
    const mean = (metric: string) => metrics.find((row) => row.metric === metric && row.statistic === 'mean')?.a.value;
    expect(mean('tpot')).toBeCloseTo(5, 6);
    expect(mean('itl')).toBeCloseTo(5, 6);
  });
});
