// vllm bench serve 0.32 and 0.33: all its flags, and the fate of those that no row reads.
import type { Tool } from './tool';
import { DATA } from './vllm-data';
import { loadRow } from './bench-load';
import { ADDRESS, HEADERS, LORA, MODEL, REPORT, SAMPLING, seedRow } from './vllm-rows';

const LOAD = loadRow({
  tool: 'vllm bench serve',
  warmupFlag: 'num-warmups',
  warmups: 0,
  warmupWords: 'vllm bench serve sends its first prompt that often, all at once, and so warms the cache for it',
  hasBurstiness: true,
});
const ROWS = [ADDRESS, MODEL, DATA, LOAD, seedRow('0'), SAMPLING, HEADERS, LORA, REPORT];
const NO_KEY = 'config.yaml has no key for it';
const SAMPLED = [
  `${NO_KEY}: answers would be drawn otherwise.`,
  'Leave it out on both sides, or set it as the server’s default.',
] as const;
const OTHER_DATA = [
  `${NO_KEY}: it belongs to a data set that inference-perf does not have.`,
  'Use --dataset-name random, prefix_repetition or sharegpt.',
] as const;
const OBSERVES = 'it watches or labels; nothing that is measured changes';

export const VLLM: Tool = {
  name: 'vllm',
  title: 'vllm bench serve',
  versions: ['0.32', '0.33'],
  command: ['vllm', 'bench', 'serve'],
  aliases: [
    ['python', '-m', 'vllm.entrypoints.cli.main', 'bench', 'serve'],
    ['python3', '-m', 'vllm.entrypoints.cli.main', 'bench', 'serve'],
  ],
  rows: ROWS,
  flags: {
    ...Object.fromEntries(ROWS.flatMap(({ flags }) => flags.map((flag) => [flag, 'one'] as const))),
    ...Object.fromEntries(
      (
        'trust-remote-code skip-tokenizer-init ignore-eos save-result save-detailed append-result disable-tqdm profile insecure ' +
        'use-beam-search plot-timeline plot-dataset-stats no-stream no-oversample skip-chat-template enable-multimodal-chat ' +
        'disable-shuffle custom-ensure-client-side-data no-reranker'
      )
        .split(' ')
        .map((flag) => [flag, 'none'] as const),
    ),
    ...Object.fromEntries(['header', 'metadata', 'goodput', 'lora-modules'].map((flag) => [flag, 'some'] as const)),
    ...Object.fromEntries(
      (
        'label percentile-metrics result-filename request-id-prefix ready-check-timeout-sec timeline-itl-thresholds self-timed ' +
        'top-p top-k min-p frequency-penalty presence-penalty repetition-penalty logprobs chat-template-kwargs probe-request-rate ' +
        'ramp-up-strategy ramp-up-start-rps ramp-up-end-rps custom-output-len spec-bench-output-len spec-bench-category ' +
        'speed-bench-dataset-subset speed-bench-output-len speed-bench-category timed-trace-chunk-hash-size ' +
        'timed-trace-sec-multiplier timed-trace-label-timestamp timed-trace-label-input-length timed-trace-label-output-length ' +
        'timed-trace-label-hash-ids blazedit-min-distance blazedit-max-distance asr-max-audio-len-sec asr-min-audio-len-sec ' +
        'hf-subset hf-split hf-name hf-output-len bfcl-categories random-batch-size random-mm-base-items-per-request ' +
        'random-mm-num-mm-items-range-ratio random-mm-limit-mm-per-prompt random-mm-bucket-config'
      )
        .split(' ')
        .map((flag) => [flag, 'one'] as const),
    ),
  },
  dropped: Object.fromEntries(
    (
      'label metadata append-result result-filename request-id-prefix disable-tqdm plot-timeline timeline-itl-thresholds ' +
      'plot-dataset-stats ready-check-timeout-sec percentile-metrics'
    )
      .split(' ')
      .map((flag) => [flag, OBSERVES]),
  ),
  refused: {
    ...Object.fromEntries(
      'top-p top-k min-p frequency-penalty presence-penalty repetition-penalty use-beam-search logprobs chat-template-kwargs'
        .split(' ')
        .map((flag) => [flag, SAMPLED]),
    ),
    ...Object.fromEntries(
      (
        'custom-output-len spec-bench-output-len spec-bench-category speed-bench-dataset-subset speed-bench-output-len ' +
        'speed-bench-category timed-trace-chunk-hash-size timed-trace-sec-multiplier timed-trace-label-timestamp ' +
        'timed-trace-label-input-length timed-trace-label-output-length timed-trace-label-hash-ids blazedit-min-distance ' +
        'blazedit-max-distance asr-max-audio-len-sec asr-min-audio-len-sec hf-subset hf-split hf-name hf-output-len ' +
        'bfcl-categories random-batch-size random-mm-base-items-per-request random-mm-num-mm-items-range-ratio ' +
        'random-mm-limit-mm-per-prompt random-mm-bucket-config no-stream no-oversample skip-chat-template ' +
        'enable-multimodal-chat disable-shuffle custom-ensure-client-side-data no-reranker'
      )
        .split(' ')
        .map((flag) => [flag, OTHER_DATA]),
    ),
    profile: ['The server’s profiler runs beside the requests, and no number is that of a plain run.', 'Leave it out.'],
    insecure: [
      `${NO_KEY}: inference-perf always checks certificates.`,
      'Give the authority by --ca-file, or use http.',
    ],
    'self-timed': ['Requests follow the times of a data set that inference-perf does not have.', 'Leave it out.'],
    'probe-request-rate': ['A second stream beside the first has no counterpart.', 'Leave it out.'],
    'ramp-up-strategy': [
      'A rate that rises within a stage has no counterpart.',
      'Write several stages of fixed rates.',
    ],
    'ramp-up-start-rps': [
      'A rate that rises within a stage has no counterpart.',
      'Write several stages of fixed rates.',
    ],
    'ramp-up-end-rps': ['A rate that rises within a stage has no counterpart.', 'Write several stages of fixed rates.'],
  },
};
