// CMP077: LoRA shares are drawn anew in each run.
import { percent } from '../../figures';
import { at } from '../../readers/readers/values';
import { type Check, note } from '../in-config';
import { type ReportSign, said } from '../in-report';
import { EVERYTHING, type Pitfall } from '../pitfall';

const adaptersInConfig: Check = ({ config }) =>
  config.load.lora_traffic_split ? [note(['load', 'lora_traffic_split'])] : [];

const adaptersInReport: ReportSign = (report) => {
  const parts = report.scopes.filter(({ kind, counts }) => kind === 'adapter' && counts.total !== undefined);
  const split = at(report.config, 'load', 'lora_traffic_split');
  if (parts.length < 2 || !Array.isArray(split)) return undefined;
  const all = parts.reduce((sum, { counts }) => sum + (counts.total ?? 0), 0);
  const shares = parts.map(({ label, counts }) => `${label} ${percent((counts.total ?? 0) / Math.max(1, all))}`);
  return said('summary', `requests went to ${shares.join(', ')}: the shares are drawn anew in each run`);
};

export const CMP077: Pitfall = {
  code: 'CMP077',
  title: 'LoRA shares are drawn anew in each run',
  consequence:
    'The choice of adapter is never seeded: the mix differs from run to run, and adapter reports cover all stages.',
  remedy: 'Compare adapter by adapter and stage by stage.',
  moves: EVERYTHING,
  configPaths: ['load.lora_traffic_split'],
  source: 'inference-perf: inference_perf/loadgen/load_generator.py',
  inConfig: { words: 'load.lora_traffic_split is set.', check: adaptersInConfig },
  inReport: { words: 'The same, and at least two adapters have reports.', whole: adaptersInReport },
};
