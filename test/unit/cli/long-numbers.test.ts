// Whole numbers beyond a double (2^53 and more), as 64-bit seeds are: they keep their digits wherever they go.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Command } from '../../../src/cli/command';
import { compareCommand } from '../../../src/cli/compare';
import { convertCommand } from '../../../src/cli/convert';
import { importCommand } from '../../../src/cli/import';
import { planCommand } from '../../../src/cli/plan';
import { runCommand } from '../../../src/cli/run';
import { validateCommand } from '../../../src/cli/validate';
import { loadConfig } from '../../../src/config/load';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { fakeClient, type FakeClient } from '../loadgen/fake-client';
import { configOf, harness, SAMPLE_TOKENIZER } from '../run/harness';
import { called, type Said } from '../support/cli-call';

vi.stubGlobal('ISOPERF_VERSION', 'test');
vi.stubGlobal('UNDICI_VERSION', 'test');

const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-long-'));
let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator({ port: 0, ttftSeconds: 0.002, tokenSeconds: 0.001 });
});
afterAll(async () => {
  await sim.close();
  rmSync(folder, { recursive: true, force: true });
});

const call = (command: Command, ...args: string[]): Promise<Said> =>
  called(command, folder, args, { columns: 200, env: { HF_HOME: folder, XDG_CACHE_HOME: folder } });

const LONG = '99999999999999999999';
const NEAR = '99999999999999999998';
const SCHEMA = '9223372036854775807';

/** A config with a part of the load section, of the shared prefix, and lines before it. */
function config(load: string, { head = '', prefix = '' } = {}): string {
  return `${head}load: { type: constant, interval: 0, num_workers: 1, stages: [{ rate: 20, duration: 1 }]${load} }
api: { type: completion, streaming: true, response_format: { json_schema: { type: integer, maximum: ${SCHEMA} } } }
server: { type: vllm, model_name: m, base_url: "${sim.url}" }
tokenizer: { pretrained_model_name_or_path: ${SAMPLE_TOKENIZER} }
data: ${
    prefix === ''
      ? '{ type: random, input_distribution: { type: uniform, min: 5, max: 60 }, output_distribution: { type: fixed, mean: 3, min: 3, max: 3 } }'
      : `{ type: shared_prefix, shared_prefix: { num_groups: 2, num_prompts_per_group: 3, system_prompt_len: 9, question_len: 9, output_len: 3${prefix} } }`
  }
`;
}

function file(name: string, text: string): string {
  writeFileSync(path.join(folder, name), text);
  return name;
}

const read = (...names: string[]): string => readFileSync(path.join(folder, ...names), 'utf8');

