// CMP009: The summary mixes stages.
import { measureOf } from '../../readers/canonical';
import { type Check, note, stagePlans } from '../in-config';
import { measuredStages, type ReportSign, said } from '../in-report';
import { EVERYTHING, type Pitfall } from '../pitfall';

const mixtureInConfig: Check = (loaded) => {
  const measured = stagePlans(loaded).filter((stage) => !stage.warmup).length;
  const { summary } = loaded.config.report.request_lifecycle;
  return measured > 1 && summary === true ? [note(['report', 'request_lifecycle', 'summary'])] : [];
};

const mixtureInReport: ReportSign = (report) => {
  const summary = report.scopes.find(({ kind }) => kind === 'summary');
  const stages = measuredStages(report);
  if (!summary || stages.length < 2 || !measureOf(summary, 'e2e')) return undefined;
  const loads = stages.map(({ load }) => load.words);
  return said(
    summary.id,
    `it mixes ${stages.length} stages (${loads.slice(0, 4).join(', ')}${loads.length > 4 ? ', ...' : ''}) and counts the pauses between them as time`,
  );
};

export const CMP009: Pitfall = {
  code: 'CMP009',
  title: 'The summary mixes stages',
  consequence:
    'With several stages the summary averages over different loads and counts the pauses between them as time: throughput too low, latencies a mixture.',
  remedy: 'Compare stage with stage; ignore the summary of a run with several stages.',
  moves: EVERYTHING,
  configPaths: ['report.request_lifecycle.summary', 'load.interval'],
  source: 'inference-perf: inference_perf/reportgen/base.py',
  inConfig: {
    words: 'More than one measured stage, and report.request_lifecycle.summary is on.',
    check: mixtureInConfig,
  },
  inReport: { words: 'A summary stands beside more than one measured stage.', whole: mixtureInReport },
};
