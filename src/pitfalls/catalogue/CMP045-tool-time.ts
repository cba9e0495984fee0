// CMP045: Simulated tool time counts as latency.
import { duration } from '../../figures';
import { statisticOf } from '../../readers/canonical';
import { at } from '../../readers/readers/values';
import { type Check, note } from '../in-config';
import { lifecycleOnly, said, type Sign } from '../in-report';
import { type Pitfall, RATES } from '../pitfall';
import { isObject } from '../../own';

const conversations: Check = ({ config }) =>
  config.data.type === 'conversation_replay' && config.data.conversation_replay?.tool_call_latency_sec
    ? [note(['data', 'conversation_replay', 'tool_call_latency_sec'])]
    : [];

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
    scope.id,
    `${duration(idle)} of the mean latency of ${duration(e2e)} is neither first token nor decoding: the simulated tool calls of tool_call_latency_sec`,
  );
};

export const CMP045: Pitfall = {
  code: 'CMP045',
  title: 'Simulated tool time counts as latency',
  consequence:
    'The pause is taken before the end time: request latency, NTPOT and throughput include seconds in which nothing ran.',
  remedy: 'Compare TTFT, TPOT and ITL; latency only with equal settings.',
  moves: ['request_latency', 'ntpot', ...RATES],
  configPaths: ['data.conversation_replay.tool_call_latency_sec'],
  source: 'inference-perf: inference_perf/datagen (conversation_replay_datagen.py)',
  inConfig: { words: 'data.conversation_replay.tool_call_latency_sec is set.', check: conversations },
  inReport: {
    words: 'The same, and over a fifth of the mean latency is neither TTFT nor TPOT x (n - 1).',
    parts: [lifecycleOnly(pauses)],
  },
};
