// CMP084: Fewer connections than requests in flight.
import { fix } from '../fix';
import { type Check, STAGES, warning } from '../in-config';
import type { Pitfall } from '../pitfall';

const connections: Check = ({ config }) => {
  const { load } = config;
  const needed =
    load.type === 'concurrent'
      ? Math.max(0, ...load.stages.map((stage) => stage.concurrency_level))
      : load.worker_max_concurrency;
  const workers = load.type === 'concurrent' ? Math.max(1, load.num_workers ?? 1) : 1;
  const given = load.worker_max_tcp_connections * workers;
  if (load.worker_max_tcp_connections === 0 || given >= needed) return [];
  return [
    warning(['load', 'worker_max_tcp_connections'], {
      message: `${needed} requests may be in flight over ${given} connections: the others wait in the client, and the wait counts as TTFT.`,
      restsOn: [STAGES, ['load', 'worker_max_concurrency'], ['load', 'worker_max_tcp_connections']],
    }),
  ];
};

export const CMP084: Pitfall = {
  code: 'CMP084',
  title: 'Fewer connections than requests in flight',
  consequence: 'Requests wait in the client for a free connection, and the wait counts as TTFT.',
  remedy: 'worker_max_tcp_connections at least worker_max_concurrency.',
  moves: ['ttft', 'request_latency'],
  configPaths: ['load.worker_max_tcp_connections'],
  source: 'gpustack PR 2324; AI-Hypercomputer/inference-benchmark PR 40',
  inConfig: {
    words: 'worker_max_tcp_connections is below worker_max_concurrency or the concurrency level.',
    check: connections,
  },
  mend: (problem, page, { config: { load } }) => {
    const needed =
      load.type === 'concurrent'
        ? Math.max(0, ...load.stages.map((stage) => stage.concurrency_level))
        : load.worker_max_concurrency;
    const workers = load.type === 'concurrent' ? Math.max(1, load.num_workers ?? 1) : 1;
    const each = Math.ceil(needed / workers);
    return fix(`A connection for every request in flight: ${each}`, page.set(problem.path, String(each)), false);
  },
};
