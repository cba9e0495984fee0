// What upstream's loader lets through and still cannot run, or nobody can mean: the difference between loading and running.
// Sources: reference inference-perf.md section 1.3 (errors at start) and bug-reports.md ("accepts, although nobody can mean it").
import { formatPath, type ConfigPath, type Problem } from '../problem';
import type { Config, DataConfig } from './model/schema';
import { withoutCredentials } from './secrets';
import { SESSION_DATA } from './model/schema/data';
import type { Distribution } from './model/schema/distribution';

/** A finding, and the values it rests on beside the one it stands at: without one of them it means nothing. */
export interface Judged {
  readonly problem: Problem;
  readonly restsOn: readonly ConfigPath[];
}

type Report = (
  path: ConfigPath,
  code: string,
  message: string,
  remedy?: string,
  restsOn?: readonly ConfigPath[],
) => void;

/** Everything reported this way rests on these values, too. */
function resting(report: Report, ...paths: readonly ConfigPath[]): Report {
  return (path, code, message, remedy, restsOn = []) => report(path, code, message, remedy, [...paths, ...restsOn]);
}

const LOAD_TYPE = ['load', 'type'];
const DATA_TYPE = ['data', 'type'];

const MAX_PROBLEMS = 50;

/** Errors that stop a run before it starts, or make it meaningless; `more` is how many are not listed. No ranges yet. */
export function judgeRun(config: Config): { readonly found: readonly Judged[]; readonly more: number } {
  const found: Judged[] = [];
  let more = 0;
  const report: Report = (path, code, message, remedy, restsOn = []) => {
    if (found.length >= MAX_PROBLEMS) {
      more += 1;
      return;
    }
    const problem: Problem = { code, severity: 'error', path, message };
    found.push({ problem: remedy === undefined ? problem : { ...problem, remedy }, restsOn });
  };
  judgeServer(config, report);
  judgeStages(config, report);
  judgeNumbers(config, report);
  judgeSeeds(config, resting(report, DATA_TYPE));
  judgeLengths(config.data, resting(report, DATA_TYPE));
  judgeData(config, resting(report, DATA_TYPE));
  judgeApi(config, resting(report, ['api', 'type']));
  judgeBreakers(config, resting(report, ['circuit_breakers']));
  return { found, more };
}

function judgeServer(config: Config, report: Report): void {
  const { server } = config;
  if (!server) {
    report(
      ['server'],
      'CFG011',
      'There is no server section, so there is nothing to send requests to.',
      'Add server: {base_url: http://...}.',
    );
    return;
  }
  const url = server.base_url;
  const path = ['server', 'base_url'];
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    const shown = url === '' ? 'empty' : `'${withoutCredentials(url)}'`;
    report(
      path,
      'CFG013',
      `server.base_url is ${shown}, which is not an http(s) address.`,
      'Write it out, e.g. http://localhost:8000.',
    );
  }
}

function judgeStages(config: Config, report: Report): void {
  const { load } = config;
  if (load.stages.length === 0 && load.sweep === null) {
    const example =
      load.type === 'concurrent' ? '{num_requests: 100, concurrency_level: 4}' : '{rate: 1, duration: 60}';
    report(
      ['load', 'stages'],
      'CFG012',
      'There is no stage and no sweep, so nothing would be sent.',
      `Add a stage, e.g. - ${example}.`,
      [['load', 'sweep']],
    );
  }
  if (load.type === 'trace_replay' && load.trace === null)
    report(
      ['load', 'trace'],
      'CFG014',
      'Load type trace_replay needs the arrival times of load.trace.',
      'Add load.trace: {file: ...}.',
      [LOAD_TYPE],
    );
  if (load.type === 'trace_session_replay' && !SESSION_DATA.has(config.data.type))
    report(
      ['load', 'type'],
      'CFG014',
      `Load type trace_session_replay sends sessions, and data.type ${config.data.type} has none.`,
      `Use data.type ${[...SESSION_DATA].join(', ')}, or another load type.`,
      [DATA_TYPE],
    );
  const workers = load.num_workers;
  if (workers === 0 && (load.type === 'concurrent' || load.type === 'trace_session_replay'))
    report(
      ['load', 'num_workers'],
      'CFG014',
      `Load type ${load.type} needs worker processes, and num_workers is 0.`,
      'Remove num_workers.',
      [LOAD_TYPE],
    );
}

function isFinite(path: ConfigPath, value: number | null | undefined, report: Report): value is number {
  if (value === null || value === undefined) return false;
  if (Number.isFinite(value)) return true;
  report(path, 'CFG013', `${formatPath(path)} is ${value}, which no run can have.`, 'Give a number.');
  return false;
}

function atLeast(path: ConfigPath, value: number | null | undefined, least: number, report: Report): void {
  if (!isFinite(path, value, report) || value >= least) return;
  report(path, 'CFG013', `${formatPath(path)} is ${value}; it cannot be below ${least}.`);
}

