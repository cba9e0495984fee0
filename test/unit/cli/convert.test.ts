// `isoperf convert`: what comes out is valid where a schema exists, reads back as the same numbers, and says what it left out.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { convertCommand } from '../../../src/cli/convert';
import { accessTo } from '../../../src/cli/access';
import { UsageError, type CliIo } from '../../../src/cli/command';
import { measureOf } from '../../../src/readers/canonical';
import { openReports } from '../../../src/readers/open';
import { CORPUS, hasCorpus } from '../support/corpus';

const home = mkdtempSync(path.join(os.tmpdir(), 'isoperf-convert-'));
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

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
  return { code: await convertCommand.run(args, io), out, err };
}

describe.skipIf(!hasCorpus())('a Benchmark Report', () => {
  const sources = [
    'inference-perf/kubecon-ab/vllm',
    'inference-perf/corpus-v0_5_0',
    'guidellm',
    'vllm-bench-serve',
    'sglang-bench-serving',
    'llmperf',
    'inferencex',
    'llm-d-benchmark',
  ];

  it.each(sources)('of %s is valid against the public schema', async (place) => {
    const schema = JSON.parse(
      readFileSync(path.join(CORPUS, 'llm-d-benchmark/br_v0_2_1_json_schema.json'), 'utf8'),
    ) as object;
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    const { code, out } = await call(place, '--to', 'benchmark-report');
    expect(code).toBe(0);
    const documents = parseAllDocuments(out);
    expect(documents.length).toBeGreaterThan(0);
    for (const document of documents) {
      validate(document.toJS());
      expect(validate.errors ?? []).toEqual([]);
    }
  });

  it('reads back as the same numbers under the same names', async () => {
    const out = path.join(home, 'br');
    expect((await call('inference-perf/kubecon-ab/vllm', '--to', 'benchmark-report', '--out', out)).code).toBe(0);
    expect(readdirSync(out)).toHaveLength(8);
    const before = await openReports(accessTo('inference-perf/kubecon-ab/vllm', CORPUS));
    const after = await openReports(accessTo('br', home));
    if (!before.ok || !after.ok) throw new Error('not opened');
    const stage3 = before.value.reports[0]!.report.scopes[3]!;
    const back = after.value.reports.map(({ report }) => report.scopes[0]!).find(({ stage }) => stage === 3)!;
    for (const id of ['ttft', 'tpot', 'ntpot', 'e2e', 'prompt_tokens', 'output_tokens'] as const) {
      expect(measureOf(back, id)?.stats).toEqual(measureOf(stage3, id)?.stats);
    }
    expect(back.counts).toMatchObject({ total: 5531, ok: 5531, failed: 0 });
  });

  it('names what the format has no field for', async () => {
    const { out } = await call(
      'vllm-bench-serve/vllm-10.0qps-Llama-3.2-3B-Instruct-20250530-203806.json',
      '--to',
      'benchmark-report',
    );
    const report = parse(out) as {
      run: { description: string };
      results: { request_performance: { aggregate: { latency: object } } };
    };
    expect(report.run.description).toContain('left out, because this format has no field that means it: chunk_gap');
    expect(report.results.request_performance.aggregate.latency).not.toHaveProperty('inter_token_latency');
  });
});

describe.skipIf(!hasCorpus())('Markdown, CSV and HTML', () => {
  it('a CSV has one line per number, with unit and source', async () => {
    const { out } = await call('llmperf', '--to', 'csv');
    const [head, ...lines] = out.trimEnd().split('\r\n');
    expect(head).toMatch(/^report,tool,version_class,part,/);
    const ttft = lines.find((line) => line.includes(',ttft,p99,'));
    expect(ttft).toContain(',ttft,p99,0.5874693769191432,s,');
    expect(ttft).toContain(',results_ttft_s_*,1');
    expect(new Set(lines.map((line) => line.split(',').length))).toEqual(new Set([head!.split(',').length]));
  });

  it('Markdown puts the violated identities before the numbers', async () => {
    const { out } = await call('inference-perf/kubecon-ab/vllm', '--to', 'markdown', '--part', 'stage 6');
    expect(out.indexOf('TPOT is 2.05 times too small')).toBeGreaterThan(0);
    expect(out.indexOf('TPOT is 2.05 times too small')).toBeLessThan(out.indexOf('### Parts'));
    expect(out).not.toContain('stage 5');
  });

  it('the format follows the ending of --out', async () => {
    const out = path.join(home, 'x/summary.html');
    const { code, out: said } = await call('llmperf', '--out', out);
    expect([code, said]).toEqual([0, `Written to ${out}\n`]);
    expect(existsSync(out)).toBe(true);
    expect(readFileSync(out, 'utf8')).toMatch(/^<!DOCTYPE html>/);
  });

  it('a part that does not exist is unusable input', async () => {
    const { code, err } = await call('llmperf', '--to', 'csv', '--part', 'stage 99');
    expect(code).toBe(2);
    expect(err).toContain("has no part 'stage 99'");
  });
});

describe('the command line', () => {
  it('wants a path and a known format', async () => {
    await expect(call('--to', 'csv')).rejects.toThrow(UsageError);
    await expect(call('x')).rejects.toThrow(/--to FORMAT is needed/);
    await expect(call('x', '--to', 'pdf')).rejects.toThrow(/--to pdf is unknown/);
  });
});
