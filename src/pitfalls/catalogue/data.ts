// Pitfalls of the workload: lengths, seeds, repeated prompts (CMP024 to CMP037).
import { ALL_LATENCIES, EVERYTHING, pitfall, RATES, type Pitfall } from '../pitfall';

const DISTRIBUTIONS = [
  'data.input_distribution',
  'data.output_distribution',
  'data.shared_prefix.question_len',
  'data.shared_prefix.output_len',
  'data.shared_prefix.system_prompt_len',
] as const;

const SAMPLED = ['data.input_distribution.type', 'data.output_distribution.type'] as const;

export const DATA_PITFALLS: readonly Pitfall[] = [
  pitfall(24, {
    title: 'Left-out fields of a distribution have large defaults',
    consequence:
      'min 10, max 1024, mean 512 and std_dev 200 fill what is not written. "mean: 100" alone keeps std_dev 200 and realises a mean of about 143.',
    remedy: 'Write type, min, max, mean and std_dev; compare realised lengths, not configured ones.',
    moves: EVERYTHING,
    how: {
      config: 'Fields of a distribution that the data type uses are not written.',
      report:
        'Bounds and spread are 10, 1024 and 200, the mean is another than 512, and the realised mean is what clamping makes of that.',
    },
    configPaths: [...DISTRIBUTIONS, ...DISTRIBUTIONS.flatMap((path) => [`${path}.mean`, `${path}.std_dev`])],
  }),
  pitfall(25, {
    title: 'Clamping moves mean and spread',
    consequence:
      'Samples outside min..max are set to the bound: mass piles up there, and the realised mean and spread are not the configured ones.',
    remedy: 'Move the bounds out or narrow std_dev; compare realised lengths.',
    moves: EVERYTHING,
    how: {
      config: 'The mean after clamping differs from the configured one by more than 3 %.',
      report: 'The realised mean is over 3 % off the configured one, and is what clamping makes of it.',
    },
    configPaths: DISTRIBUTIONS.flatMap((path) => [`${path}.min`, `${path}.max`]),
  }),
  pitfall(26, {
    title: 'lognormal and uniform mean two things',
    consequence:
      'random and synthetic shift a lognormal by min and halve uniform’s end values; shared_prefix and conversation_replay do not. The same numbers give other lengths.',
    remedy: 'Compare realised lengths when the data types differ.',
    moves: EVERYTHING,
    how: {
      comparison:
        'A lognormal or uniform distribution, with random or synthetic on one side and shared_prefix or conversation_replay on the other.',
    },
    configPaths: [...SAMPLED, ...DISTRIBUTIONS.slice(2).map((path) => `${path}.type`)],
  }),
  pitfall(27, {
    title: 'Old releases ignored the distribution’s type',
    consequence:
      'Before v0.6.0 random and synthetic always drew a clamped normal: a lognormal config ran as normal, in silence.',
    remedy: 'Run again with v0.6.0 or newer.',
    moves: EVERYTHING,
    how: {
      comparison: 'A type other than normal for random or synthetic, and a report that was made before v0.6.0.',
    },
    configPaths: SAMPLED,
  }),
  pitfall(28, {
    title: 'base_seed does not fix the run',
    consequence:
      'In inference-perf it fixes lengths only: arrival times, LoRA choice and, with several workers, prompt contents differ from run to run.',
    remedy:
      'Do not call two runs paired because their seeds agree; repeat at least three times. IsoPerf seeds arrivals and contents too.',
    moves: ALL_LATENCIES,
    how: {
      comparison: 'Equal base_seed, and another schedule or another time from the first to the last send.',
    },
    configPaths: ['load.base_seed'],
  }),
  pitfall(29, {
    title: 'The seed is the clock',
    consequence: 'Without a seed every run draws other lengths and prompts, so a difference may be the workload’s.',
    remedy: 'Write load.base_seed, or "# isoperf: seed=N".',
    moves: EVERYTHING,
    how: {
      config: 'load.base_seed is not written, there is no seed directive, and the data are drawn.',
      comparison: 'The seeds differ, and one of them is a clock’s.',
    },
    configPaths: ['load.base_seed'],
  }),
  pitfall(30, {
    title: 'shared_prefix has a seed of its own',
    consequence:
      'load.base_seed does not reach shared_prefix: without data.shared_prefix.seed every run has other prompts, other lengths and another cache.',
    remedy: 'Write data.shared_prefix.seed, or "# isoperf: seed=N".',
    moves: EVERYTHING,
    how: {
      config: 'data.shared_prefix.seed is not written, and there is no seed directive.',
      comparison: 'data.shared_prefix.seed is not set on at least one side.',
    },
    configPaths: ['data.shared_prefix.seed', 'data.conversation_replay.seed'],
  }),
  pitfall(31, {
    title: 'Prompts repeat word for word',
    consequence:
      'Once all prompts were sent, and in every later stage, they come again: the server’s prefix cache answers, and TTFT falls with time.',
    remedy:
      'More prompts (num_prompts_per_group x num_groups above the number of requests), or reset the cache between stages.',
    moves: ['ttft', 'request_latency', ...RATES],
    how: {
      config:
        'A stage sends more requests than there are prompts; or there are several stages, and each begins again with the first prompt.',
      report: 'A stage of shared_prefix has more requests than num_groups x num_prompts_per_group.',
    },
    configPaths: ['data.shared_prefix.num_prompts_per_group', 'data.shared_prefix.num_groups'],
  }),
  pitfall(32, {
    title: 'Old synthetic prompts shared their beginning',
    consequence:
      'Before v0.6.0 every synthetic prompt was a prefix of one text and random workers made equal prompts: with prefix caching TTFT was far too low.',
    remedy: 'Do not compare with newer versions.',
    moves: ['ttft', ...RATES],
    how: {
      comparison: 'Data type random or synthetic, one report made before v0.6.0 and the other not.',
    },
    configPaths: ['data.type'],
  }),
  pitfall(33, {
    title: 'The previous run warmed the cache',
    consequence:
      'With fixed seeds the second run finds its prompts in the server’s prefix cache and is faster for no other reason.',
    remedy: 'Restart the server or reset its cache, or change the seed; record the cache’s state.',
    moves: ['ttft', 'request_latency', ...RATES],
    how: {
      report: 'Over 2 % of the first stage’s prompt tokens were cached, with data that repeat nothing.',
    },
    configPaths: ['load.base_seed', 'data.shared_prefix.seed'],
  }),
  pitfall(34, {
    title: 'Output is capped at 30 tokens',
    consequence:
      'This data type on this route sets no length, and the client’s default of 30 max_tokens applies; output_distribution is not used.',
    remedy: 'Choose completion, or a data type that sets lengths.',
    moves: EVERYTHING,
    how: {
      config: 'shareGPT, billsum or infinity with chat or anthropic; visionarena; multimodal synthetic; mock.',
      report: 'Such data, and no answer longer than 31 tokens.',
    },
    configPaths: ['data.type', 'api.type'],
  }),
  pitfall(35, {
    title: 'ignore_eos decides what is generated',
    consequence:
      'On (the default), answers run to max_tokens with text no user would see; off, they end by themselves. Some servers ignore the flag, and tgi does not know it.',
    remedy: 'Same flag on both sides; check realised output lengths and finish reasons.',
    moves: ['tpot', 'itl', 'ntpot', 'request_latency', 'output_tokens_per_sec', 'total_tokens_per_sec'],
    how: {
      config: 'server.type is tgi and ignore_eos is on.',
      report: 'Answers are a tenth shorter than asked, with ignore_eos off or with tgi.',
    },
    configPaths: ['server.ignore_eos'],
  }),
  pitfall(36, {
    title: 'The server stopped before it was asked to',
    consequence: 'Shorter answers than asked make latency and throughput look better without any speed-up.',
    remedy: 'Compare TPOT instead of latency, or refuse the comparison.',
    moves: ['request_latency', 'ntpot', ...RATES],
    how: {
      report:
        'Answers are a tenth shorter than asked (1 % for a fixed length by the server’s count) although ignore_eos was sent.',
    },
    configPaths: ['server.ignore_eos', 'data.output_distribution', 'data.shared_prefix.output_len'],
  }),
  pitfall(37, {
    title: 'shareGPT has no length limit and two meanings',
    consequence:
      'Without filters over-long prompts fail with 400. completion sends the first question, chat the whole conversation with its answer: other prompts altogether.',
    remedy: 'Set min and max in input_distribution and output_distribution; never compare chat with completion.',
    moves: [...EVERYTHING, 'error_rate'],
    how: {
      config: 'data.type is shareGPT without both distributions.',
      report: 'The same, and failures or a longest prompt of over eight times the median.',
    },
    configPaths: ['data.type'],
  }),
];
