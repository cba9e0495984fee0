// Where prompts come from (the `data` section).
import * as z from 'zod';
import { field, nullable } from '../field';
import { clash, pyBool, pyEnum, pyInt, pySeed, pyString } from '../lax';
import { distributionSchema, intOrDistribution } from './distribution';
import { multimodalSchema } from './multimodal';
import {
  conversationReplaySchema,
  otelTraceReplaySchema,
  traceSchema,
  visionArenaSchema,
  wekaTraceReplaySchema,
} from './replay';
import { syntheticAgenticSchema } from './agentic';

const DATA_TYPES = {
  mock: { doc: 'Tiny counted prompts ("1 2 3 k"), 30 output tokens. For trying a set-up, not for measuring.' },
  shareGPT: {
    doc: 'ShareGPT conversations. completion: first question, output as long as the recorded answer; chat: the whole conversation, 30 output tokens.',
  },
  synthetic: {
    doc: 'Slices of a text corpus with lengths from the two distributions. completion only (chat with multimodal).',
  },
  random: { doc: 'Random tokens with lengths from the two distributions. completion only.' },
  shared_prefix: {
    doc: 'Groups of prompts with a common prefix; always sent to the completion route unless multimodal.',
  },
  cnn_dailymail: { doc: 'News articles, output as long as the highlights. completion only.' },
  infinity_instruct: { doc: 'Infinity-Instruct records from data.path; the run stops when they are used up.' },
  billsum_conversations: { doc: 'Bill summaries as conversations, from data.path.' },
  otel_trace_replay: {
    doc: 'Recorded agent sessions (OpenTelemetry); needs load.type trace_session_replay.',
    since: 'v0.5.0',
  },
  weka_trace_replay: {
    doc: 'Recorded sessions in Weka’s format; needs load.type trace_session_replay.',
    since: 'v0.6.0',
  },
  conversation_replay: { doc: 'Generated multi-turn conversations. completion only.', since: 'v0.5.0' },
  synthetic_agentic: {
    doc: 'Generated sessions of agents with tool calls; needs load.type trace_session_replay.',
    since: 'v0.7.0',
  },
  visionarena: { doc: 'VisionArena images and questions, 30 output tokens. chat only.', since: 'v0.6.0' },
} as const;

/** Types whose sessions only load.type trace_session_replay can send. */
export const SESSION_DATA: ReadonlySet<string> = new Set([
  'otel_trace_replay',
  'weka_trace_replay',
  'synthetic_agentic',
]);

const RENAMED = {
  num_unique_system_prompts: 'num_groups',
  num_users_per_system_prompt: 'num_prompts_per_group',
} as const;

/** Reads both spellings of a key into one; both at once stay, so that the newer one is reported as unknown. */
function readAliases(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = new Map<string, unknown>(Object.entries(value));
  for (const [alias, name] of Object.entries(RENAMED)) {
    if (!entries.has(alias) || entries.has(name)) continue;
    entries.set(name, entries.get(alias));
    entries.delete(alias);
  }
  return Object.fromEntries(entries);
}

