// Replayed conversations and traces (data.conversation_replay, otel_trace_replay, weka_trace_replay) and request traces.
import * as z from 'zod';
import { field, nullable, required } from '../field';
import { clash, pyAny, pyBool, pyDict, pyEnum, pyFloat, pyInt, pySeed, pyString } from '../lax';
import { distributionSchema } from './distribution';

export const traceSchema = z.strictObject({
  file: required(pyString(), 'Path of the trace file.'),
  format: field(
    pyEnum({ AzurePublicDataset: { doc: 'CSV of arrival time, prompt tokens, output tokens.' } }),
    'AzurePublicDataset',
    'Format of the trace file.',
  ),
});

export const conversationReplaySchema = z.strictObject({
  seed: field(pySeed(), 42, 'Seed of the conversations; load.base_seed does not apply to them.'),
  num_conversations: field(pyInt({ gt: 0 }), 200, 'How many conversation blueprints are made.'),
  shared_system_prompt_len: field(pyInt({ ge: 0 }), 8359, 'Length of the system prompt that all conversations share.', {
    unit: 'tokens',
  }),
  dynamic_system_prompt_len: nullable(
    distributionSchema,
    'Length of the system prompt part of each conversation. Left out: none.',
    { unit: 'tokens' },
  ),
  turns_per_conversation: nullable(distributionSchema, 'Turns of each conversation. Left out: 10.', { unit: 'turns' }),
  input_tokens_per_turn: nullable(distributionSchema, 'User text of each turn. Left out: 512.', { unit: 'tokens' }),
  output_tokens_per_turn: nullable(distributionSchema, 'max_tokens of each turn. Left out: 256.', { unit: 'tokens' }),
  tool_call_latency_sec: nullable(
    distributionSchema,
    'Simulated tool time after each answer, whole seconds. It is part of request latency, NTPOT and throughput, not of TTFT, TPOT or ITL.',
    { unit: 's' },
  ),
  max_model_len: nullable(
    pyInt(),
    'Context length of the model; older history is cut to stay below it. Left out: 225000.',
    { unit: 'tokens', since: 'v0.6.0' },
  ),
});

export const badToolCallHandling = pyEnum({
  none: { doc: 'Send what the model answered, valid JSON or not; the next turn may fail with 400.' },
  use_recorded: { doc: 'Put the recorded answer in place of one whose tool arguments are not JSON.' },
});
export const BAD_TOOL_CALLS = 'What to do with tool calls whose arguments are not valid JSON.';

export const sessionReplay = {
  use_static_model: field(pyBool(), false, 'Checked, never used: requests carry server.model_name.'),
  static_model_name: field(pyString(), '', 'Checked, never used: requests carry server.model_name.'),
  model_mapping: nullable(
    pyDict(pyString()),
    'Recorded model name to another name; only an internal label, requests carry server.model_name.',
  ),
  default_max_tokens: field(pyInt({ gt: 0 }), 1000, 'Checked, never used: a call without a recorded length gets 30.', {
    unit: 'tokens',
  }),
  override_tool_call_max_tokens: field(
    pyBool(),
    true,
    'Give calls that answer with a tool call at least 4096 max_tokens instead of the recorded length.',
    { since: 'v0.6.0' },
  ),
  tool_choice_mode: field(
    pyEnum({
      force_recorded: { doc: 'Ask for the tool that the recording called, or for any tool where there were several.' },
      as_recorded: { doc: 'Ask for none: the model decides, and recorded tool results may not fit its answer.' },
    }),
    'force_recorded',
    'Whether turns that called a tool in the recording must call it again.',
    { since: 'v0.7.0' },
  ),
  inject_random_session_id: field(
    pyBool(),
    false,
    'Put a random tag into the parts of a session that no other session shares, so that the prefix cache misses.',
    { since: 'v0.6.0' },
  ),
  duplicate_sessions_target: nullable(
    pyInt({ gt: 0 }),
    'Copy sessions until there are this many. Copies get random tags, originals do not.',
    { since: 'v0.6.0' },
  ),
  max_wait_ms: field(pyInt({ ge: 0 }), 15000, 'Longest pause between two events of a session; longer ones are cut.', {
    unit: 'ms',
    since: 'v0.6.0',
  }),
  predecessor_wait_timeout_sec: field(
    pyFloat({ ge: 0 }),
    3600,
    'How long an event waits for those it depends on before it fails; 0 waits for ever.',
    { unit: 's', since: 'main' },
  ),
  include_errors: field(pyBool(), true, 'Keep recorded calls that ended in an error.'),
  skip_invalid_files: field(pyBool(), false, 'Leave out trace files that cannot be read instead of stopping.'),
};

const sources = {
  trace_directory: nullable(pyString(), 'Directory of JSON trace files.'),
  trace_files: nullable(z.array(pyString()), 'Paths of JSON trace files.'),
  hf_dataset_path: nullable(
    z.union([pyString(), pyDict(pyAny())]),
    'Hugging Face data set: its name, or a mapping with path, revision, split and further arguments.',
    { since: 'v0.6.0' },
  ),
};

