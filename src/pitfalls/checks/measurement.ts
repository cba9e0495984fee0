// Checks of what is measured and kept (CMP052 to CMP083 as far as a config shows them).
import { note, stagePath, warning, type Check, type Hit } from './hit';

const streaming: Check = ({ config }) => (config.api.streaming ? [] : [warning(52, ['api', 'streaming'])]);

const tokenizer: Check = ({ config }) =>
  config.api.streaming && config.tokenizer === null && config.server?.type !== 'mock' ? [note(57, ['tokenizer'])] : [];

const percentiles: Check = ({ config }) => {
  const asked = config.report.request_lifecycle.percentiles;
  const missing = [50, 90, 95, 99].filter((percentile) => !asked.includes(percentile));
  if (missing.length === 0) return [];
  const names = missing.map((percentile) => (percentile === 50 ? 'median' : `p${percentile}`));
  return [
    note(63, ['report', 'request_lifecycle', 'percentiles'], {
      message: `The report will have no ${names.join(', ')}; some views show a missing percentile as 0.`,
    }),
  ];
};

const timeout: Check = ({ config }) => {
  const { request_timeout: seconds } = config.load;
  return seconds === null || seconds === 0 ? [note(64, ['load', 'request_timeout'])] : [];
};

const GOODPUT_KEYS = ['ttft', 'tpot', 'itl', 'ntpot', 'request_latency'];
const STREAMED_KEYS = ['ttft', 'tpot', 'itl'];

const goodput: Check = ({ config }) => {
  const limits = config.report.goodput?.constraints;
  if (!limits) return [];
  const base = ['report', 'goodput', 'constraints'];
  const hits: Hit[] = Object.keys(limits)
    .filter((key) => !GOODPUT_KEYS.includes(key))
    .map((key) =>
      warning(66, [...base, key], {
        message: `'${key}' is not a limit inference-perf knows, so every request meets it.`,
        remedy: `Known: ${GOODPUT_KEYS.join(', ')}.`,
      }),
    );
  const blind = Object.keys(limits).filter((key) => STREAMED_KEYS.includes(key));
  if (!config.api.streaming && blind.length > 0)
    hits.push(
      warning(66, base, {
        message: `Without streaming there is no ${blind.join(', ')}, so no request meets the limit and goodput is 0 %.`,
        remedy: 'Set api.streaming: true.',
      }),
    );
  const { slo_ttft_header: ttft, slo_tpot_header: tpot, headers } = config.api;
  const overriding = Object.keys(headers ?? {}).find((name) => /^x-slo-/i.test(name) || name === ttft || name === tpot);
  if (overriding !== undefined) hits.push(note(68, ['api', 'headers', overriding]));
  return hits;
};

const serverMetrics: Check = ({ config }) => {
  if (!config.metrics?.prometheus || config.metrics.type !== 'prometheus') return [];
  const hits: Hit[] = [];
  if (config.server && config.server.model_name === null) hits.push(warning(74, ['metrics', 'prometheus']));
  if (config.load.sweep && config.report.prometheus?.summary === true)
    hits.push(note(76, ['report', 'prometheus', 'summary']));
  return hits;
};

const adapters: Check = ({ config }) =>
  config.load.lora_traffic_split ? [note(77, ['load', 'lora_traffic_split'])] : [];

const storage: Check = ({ config }) => {
  const { storage: places } = config;
  return (['google_cloud_storage', 'simple_storage_service'] as const).flatMap((name): Hit[] => {
    const place = places?.[name];
    if (place?.path === undefined || place.path.includes('{timestamp}')) return [];
    return [warning(79, ['storage', name, 'path'])];
  });
};

const mock: Check = ({ config }) => (config.server?.type === 'mock' ? [warning(81, ['server', 'type'])] : []);

const sessions: Check = ({ config }) => {
  const { load } = config;
  if (load.type !== 'trace_session_replay') return [];
  return load.stages.flatMap((stage, index): Hit[] =>
    stage.timeout === null ? [] : [note(82, stagePath(index, 'timeout'))],
  );
};

export const MEASUREMENT_CHECKS: readonly Check[] = [
  streaming,
  tokenizer,
  percentiles,
  timeout,
  goodput,
  serverMetrics,
  adapters,
  storage,
  mock,
  sessions,
];