/** Numbers that load and that nobody can mean. */
function judgeNumbers(config: Config, report: Report): void {
  const { load } = config;
  load.stages.forEach((stage, index) => {
    if (stage.hasOwnProperty.call(stage, 'rate') && 'rate' in stage)
      isFinite(['load', 'stages', index, 'rate'], stage.rate, report);
  });
  atLeast(['load', 'interval'], load.interval, 0, report);
  atLeast(['load', 'num_workers'], load.num_workers, 0, report);
  const leastInFlight = load.type === 'concurrent' ? 0 : 1;
  const inFlight = resting(report, LOAD_TYPE);
  atLeast(['load', 'worker_max_concurrency'], load.worker_max_concurrency, leastInFlight, inFlight);
  atLeast(['load', 'worker_max_tcp_connections'], load.worker_max_tcp_connections, 0, report);
  atLeast(['load', 'request_timeout'], load.request_timeout, 0, report);
  if (load.sweep) {
    for (const key of ['num_requests', 'num_stages', 'stage_duration'] as const)
      atLeast(['load', 'sweep', key], load.sweep[key], 1, report);
    atLeast(['load', 'sweep', 'timeout'], load.sweep.timeout, 0, report);
  }
  config.report.request_lifecycle.percentiles.forEach((percentile, index) => {
    const path = ['report', 'request_lifecycle', 'percentiles', index];
    if (percentile >= 0 && percentile <= 100) return;
    report(
      path,
      'CFG013',
      `${formatPath(path)} is ${percentile}; a percentile lies in 0..100, and the report fails at the end of the run.`,
    );
  });
}

/** Python's own generator takes any seed, numpy's (measured with v0.7.0) none below 0. */
function judgeSeeds({ load, data }: Config, report: Report): void {
  const isDrawn = data.type === 'random' || data.type === 'synthetic';
  for (const [path, seed] of [
    [['load', 'base_seed'], isDrawn ? load.base_seed : undefined],
    [['data', 'shared_prefix', 'seed'], data.type === 'shared_prefix' ? data.shared_prefix?.seed : undefined],
    [
      ['data', 'conversation_replay', 'seed'],
      data.type === 'conversation_replay' ? data.conversation_replay?.seed : undefined,
    ],
  ] as const) {
    if (seed === undefined || seed === null || seed >= 0) continue;
    report(
      path,
      'CFG014',
      `${formatPath(path)} is ${seed}: inference-perf stops at start, because its generator takes no seed below 0.`,
      'Write one of 0 or more.',
    );
  }
}

function judgeLengths(data: DataConfig, report: Report): void {
  const shared = data.shared_prefix;
  if (data.type === 'shared_prefix' && shared) {
    atLeast(['data', 'shared_prefix', 'num_groups'], shared.num_groups, 1, report);
    atLeast(['data', 'shared_prefix', 'num_prompts_per_group'], shared.num_prompts_per_group, 1, report);
    for (const key of ['system_prompt_len', 'question_len', 'output_len'] as const) {
      const value = shared[key];
      const path = ['data', 'shared_prefix', key];
      if (typeof value === 'number') atLeast(path, value, key === 'output_len' ? 1 : 0, report);
      else judgeDistribution(path, value, report, false);
    }
  }
  if (data.type !== 'random' && data.type !== 'synthetic') return;
  for (const key of ['input_distribution', 'output_distribution'] as const) {
    const value = data[key];
    if (value && data.trace === null) judgeDistribution(['data', key], value, resting(report, ['data', 'trace']), true);
  }
}

/** `strict`: the rules of random and synthetic, which know fewer shapes and check the mean. */
function judgeDistribution(path: ConfigPath, value: Distribution, report: Report, strict: boolean): void {
  const at = formatPath(path);
  for (const key of ['mean', 'std_dev', 'skew'] as const) {
    if (!Number.isFinite(value[key]))
      report([...path, key], 'CFG013', `${at}.${key} is ${value[key]}, which is no length.`);
  }
  const of = resting(report, [...path, 'type']);
  const lengthless = value.type === 'fixed' ? value.mean < 1 : value.max < 1;
  if (lengthless)
    of([...path, value.type === 'fixed' ? 'mean' : 'max'], 'CFG013', `${at} allows no length of 1 token or more.`);
  else if (value.type !== 'fixed' && value.min < 0)
    of([...path, 'min'], 'CFG013', `${at}.min is ${value.min}; a length cannot be negative.`);
  if (!strict) return;
  if (value.type === 'skew_normal' || value.type === 'poisson')
    report(
      [...path, 'type'],
      'CFG014',
      `${at}.type ${value.type} loads, but the random and synthetic data types stop at start with it.`,
      'Use normal, lognormal, uniform or fixed.',
    );
  if (value.type === 'normal' && (value.mean < value.min || value.mean > value.max))
    of(
      [...path, 'mean'],
      'CFG014',
      `${at}.mean ${value.mean} lies outside min ${value.min} and max ${value.max}, and the run stops at start.`,
      'Move the mean inside, or write min and max (they default to 10 and 1024).',
      [
        [...path, 'min'],
        [...path, 'max'],
      ],
    );
}

