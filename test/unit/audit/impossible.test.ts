// Numbers that cannot be are named, wherever they stand: negative times and counts, answers without a success, files without a number.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import { comparisonMarkdown } from '../../../src/views/comparison/markdown';
import { judgeReport, violated } from '../../../src/audit/identities';
import { openReports } from '../../../src/readers/open';
import type { RequestRecord } from '../../../src/metrics/record';
import { readRun } from '../../../src/readers/read';
import { readRecords } from '../../../src/folder/read-records';
import { withRecords } from '../../../src/readers/records/attach';
import { completeReport } from '../../../src/readers/records/complete';
import { reportVerdict } from '../../../src/audit/in-one-sentence';
import { trueRequests, vllmDetailed } from '../support/foreign-results';
import { memoryFolder } from '../support/memory-folder';
import { syntheticRun } from '../support/synthetic-run';

const ALL = trueRequests({ seed: 7, requests: 200, rateRps: 20, ttftSeconds: 0.1, gapSeconds: 0.01 });
const GOOD = JSON.parse(vllmDetailed(ALL, 20)) as Readonly<Record<string, unknown>> & {
  readonly ttfts: number[];
  readonly itls: number[][];
};
const { ttfts: _t, itls: _i, ...PLAIN } = GOOD;

async function judged(value: object) {
  const opened = await openReports(memoryFolder({ 'r.json': JSON.stringify(value) }));
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
  const { report, problems, records } = await completeReport(opened.value.reports[0]!);
  const judgement = judgeReport(report);
  return {
    opened: opened.value,
    report,
    records,
    problems,
    judgement,
    verdict: reportVerdict({ report, judgement, problems }),
  };
}

