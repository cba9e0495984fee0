// Signs of workload pitfalls in one report: lengths, repeats, caches, stops, templates, media (CMP024 to CMP050).
import { measureOf, statisticOf, type Measure, type ReportScope, type TokenCounter } from '../../readers/canonical';
import { duration, percent, significant, whole } from '../../figures';
import { at, isObject, numberAt, textAt } from '../../readers/readers/values';
import { askedOf } from './asked';
import { dataType, lifecycleOnly, measuredStages, said, type ReportSign, type Sign } from './sign';

const off = (value: number, other: number): number => Math.abs(value - other) / Math.max(1, Math.abs(other));

/** The realised mean is what clamping makes of the configured one, and that is another number. */
const clamped: Sign = (scope, report) => {
  if (scope.kind === 'adapter') return undefined;
  for (const which of ['input', 'output'] as const) {
    const asked = askedOf(report, which);
    const real = statisticOf(scope, which === 'input' ? 'prompt_tokens' : 'output_tokens', 'mean');
    if (!asked || asked.fixed || real === undefined) continue;
    if (off(asked.realised, asked.mean) <= 0.03 || off(real, asked.realised) > 0.05) continue;
    const why = asked.filledIn
      ? 'min 10, max 1024 and std_dev 200 were filled in for what the config did not say'
      : `clamping to ${asked.min}..${asked.max} does that`;
    return said(
      asked.filledIn ? 'CMP024' : 'CMP025',
      scope.id,
      `${asked.path} says a mean of ${significant(asked.mean)} tokens, ${significant(real)} were realised: ${why}`,
    );
  }
  return undefined;
};

const repeats: ReportSign = (report) => {
  // Saved configs have the long names.
  const count = (...names: readonly string[]): number | undefined =>
    names.map((name) => numberAt(report.config, 'data', 'shared_prefix', name)).find((value) => value !== undefined);
  const groups = count('num_groups', 'num_unique_system_prompts');
  const each = count('num_prompts_per_group', 'num_users_per_system_prompt');
  if (dataType(report) !== 'shared_prefix' || groups === undefined || each === undefined) return undefined;
  const prompts = groups * each;
  const over = measuredStages(report).find(({ counts }) => (counts.total ?? 0) > prompts);
  if (!over) return undefined;
  return said(
    'CMP031',
    over.id,
    `${whole(over.counts.total ?? 0)} requests were sent and there were ${whole(prompts)} prompts: the same prompts came again word for word, and a prefix cache answers them`,
  );
};

const SHARED = new Set(['shared_prefix', 'conversation_replay', 'otel_trace_replay', 'weka_trace_replay']);

/** Prompts that share nothing with each other can only be cached from before the run. */
const warmCache: ReportSign = (report) => {
  const type = dataType(report);
  const first = report.scopes.filter(({ kind }) => kind === 'stage').sort((a, b) => (a.stage ?? 0) - (b.stage ?? 0))[0];
  const cached = first?.extras?.cachedPromptTokens;
  const total = first && statisticOf(first, 'prompt_tokens', 'total');
  if (type === undefined || SHARED.has(type) || !first || cached === undefined || !total) return undefined;
  if (cached / total <= 0.02) return undefined;
  return said(
    'CMP033',
    first.id,
    `${percent(cached / total)} of the first stage’s prompt tokens came out of the server’s prefix cache although data.type ${type} repeats nothing: an earlier run left them there`,
  );
};

const CAPPED_CHAT = ['shareGPT', 'billsum_conversations', 'infinity_instruct'];

const thirtyTokens: Sign = (scope, report) => {
  const type = dataType(report) ?? '';
  const api = textAt(report.config, 'api', 'type') ?? 'completion';
  const capped =
    (CAPPED_CHAT.includes(type) && api !== 'completion') ||
    type === 'visionarena' ||
    (type === 'synthetic' && isObject(at(report.config, 'data', 'multimodal')));
  const longest = statisticOf(scope, 'output_tokens', 'max');
  if (!capped || longest === undefined || longest > 31) return undefined;
  return said(
    'CMP034',
    scope.id,
    `no answer is longer than ${significant(longest)} tokens: ${type} with api.type ${api} asks for 30, whatever output_distribution says`,
  );
};