const BLOCKS: Partial<
  Record<
    DataConfig['type'],
    | 'shared_prefix'
    | 'conversation_replay'
    | 'visionarena'
    | 'otel_trace_replay'
    | 'weka_trace_replay'
    | 'synthetic_agentic'
  >
> = {
  shared_prefix: 'shared_prefix',
  conversation_replay: 'conversation_replay',
  visionarena: 'visionarena',
  otel_trace_replay: 'otel_trace_replay',
  weka_trace_replay: 'weka_trace_replay',
  synthetic_agentic: 'synthetic_agentic',
};

function judgeData(config: Config, report: Report): void {
  const { data } = config;
  const block = BLOCKS[data.type];
  if (block !== undefined && data[block] === null)
    report(
      ['data', block],
      'CFG014',
      `data.type ${data.type} needs a data.${block} block, and there is none.`,
      `Add data.${block}.`,
    );
  if ((data.type === 'random' || data.type === 'synthetic') && data.trace === null) {
    for (const key of ['input_distribution', 'output_distribution'] as const) {
      if (data[key] === null)
        report(
          ['data', key],
          'CFG014',
          `data.type ${data.type} needs data.${key}, and the run stops without it.`,
          `Add data.${key}, e.g. {type: fixed, mean: 128}.`,
          [['data', 'trace']],
        );
    }
  }
  if (data.type === 'synthetic' && data.trace !== null)
    report(
      ['data', 'trace'],
      'CFG014',
      'data.trace works for data.type random only; synthetic stops at start.',
      'Set data.type: random.',
    );
  const hasPath = (data.path ?? '').trim() !== '';
  if ((data.type === 'infinity_instruct' || data.type === 'billsum_conversations') && !hasPath)
    report(
      ['data', 'path'],
      'CFG014',
      `data.type ${data.type} reads a local file, and data.path is ${data.path === null ? 'missing' : 'empty'}.`,
      'Write the file or folder into data.path.',
    );
  if (
    (data.type === 'mock' || data.type === 'visionarena') &&
    (data.input_distribution !== null || data.output_distribution !== null)
  )
    report(
      ['data', data.input_distribution === null ? 'output_distribution' : 'input_distribution'],
      'CFG014',
      `data.type ${data.type} knows no length distributions and stops at start with one.`,
      data.type === 'mock' ? 'Set data.type: random, or remove the distributions.' : 'Remove the distributions.',
    );
  if (data.shared_prefix !== null && data.type !== 'shared_prefix')
    report(
      ['data', 'shared_prefix'],
      'CFG014',
      `There is a data.shared_prefix block, but data.type is ${data.type}: inference-perf stops at start.`,
      'Set data.type: shared_prefix, or remove the block.',
    );
}

type Api = Config['api']['type'];
const ALL: readonly Api[] = ['completion', 'chat', 'anthropic_messages'];

/** Routes a data type can be sent on (reference 1.3, API support matrix). */
function routesOf(data: DataConfig): readonly Api[] {
  switch (data.type) {
    case 'mock':
    case 'shareGPT':
      return ALL;
    case 'billsum_conversations':
    case 'infinity_instruct':
    case 'shared_prefix':
      return ['completion', 'chat'];
    case 'cnn_dailymail':
    case 'random':
    case 'conversation_replay':
      return ['completion'];
    case 'synthetic':
      return data.multimodal === null ? ['completion'] : ['chat'];
    case 'visionarena':
      return ['chat'];
    case 'otel_trace_replay':
    case 'weka_trace_replay':
    case 'synthetic_agentic':
      return ['chat', 'anthropic_messages'];
  }
}

function judgeApi(config: Config, report: Report): void {
  const { api, data, server } = config;
  const routes = routesOf(data);
  if (!routes.includes(api.type))
    report(
      ['api', 'type'],
      'CFG014',
      `data.type ${data.type} cannot be sent with api.type ${api.type}; inference-perf stops at start.`,
      `Set api.type: ${routes.join(' or ')}, or choose another data.type.`,
      [DATA_TYPE, ['data', 'multimodal']],
    );
  const served = server?.type === 'sglang' || server?.type === 'tgi' ? ALL.slice(0, 2) : ALL;
  if (server && !served.includes(api.type))
    report(
      ['api', 'type'],
      'CFG014',
      `server.type ${server.type} does not offer api.type ${api.type}.`,
      `Set api.type: ${served.join(' or ')}.`,
      [['server', 'type']],
    );
}

function judgeBreakers(config: Config, report: Report): void {
  const known = (config.circuit_breakers ?? []).map((breaker) => breaker.name);
  config.load.circuit_breakers.forEach((name, index) => {
    if (known.includes(name)) return;
    report(
      ['load', 'circuit_breakers', index],
      'CFG014',
      `load.circuit_breakers names '${name}', and no circuit breaker has that name.`,
      known.length === 0 ? 'Define it under circuit_breakers.' : `Defined: ${known.join(', ')}.`,
    );
  });
}