interface ModelNames {
  readonly use_static_model: boolean;
  readonly static_model_name: string;
  readonly model_mapping: Readonly<Record<string, string>> | null;
}

interface SessionReplay extends ModelNames {
  readonly trace_directory: string | null;
  readonly trace_files: readonly string[] | null;
  readonly hf_dataset_path: unknown;
}

/** What all replays of sessions agree on. */
export function checkModelNames(value: ModelNames, context: z.core.$RefinementCtx): void {
  if (value.use_static_model && value.static_model_name === '')
    clash(context, ['use_static_model', 'static_model_name'], 'sets use_static_model without static_model_name.');
  // An empty mapping counts as none, as Python reads it.
  const mapped = value.model_mapping !== null && Object.keys(value.model_mapping).length > 0;
  if (!value.use_static_model && value.static_model_name !== '' && !mapped)
    clash(
      context,
      ['use_static_model', 'static_model_name', 'model_mapping'],
      'gives static_model_name, but neither use_static_model nor model_mapping.',
      'Set use_static_model: true or drop static_model_name.',
    );
}

function checkSessionReplay(value: SessionReplay, context: z.core.$RefinementCtx): void {
  checkModelNames(value, context);
  const given = [value.trace_directory, value.trace_files, value.hf_dataset_path].filter((entry) => entry !== null);
  if (given.length !== 1)
    clash(
      context,
      ['trace_directory', 'trace_files', 'hf_dataset_path'],
      given.length === 0 ? 'has no trace source.' : 'has more than one trace source.',
      'Give exactly one of trace_directory, trace_files, hf_dataset_path.',
    );
}

export const otelTraceReplaySchema = z
  .strictObject({
    ...sessionReplay,
    ...sources,
    filter: nullable(
      pyString(),
      'Python lambda that picks trace records. inference-perf evaluates it; IsoPerf never does.',
      { since: 'v0.6.0' },
    ),
    disable_output_substitution: field(
      pyBool(),
      false,
      'Replay the recorded answers instead of the live ones, so that every model sees the same prompts.',
      { since: 'v0.6.1' },
    ),
    attribute_to_header_map: nullable(pyDict(pyString()), 'Span attribute to HTTP header.', { since: 'v0.6.0' }),
    attribute_to_label_map: nullable(pyDict(pyString()), 'Span attribute to label in the reports.', {
      since: 'v0.6.0',
    }),
    bad_tool_call_handling: field(badToolCallHandling, 'none', BAD_TOOL_CALLS, { since: 'v0.6.1' }),
  })
  .superRefine((value, context) => {
    checkSessionReplay(value, context);
    const others = [
      ...(value.inject_random_session_id ? ['inject_random_session_id'] : []),
      ...(value.duplicate_sessions_target === null ? [] : ['duplicate_sessions_target']),
    ];
    if (value.disable_output_substitution && others.length > 0)
      clash(
        context,
        ['disable_output_substitution', ...others],
        `sets disable_output_substitution together with ${others.join(' and ')}, which substitute output.`,
        'Keep one of the two.',
      );
  });

export const wekaTraceReplaySchema = z
  .strictObject({
    ...sessionReplay,
    ...sources,
    trace_idle_gap_cap_seconds: field(pyFloat(), 60, 'Longest idle gap between turns; longer ones are cut.', {
      unit: 's',
    }),
    ignore_trace_delays: field(pyBool(), false, 'Checked, never used.'),
    use_think_time_only: field(pyBool(), false, 'Checked, never used.'),
    default_block_size: field(pyInt(), 64, 'Tokens per block when the trace does not say.', { unit: 'tokens' }),
    num_dataset_entries: field(pyInt(), 100, 'How many traces are loaded from Hugging Face.'),
    filter: nullable(pyString(), 'Python lambda that picks traces. inference-perf evaluates it; IsoPerf never does.', {
      since: 'v0.7.0',
    }),
    bad_tool_call_handling: field(badToolCallHandling, 'none', BAD_TOOL_CALLS, { since: 'v0.7.0' }),
    datagen_workers: nullable(pyInt({ ge: 1 }), 'Processes that rebuild the sessions. Left out: one for each CPU.', {
      since: 'v0.7.0',
    }),
  })
  .superRefine(checkSessionReplay);

export const visionArenaSchema = z.strictObject({
  hf_dataset_name: field(pyString(), 'lmarena-ai/VisionArena-Chat', 'Hugging Face data set.'),
  hf_split: field(pyString(), 'train', 'Split of the data set.'),
  hf_data_files: nullable(pyString(), 'Files of the data set to read.'),
  num_rows: field(pyInt({ gt: 0 }), 1000, 'Usable rows kept in memory and cycled through.'),
  max_images_per_request: field(pyInt({ gt: 0 }), 1, 'Most images a request carries.'),
  insertion_point: field(
    z.union([pyFloat(), distributionSchema]).nullable(),
    0,
    'Where in the text the images stand: 0 the beginning, 1 the end; null: anywhere.',
  ),
});
