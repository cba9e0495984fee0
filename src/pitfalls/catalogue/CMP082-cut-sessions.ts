// CMP082: Cancelled and broken sessions are invisible.
import { whole } from '../../figures';
import { numberAt } from '../../readers/readers/values';
import { type Check, type Hit, note, replayOf, stagePath } from '../in-config';
import { type ReportSign, said } from '../in-report';
import type { Pitfall } from '../pitfall';

const skipped: Check = ({ config }) => {
  const replay = replayOf(config);
  return replay?.block.skip_invalid_files ? [note([...replay.path, 'skip_invalid_files'])] : [];
};

const sessionsInConfig: Check = ({ config }) => {
  const { load } = config;
  if (load.type !== 'trace_session_replay') return [];
  return load.stages.flatMap((stage, index): Hit[] =>
    stage.timeout === null ? [] : [note(stagePath(index, 'timeout'))],
  );
};

const sessionsInReport: ReportSign = (report) => {
  for (const { file, stage, status, sessions: seen } of report.sessions ?? []) {
    const scope = stage === undefined ? 'summary' : `stage ${stage}`;
    const planned = stage === undefined ? undefined : numberAt(report.config, 'load', 'stages', stage, 'num_sessions');
    if (planned !== undefined && seen !== undefined && seen < planned)
      return said(
        scope,
        `${file} has ${whole(seen)} sessions of ${whole(planned)} that were planned: the success ratio leaves out the others`,
      );
    if (status !== undefined && status !== 'COMPLETED')
      return said(scope, `the stage ended as ${status}: sessions that were cut off are in no denominator of ${file}`);
  }
  return undefined;
};

export const CMP082: Pitfall = {
  code: 'CMP082',
  title: 'Cancelled and broken sessions are invisible',
  consequence:
    'Sessions cut by a stage timeout or left out by skip_invalid_files are in no denominator: the success ratio is too good.',
  remedy: 'Divide by the planned number of sessions.',
  moves: ['session_metrics', 'error_rate'],
  configPaths: [
    'load.stages.timeout',
    'data.otel_trace_replay.skip_invalid_files',
    'data.weka_trace_replay.skip_invalid_files',
  ],
  source: 'inference-perf: inference_perf/config/datagen/replay.py',
  inConfig: {
    words: 'A session stage with a timeout, or skip_invalid_files.',
    check: (loaded) => [...skipped(loaded), ...sessionsInConfig(loaded)],
  },
  inReport: {
    words: 'A session report has fewer sessions than num_sessions, or its stage did not complete.',
    whole: sessionsInReport,
  },
};
