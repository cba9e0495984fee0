// CMP049: Replay options that do nothing, and tool calls of 4096 tokens.
import { whole } from '../../figures';
import { statisticOf } from '../../readers/canonical';
import { at } from '../../readers/readers/values';
import { type Check, replayOf, warning } from '../in-config';
import { dataType, type ReportSign, said } from '../in-report';
import { type Pitfall, RATES } from '../pitfall';

const deadInConfig: Check = ({ config, isWritten }) => {
  const replay = replayOf(config);
  const dead = replay ? [...DEAD.keys()].filter((key) => isWritten([...replay.path, key])) : [];
  if (!replay || dead.length === 0) return [];
  return [
    warning([...replay.path, dead[0]!], {
      message: `${dead.join(', ')}: checked by inference-perf and never used; requests carry server.model_name and recorded lengths.`,
    }),
  ];
};

/** Options that inference-perf checks and never uses, with what they are where nobody writes them. */
const DEAD: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['use_static_model', false],
  ['static_model_name', undefined],
  ['model_mapping', null],
  ['default_max_tokens', 1000],
  ['ignore_trace_delays', false],
  ['use_think_time_only', false],
]);

const LONG_TOOL_CALL = 1024;

const deadOptions: ReportSign = (report) => {
  const type = dataType(report) ?? '';
  if (type !== 'otel_trace_replay' && type !== 'weka_trace_replay') return undefined;
  const block = at(report.config, 'data', type);
  const set = [...DEAD].flatMap(([key, standard]) =>
    standard !== undefined && (at(block, key) ?? standard) !== standard ? [key] : [],
  );
  const longest = Math.max(0, ...report.scopes.map((scope) => statisticOf(scope, 'output_tokens', 'max') ?? 0));
  const long = at(block, 'override_tool_call_max_tokens') === true && longest > LONG_TOOL_CALL;
  if (set.length === 0 && !long) return undefined;
  const what = [
    ...(set.length > 0 ? [`${set.join(', ')} ${set.length === 1 ? 'was' : 'were'} set and changed nothing`] : []),
    ...(long
      ? [
          `answers of up to ${whole(longest)} tokens: tool calls were allowed at least 4096 (override_tool_call_max_tokens)`,
        ]
      : []),
  ];
  return said('summary', what.join('; '));
};

export const CMP049: Pitfall = {
  code: 'CMP049',
  title: 'Replay options that do nothing, and tool calls of 4096 tokens',
  consequence:
    'Model and max-token options of trace replay are checked and never used; calls that answer with a tool get at least 4096 max_tokens. Answers are longer than recorded.',
  remedy: 'Do not rely on them; write override_tool_call_max_tokens: false to keep recorded lengths.',
  moves: ['request_latency', ...RATES],
  configPaths: [
    'data.otel_trace_replay.use_static_model',
    'data.otel_trace_replay.default_max_tokens',
    'data.otel_trace_replay.model_mapping',
    'data.otel_trace_replay.override_tool_call_max_tokens',
    'data.weka_trace_replay.ignore_trace_delays',
    'data.weka_trace_replay.use_think_time_only',
  ],
  source: 'inference-perf: inference_perf/config/datagen/replay.py',
  inConfig: {
    words:
      'use_static_model, static_model_name, model_mapping, default_max_tokens, ignore_trace_delays or use_think_time_only is written.',
    check: deadInConfig,
  },
  inReport: {
    words: 'Such an option is not at its default; or answers are over 1,024 tokens with override_tool_call_max_tokens.',
    whole: deadOptions,
  },
};
