// Generated sessions of agents (data.synthetic_agentic), which inference-perf knows since v0.7.0. IsoPerf checks them and does not make them.
import * as z from 'zod';
import { field, nullable, required } from '../field';
import { clash, pyBool, pyDict, pyFloat, pyInt, pySeed } from '../lax';
import { distributionSchema, type Distribution } from './distribution';
import { BAD_TOOL_CALLS, badToolCallHandling, checkModelNames, sessionReplay } from './replay';

const ONE: Distribution = {
  min: 10,
  max: 1024,
  mean: 1,
  std_dev: 200,
  total_count: null,
  type: 'fixed',
  variance: null,
  skew: 0,
};

// Upstream's plain models: unknown keys in them are ignored.
const theme = z.object({ weight: required(pyFloat({ ge: 0 }), 'Relative share of the theme.') });
const compaction = z.object({
  trigger_tokens: required(distributionSchema, 'Length of the conversation at which it is summed up.', {
    unit: 'tokens',
  }),
  target_tokens: required(distributionSchema, 'Length of the summary.', { unit: 'tokens' }),
});

const EQUAL = { weight: 0.25 };
const THEMES = { generic: EQUAL, db2_latency_incident: EQUAL, research_rag: EQUAL, code_change_task: EQUAL };

export const syntheticAgenticSchema = z
  .strictObject({
    ...sessionReplay,
    num_sessions: required(pyInt({ gt: 0 }), 'How many sessions are made.', { unit: 'sessions' }),
    input_tokens_per_turn: required(distributionSchema, 'Length of what the user says in a turn.', { unit: 'tokens' }),
    output_tokens_per_turn: required(distributionSchema, 'Length of an answer in prose.', { unit: 'tokens' }),
    turns_per_session: field(distributionSchema, ONE, 'Turns of the user in a session.', { unit: 'turns' }),
    fanout_probability: field(
      pyFloat({ ge: 0, le: 1 }),
      0,
      'How probably an agent starts others instead of answering.',
    ),
    theme_mix: field(pyDict(z.union([pyFloat(), theme])), THEMES, 'Themes of the sessions with their relative shares.'),
    seed: field(pySeed(), 42, 'Seed of the sessions; load.base_seed does not apply to them.'),
    shared_system_prompt_len: field(pyInt({ ge: 0 }), 1000, 'Length of the head that opens every call of an agent.', {
      unit: 'tokens',
    }),
    tool_loop_depth: nullable(distributionSchema, 'Calls with a tool before an agent answers. Left out: 2.'),
    sub_agents_per_spawn: nullable(distributionSchema, 'Agents that are started at once. Left out: 2 to 4.'),
    max_depth: field(pyInt({ ge: 0 }), 2, 'How deeply agents may start others.'),
    max_events_per_session: field(pyInt({ gt: 0 }), 64, 'Most calls of a session.'),
    tool_catalog_size_per_agent: nullable(distributionSchema, 'Tools each call offers. Left out: 8; 0 is plain chat.'),
    parallel_tool_calls_per_step: nullable(distributionSchema, 'Tools called at once. Left out: 1.'),
    tool_call_latency_sec: nullable(distributionSchema, 'Pause that stands for a tool. Left out: 1 s.', { unit: 's' }),
    user_think_time_sec: nullable(distributionSchema, 'Pause before every turn but the first. Left out: 10 s.', {
      unit: 's',
    }),
    max_model_len: nullable(pyInt(), 'Context length of the model: what could exceed it is refused.', {
      unit: 'tokens',
    }),
    context_compaction: nullable(compaction, 'When a conversation is summed up. Left out: never.'),
    override_tool_call_max_tokens: field(pyBool(), false, 'Give calls that answer with a tool call 4096 max_tokens.'),
    bad_tool_call_handling: field(badToolCallHandling, 'none', BAD_TOOL_CALLS),
    duplicate_sessions_target: nullable(pyInt(), 'Must be left out: raise num_sessions.'),
  })
  .superRefine((value, context) => {
    checkModelNames(value, context);
    const pinned = [
      ['inject_random_session_id', false],
      ['duplicate_sessions_target', null],
      ['skip_invalid_files', false],
      ['include_errors', true],
    ] as const;
    for (const [key, only] of pinned)
      if (value[key] !== only)
        clash(context, [key], `sets ${key}, which means nothing for generated sessions.`, `Remove ${key}.`);
    const weights = Object.values(value.theme_mix).map((entry) => (typeof entry === 'number' ? entry : entry.weight));
    if (weights.some((weight) => weight < 0) || !(weights.reduce((sum, weight) => sum + weight, 0) > 0))
      clash(
        context,
        ['theme_mix'],
        'has a theme_mix whose shares are negative or add up to 0.',
        'Give one theme a share above 0.',
      );
    const longest = longestRequest(value);
    if (value.max_model_len !== null && longest > value.max_model_len)
      clash(
        context,
        LENGTH_KEYS,
        `allows requests of about ${longest} tokens, and max_model_len is ${value.max_model_len}.`,
        'Lower lengths, turns, tool_loop_depth or the tool catalogue, or raise max_model_len.',
      );
  });

/** Tokens that upstream counts for one tool of the catalogue. */
const TOKENS_PER_TOOL = 380;

interface Lengths {
  readonly shared_system_prompt_len: number;
  readonly input_tokens_per_turn: Distribution;
  readonly output_tokens_per_turn: Distribution;
  readonly turns_per_session: Distribution;
  readonly tool_loop_depth: Distribution | null;
  readonly parallel_tool_calls_per_step: Distribution | null;
  readonly tool_catalog_size_per_agent: Distribution | null;
}

const LENGTH_KEYS: readonly (keyof Lengths | 'max_model_len')[] = [
  'shared_system_prompt_len',
  'input_tokens_per_turn',
  'output_tokens_per_turn',
  'turns_per_session',
  'tool_loop_depth',
  'parallel_tool_calls_per_step',
  'tool_catalog_size_per_agent',
  'max_model_len',
];

/** Tokens of the longest request that upstream's check expects: head, catalogue, every turn with its tool loop, one answer. */
function longestRequest(value: Lengths): number {
  const most = (of: Distribution | null, otherwise: number): number =>
    Math.ceil(of === null ? otherwise : of.type === 'fixed' ? of.mean : of.max);
  const output = most(value.output_tokens_per_turn, 0);
  const depth = Math.max(0, most(value.tool_loop_depth, 2));
  const parallel = Math.max(1, most(value.parallel_tool_calls_per_step, 1));
  const turn = most(value.input_tokens_per_turn, 0) + depth * (output + parallel * output);
  const head = value.shared_system_prompt_len + most(value.tool_catalog_size_per_agent, 8) * TOKENS_PER_TOOL;
  return head + Math.max(1, most(value.turns_per_session, 1)) * turn + output;
}