async function run(value: object) {
  const read = await readRun(memoryFolder({ 'r.json': JSON.stringify(value) }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return withRecords(read.value);
}

/** The first `count` requests get their first token before they are sent. */
const backwards = (count: number): object => ({
  ...GOOD,
  ttfts: GOOD.ttfts.map((ttft, i) => (i < count ? -ttft : ttft)),
});

describe('numbers that cannot be', () => {
  it('the fixture itself is sound', async () => {
    expect([_t.length, _i.length]).toEqual([200, 200]);
    expect((await judged(GOOD)).verdict).toEqual({ words: 'no identity is violated', bad: false });
  });

  it.each([
    [{ duration: -3 }, 'the window in seconds: −3.00'],
    [{ failed: -4 }, 'requests failed: −4.00'],
    [{ completed: 0, failed: 200 }, 'no request succeeded, and the report has TTFT'],
  ])('%j', async (change, message) => {
    const { judgement, verdict } = await judged({ ...PLAIN, ...change });
    expect(
      violated(judgement)
        .map((one) => one.message)
        .join('\n'),
    ).toContain(message);
    expect(verdict.bad).toBe(true);
  });

  it('requests that end before they begin are named, and have no latencies', async () => {
    const { problems, records, verdict } = await judged(backwards(1));
    expect(problems.find(({ code }) => code === 'REP132')?.message).toContain('in 1 of 200 requests');
    expect(verdict.words).toContain('some of its requests cannot be');
    const { requests } = records!;
    expect([requests.at(0).firstTokenSeconds, requests.at(0).endSeconds]).toEqual([NaN, NaN]);
    expect([requests.at(0).usage?.completionTokens, requests.gapsOf((i) => i === 0).length]).toEqual([20, 0]);
    expect(requests.at(1).firstTokenSeconds).toBeGreaterThan(0);
  });

  it('a gap below zero is one, too', async () => {
    const itls = GOOD.itls.map((gaps, i) => (i === 3 ? gaps.map((gap) => -gap) : gaps));
    expect((await judged({ ...GOOD, itls })).problems.map(({ code }) => code)).toContain('REP132');
  });

  it('a count below zero is one, too, and is not summed', async () => {
    const lens = (GOOD['output_lens'] as number[]).map((count, i) => (i === 5 ? -count : count));
    const { records, problems } = await judged({ ...GOOD, output_lens: lens });
    expect(problems.map(({ code }) => code)).toContain('REP132');
    expect(records!.requests.at(5).usage?.completionTokens).toBeUndefined();
    expect(records!.requests.at(5).firstTokenSeconds).toBeGreaterThan(0);
  });

  it('a comparison uses the others where they are few, and none where they are many', async () => {
    const [good, few, many] = [await run(GOOD), await run(backwards(1)), await run(backwards(200))];
    expect([few.records?.length, many.records]).toEqual([200, undefined]);
    const definitions = (b: typeof good) =>
      compare(good, b).findings.find(({ dimension }) => dimension === 'metric-definition')!;
    expect(definitions(few).state).toBe('same');
    expect(definitions(many)).toMatchObject({
      state: 'confounds',
      message: expect.stringContaining('in 200 of 200 requests') as string,
    });
    expect(compare(good, few).notes.join('\n')).toContain('B: r.json: in 1 of 200 requests');
    for (const side of [few, many])
      expect(comparisonMarkdown(compare(good, side))).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('a negative latency of a summary confounds, and is in the notes', async () => {
    const comparison = compare(await run(PLAIN), await run({ ...PLAIN, mean_ttft_ms: -5 }));
    expect(comparison.verdict.state).toBe('confounded');
    expect(comparison.findings[0]?.message).toMatch(/^B has numbers that cannot be: r\.json: .* a value is −0\.00500/);
    expect(comparison.notes.join('\n')).toContain('B: run: r.json');
  });

  it('a latency of more than thirty years is none, in a summary and in a request', async () => {
    expect(violated((await judged({ ...PLAIN, mean_ttft_ms: 1e308 })).judgement)[0]?.message).toContain(
      'a value is 1.00e+305 s',
    );
    const ttfts = GOOD.ttfts.map((ttft, i) => (i === 0 ? 1e300 : ttft));
    const { problems, records } = await judged({ ...GOOD, ttfts });
    expect(problems.map(({ code }) => code)).toContain('REP132');
    expect(records!.requests.at(0).firstTokenSeconds).toBeNaN();
  });

  it('a difference beyond all numbers is no "Infinity"', async () => {
    const huge = await run({ ...PLAIN, mean_ttft_ms: 1e308 });
    const text = comparisonMarkdown(compare(await run({ ...PLAIN, mean_ttft_ms: 1 }), huge));
    expect(text).not.toMatch(/NaN|Infinity/);
    expect(JSON.stringify(compare(await run({ ...PLAIN, mean_ttft_ms: 1 }), huge).metrics)).not.toContain('null');
    expect(comparisonMarkdown(compare(await run(PLAIN), huge))).toMatch(/\+1\.\d\de\+308 %/);
  });

  it('a file of a known tool without one number is a result without a run', async () => {
    const texts = Object.fromEntries(
      Object.entries(PLAIN).map(([key, one]) => [key, typeof one === 'number' ? String(one) : one]),
    );
    const { opened, report, verdict } = await judged(texts);
    expect(report.scopes).toEqual([]);
    expect(opened.problems.map(({ code }) => code)).toContain('REP129');
    expect(verdict).toEqual({ words: 'nothing was measured: there is no run in it', bad: true });
  });
});

describe('a journal of ours', () => {
  const whole = syntheticRun({ seed: 3 });
  const lines = whole.records!.map((record) => JSON.stringify(record));
  const journal = async (change: Partial<RequestRecord>) => {
    const [first, ...rest] = whole.records!;
    const text = [JSON.stringify({ ...first, ...change }), ...rest.map((record) => JSON.stringify(record))].join('\n');
    return (await readRecords(memoryFolder({ 'records.jsonl': `${text}\n` }), 'records.jsonl'))!;
  };
  const first = whole.records![0]!;
  const sent = first.sentSeconds!;

  it.each([
    [{ endSeconds: sent - 1 }, 'it ends before it was sent'],
    [{ endSeconds: 1e300 }, 'it has a time beyond thirty years'],
    [{ firstTokenSeconds: sent - 1 }, 'its first token comes before it was sent'],
    [{ lastTokenSeconds: first.firstTokenSeconds! - 0.01 }, 'its last token comes before its first'],
    [{ chunkSeconds: [sent - 1, ...first.chunkSeconds.slice(1)] }, 'its first chunk comes before it was sent'],
    [{ chunkSeconds: [...first.chunkSeconds].reverse() }, 'its chunks come in no order of time'],
  ])('%j is no record', async (change, reason) => {
    const { records, problems } = await journal(change);
    expect(problems.map(({ message }) => message)).toEqual([
      `line 1 of records.jsonl is no record and was left out: ${reason}`,
    ]);
    expect(records).toHaveLength(lines.length - 1);
  });

  it('a microsecond is the clock’s', async () => {
    expect(
      (await journal({ endSeconds: first.lastTokenSeconds!, firstTokenSeconds: first.firstTokenSeconds! - 5e-7 }))
        .problems,
    ).toEqual([]);
  });
});
