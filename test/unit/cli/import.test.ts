// `isoperf import` over every public result file: a golden listing each, and the same numbers read from the raw files another way.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { importCommand } from '../../../src/cli/import';
import { UsageError, type CliIo } from '../../../src/cli/command';
import type { CanonicalReport, Measure } from '../../../src/readers/canonical';
import type { Judgement } from '../../../src/audit/identity';
import { CORPUS, corpusReports, hasCorpus } from '../support/corpus';
import { trueRequests, vllmDetailed, type Truth } from '../support/foreign-results';

const TRUTH: Truth = { seed: 9, requests: 30, rateRps: 10, ttftSeconds: 0.1, gapSeconds: 0.01 };

async function call(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const io: CliIo = {
    out: (text) => (out += text),
    err: (text) => (err += text),
    isTerminal: false,
    columns: 100,
    env: {},
    cwd: CORPUS,
  };
  const code = await importCommand.run(args, io);
  return { code, out, err };
}

interface Imported {
  readonly reports: readonly { readonly report: CanonicalReport; readonly judgement: Judgement }[];
}

async function imported(place: string, ...more: string[]): Promise<Imported> {
  return JSON.parse((await call(place, '--json', ...more)).out) as Imported;
}

describe('requests whose starts are not recorded', () => {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'isoperf-starts-')), 's.jsonl');
  writeFileSync(
    file,
    JSON.stringify({
      backend: 'sglang-oai',
      dataset_name: 'random',
      request_rate: 2,
      random_range_ratio: 1,
      duration: 3,
      completed: 3,
      total_input_tokens: 21,
      total_output_tokens: 6,
      total_output_tokens_retokenized: 6,
      mean_ttft_ms: 200,
      input_lens: [7, 7, 7],
      output_lens: [2, 2, 2],
      ttfts: [0.1, 0.2, 0.3],
      itls: [[0.1], [0.1], [0.1]],
      errors: ['', '', ''],
    }),
  );

  it('are not cut by time, with exit code 2 and the reason', async () => {
    const { code, out, err } = await call(file, '--warmup', '1s');
    expect(code).toBe(2);
    expect(err).toContain('a warm-up in seconds cannot be cut: starts are not recorded');
    expect(out).not.toContain('Computed again');
  });

  it('are not computed again when the cut leaves none, with exit code 2', async () => {
    const { code, out, err } = await call(file, '--warmup', '5000');
    expect(code).toBe(2);
    expect(err).toMatch(/the cut leaves out all \d+ requests/);
    expect(out).not.toContain('Computed again');
  });

  it('have latencies again, and no rate', async () => {
    const { code, out } = await call(file, '--recompute', '--goodput', 'ttft=0.25');
    expect(code).toBe(0);
    const again = out.slice(out.indexOf('Computed again'));
    expect(again).toMatch(/TTFT, ms +200 +200/);
    expect(again).not.toMatch(/^ +Requests\/s/m);
    expect(again).not.toContain('good requests/s');
    expect(again).toContain('starts are not recorded');
  });
});

describe('the verdict line', () => {
  const place = mkdtempSync(path.join(os.tmpdir(), 'isoperf-verdict-'));
  const put = (name: string, value: unknown): string => {
    const file = path.join(place, name);
    writeFileSync(file, JSON.stringify(value));
    return file;
  };
  const guidellm = (benchmarks: unknown): unknown => ({ metadata: { guidellm_version: '0.8.1' }, benchmarks });

  it('says what makes exit code 1, when it is no identity', async () => {
    const value = JSON.parse(vllmDetailed(trueRequests(TRUTH), 10)) as Record<string, unknown>;
    const good = await call(put('good.json', value));
    expect([good.code, good.out]).toEqual([0, expect.stringMatching(/verdict +no identity is violated/)]);
    const bad = await call(put('bad.json', { ...value, mean_ttft_ms: 900 }));
    expect([bad.code, bad.out]).toEqual([
      1,
      expect.stringMatching(/verdict +the summary is not what its own requests/),
    ]);
  });

  it('of a result without a run says so, with exit code 2', async () => {
    const { code, out, err } = await call(put('empty.json', guidellm([])));
    expect([code, out]).toEqual([2, expect.stringMatching(/verdict +nothing was measured/)]);
    expect(err).toContain('without a single run in it');
  });

  it('incomplete requests have a column, and a level its line', async () => {
    const metrics = {
      request_totals: { successful: 3, errored: 0, incomplete: 7, total: 10 },
      request_concurrency: { successful: { count: 3, mean: 2.5 } },
    };
    const { out } = await call(put('g.json', guidellm([{ type_: 'generative_benchmark', metrics }])));
    expect(out).toMatch(/failed +incomplete/);
    expect(out).toMatch(/not recorded +3 +0 +7 /);
    expect(out).toMatch(/In flight +2\.50 +requests/);
  });

  it('another tool’s run.json is the file it is', async () => {
    const { code, out } = await call(put('run.json', JSON.parse(vllmDetailed(trueRequests(TRUTH), 10))));
    expect([code, out.split('\n')[0]]).toEqual([0, 'vllm bench serve: run.json']);
  });
});

