// --salt reaches every request, however its body is made: prefixes, turns, adapters, frozen streams; and changes nothing else.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CliIo, Command } from '../../../src/cli/command';
import { planCommand } from '../../../src/cli/plan';
import { runCommand } from '../../../src/cli/run';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { SAMPLE_TOKENIZER } from '../run/harness';

vi.stubGlobal('ISOPERF_VERSION', 'test');
vi.stubGlobal('UNDICI_VERSION', 'test');

const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-salt-'));
let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator({ port: 0, ttftSeconds: 0.002, tokenSeconds: 0.0005 });
});
afterAll(async () => {
  await sim.close();
  rmSync(folder, { recursive: true, force: true });
});

async function call(command: Command, ...args: string[]): Promise<void> {
  let err = '';
  const io: CliIo = {
    out: () => undefined,
    err: (text) => (err += text),
    isTerminal: false,
    columns: 120,
    env: { HF_HOME: folder, XDG_CACHE_HOME: folder },
    cwd: folder,
  };
  if ((await command.run(args, io)) !== 0) throw new Error(err);
}

const OPEN = '{ type: constant, interval: 0, num_workers: 1, stages: [{ rate: 12, duration: 1 }] }';
const CLOSED =
  '{ type: concurrent, interval: 0, num_workers: 1, stages: [{ num_requests: 12, concurrency_level: 3 }] }';
const prefix = (more = ''): string =>
  `{ type: shared_prefix, shared_prefix: { seed: 3, num_groups: 2, num_prompts_per_group: 3, system_prompt_len: 9, question_len: 9, output_len: 3${more} } }`;
const RANDOM =
  '{ type: random, input_distribution: { type: uniform, min: 5, max: 40 }, output_distribution: { type: fixed, mean: 3 } }';
const REPLAY =
  '{ type: conversation_replay, conversation_replay: { num_conversations: 3, shared_system_prompt_len: 20, turns_per_conversation: { type: fixed, mean: 3 }, input_tokens_per_turn: { type: fixed, mean: 10 }, output_tokens_per_turn: { type: fixed, mean: 4 } } }';
const LORA = OPEN.replace(' }] }', ' }], lora_traffic_split: [{ name: a, split: 0.5 }, { name: b, split: 0.5 }] }');

const CASES: [name: string, load: string, data: string, api?: string][] = [
  ['prompts of their own', OPEN, RANDOM],
  ['LoRA adapters', LORA, RANDOM],
  ['shared prefixes and adapters', LORA, prefix()],
  ['chats', OPEN, prefix(), 'chat'],
  ['chats in turns', CLOSED, prefix(', enable_multi_turn_chat: true')],
  ['conversations', CLOSED, REPLAY],
];

interface Sent {
  readonly model: string;
  readonly cache_salt?: string;
}

function bodiesOf(out: string): readonly Sent[] {
  const file = readFileSync(path.join(folder, out, 'per_request_lifecycle_metrics.json'), 'utf8');
  return (JSON.parse(file) as { request: string }[]).map(({ request }) => JSON.parse(request) as Sent);
}

const promptsHash = (out: string): string =>
  (JSON.parse(readFileSync(path.join(folder, out, 'run.json'), 'utf8')) as { workload: { promptsHash: string } })
    .workload.promptsHash;

describe('--salt', () => {
  it.each(CASES)(
    '%s, live and frozen',
    async (name, load, data, api = 'completion') => {
      const slug = name.replace(/\W/g, '');
      const config = `${slug}.yaml`;
      writeFileSync(
        path.join(folder, config),
        `# isoperf: seed=3
load: ${load}
api: { type: ${api}, streaming: true }
server: { type: vllm, model_name: m, base_url: "${sim.url}" }
tokenizer: { pretrained_model_name_or_path: ${SAMPLE_TOKENIZER} }
data: ${data}
report: { request_lifecycle: { per_request: true } }
`,
      );
      await call(runCommand, config, '--out', `${slug}-plain`);
      await call(runCommand, config, '--salt', 'pepper', '--out', `${slug}-live`);
      await call(planCommand, config, '--freeze', `${slug}.jsonl`);
      await call(runCommand, '--frozen', `${slug}.jsonl`, '--salt', 'pepper', '--out', `${slug}-frozen`);
      expect(readFileSync(path.join(folder, `${slug}.jsonl`), 'utf8')).not.toContain('pepper');
      for (const out of ['live', 'frozen']) {
        const sent = bodiesOf(`${slug}-${out}`);
        expect(sent).toHaveLength(12);
        expect(new Set(sent.map(({ cache_salt: salt }) => salt))).toEqual(new Set(['pepper']));
        const models = load === LORA ? ['a', 'b'] : ['m'];
        expect([...new Set(sent.map(({ model }) => model))].sort()).toEqual(models);
        expect(promptsHash(`${slug}-${out}`)).toBe(promptsHash(`${slug}-plain`));
      }
      expect(bodiesOf(`${slug}-plain`).every(({ cache_salt: salt }) => salt === undefined)).toBe(true);
    },
    40_000,
  );
});
