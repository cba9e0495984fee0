// Facts of a run: each with the place it was read, or the reason why nobody can know it.
import { describe, expect, it } from 'vitest';
import { factsOf, settingOf } from '../../../src/readers/facts-of';
import { openForeign } from '../../../src/readers/foreign';
import { memoryFolder } from '../support/memory-folder';
import { syntheticRun } from '../support/synthetic-run';

const VLLM = {
  request_rate: 5,
  burstiness: 1,
  max_concurrency: null,
  total_input_tokens: 1000,
  total_output_tokens: 500,
  completed: 50,
  failed: 0,
  duration: 10,
  mean_ttft_ms: 20,
  model_id: 'small',
  num_prompts: 50,
};

describe('facts', () => {
  it('of our own folder name run.json and the key', () => {
    const facts = factsOf(syntheticRun());
    expect(facts.model).toMatchObject({ at: { file: 'run.json', key: 'endpoint.model' } });
    expect(facts.streaming).toEqual({
      value: true,
      at: { file: 'run.json', key: 'endpoint.streaming', configPath: ['api', 'streaming'] },
    });
    expect(facts.cacheCounters).toMatchObject({ reason: 'not recorded' });
  });

  it('follow a run that was changed', () => {
    const run = syntheticRun();
    const other = { ...run, manifest: { ...run.manifest!, endpoint: { ...run.manifest!.endpoint, model: 'other' } } };
    expect(factsOf(other).model.value).toBe('other');
  });

  it('of another tool name its own file and key, and say why what it does not write is missing', async () => {
    const opened = await openForeign(memoryFolder({ 'result.json': JSON.stringify(VLLM) }));
    const facts = opened.ok ? opened.value.reports[0]!.facts : undefined;
    expect(facts?.model).toEqual({ value: 'small', at: { file: 'result.json', key: 'model_id' } });
    expect(facts?.arrivalLaw).toEqual({ value: 'exponential-gaps', at: { file: 'result.json', key: 'burstiness' } });
    expect(facts?.tls).toEqual({
      reason: 'not in the files of vllm bench serve',
      at: { file: 'result.json', key: 'TLS' },
    });
  });

  it('of a config are read where that config stands', () => {
    const run = {
      tool: { name: 'inference-perf' },
      files: [],
      config: { api: { type: 'chat' } },
      configFile: 'x-config.yaml',
    };
    expect(settingOf(run, ['api', 'type'])).toEqual({
      value: 'chat',
      at: { file: 'x-config.yaml', key: 'api.type', configPath: ['api', 'type'] },
    });
    expect(settingOf(run, ['load', 'type'])).toMatchObject({ reason: 'not set in the config' });
  });
});
