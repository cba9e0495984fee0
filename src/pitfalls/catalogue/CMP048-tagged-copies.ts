// CMP048: Copied sessions miss the cache, originals hit it.
import { whole } from '../../figures';
import { at } from '../../readers/readers/values';
import { type Check, replayOf, warning } from '../in-config';
import { dataType, type ReportSign, said } from '../in-report';
import { type Pitfall, RATES } from '../pitfall';

const tagged: Check = ({ config }) => {
  const replay = replayOf(config);
  if (!replay || replay.block.duplicate_sessions_target === null || replay.block.inject_random_session_id) return [];
  return [warning([...replay.path, 'duplicate_sessions_target'])];
};

const copies: ReportSign = (report) => {
  const list = report.sessions?.find(({ copies: copied, originals }) => (copied ?? 0) > 0 && (originals ?? 0) > 0);
  const type = dataType(report) ?? '';
  if (!list || at(report.config, 'data', type, 'inject_random_session_id') === true) return undefined;
  return said(
    list.stage === undefined ? 'summary' : `stage ${list.stage}`,
    `${whole(list.copies ?? 0)} of the sessions are copies that carry random text, ${whole(list.originals ?? 0)} are originals that do not: they hit the prefix cache differently`,
  );
};

export const CMP048: Pitfall = {
  code: 'CMP048',
  title: 'Copied sessions miss the cache, originals hit it',
  consequence:
    'duplicate_sessions_target tags copies with random text, originals not: the cache’s hit rate depends on how many were copied.',
  remedy: 'Set inject_random_session_id for all, or copy none.',
  moves: ['ttft', 'request_latency', ...RATES],
  configPaths: ['data.otel_trace_replay.duplicate_sessions_target', 'data.weka_trace_replay.duplicate_sessions_target'],
  source: 'inference-perf: inference_perf/config/datagen/replay.py',
  inConfig: { words: 'duplicate_sessions_target without inject_random_session_id.', check: tagged },
  inReport: {
    words: 'The list of sessions has copies (_dup in the id) and originals, and nothing was injected.',
    whole: copies,
  },
};
