// What this engine cannot run yet, said before anything is sent: every refusal names the key and what can be used instead.
import type { EffectiveConfig } from '../config/will/runtime';
import { breakerProblems } from '../loadgen/breakers';
import type { ConfigPath, Problem } from '../problem';
import { mediaProblems } from './media-plans';

const SUPPORTED_LOAD_TYPES = ['constant', 'poisson', 'concurrent', 'trace_replay'] as const;
export type SupportedLoadType = (typeof SUPPORTED_LOAD_TYPES)[number];

/** Errors for what would be run differently from what the config says, warnings for what is left out beside the load. */
export function refusals(config: EffectiveConfig): Problem[] {
  return [
    ...serverRefusals(config),
    ...loadRefusals(config),
    ...dataRefusals(config),
    ...mediaProblems(config),
    ...leftOut(config),
    ...connectionLimit(config),
  ];
}

function serverRefusals({ server }: EffectiveConfig): Problem[] {
  if (server) return [];
  return [
    error(
      'RUN001',
      ['server'],
      'Nothing was sent: the config has no server, so there is nowhere to send to.',
      'Add server with type, model_name and base_url.',
    ),
  ];
}

function loadRefusals({ load, circuit_breakers: breakers }: EffectiveConfig): Problem[] {
  const watched = (breakers ?? []).filter(({ name }) => load.circuit_breakers.includes(name));
  const problems: Problem[] = breakerProblems(watched);
  if (!isSupportedLoadType(load.type)) {
    problems.push(
      error(
        'RUN006',
        ['load', 'type'],
        `Nothing was sent: load type '${load.type}' cannot be run by this engine yet; constant, poisson, concurrent and trace_replay can.`,
        'Use one of these types, or run this config with inference-perf.',
      ),
    );
  }
  if (load.sweep && load.type === 'trace_replay') {
    problems.push(
      error(
        'RUN007',
        ['load', 'sweep'],
        'Nothing was sent: a sweep varies the rate, and trace_replay takes its arrival times from a file.',
        'Remove load.sweep, or set load.type to constant or poisson.',
      ),
    );
  }
  return problems;
}

function isSupportedLoadType(type: string): type is SupportedLoadType {
  return (SUPPORTED_LOAD_TYPES as readonly string[]).includes(type);
}

function dataRefusals({ data }: EffectiveConfig): Problem[] {
  const problems: Problem[] = [];
  const refuse = (path: ConfigPath, what: string, remedy: string): void => {
    problems.push(error('RUN014', path, `Nothing was sent: ${what}.`, remedy));
  };
  if (data.use_chat_template && data.type !== 'random') {
    refuse(
      ['data', 'use_chat_template'],
      `only data type random knows use_chat_template, and inference-perf refuses it with ${data.type}`,
      'Set use_chat_template to false, or data.type to random.',
    );
  }
  if (data.shared_prefix && data.type !== 'shared_prefix') {
    refuse(
      ['data', 'shared_prefix'],
      `the shared_prefix block belongs to data type shared_prefix, and inference-perf refuses it with ${data.type}`,
      'Remove the block, or set data.type to shared_prefix.',
    );
  }
  for (const key of ['input_distribution', 'output_distribution'] as const) {
    if (data.type !== 'mock' || !data[key]) continue;
    refuse(
      ['data', key],
      `data type mock has no lengths, and inference-perf refuses ${key} with it`,
      `Remove ${key}, or set data.type to random.`,
    );
  }
  return problems;
}

function leftOut({ storage }: EffectiveConfig): Problem[] {
  if (storage) return [];
  return [
    warning(
      'RUN032',
      ['storage'],
      'storage is null, with which inference-perf keeps no report; IsoPerf keeps one, because a run without its records proves nothing.',
    ),
  ];
}

/** Requests queue behind the connections, as in inference-perf, which counts the wait as latency; here it is lateness. */
function connectionLimit({ load }: EffectiveConfig): Problem[] {
  const { worker_max_tcp_connections: connections, worker_max_concurrency: concurrency } = load;
  if (connections <= 0 || concurrency <= connections) return [];
  return [
    warning(
      'RUN033',
      ['load', 'worker_max_tcp_connections'],
      `${connections} connections for ${concurrency} requests at a time make requests wait in the client. inference-perf counts that wait as latency; IsoPerf opens as few connections, sends such requests late and records by how much.`,
    ),
  ];
}

function error(code: string, path: ConfigPath, message: string, remedy: string): Problem {
  return { code, severity: 'error', path, message, remedy };
}

function warning(code: string, path: ConfigPath, message: string): Problem {
  return { code, severity: 'warning', path, message };
}
