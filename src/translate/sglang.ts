// SGLang's bench_serving 0.5: all its flags, and the fate of those that no row reads.
import { loadRow } from './bench-load';
import { ADDRESS, DATA, MODEL, REPORT, SAMPLING } from './sglang-rows';
import type { Tool } from './tool';
import { HEADERS, seedRow } from './vllm-rows';

const LOAD = loadRow({
  tool: 'bench_serving',
  warmupFlag: 'warmup-requests',
  warmups: 1,
  warmupWords: 'bench_serving sends its first prompt so often, then waits a second',
  hasBurstiness: false,
  rateWords:
    'bench_serving sleeps after each send and so falls behind the rate; inference-perf places a fixed number of requests by a Poisson law',
});
const ROWS = [ADDRESS, MODEL, DATA, LOAD, seedRow('42'), SAMPLING, HEADERS, REPORT];

const flagsOf = (text: string): readonly string[] => text.split(' ');
const NO_KEY = 'config.yaml has no key for it';
const OTHER_DATA = [
  `${NO_KEY}: it belongs to a data set that inference-perf does not have.`,
  'Use random-ids or generated-shared-prefix.',
] as const;
const OTHER_REQUESTS = [`${NO_KEY}: requests would be other ones.`, 'Leave it out on both sides.'] as const;
const PROFILED = [
  'The server’s profiler runs beside the requests, and no number is that of a plain run.',
  'Leave it out.',
] as const;

const OBSERVING = flagsOf(
  'ready-check-timeout-sec output-file print-requests disable-tqdm cache-report plot-throughput tag gsp-fast-prepare flush-cache-timeout rust-worker-threads',
);
const DATA_SETS = flagsOf(
  'dataset-path dataset-offset agentic-max-turns speed-bench-category speed-bench-output-len sharegpt-output-len sharegpt-context-len ' +
    'image-count image-resolution random-image-count image-format image-content use-trace-timestamps mooncake-slowdown-factor ' +
    'mooncake-num-rounds mooncake-workload',
);
const REQUESTS = flagsOf(
  'return-logprob top-logprobs-num token-ids-logprob logprob-start-len return-routed-experts apply-chat-template prompt-suffix ' +
    'pd-separated tokenize-prompt fake-prefill lora-name lora-request-distribution lora-zipf-alpha gsp-send-routing-key gsp-ordered gsp-zipf-alpha',
);
const PROFILE = flagsOf(
  'profile profile-activities profile-start-step profile-steps profile-num-steps profile-by-stage profile-stages profile-output-dir ' +
    'profile-prefix profile-prefill-url profile-decode-url',
);
const SWITCHES = flagsOf(
  'disable-stream disable-ignore-eos output-details print-requests disable-tqdm cache-report plot-throughput gsp-fast-prepare ' +
    'random-image-count use-trace-timestamps return-logprob return-routed-experts apply-chat-template pd-separated tokenize-prompt ' +
    'fake-prefill gsp-send-routing-key gsp-ordered profile profile-by-stage flush-cache rust-client',
);
const LISTS = flagsOf(
  'goodput header token-ids-logprob lora-name profile-activities profile-stages profile-prefill-url profile-decode-url',
);

const all = (names: readonly string[], takes: 'none' | 'one' | 'some') => names.map((name) => [name, takes] as const);

export const SGLANG: Tool = {
  name: 'sglang',
  title: 'sglang.bench_serving',
  versions: ['0.5'],
  command: ['python3', '-m', 'sglang.bench_serving'],
  aliases: [
    ['python', '-m', 'sglang.bench_serving'],
    ['python3', '-m', 'sglang.benchmark.serving'],
    ['python', '-m', 'sglang.benchmark.serving'],
  ],
  rows: ROWS,
  flags: Object.fromEntries([
    ...all(
      ROWS.flatMap(({ flags }) => flags),
      'one',
    ),
    ...all([...OBSERVING, ...DATA_SETS, ...REQUESTS, ...PROFILE], 'one'),
    ...all(SWITCHES, 'none'),
    ...all(LISTS, 'some'),
  ]),
  dropped: Object.fromEntries(
    OBSERVING.map((flag) => [flag, 'it watches or labels; nothing that is measured changes']),
  ),
  refused: {
    ...Object.fromEntries(DATA_SETS.map((flag) => [flag, OTHER_DATA])),
    ...Object.fromEntries(REQUESTS.map((flag) => [flag, OTHER_REQUESTS])),
    ...Object.fromEntries(PROFILE.map((flag) => [flag, PROFILED])),
    'flush-cache': [
      'An action on the server before the run is no key of a config.',
      'Call POST /flush_cache yourself, or use an experiment with cache: reset.',
    ],
    'rust-client': [
      'Another client sends: its lateness and its clock are not those of the one that is translated.',
      'Leave it out.',
    ],
  },
};
