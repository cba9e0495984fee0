// Pitfalls that a report shows by itself: each fires on its evidence and is silent just beside it.
import { describe, expect, it } from 'vitest';
import { judgeReport, violated } from '../../../src/audit/identities';
import { openReports } from '../../../src/readers/open';
import { memoryFolder } from '../support/memory-folder';
import { perfFolder, type PerfFolder } from '../support/perf-folder';
import { casesOf } from './cases';

async function seen(folder: PerfFolder): Promise<readonly string[]> {
  const opened = await openReports(memoryFolder(perfFolder(folder)));
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
  const [only, ...more] = opened.value.reports;
  expect(more).toEqual([]);
  const judgement = judgeReport(only!.report);
  return [...judgement.cautions, ...violated(judgement)].map(({ pitfall, message }) => {
    expect(message).toBeTruthy();
    return pitfall ?? 'none';
  });
}

describe('pitfalls in a report', () => {
  it('the honest run shows none', async () => {
    expect(await seen({ stages: [{}] })).toEqual([]);
    expect(await seen({ stages: [{}], summary: {} })).toEqual([]);
  });

  it('a stage is as long as the law of its arrivals lets it be for so few requests', async () => {
    const ofLength = (sends: number, count: number, type: string): PerfFolder => ({
      stages: [{ load_summary: { send_duration: sends, count }, successes: { count } }],
      config: { load: { type } },
    });
    // Ten requests of a Poisson law that were "to last 20 s, sent for 13.9 s".
    expect(await seen(ofLength(13.9, 10, 'poisson'))).not.toContain('CMP011');
    expect(await seen(ofLength(12, 10, 'constant'))).not.toContain('CMP011');
    expect(await seen(ofLength(8, 10, 'constant'))).toContain('CMP011');
    expect(await seen(ofLength(15.5, 400, 'poisson'))).toContain('CMP011');
    expect(await seen(ofLength(17, 400, 'poisson'))).not.toContain('CMP011');
    expect(await seen(ofLength(17, 400, 'constant'))).toContain('CMP011');
  });

  it.each(casesOf('report'))('%s', async (code, { fires, silent }) => {
    expect(await seen(fires)).toContain(code);
    expect(await seen(silent)).not.toContain(code);
  });
});
