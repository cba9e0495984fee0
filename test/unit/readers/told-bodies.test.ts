// What was added to every request's body is read whole, however a tool lets it be given: repeated flags, several words, JSON, lists.
import { describe, expect, it } from 'vitest';
import { compare } from '../../../src/comparability/compare';
import { settingsOfCommand, settingsTold } from '../../../src/readers/readers/settings';
import { openReports } from '../../../src/readers/open';
import { readRun } from '../../../src/readers/read';
import { memoryFolder } from '../support/memory-folder';
import { AIPERF_COMMAND, GUIDELLM, REPORT_01_FLAGS, VLLM_METADATA } from './tool-files';

async function samplingOf(file: string, value: unknown): Promise<unknown> {
  const opened = await openReports(memoryFolder({ [file]: JSON.stringify(value) }));
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
  return opened.value.reports[0]!.facts.sampling.value;
}

const aiperf = (extra: string) => ({
  ...AIPERF_COMMAND,
  run_info: { random_seed: 7, cli_command: `aiperf profile --streaming --concurrency 8 ${extra}` },
});

it('of a command’s flags the last counts, except those that add to a body', () => {
  expect(settingsOfCommand('x --isl 1 --isl 2 --streaming --extra-inputs a:1 b:2 --extra-inputs=c:3 --tp -1')).toEqual({
    isl: '2',
    streaming: true,
    'extra-inputs': ['a:1', 'b:2', 'c:3'],
    tp: '-1',
  });
});

it.each([
  '--extra-inputs temperature:0.2 --extra-inputs ignore_eos:true',
  '--extra-inputs ignore_eos:true --extra-inputs temperature:0.2',
  '--extra-inputs ignore_eos:true temperature:0.2',
  '--extra-inputs ignore_eos:true,temperature:0.2',
  "--extra-inputs 'ignore_eos:true temperature:0.2'",
  '--extra-inputs \'{"ignore_eos": true, "temperature": 0.2}\'',
  '--extra-inputs=temperature:0.2',
])('AIPerf: %s', async (extra) => {
  expect(await samplingOf('profile_export_aiperf.json', aiperf(extra))).toEqual({ temperature: 0.2 });
});

it('two temperatures before another input are two samplings', async () => {
  const runs = await Promise.all(
    ['0', '0.9'].map(async (temperature) => {
      const value = aiperf(`--extra-inputs temperature:${temperature} --extra-inputs ignore_eos:true`);
      const read = await readRun(memoryFolder({ 'profile_export_aiperf.json': JSON.stringify(value) }));
      if (!read.ok) throw new Error(JSON.stringify(read.problems));
      return read.value;
    }),
  );
  const { findings } = compare(runs[0]!, runs[1]!, { resamples: 20 });
  expect(findings.find(({ dimension }) => dimension === 'sampling')!.state).toBe('confounds');
});

describe('a command that names a config file', () => {
  const asked = async (flags: string) => {
    const untimed = { ...aiperf(flags), time_to_first_token: undefined };
    const opened = await openReports(memoryFolder({ 'profile_export_aiperf.json': JSON.stringify(untimed) }));
    if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
    const { warmupRequests, goodputLimits, streaming, arrivalLaw } = opened.value.reports[0]!.facts;
    return [warmupRequests.value, goodputLimits.value, streaming.value, arrivalLaw.value];
  };

  it.each(['--config run.yaml', '-f run.yaml', '--config=run.yaml'])(
    '%s says nothing by what is not among its flags',
    async (config) => {
      const flags = `--request-rate 5 ${config}`;
      expect(await asked(`--no-x --request-rate 5`)).toEqual([0, {}, true, 'exponential-gaps']);
      expect(await asked(flags)).toEqual([undefined, undefined, true, undefined]);
      expect(await asked(`${flags} --warmup-request-count 3 --goodput request_latency:900`)).toEqual([
        3,
        { request_latency: 0.9 },
        true,
        undefined,
      ]);
    },
  );
});

it('what is said of the client, its host or another run is said of no server', async () => {
  const elsewhere = {
    hardware: 'laptop',
    seed: 9,
    temperature: 0.9,
    model_id: 'x',
    ignore_eos: false,
    image: 'bench:1',
  };
  const plain = { ...VLLM_METADATA, temperature: undefined, seed: undefined, gpu: undefined, ignore_eos: undefined };
  for (const name of [
    'client',
    'host',
    'environment',
    'loadGen',
    'load-generator',
    'benchmark_host',
    'client_info',
    'baseline',
  ]) {
    const opened = await openReports(memoryFolder({ 'r.json': JSON.stringify({ ...plain, [name]: elsewhere }) }));
    if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
    const { stack, sampling, seed, ignoreEos, model } = opened.value.reports[0]!.facts;
    expect([name, stack.value?.accelerator, stack.value?.image, sampling.value, seed.value, ignoreEos.value]).toEqual([
      name,
      ...Array.from({ length: 5 }, () => undefined),
    ]);
    expect(model.value).toBe('m');
  }
});

describe('other tools’ names for a body', () => {
  it.each(['extra_body', '--extra-body', 'extra-request-body', 'additional_sampling_params'])('%s', (name) => {
    const given = ['{"top_k": 5, "ignore_eos": true}', { top_k: 5, ignore_eos: true }, ['top_k:5', 'ignore_eos:true']];
    for (const body of given) {
      const told = settingsTold({ [name]: body }, 'f.json');
      const read = Object.fromEntries(told.map(({ path, value }) => [path.join('.'), value]));
      expect(read).toEqual({ 'server.ignore_eos': true, 'api.parameters': { top_k: 5 } });
    }
  });

  it('vLLM’s metadata and a Benchmark Report’s flags', async () => {
    const body = '{"temperature": 0.3}';
    expect(await samplingOf('r.json', { ...VLLM_METADATA, temperature: undefined, extra_body: body })).toEqual({
      temperature: 0.3,
    });
    const { load, ...scenario } = REPORT_01_FLAGS.scenario;
    const args = { '--model': 'org/m', '--backend-kwargs': '{"extra_body": {"top_p": 0.5}}' };
    const report = { ...REPORT_01_FLAGS, scenario: { ...scenario, load: { ...load, args } } };
    expect(await samplingOf('br.json', report)).toEqual({ top_p: 0.5 });
  });

  it.each([
    { backend_kwargs: { extras: { body: { temperature: 0.4 } } } },
    { backend_kwargs: '{"extras": {"body": {"temperature": 0.4}}}' },
    { backend_kwargs: { extra_body: { temperature: 0.4 } } },
    { backend: { extras: { body: { temperature: 0.4 }, headers: { a: 'b' } } } },
  ])('GuideLLM: %j', async (settings) => {
    const [benchmark] = GUIDELLM.benchmarks;
    const value = {
      ...GUIDELLM,
      args: { ...GUIDELLM.args, ...settings },
      benchmarks: [{ ...benchmark, requests: { ...benchmark!.requests, successful: [] } }],
    };
    expect(await samplingOf('benchmarks.json', value)).toEqual({ temperature: 0.4 });
  });

  it('genai-perf’s list', async () => {
    const value = {
      request_latency: AIPERF_COMMAND.request_latency,
      input_config: { endpoint_type: 'chat', streaming: true, extra_inputs: ['temperature:0.1', 'top_k:4'] },
    };
    expect(await samplingOf('profile_export_genai_perf.json', value)).toEqual({ temperature: 0.1, top_k: 4 });
  });
});