describe('a seed of 2^53 or more', () => {
  it.each([
    ['plain', `, base_seed: ${LONG}`, '', []],
    ['in quotes', `, base_seed: "${LONG}"`, '', []],
    ['in hexadecimal', ', base_seed: 0x56BC75E2D630FFFFF', '', []],
    ['by --set', '', '', ['--set', `load.base_seed=${LONG}`]],
    ['by a directive', '', `# isoperf: seed=${LONG}\n`, []],
  ])('%s: plan says its digits', async (_name, load, head, more) => {
    const name = file('plan.yaml', config(load, { head }));
    const { code, out } = await call(planCommand, name, ...more);
    expect(code).toBe(0);
    expect(out).toContain(`Seed: ${LONG} (`);
    expect(out).not.toMatch(/1e\+20|100000000000000000000/);
    const json = await call(planCommand, name, ...more, '--json');
    expect(JSON.parse(json.out)).toMatchObject({ seed: { value: LONG } });
    const said = await call(validateCommand, name, '--format', 'json');
    expect(said.code).toBeLessThan(2);
    expect(said.out).not.toContain('100000000000000000000');
  });

  it('draws its own stream, and the seed beside it another', async () => {
    const fingerprint = async (seed: string, prefix = false): Promise<string> => {
      const text = prefix ? config(', base_seed: 1', { prefix: `, seed: ${seed}` }) : config(`, base_seed: ${seed}`);
      const { out } = await call(planCommand, file('stream.yaml', text), '--json');
      return (JSON.parse(out) as { hashes: { fingerprint: string } }).hashes.fingerprint;
    };
    for (const prefix of [false, true]) {
      expect(await fingerprint(LONG, prefix)).toBe(await fingerprint(LONG, prefix));
      expect(await fingerprint(LONG, prefix)).not.toBe(await fingerprint(NEAR, prefix));
      expect(await fingerprint('9007199254740993', prefix)).not.toBe(await fingerprint('9007199254740992', prefix));
    }
  });

  it('is in config.yaml, in run.json, and read back by import, compare, convert and a second run', async () => {
    const name = file('run.yaml', config(`, base_seed: ${LONG}`));
    expect((await call(runCommand, name, '--out', 'A')).code).toBe(0);
    expect((await call(runCommand, name, '--set', `load.base_seed=${NEAR}`, '--out', 'B')).code).toBe(0);
    expect(read('A', 'config.yaml')).toContain(`base_seed: ${LONG}\n`);
    expect(read('A', 'config.yaml')).toContain(`maximum: ${SCHEMA}\n`);
    expect(JSON.parse(read('A', 'run.json'))).toMatchObject({
      config: { effective: { load: { base_seed: LONG } } },
      workload: {
        seed: LONG,
        parameters: { response_format: { json_schema: { schema: { maximum: SCHEMA } } } },
      },
      stages: [{ seed: LONG }],
    });
    expect((await call(importCommand, 'A')).out).toContain(LONG);
    expect((await call(importCommand, 'A', '--json')).out).toContain(`"${LONG}"`);
    const compared = await call(compareCommand, 'A', 'B', '--format', 'json');
    expect(compared.out).toContain(`seeds ${LONG} and ${NEAR}`);
    expect((await call(convertCommand, 'A', '--to', 'benchmark-report')).code).toBe(0);
    expect((await call(runCommand, 'A/config.yaml', '--out', 'again')).code).toBe(0);
    const [first, second] = ['A', 'again'].map(
      (run) => JSON.parse(read(run, 'run.json')) as { workload: { fingerprint: string } },
    );
    expect(second!.workload.fingerprint).toBe(first!.workload.fingerprint);
  }, 30_000);
});

describe('a whole number of 2^53 or more in the schema of an answer', () => {
  const api = `{ type: completion, streaming: true, response_format: { json_schema: { type: integer, enum: [${SCHEMA}, -${LONG}, 3] } } }`;

  it('is sent with its digits', async () => {
    const h = harness();
    let client: FakeClient | undefined;
    await h.ran(configOf({ url: 'http://127.0.0.1:1', api, tokenizer: SAMPLE_TOKENIZER }), {
      clientFactory: () => (client = fakeClient(0.001)),
    });
    h.remove();
    expect(String(client!.sent[0]!.body)).toContain(`"schema":{"type":"integer","enum":[${SCHEMA},-${LONG},3]}`);
  });

  it('is frozen with its digits', async () => {
    const name = file('freeze.yaml', config(', base_seed: 5'));
    expect((await call(planCommand, name, '--freeze', 'stream.jsonl')).code).toBe(0);
    expect(read('stream.jsonl')).toContain(`{"$integer":"${SCHEMA}"}`);
    const ran = await call(runCommand, '--frozen', 'stream.jsonl', '--out', 'frozen');
    expect(ran.code).toBe(0);
    expect((await call(runCommand, name, '--out', 'live')).code).toBe(0);
    const hash = (run: string): string =>
      (JSON.parse(read(run, 'run.json')) as { workload: { promptsHash: string } }).workload.promptsHash;
    expect(hash('frozen')).toBe(hash('live'));
  }, 30_000);
});

describe('what a whole number is refused for', () => {
  it('is said with its digits', () => {
    const loaded = loadConfig(config('').replace('rate: 20', `rate: -${LONG}`));
    const words = loaded.problems.map(({ message }) => message).join('\n');
    expect(words).toMatch(/must be greater than 0, and is -/);
    const count = loadConfig(config(`, request_retries: -${LONG}`));
    expect(count.problems.map(({ message }) => message).join('\n')).toContain(`at least 0, and is -${LONG}`);
  });
});
