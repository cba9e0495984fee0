// A dozen public configs, as different as they come, run for a moment against the simulator; scripts/run-corpus.mjs runs them all.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startSimulator, type Simulator } from '../../../src/simulator/server';
import { harness, SAMPLE_TOKENIZER, type Harness } from './harness';

const CORPUS = path.resolve(import.meta.dirname, '../../../../shared/corpus/configs');
const NAMES = [
  '002-lldb-HEAD-agentic_code_generation.yaml',
  '005-lldb-HEAD-code_completion_synthetic.yaml',
  '023-lldb-HEAD-shared_prefix_synthetic.yaml',
  '068-llmd-pd-tpu.yaml',
  '073-llmd-wide-ep-lws_2048_concurrent_2k_isl_2k_osl.yaml',
  '074-gaie-release-1.2-benchmark-values.yaml',
  '087-gcp-accplat-vllm-configmap.tpl.yaml',
  '111-issue300-sweep.yaml',
  '120-pr207-billsum-angle.yaml',
  '137-pd-random-45qps-dump.yaml',
  'upstream/docs_snippet__docs__conversation_replay__L0037.yaml',
  'upstream/examples__multilora__multilora_config.yml',
  'upstream/examples__tgi__config-synthetic.yml',
  'upstream/examples__vllm__config-shared-prefix-multi-turn.yml',
  'upstream/workload-catalog__interactive-chat__inference-perf.yaml',
];

let sim: Simulator;
let h: Harness;
beforeAll(async () => {
  sim = await startSimulator({ port: 0, ttftSeconds: 0.002, tokenSeconds: 0.0005, maxModelTokens: 1_000_000 });
});
afterAll(() => sim.close());
beforeEach(() => {
  h = harness();
});
afterEach(() => {
  h.remove();
});

const isThere = existsSync(CORPUS);
if (!isThere) console.log(`skipped: ${CORPUS} is not there`);

describe.skipIf(!isThere)('a public config', () => {
  it.each(NAMES)('%s', { timeout: 60_000 }, async (name) => {
    const text = readFileSync(path.join(CORPUS, name), 'utf8');
    const isConcurrent = /^\s*type:\s*["']?concurrent/m.test(text);
    const records = path.join(h.folder, 'records.json');
    writeFileSync(
      records,
      JSON.stringify(
        Array.from({ length: 20 }, (_, index) => ({
          conversations: [
            { from: 'human', value: `What is ${index} and two?` },
            { from: 'gpt', value: `It is ${index + 2}.` },
          ],
          article: `Day ${index}. Nothing happened.`,
          highlights: 'Nothing happened.',
        })),
      ),
    );
    const overrides = [
      `server.base_url=${sim.url}`,
      'server.model_name=isoperf-simulated',
      `load.stages=${isConcurrent ? '[{num_requests: 4, concurrency_level: 2}]' : '[{rate: 4, duration: 1}]'}`,
      'load.sweep=null',
      'load.interval=0',
      'metrics=null',
      `storage={local_storage: {path: ${h.folder}}}`,
      `tokenizer={pretrained_model_name_or_path: ${SAMPLE_TOKENIZER}}`,
      ...(/billsum|shareGPT/.test(text) ? [`data.path=${records}`] : []),
      ...(text.includes('tool_call_latency_sec') ? ['data.conversation_replay.tool_call_latency_sec=null'] : []),
    ];
    const result = await h.run(text, { overrides });
    if (result.kind === 'refused') throw new Error(result.problems.map(({ message }) => message).join('\n'));
    const { manifest } = result.run;
    expect(manifest.counts).toEqual({ planned: 4, ok: 4, failed: 0, cancelled: 0, notSent: 0 });
    expect(result.run.invalid).toBeUndefined();
    expect(result.run.summary!.successes.count).toBe(4);
  });
});