/** Answers that are much shorter than asked: because the model may stop, or because the server stops all the same. */
const stops: Sign = (scope, report) => {
  const asked = askedOf(report, 'output');
  const real = statisticOf(scope, 'output_tokens', 'mean');
  if (!asked || real === undefined || scope.kind !== 'stage' || real >= 0.9 * asked.realised) return undefined;
  const tgi = textAt(report.config, 'server', 'type') === 'tgi';
  const figures = `${significant(asked.realised)} output tokens were asked for, ${significant(real)} came on average`;
  if (at(report.config, 'server', 'ignore_eos') === false || tgi)
    return said(
      'CMP035',
      scope.id,
      `${figures}: answers end where the model ends them (${tgi ? 'tgi does not know ignore_eos' : 'ignore_eos is off'})`,
    );
  // The caution on asked lengths says it of a fixed length, with its counter.
  if (asked.fixed && dataType(report) === 'shared_prefix') return undefined;
  return said('CMP036', scope.id, `${figures}, although ignore_eos was sent: the server stopped early`);
};

const shareGpt: Sign = (scope, report) => {
  const { config } = report;
  const filtered = ['input_distribution', 'output_distribution'].every((key) => isObject(at(config, 'data', key)));
  if (dataType(report) !== 'shareGPT' || filtered || scope.kind !== 'stage') return undefined;
  const [longest, middle] = [statisticOf(scope, 'prompt_tokens', 'max'), statisticOf(scope, 'prompt_tokens', 'p50')];
  const failed = scope.counts.failed ?? 0;
  const tail = longest !== undefined && middle !== undefined && longest > 8 * middle;
  if (!tail && failed === 0) return undefined;
  const what = [
    ...(tail ? [`the longest prompt has ${whole(longest)} tokens, the median ${whole(middle)}`] : []),
    ...(failed > 0 ? [`${whole(failed)} requests failed`] : []),
  ].join(', and ');
  return said('CMP037', scope.id, `shareGPT was read without length limits: ${what}`);
};

interface Counts {
  readonly client: Measure['stats'];
  readonly server: Measure['stats'];
}

/** Both counts of one quantity, where the file has both. */
function bothCounts(
  scope: ReportScope,
  quantity: 'prompt_tokens' | 'output_tokens',
  byServer: readonly TokenCounter[] = ['server-else-client', 'server'],
): Counts | undefined {
  const of = (who: string): Measure | undefined =>
    scope.measures.find(
      (measure) => measure.quantity === quantity && measure.definition.tokens === who && 'mean' in measure.stats,
    );
  const client = of('client');
  const server = byServer.map(of).find((found) => found !== undefined);
  return client && server ? { client: client.stats, server: server.stats } : undefined;
}

const SPREAD = ['min', 'mean', 'max'] as const;

/** A template adds the same tokens to every prompt; another tokenizer multiplies. */
const template: Sign = (scope) => {
  const counts = bothCounts(scope, 'prompt_tokens');
  const extra = counts && SPREAD.map((key) => (counts.server[key] ?? NaN) - (counts.client[key] ?? NaN));
  const [least = NaN, mean = NaN, most = NaN] = extra ?? [];
  if (!(mean > 2) || Math.max(Math.abs(least - mean), Math.abs(most - mean)) > 1) return undefined;
  return said(
    'CMP038',
    scope.id,
    `the server read ${significant(mean)} tokens more per prompt than the client counted, the same for short and long ones: a chat template around each`,
  );
};

const HUB_NAME = /^\w[\w.-]*\/[\w.-]+$/;

/** Two hub names that differ, and counts that differ with them. */
const otherTokenizer: Sign = (scope, report) => {
  const model = textAt(report.config, 'server', 'model_name') ?? '';
  const tokenizer = textAt(report.config, 'tokenizer', 'pretrained_model_name_or_path') ?? '';
  const last = (name: string): string => name.toLowerCase().split('/').at(-1) ?? '';
  if (!HUB_NAME.test(model) || !HUB_NAME.test(tokenizer) || last(model) === last(tokenizer)) return undefined;
  const counts = bothCounts(scope, 'output_tokens') ?? bothCounts(scope, 'prompt_tokens');
  const [client, server] = [counts?.client['mean'], counts?.server['mean']];
  if (client === undefined || server === undefined || off(client, server) <= 0.02) return undefined;
  return said(
    'CMP040',
    scope.id,
    `${tokenizer} counts ${significant(client)} tokens where ${model} counts ${significant(server)}: the tokenizer is not the model’s`,
  );
};

/** The same text counted twice, and not alike: whose count a rate uses decides it. */
const twoCounts: Sign = (scope) => {
  const sure = bothCounts(scope, 'output_tokens');
  const counts = sure ?? bothCounts(scope, 'output_tokens', ['server-else-asked']);
  const [client, server] = [counts?.client['mean'], counts?.server['mean']];
  if (client === undefined || server === undefined || server === 0 || off(client, server) <= 0.01) return undefined;
  const mismatches = scope.extras?.tokenMismatches ?? 0;
  const who = sure ? 'the server' : 'the server’s count, or else the length asked for, is';
  return said(
    'CMP058',
    scope.id,
    `the client counts ${significant(client)} output tokens per answer, ${who} ${significant(server)} (${percent((client - server) / server)})${mismatches > 0 ? `, and they disagree on ${whole(mismatches)} answers` : ''}: TPOT, NTPOT and tokens/s change with the counter`,
  );
};

