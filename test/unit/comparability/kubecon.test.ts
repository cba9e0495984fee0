// The worked example of design/comparability.md: inference-perf's public KubeCon 2025 set, every listed finding and no other.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRun } from '../../../src/cli/compare-input';
import { compare } from '../../../src/comparability/compare';
import type { Comparison, DimensionId } from '../../../src/comparability/comparison';
import type { CliIo } from '../../../src/cli/command';

const CORPUS = path.resolve(import.meta.dirname, '../../../../shared/corpus/reports/inference-perf/kubecon-ab');
const present = existsSync(CORPUS);
if (!present) console.log(`skipped: ${CORPUS} is not there`);

async function pair(a: string, b: string): Promise<Comparison> {
  const said: string[] = [];
  const io: CliIo = {
    out: (text) => said.push(text),
    err: (text) => said.push(text),
    isTerminal: false,
    columns: 100,
    env: {},
    cwd: CORPUS,
  };
  const [runA, runB] = [await openRun(a, undefined, io), await openRun(b, undefined, io)];
  expect(said).toEqual([]);
  return compare(runA!, runB!);
}

const finding = (comparison: Comparison, id: DimensionId) =>
  comparison.findings.find((entry) => entry.dimension === id)!;

describe.skipIf(!present)('vllm against vllm+v0_engine', () => {
  it('finds what a careful reader would find, with evidence', async () => {
    const comparison = await pair('vllm', 'vllm+v0_engine');
    expect(comparison.verdict.exitCode).toBe(3);
    expect(comparison.claim.text).toBeUndefined();
    const confounding = comparison.findings
      .filter((entry) => entry.state === 'confounds')
      .map((entry) => entry.dimension);
    expect(confounding.sort()).toEqual(['client-limit', 'metric-definition', 'offered-load', 'server']);

    const load = finding(comparison, 'offered-load');
    expect(load.message).toMatch(/183 rps against 236 rps.*A sweep chose the rates/s);
    expect(load.a.evidence.some(({ file, key }) => file === '../config.yaml' && key === 'load.sweep')).toBe(true);

    const client = finding(comparison, 'client-limit');
    expect(client.message).toMatch(
      /At 183 rps against 236 rps, on A requests left 19\.9 s late on average.*427 requests were in flight.*cap is 440/,
    );
    expect(client.message).toMatch(
      /on B requests left 58\.2 s late on average.*431 requests were in flight.*cap is 440/,
    );
    expect(client.message).toMatch(/latencies leave that wait out/);
    expect(client.stages).not.toContain(0);

    const tpot = finding(comparison, 'metric-definition');
    expect(tpot.message).toMatch(/A’s is 2\.1 times too small.*B’s is 2\.1 times too small/);
    expect(tpot.moves.map(({ metric }) => metric)).toEqual(['tpot', 'itl']);

    const served = finding(comparison, 'server');
    expect(served.changes).toEqual([
      'engine version (image vllm/vllm-openai) v0.11.0 on A, v0.9.0 on B',
      'environment variable VLLM_USE_V1 not set on A, 0 on B',
    ]);
    expect(served.a.evidence.some(({ file }) => file === '../server-args.txt')).toBe(true);

    const notes = comparison.notes.join('\n');
    expect(notes).toMatch(/at 1 rps 60 and 60 requests succeeded/);
    expect(notes).toMatch(/prompts differ in length beyond chance.*mean 204 against 200/);
    expect(notes).toMatch(/Neither side leaves a warm-up out/);
    expect(notes).toMatch(/asks for meta-llama\/Meta-Llama-3-8B-Instruct, the stack record serves \$\(MODEL_ID\)/);
    const p99 = comparison.metrics.find((row) => row.stage === 0 && row.metric === 'ttft' && row.statistic === 'p99')!;
    expect(p99.a.missing).toMatch(/n = 60 is under the 299/);
  });

  it('declared as the change under test, the server is still two changes', async () => {
    const io: CliIo = { out: () => 0, err: () => 0, isTerminal: false, columns: 100, env: {}, cwd: CORPUS };
    const [a, b] = [await openRun('vllm', undefined, io), await openRun('vllm+v0_engine', undefined, io)];
    const comparison = compare(a!, b!, { intended: ['server'] });
    expect(comparison.verdict.exitCode).toBe(3);
    expect(comparison.notes.join('\n')).toMatch(/2 things changed in server/);
  });

  it('a stack record that names the model says that the config asked for another', async () => {
    const io: CliIo = { out: () => 0, err: () => 0, isTerminal: false, columns: 100, env: {}, cwd: CORPUS };
    const [a, b] = [await openRun('vllm', undefined, io), await openRun('vllm+v0_engine', undefined, io)];
    const stack = { source: 'stack.yaml', model: 'meta-llama/Llama-3.1-8B-Instruct', args: [], image: 'x:1' };
    const comparison = compare({ ...a!, stack }, { ...b!, stack });
    expect(comparison.notes.join('\n')).toMatch(
      /A: the config asks for meta-llama\/Meta-Llama-3-8B-Instruct, but the stack record serves meta-llama\/Llama-3\.1-8B-Instruct/,
    );
    expect(finding(comparison, 'server').state).toBe('same');
  });
});

describe.skipIf(!present)('vllm+chunking_and_prefix_caching against vllm+quantization', () => {
  it('says that nothing measurable changed, and that the flag was one argv element', async () => {
    const comparison = await pair('vllm+chunking_and_prefix_caching', 'vllm+quantization');
    const confounding = comparison.findings
      .filter((entry) => entry.state === 'confounds')
      .map((entry) => entry.dimension);
    expect(confounding.sort()).toEqual(['client-limit', 'metric-definition', 'server']);
    expect(finding(comparison, 'server').changes).toEqual([
      expect.stringMatching(/'--quantization bitsandbytes' only on B, in one argv element/),
    ]);
    expect(comparison.notes.join('\n')).toMatch(/Nothing measurable changed at 254 rps: .*0\.99 % of A/);
    expect(finding(comparison, 'offered-load').state).toBe('same');
    expect(comparison.stages).toHaveLength(7);
  });
});

const VLLM = path.resolve(CORPUS, '../../vllm-bench-serve');
describe.skipIf(!existsSync(VLLM))('vLLM at 10 requests a second against all at once', () => {
  it('load model and offered load confound, and every number with them', async () => {
    const [ten, all] = ['vllm-10.0qps', 'vllm-infqps'].map((start) => {
      const file = readdirSync(VLLM).find((name) => name.startsWith(start))!;
      return path.join(VLLM, file);
    });
    const comparison = await pair(ten!, all!);
    expect(finding(comparison, 'load-model').state).toBe('confounds');
    expect(finding(comparison, 'load-model').message).not.toContain('closed loop');
    expect(finding(comparison, 'offered-load').state).toBe('confounds');
    expect(comparison.verdict.exitCode).toBe(3);
    expect(new Set(comparison.metrics.map(({ verdict }) => verdict))).toEqual(new Set(['confounded']));
  });
});
