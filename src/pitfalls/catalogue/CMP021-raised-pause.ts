// CMP021: Prometheus lengthens the pause between stages.
import { type Check, note } from '../in-config';
import { type Between, differs, value, where } from '../pair';
import type { Pitfall } from '../pitfall';

const pauses: Check = ({ config }) => {
  const { prometheus } = config.metrics ?? {};
  const perStage = config.report.prometheus?.per_stage === true;
  if (!prometheus || !perStage || config.load.interval >= prometheus.scrape_interval) return [];
  return [
    note(['load', 'interval'], {
      message: `The pause between stages will be ${prometheus.scrape_interval} s, not ${config.load.interval} s: Prometheus reports per stage raise it to the scrape interval.`,
    }),
  ];
};

const raisedPause: Between = (pair) => {
  const interval = ['load', 'interval'];
  const scrape = ['metrics', 'prometheus', 'scrape_interval'];
  const raised = where(
    pair,
    (facts) =>
      value(facts, ['report', 'prometheus', 'per_stage']) === true &&
      value(facts, interval) !== undefined &&
      value(facts, interval) === value(facts, scrape),
  );
  const words = differs(pair, interval);
  if (raised === undefined || words === undefined) return undefined;
  return `the pause between stages differs: ${words}; on ${raised} it is Prometheus’ scrape interval`;
};

export const CMP021: Pitfall = {
  code: 'CMP021',
  title: 'Prometheus lengthens the pause between stages',
  consequence:
    'With report.prometheus.per_stage the pause is raised to the scrape interval: caches and batches cool down differently than without.',
  remedy: 'Write the same load.interval, at least the scrape interval, on both sides.',
  moves: ['ttft'],
  configPaths: ['load.interval', 'report.prometheus.per_stage'],
  source: 'inference-perf: inference_perf/loadgen/load_generator.py',
  inConfig: {
    words: 'report.prometheus.per_stage with Prometheus configured, and load.interval below its scrape_interval.',
    check: pauses,
  },
  between: { words: 'The saved pauses differ, and one of them is a scrape interval.', look: raisedPause },
};