const rounds: Sign = (scope, report) => {
  const multi = at(report.config, 'data', 'shared_prefix', 'enable_multi_turn_chat') === true;
  const [longest, low] = [statisticOf(scope, 'prompt_tokens', 'max'), statisticOf(scope, 'prompt_tokens', 'p5')];
  if (dataType(report) !== 'shared_prefix' || !multi || longest === undefined || low === undefined) return undefined;
  if (longest <= 2 * low) return undefined;
  return said(
    'CMP044',
    scope.id,
    `prompts grow from ${whole(low)} (p5) to ${whole(longest)} tokens: each round sends the conversation and then the same prompt again, prefix included`,
  );
};

/** Seconds of a request that neither its first token nor its decoding accounts for. */
const pauses: Sign = (scope, report) => {
  if (!isObject(at(report.config, 'data', 'conversation_replay', 'tool_call_latency_sec'))) return undefined;
  const [e2e, ttft, tpot, tokens] = (['e2e', 'ttft', 'tpot', 'output_tokens'] as const).map((id) =>
    statisticOf(scope, id, 'mean'),
  );
  if (e2e === undefined || ttft === undefined || tpot === undefined || tokens === undefined) return undefined;
  const idle = e2e - ttft - tpot * Math.max(0, tokens - 1);
  if (idle <= 0.2 * e2e) return undefined;
  return said(
    'CMP045',
    scope.id,
    `${duration(idle)} of the mean latency of ${duration(e2e)} is neither first token nor decoding: the simulated tool calls of tool_call_latency_sec`,
  );
};

const copies: ReportSign = (report) => {
  const list = report.sessions?.find(({ copies: copied, originals }) => (copied ?? 0) > 0 && (originals ?? 0) > 0);
  const type = dataType(report) ?? '';
  if (!list || at(report.config, 'data', type, 'inject_random_session_id') === true) return undefined;
  return said(
    'CMP048',
    list.stage === undefined ? 'summary' : `stage ${list.stage}`,
    `${whole(list.copies ?? 0)} of the sessions are copies that carry random text, ${whole(list.originals ?? 0)} are originals that do not: they hit the prefix cache differently`,
  );
};

const DEAD: readonly (readonly [key: string, standard: unknown])[] = [
  ['use_static_model', false],
  ['model_mapping', null],
  ['ignore_trace_delays', false],
  ['use_think_time_only', false],
  ['default_max_tokens', 1000],
];
const LONG_TOOL_CALL = 1024;

const deadOptions: ReportSign = (report) => {
  const type = dataType(report) ?? '';
  if (type !== 'otel_trace_replay' && type !== 'weka_trace_replay') return undefined;
  const block = at(report.config, 'data', type);
  const set = DEAD.filter(([key, standard]) => {
    const value = at(block, key) ?? standard;
    return value !== standard;
  }).map(([key]) => key);
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
  return said('CMP049', 'summary', what.join('; '));
};

/** A photograph as JPEG takes well over a tenth of a byte per pixel; one colour nearly nothing. */
const FLAT_BYTES_PER_PIXEL = 0.05;

const media: Sign = (scope) => {
  const density = scope.extras?.imageBytesPerPixel;
  if (density === undefined || density <= 0 || density >= FLAT_BYTES_PER_PIXEL) return undefined;
  return said(
    'CMP050',
    scope.id,
    `the images have ${significant(density)} bytes per pixel, far less than a picture: they are single colours, and encoder caches hit`,
  );
};

export const DATA_SIGNS: readonly Sign[] = [
  twoCounts,
  template,
  otherTokenizer,
  media,
  ...[clamped, thirtyTokens, stops, shareGpt, rounds, pauses].map(lifecycleOnly),
];
export const DATA_REPORT_SIGNS: readonly ReportSign[] = [repeats, warmCache, copies, deadOptions];

/** TTFT measured at the first visible text, where the server counts tokens that the client never saw. */
export function hiddenTokens(scope: ReportScope): number | undefined {
  const counts = bothCounts(scope, 'output_tokens');
  const [client, server] = [counts?.client['mean'], counts?.server['mean']];
  if (client === undefined || server === undefined || server < 1.2 * client) return undefined;
  return server - client;
}

/** For what is not measured here at all. */
export function streams(scope: ReportScope): boolean {
  return measureOf(scope, 'ttft') !== undefined;
}
