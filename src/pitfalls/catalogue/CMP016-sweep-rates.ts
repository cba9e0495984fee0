// CMP016: A sweep picks other rates each time.
import { significant } from '../../figures';
import { at } from '../../readers/readers/values';
import { type Check, warning } from '../in-config';
import { measuredStages, type ReportSign, said } from '../in-report';
import { EVERYTHING, type Pitfall } from '../pitfall';
import { isObject } from '../../own';

const sweepRates: Check = ({ config: { load } }) => (load.sweep ? [warning(['load', 'sweep'])] : []);

const sweep: ReportSign = (report) => {
  if (!isObject(at(report.config, 'load', 'sweep')) || report.sweepPinnedBy !== undefined) return undefined;
  const rates = measuredStages(report).flatMap(({ load }) => load.requestedRateRps ?? []);
  if (rates.length === 0) return undefined;
  return said(
    'summary',
    `a probe chose the rates of this run (${rates.map(significant).join(', ')} requests/s): stage k of another run is another load`,
  );
};

export const CMP016: Pitfall = {
  code: 'CMP016',
  title: 'A sweep picks other rates each time',
  consequence:
    'Stage k is not the same load in two runs: the rates follow a noisy probe, and the saved config lists no stages.',
  remedy: 'Write a ladder of stages; or match stages by achieved load, never by index.',
  moves: EVERYTHING,
  configPaths: ['load.sweep'],
  source: 'inference-perf: inference_perf/loadgen/load_generator.py',
  inConfig: { words: 'load.sweep is set.', check: sweepRates },
  inReport: { words: 'The config has a sweep, and its rates were not pinned.', whole: sweep },
};
