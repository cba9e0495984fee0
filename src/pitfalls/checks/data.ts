// Checks of the data section (CMP024 to CMP051 as far as a config shows them).
import type { LoadedConfig } from '../../config/load';
import type { Distribution } from '../../config/model/schema/distribution';
import type { ConfigPath } from '../../problem';
import { realisedMean, type Sampler } from '../lengths';
import { note, stagePlans, warning, type Check, type Hit } from './hit';
import { round } from './load';

interface UsedDistribution {
  readonly path: ConfigPath;
  readonly value: Distribution;
  readonly sampler: Sampler;
}

/** The length distributions that the data type really draws from. */
function usedDistributions({ data }: LoadedConfig['config']): readonly UsedDistribution[] {
  const used: UsedDistribution[] = [];
  if ((data.type === 'random' || data.type === 'synthetic') && data.trace === null && data.multimodal === null) {
    for (const key of ['input_distribution', 'output_distribution'] as const) {
      const value = data[key];
      if (value) used.push({ path: ['data', key], value, sampler: 'random' });
    }
  }
  if (data.type === 'shared_prefix' && data.shared_prefix) {
    for (const key of [
      'system_prompt_len',
      'question_len',
      'output_len',
      'question_distribution',
      'output_distribution',
    ] as const) {
      const value = data.shared_prefix[key];
      if (typeof value === 'object' && value !== null)
        used.push({ path: ['data', 'shared_prefix', key], value, sampler: 'shared' });
    }
  }
  if (data.type === 'conversation_replay' && data.conversation_replay) {
    for (const key of ['dynamic_system_prompt_len', 'input_tokens_per_turn', 'output_tokens_per_turn'] as const) {
      const value = data.conversation_replay[key];
      if (value) used.push({ path: ['data', 'conversation_replay', key], value, sampler: 'shared' });
    }
  }
  return used;
}

/** Fields that shape the lengths of a type. */
const SHAPING: Readonly<Record<Distribution['type'], readonly (keyof Distribution)[]>> = {
  normal: ['min', 'max', 'mean', 'std_dev'],
  skew_normal: ['min', 'max', 'mean', 'std_dev'],
  lognormal: ['min', 'max', 'mean', 'std_dev'],
  uniform: ['min', 'max'],
  poisson: ['min', 'max', 'mean'],
  fixed: ['mean'],
};

const lengths: Check = (loaded) =>
  usedDistributions(loaded.config).flatMap(({ path, value, sampler }): Hit[] => {
    const written = (key: string): boolean => loaded.isWritten([...path, key]);
    const missing = SHAPING[value.type].filter((key) => !written(key) && !(key === 'std_dev' && written('variance')));
    const real = realisedMean(value, sampler);
    const off =
      value.type === 'fixed' || value.type === 'uniform'
        ? 0
        : Math.abs(real - value.mean) / Math.max(1, Math.abs(value.mean));
    const restsOn = [path];
    if (missing.length > 0) {
      const filled = missing.map((key) => `${key} ${String(value[key])}`).join(', ');
      const shown =
        off > 0.03 ? `; the mean after clamping is about ${Math.round(real)}, not ${round(value.mean)}` : '';
      const message = `Not written, so filled in: ${filled}${shown}.`;
      return [off > 0.03 ? warning(24, path, { message, restsOn }) : note(24, path, { message, restsOn })];
    }
    if (off <= 0.03) return [];
    const message = `Clamping to ${value.min}..${value.max} moves the mean from ${round(value.mean)} to about ${Math.round(real)}.`;
    return [warning(25, [...path, 'mean'], { message, restsOn })];
  });

const seeds: Check = ({ config, seed, isWritten }) => {
  if (seed !== undefined) return [];
  const { type, shared_prefix: shared } = config.data;
  if (type === 'shared_prefix')
    return shared && shared.seed === null ? [warning(30, ['data', 'shared_prefix', 'seed'])] : [];
  const drawn = ['random', 'synthetic', 'otel_trace_replay', 'weka_trace_replay'].includes(type);
  return drawn && !isWritten(['load', 'base_seed']) ? [warning(29, ['load', 'base_seed'])] : [];
};

const repeats: Check = (loaded) => {
  const { data } = loaded.config;
  if (data.type !== 'shared_prefix' || !data.shared_prefix) return [];
  const prompts = data.shared_prefix.num_groups * data.shared_prefix.num_prompts_per_group;
  const stages = stagePlans(loaded);
  const largest = Math.max(0, ...stages.map((stage) => stage.requests ?? 0));
  const sending = stages.filter((stage) => (stage.requests ?? 0) > 0).length;
  const restsOn = [
    ['data', 'shared_prefix', 'num_groups'],
    ['data', 'shared_prefix', 'num_prompts_per_group'],
    ['load', 'stages'],
  ];
  const path = ['data', 'shared_prefix', 'num_prompts_per_group'];
  if (largest > prompts) {
    const times = round(largest / prompts);
    return [
      warning(31, path, {
        message: `There are ${prompts} prompts and up to ${largest} requests in a stage: each prompt is sent ${times} times word for word, and the prefix cache answers whole prompts.`,
        restsOn,
      }),
    ];
  }
  if (sending < 2) return [];
  return [
    warning(31, path, {
      message: `Every stage begins again with the first of the ${prompts} prompts: from the second stage on they are sent again word for word, and the prefix cache answers whole prompts.`,
      restsOn,
    }),
  ];
};

