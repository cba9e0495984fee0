// Which keys have an effect for the chosen load.type and data.type: completion offers those, and leaves out what would be ignored or refused.
import type { Target } from '../config/model/target';
import type { ConfigPath } from '../problem';
import { own } from '../own';

export interface Chosen {
  readonly loadType: string | undefined;
  readonly dataType: string | undefined;
  /** `type` of the mapping the key stands in. */
  readonly ownType: string | undefined;
  /** The version that will run: newer keys and words are left out. */
  readonly target: Target;
}

const LENGTHS = ['input_distribution', 'output_distribution'];

/** Reference inference-perf.md, 1.3 and 2.4: what each data type reads. */
const DATA: Readonly<Record<string, readonly string[]>> = {
  mock: [],
  shareGPT: ['path', ...LENGTHS],
  synthetic: ['corpus_file_path', 'multimodal', ...LENGTHS],
  random: ['trace', 'use_chat_template', ...LENGTHS],
  shared_prefix: ['shared_prefix', 'multimodal'],
  cnn_dailymail: ['path', ...LENGTHS],
  infinity_instruct: ['path', ...LENGTHS],
  billsum_conversations: ['path', ...LENGTHS],
  otel_trace_replay: ['otel_trace_replay'],
  weka_trace_replay: ['weka_trace_replay', 'corpus_file_path'],
  conversation_replay: ['conversation_replay'],
  synthetic_agentic: ['synthetic_agentic'],
  visionarena: ['visionarena'],
};

const WITHOUT_LOAD: Readonly<Record<string, readonly string[]>> = {
  constant: ['trace'],
  poisson: ['trace'],
  concurrent: ['trace', 'sweep', 'worker_max_concurrency'],
  trace_replay: ['sweep'],
  trace_session_replay: ['trace', 'sweep'],
};

const SHAPE: Readonly<Record<string, readonly string[]>> = {
  fixed: ['mean'],
  uniform: ['min', 'max'],
  poisson: ['mean', 'min', 'max'],
  normal: ['mean', 'std_dev', 'variance', 'min', 'max'],
  lognormal: ['mean', 'std_dev', 'variance', 'min', 'max'],
  skew_normal: ['mean', 'std_dev', 'variance', 'min', 'max', 'skew'],
};

/** Does a key under a path have an effect? Everything does while the type is not chosen. */
export function hasEffect(parent: ConfigPath, key: string, chosen: Chosen): boolean {
  const place = parent.filter((step) => typeof step === 'string').join('.');
  if (key === 'type') return true;
  if (place === 'data') return chosen.dataType === undefined || (own(DATA, chosen.dataType)?.includes(key) ?? true);
  if (place === 'load') return !(own(WITHOUT_LOAD, chosen.loadType ?? 'constant') ?? []).includes(key);
  if (place === 'load.stages') {
    if (chosen.loadType === 'concurrent') return !['rate', 'duration'].includes(key);
    return !['num_requests', 'concurrency_level'].includes(key);
  }
  return true;
}

/** The same for the keys of a length distribution; `sampled` lengths (random, synthetic) alone are drawn in advance. */
export function shapes(parent: ConfigPath, key: string, { ownType }: Chosen): boolean {
  if (key === 'type') return true;
  if (key === 'total_count') return parent.length === 2;
  return (own(SHAPE, ownType ?? 'normal') ?? SHAPE['normal']!).includes(key);
}

/** Words that load and then stop the run at start. */
export function runs(path: ConfigPath, word: string, { dataType }: Chosen): boolean {
  const presampled = path.length === 3 && LENGTHS.includes(String(path[1])) && path[2] === 'type';
  const strict = dataType === undefined || dataType === 'random' || dataType === 'synthetic';
  return !(presampled && strict && (word === 'skew_normal' || word === 'poisson'));
}