describe.skipIf(!hasCorpus())('every public result', () => {
  it.each(corpusReports())('%s is listed as in its golden file', async (place) => {
    const { out, err, code } = await call(place);
    const name = place.replaceAll('/', '__');
    await expect(`${out}${err}exit ${code}\n`).toMatchFileSnapshot(`../../fixtures/import/${name}.txt`);
  });

  it.each(corpusReports().filter((place) => !place.endsWith('.jsonl') || place.includes('sglang')))(
    '%s: every statistic is the raw file’s number times its factor',
    async (place) => {
      const { reports } = await imported(place);
      let checked = 0;
      for (const { report } of reports) {
        for (const { measures, server } of report.scopes) {
          for (const measure of [...measures, ...(server?.measures ?? [])]) checked += compareWithRaw(place, measure);
        }
      }
      expect(checked).toBeGreaterThan(3);
    },
  );
});

/** The value behind a dotted key, by nothing but indexing. */
function dig(root: unknown, key: string): unknown {
  const steps = key.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  return steps.reduce<unknown>((here, step) => (here as Record<string, unknown> | undefined)?.[step], root);
}

const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  mean: ['mean', 'avg'],
  stdDev: ['std', 'stddev', 'std_dev'],
  total: ['total', 'total_sum', 'sum'],
  p50: ['median', 'p50', 'percentiles.p50', 'quantiles_p50'],
  'p0.1': ['p0.1', 'p0p1', 'percentiles.p001'],
  p1: ['p1', 'percentiles.p01'],
  p5: ['p5', 'percentiles.p05'],
  'p99.9': ['p99.9', 'p99p9', 'percentiles.p999'],
};

function compareWithRaw(place: string, { source, stats, derived }: Measure): number {
  const file = path.join(
    CORPUS,
    place.includes('.') && !place.startsWith('inference-perf') ? path.dirname(place) : place,
    source.file,
  );
  const text = readFileSync(file, 'utf8');
  const root: unknown = /\.ya?ml$/.test(file) ? parse(text) : JSON.parse(text);
  let checked = 0;
  for (const [name, value] of Object.entries(stats)) {
    if (derived !== undefined && name === 'mean') continue;
    const names = [...(SPELLINGS[name] ?? [name, `percentiles.${name}`, `quantiles_${name}`])];
    const raw = source.key.includes('*')
      ? names.map((spelling) => flat(root, source.key, spelling)).find((found) => found !== undefined)
      : dig(root, source.key);
    // A rate of a Benchmark Report is the mean of its block.
    const number = typeof raw === 'object' && raw !== null ? (raw as { mean: unknown }).mean : raw;
    expect([source.key, name, Number(number) * source.factor]).toEqual([source.key, name, value]);
    checked++;
  }
  return checked;
}

function flat(root: unknown, key: string, spelling: string): unknown {
  const whole = (root as Record<string, unknown>)[key.replace('*', spelling)];
  if (whole !== undefined) return whole;
  // Blocks: `a.b.*`; the name of a percentile may itself hold a dot.
  const block = dig(root, key.replace(/\.?\*$/, ''));
  const own = (block as Record<string, unknown> | undefined)?.[spelling];
  if (own !== undefined || key.startsWith('*')) return own;
  if (key.includes('throughput')) return (block as Record<string, unknown> | undefined)?.['mean'];
  return dig(block, spelling);
}