const cappedOutput: Check = ({ config }) => {
  const { api, data } = config;
  const chatCapped =
    ['shareGPT', 'billsum_conversations', 'infinity_instruct'].includes(data.type) && api.type !== 'completion';
  const mediaCapped = data.type === 'visionarena' || (data.type === 'synthetic' && data.multimodal !== null);
  if (!chatCapped && !mediaCapped && data.type !== 'mock') return [];
  const why = chatCapped
    ? `${data.type} with api.type ${api.type}`
    : mediaCapped && data.type === 'synthetic'
      ? 'synthetic with multimodal'
      : data.type;
  return [
    warning(34, ['data', 'type'], {
      message: `${why} asks for 30 output tokens per request, whatever output_distribution says.`,
      restsOn: [
        ['api', 'type'],
        ['data', 'type'],
      ],
    }),
  ];
};

const endOfText: Check = ({ config }) =>
  config.server?.type === 'tgi' && config.server.ignore_eos
    ? [
        warning(35, ['server', 'ignore_eos'], {
          message: 'tgi does not know ignore_eos: answers end where the model ends them, shorter than asked.',
        }),
      ]
    : [];

const shareGpt: Check = ({ config }) => {
  const { data } = config;
  if (data.type !== 'shareGPT' || (data.input_distribution && data.output_distribution)) return [];
  return [warning(37, ['data', 'type'])];
};

const MODEL_NAME = /^\w[\w.-]*\/[\w.-]+$/;

const otherTokenizer: Check = ({ config }) => {
  const model = config.server?.model_name ?? '';
  const tokenizer = config.tokenizer?.pretrained_model_name_or_path ?? '';
  // Paths and served aliases say nothing about the model; two hub names do.
  if (!MODEL_NAME.test(model) || !MODEL_NAME.test(tokenizer)) return [];
  const last = (name: string): string => name.toLowerCase().split('/').at(-1)!;
  if (last(model) === last(tokenizer)) return [];
  return [
    note(40, ['tokenizer', 'pretrained_model_name_or_path'], {
      message: `Tokens are counted as ${tokenizer} would, but the model is ${model}: lengths and token rates are right only if the two share a tokenizer.`,
      restsOn: [
        ['server', 'model_name'],
        ['tokenizer', 'pretrained_model_name_or_path'],
      ],
    }),
  ];
};

const sharedPrefix: Check = ({ config }) => {
  const { api, data } = config;
  if (data.type !== 'shared_prefix' || !data.shared_prefix) return [];
  const hits: Hit[] = [];
  if (api.type === 'chat' && data.multimodal === null && data.shared_prefix.multimodal === null)
    hits.push(warning(43, ['api', 'type'], { restsOn: [['api', 'type']] }));
  if (data.shared_prefix.enable_multi_turn_chat)
    hits.push(warning(44, ['data', 'shared_prefix', 'enable_multi_turn_chat']));
  return hits;
};

const conversations: Check = ({ config }) =>
  config.data.type === 'conversation_replay' && config.data.conversation_replay?.tool_call_latency_sec
    ? [note(45, ['data', 'conversation_replay', 'tool_call_latency_sec'])]
    : [];

const DEAD = [
  'use_static_model',
  'static_model_name',
  'model_mapping',
  'default_max_tokens',
  'ignore_trace_delays',
  'use_think_time_only',
];

const replay: Check = ({ config, isWritten }) => {
  const { type } = config.data;
  if (type !== 'otel_trace_replay' && type !== 'weka_trace_replay') return [];
  const block = config.data[type];
  if (!block) return [];
  const base = ['data', type];
  const hits: Hit[] = [note(46, [...base, 'max_wait_ms'])];
  if (type === 'otel_trace_replay' && config.data.otel_trace_replay?.disable_output_substitution === false)
    hits.push(note(47, [...base, 'disable_output_substitution']));
  if (block.duplicate_sessions_target !== null && !block.inject_random_session_id)
    hits.push(warning(48, [...base, 'duplicate_sessions_target']));
  const dead = DEAD.filter((key) => isWritten([...base, key]));
  if (dead.length > 0)
    hits.push(
      warning(49, [...base, dead[0]!], {
        message: `${dead.join(', ')}: checked by inference-perf and never used; requests carry server.model_name and recorded lengths.`,
      }),
    );
  if (block.skip_invalid_files) hits.push(note(82, [...base, 'skip_invalid_files']));
  return hits;
};

const media: Check = ({ config }) => {
  const { data } = config;
  const path = data.multimodal ? ['data', 'multimodal'] : ['data', 'shared_prefix', 'multimodal'];
  const found = data.multimodal ?? (data.type === 'shared_prefix' ? data.shared_prefix?.multimodal : null);
  const counted = found && [found.image, found.video, found.audio].some((kind) => kind?.count);
  return counted ? [note(50, path)] : [];
};

export const DATA_CHECKS: readonly Check[] = [
  lengths,
  seeds,
  repeats,
  cappedOutput,
  endOfText,
  shareGpt,
  otherTokenizer,
  sharedPrefix,
  conversations,
  replay,
  media,
];
