// Reports over nothing or over less than they seem: empty results, zeros that are no data, cut lines, arrays of the wrong type.
import { describe, expect, it } from 'vitest';
import { measureOf } from '../../../src/readers/canonical';
import { significant, whole } from '../../../src/figures';
import { judgeReport } from '../../../src/audit/identities';
import { openReports } from '../../../src/readers/open';
import { readRun } from '../../../src/readers/read';
import { trueRequests, vllmDetailed, type Truth } from '../support/foreign-results';
import { memoryFolder } from '../support/memory-folder';

const TRUTH: Truth = { seed: 4, requests: 8, rateRps: 10, ttftSeconds: 0.1, gapSeconds: 0.01 };
const detailed = (): Record<string, unknown> =>
  JSON.parse(vllmDetailed(trueRequests(TRUTH), 10)) as Record<string, unknown>;

async function opened(file: string, text: string) {
  const result = await openReports(memoryFolder({ [file]: text }));
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

const guidellm = (strategy: unknown, benchmarks = 1): string =>
  JSON.stringify({
    metadata: { guidellm_version: '0.3.0' },
    benchmarks: Array.from({ length: benchmarks }, () => ({
      type_: 'generative_benchmark',
      args: { strategy },
      metrics: { request_totals: { successful: 3, errored: 0, incomplete: 2, total: 5 } },
    })),
  });

describe('a report over nothing', () => {
  it('without a single benchmark is a problem', async () => {
    const { problems } = await opened('g.json', guidellm({}, 0));
    expect(problems.map(({ code, severity }) => [code, severity])).toEqual([['REP129', 'error']]);
    expect((await opened('g.json', guidellm({}))).problems).toEqual([]);
  });

  it('of failures alone has no measurements, and no identity but of its counts', async () => {
    const zeros = Object.fromEntries(
      Object.entries(detailed()).map(([key, value]) =>
        /_ms$|throughput$|^total_|^completed$/.test(key) ? [key, 0] : [key, value],
      ),
    );
    const { ttfts: _a, itls: _b, ...summary } = { ...zeros, failed: 8 } as Record<string, unknown>;
    expect([_a, _b]).not.toContain(undefined);
    const { report } = (await opened('r.json', JSON.stringify(summary))).reports[0]!;
    expect(report.scopes[0]!.measures).toEqual([]);
    expect(report.assumptions.at(-1)).toMatch(/no request succeeded, so the zeros of r.json are no data.*TTFT/);
    expect(new Set(judgeReport(report).identities.map(({ id }) => id))).toEqual(new Set(['counts']));
  });

  it('keeps a true zero of a run that had answers', async () => {
    const { report } = (await opened('r.json', JSON.stringify({ ...detailed(), mean_itl_ms: 0 }))).reports[0]!;
    expect(measureOf(report.scopes[0]!, 'chunk_gap')?.stats['mean']).toBe(0);
  });
});

describe('less than it seems', () => {
  it('a last line that is cut off is named', async () => {
    const line = JSON.stringify(detailed());
    const { reports, problems } = await opened('r.jsonl', `${line}\n${line}\n${line.slice(0, 200)}`);
    expect(reports).toHaveLength(2);
    expect(problems).toMatchObject([{ code: 'REP110', severity: 'warning' }]);
    expect(problems[0]!.message).toMatch(/last line of .*r\.jsonl is cut off.*2 lines before it were read/);
    expect((await opened('r.jsonl', `${line}\n${line}\n`)).problems).toEqual([]);
  });

  it.each([
    [{ start_times: 'none' }, "'start_times' is no list"],
    [{ input_lens: ['12', 3, 3, 3, 3, 3, 3, 3] }, "1 of 8 entries of 'input_lens' are no numbers"],
    [{ output_lens: [1, 2] }, "'output_lens' has 2 entries, 'ttfts' 8"],
  ])('an array of the wrong type has a word: %j', async (change, words) => {
    const { problems } = await opened('r.json', JSON.stringify({ ...detailed(), ...change }));
    expect(problems.map(({ message }) => message).join()).toContain(words);
    expect((await opened('r.json', JSON.stringify(detailed()))).problems).toEqual([]);
  });
});

describe('another tool’s result', () => {
  it('called run.json is read as what it is', async () => {
    const read = await readRun(memoryFolder({ 'run.json': JSON.stringify(detailed()) }));
    expect(read.ok && read.value.tool.name).toBe('vllm bench serve');
  });

  it('GuideLLM before 0.4 sends the first requests at once', async () => {
    const burst = async (strategy: object) => {
      const { report } = (await opened('g.json', guidellm({ type_: 'constant', rate: 10, ...strategy }))).reports[0]!;
      return [report.scopes[0]!.load.words, report.assumptions.join()] as const;
    };
    const [words, assumed] = await burst({ initial_burst: true });
    expect(words).toContain('the first at once');
    expect(assumed).toContain('initial_burst');
    expect((await burst({}))[0]).not.toContain('at once');
    expect((await burst({}))[1]).not.toContain('initial_burst');
  });
});

it('enormous numbers have an exponent, not three hundred digits', () => {
  expect(significant(1e308)).toBe('1.00e+308');
  expect(significant(-1e20)).toBe('−1.00e+20');
  expect(whole(1e308)).toBe('1.00e+308');
  expect(significant(1.5e14)).toBe('150,000,000,000,000');
});