describe.skipIf(!hasCorpus())('the KubeCon A/B set', () => {
  const of = async (variant: string): Promise<Imported['reports'][number]> =>
    (await imported(`inference-perf/kubecon-ab/${variant}`)).reports[0]!;

  it.each([
    ['vllm', 2.0, 2.12],
    ['vllm+v0_engine', 2.0, 2.12],
    ['vllm+quantization', 2.0, 2.12],
    ['vllm+chunking_and_prefix_caching', 2.0, 2.12],
    ['vllm+eagle', 1.78, 1.92],
  ])('%s: TPOT is too small in every stage, by %d to %d', async (variant, low, high) => {
    const { judgement } = await of(variant);
    const sums = judgement.identities.filter(({ id }) => id === 'latency-sum');
    expect(sums).toHaveLength(8);
    for (const identity of sums) {
      expect(identity).toMatchObject({ holds: false, pitfall: 'CMP060' });
      expect(identity.factor).toBeGreaterThan(low);
      expect(identity.factor).toBeLessThan(high);
    }
  });

  it('finds the cap of 440 in the saturated stages and nowhere else', async () => {
    const { judgement } = await of('vllm');
    const flights = judgement.identities.filter(({ id }) => id === 'in-flight');
    expect(flights.map(({ right }) => right)).toEqual([440, 440, 440, 440, 440, 440, 440]);
    expect(flights.filter(({ holds }) => !holds).map(({ scope }) => scope)).toEqual(['stage 4', 'stage 5', 'stage 6']);
    expect(flights[6]!.left).toBeCloseTo(427.05, 1);
    expect(flights[6]!.cause).toContain('load.num_workers 44 x load.worker_max_concurrency 10');
  });

  it('flags stage 0 for its 60 requests, the server’s double count, and zeros that mean no data', async () => {
    const { judgement } = await of('vllm');
    expect(judgement.cautions.find(({ id, scope }) => id === 'few-requests' && scope === 'stage 0')?.message).toMatch(
      /^60 answers are too few for p99, p99\.9/,
    );
    const count = judgement.identities.find(({ id }) => id === 'server-count');
    expect(count).toMatchObject({ holds: false, left: 21904, right: 11002, pitfall: 'CMP072' });
    expect(judgement.identities.find(({ id }) => id === 'server-decode')).toMatchObject({
      holds: false,
      right: 0.019012,
    });
    expect(judgement.cautions.find(({ id }) => id === 'zeros')?.message).toContain('kv_cache_usage_percentage');
  });

  it('opens the whole set as five runs that share one assumed config', async () => {
    const { reports } = await imported('inference-perf/kubecon-ab');
    expect(reports).toHaveLength(5);
    for (const { report } of reports)
      expect(report.assumptions.join()).toContain("../config.yaml is this run's config");
  });
});

describe('the terminal', () => {
  it('gets no control character from a file', async () => {
    const home = mkdtempSync(path.join(os.tmpdir(), 'isoperf-import-'));
    try {
      writeFileSync(path.join(home, 'x.json'), '{"\\u001b[31mred": 1}');
      writeFileSync(
        path.join(home, 'y.json'),
        '{"n_samples_issued": 1, "duration_ns": 1e9, "git_sha": "\\u001b]0;title\\u0007"}',
      );
      const { code, out, err } = await call(home);
      expect(code).toBe(0);
      expect(err).toContain('x.json is no report of a known tool');
      expect(out).toContain('MLPerf endpoints');
      // eslint-disable-next-line no-control-regex
      expect(out + err).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});

describe('the command line', () => {
  it('wants one path', async () => {
    await expect(call()).rejects.toThrow(UsageError);
    await expect(call('a', 'b')).rejects.toThrow(UsageError);
  });

  it.each([
    ['--tokens', 'nobody'],
    ['--warmup', '1.5'],
    ['--window', '10:5'],
    ['--percentiles', '50,101'],
    ['--goodput', 'tfft=0.2'],
    ['--goodput', 'ttft=-1'],
    ['--failures', 'ignore'],
  ])('refuses %s %s', async (option, value) => {
    await expect(call('.', option, value)).rejects.toThrow(UsageError);
  });

  it('says that there is nothing where there is nothing', async () => {
    const { code, err } = await call('no-such-place-at-all');
    expect(code).toBe(2);
    expect(err).toContain('no-such-place-at-all cannot be opened: there is no such folder');
  });
});