const sharedPrefixObject = z
  .strictObject({
    num_groups: field(pyInt(), 10, 'How many different prefixes there are.', {
      aliases: ['num_unique_system_prompts'],
      aliasesSince: 'v0.4.0',
    }),
    num_prompts_per_group: field(
      pyInt(),
      10,
      'How many prompts share each prefix. Once all groups x prompts were sent, prompts repeat word for word.',
      { aliases: ['num_users_per_system_prompt'], aliasesSince: 'v0.4.0' },
    ),
    system_prompt_len: field(intOrDistribution(), 100, 'Length of the shared prefix.', {
      unit: 'tokens',
      mappingSince: 'v0.5.0',
    }),
    question_len: field(intOrDistribution(), 50, 'Length of what follows the prefix.', {
      unit: 'tokens',
      mappingSince: 'v0.5.0',
    }),
    output_len: field(intOrDistribution(), 50, 'max_tokens of each request.', {
      unit: 'tokens',
      mappingSince: 'v0.5.0',
    }),
    seed: nullable(
      pySeed(),
      'Seed of prompts and lengths. Left out, every run has other prompts; load.base_seed does not apply.',
      {
        since: 'v0.5.0',
      },
    ),
    question_distribution: nullable(
      distributionSchema,
      'Older spelling of a distribution for question_len; overrides the number there.',
      { since: 'v0.5.0' },
    ),
    output_distribution: nullable(
      distributionSchema,
      'Older spelling of a distribution for output_len; overrides the number there.',
      { since: 'v0.5.0' },
    ),
    enable_multi_turn_chat: field(
      pyBool(),
      false,
      'Send the prompts of a user one after the other, each with the conversation so far in front.',
      { since: 'v0.3.0' },
    ),
    multimodal: nullable(multimodalSchema, 'Media that belong to the shared prefix.', { since: 'v0.6.0' }),
  })
  .superRefine((value, context) => {
    for (const name of ['question', 'output'] as const) {
      if (typeof value[`${name}_len`] === 'object' && value[`${name}_distribution`] !== null)
        clash(
          context,
          [`${name}_len`, `${name}_distribution`],
          `has a distribution in ${name}_len and another in ${name}_distribution.`,
          `Keep the one in ${name}_len.`,
        );
    }
  });

const sharedPrefixSchema = z.preprocess(readAliases, sharedPrefixObject);

export const dataSchema = z
  .strictObject({
    type: field(pyEnum(DATA_TYPES), 'mock', 'Where prompts come from.'),
    path: nullable(pyString(), 'Local JSON file or directory of the data set.'),
    corpus_file_path: nullable(
      pyString(),
      'Text that synthetic and weka prompts are cut from. Left out: a built-in one.',
      {
        since: 'v0.6.0',
      },
    ),
    input_distribution: nullable(
      distributionSchema,
      'Prompt lengths of random and synthetic; for data sets only min and max are used, as a filter.',
      { unit: 'tokens' },
    ),
    output_distribution: nullable(
      distributionSchema,
      'max_tokens of random and synthetic; for data sets only min and max are used, as a filter.',
      { unit: 'tokens' },
    ),
    shared_prefix: nullable(sharedPrefixSchema, 'Settings of type shared_prefix.'),
    multimodal: nullable(multimodalSchema, 'Media added to synthetic prompts.', { since: 'v0.6.0' }),
    trace: nullable(traceSchema, 'Prompt and output lengths of random, row by row from a trace.', { since: 'v0.3.0' }),
    otel_trace_replay: nullable(otelTraceReplaySchema, 'Settings of type otel_trace_replay.', { since: 'v0.5.0' }),
    weka_trace_replay: nullable(wekaTraceReplaySchema, 'Settings of type weka_trace_replay.', { since: 'v0.6.0' }),
    conversation_replay: nullable(conversationReplaySchema, 'Settings of type conversation_replay.', {
      since: 'v0.5.0',
    }),
    visionarena: nullable(visionArenaSchema, 'Settings of type visionarena.', { since: 'v0.6.0' }),
    synthetic_agentic: nullable(syntheticAgenticSchema, 'Settings of type synthetic_agentic.', { since: 'v0.7.0' }),
    use_chat_template: field(
      pyBool(),
      false,
      'Wrap random prompts in the tokenizer’s chat template, so that the templated prompt has the wanted length. Only for type random.',
      { since: 'main' },
    ),
  })
  .superRefine((value, context) => {
    if (value.type === 'synthetic_agentic' && value.synthetic_agentic === null)
      clash(
        context,
        ['type', 'synthetic_agentic'],
        'has type synthetic_agentic and no synthetic_agentic block.',
        'Add data.synthetic_agentic.',
      );
    if (value.use_chat_template && value.type !== 'random')
      clash(
        context,
        ['use_chat_template', 'type'],
        `sets use_chat_template, which only type random knows; the type is ${value.type}.`,
        'Remove use_chat_template or set type: random.',
      );
  });
