// CMP092: worker_max_concurrency does nothing here.
import type { LoadedConfig } from '../../config/load';
import { fix } from '../fix';
import { type Check, note } from '../in-config';
import type { Pitfall } from '../pitfall';

const unused: Check = (loaded: LoadedConfig) =>
  loaded.config.load.type === 'concurrent' &&
  loaded.isWritten(['load', 'worker_max_concurrency']) &&
  loaded.config.load.worker_max_concurrency !== 0
    ? [note(['load', 'worker_max_concurrency'])]
    : [];

export const CMP092: Pitfall = {
  code: 'CMP092',
  title: 'worker_max_concurrency does nothing here',
  consequence:
    'Load type concurrent takes its limit from concurrency_level and sets worker_max_concurrency to 0: the number in the file misleads.',
  remedy: 'Remove it from the file.',
  moves: [],
  configPaths: ['load.worker_max_concurrency'],
  source: 'inference-perf: inference_perf/main.py',
  inConfig: { words: 'worker_max_concurrency is written with load.type concurrent.', check: unused },
  mend: (problem, page) => fix("Comment out 'worker_max_concurrency'", page.commentOut(problem.path), false),
};
