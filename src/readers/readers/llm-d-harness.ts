// What the latency names of a Benchmark Report mean, by the tool that measured them (reference peers.md sections 2 and 4.9).
import type { Definition, QuantityId } from '../canonical';

export interface Harness {
  readonly tool: string;
  readonly known: boolean;
  readonly latencies: readonly {
    readonly quantity: QuantityId;
    readonly key: string;
    readonly definition: Definition;
  }[];
}

const SEND = { start: 'send', weighting: 'requests' } as const satisfies Definition;
const SAME: Harness['latencies'] = [
  { quantity: 'ttft', key: 'time_to_first_token', definition: SEND },
  { quantity: 'e2e', key: 'request_latency', definition: SEND },
];
const TPOT: Harness['latencies'][number] = {
  quantity: 'tpot',
  key: 'time_per_output_token',
  definition: { ...SEND, end: 'last-token' },
};
const NTPOT: Harness['latencies'][number] = {
  quantity: 'ntpot',
  key: 'normalized_time_per_output_token',
  definition: { ...SEND, end: 'stream-end' },
};

const gap = (quantity: 'token_gap' | 'chunk_gap'): Harness['latencies'][number] => ({
  quantity,
  key: 'inter_token_latency',
  definition: { weighting: 'gaps' },
});

/** @param tool as the report names it, e.g. `inference-perf`, `vllm-benchmark` */
export function harnessOf(tool: string | undefined): Harness {
  const name = (tool ?? '').toLowerCase();
  if (name.includes('inference-perf')) {
    return { tool: 'inference-perf', known: true, latencies: [...SAME, TPOT, NTPOT, gap('token_gap')] };
  }
  if (
    name.includes('vllm') ||
    name.includes('inferencemax') ||
    name.includes('inferencex') ||
    name.includes('sglang')
  ) {
    return { tool: tool!, known: true, latencies: [...SAME, TPOT, gap('chunk_gap')] };
  }
  if (name.includes('guidellm')) {
    const weighted = { ...SEND, weighting: 'tokens' } as const;
    return {
      tool: 'guidellm',
      known: true,
      latencies: [
        ...SAME,
        { quantity: 'ntpot', key: 'time_per_output_token', definition: weighted },
        { quantity: 'tpot', key: 'inter_token_latency', definition: weighted },
      ],
    };
  }
  if (name.includes('aiperf') || name.includes('genai-perf')) {
    return {
      tool: tool!,
      known: true,
      latencies: [
        ...SAME,
        { quantity: 'tpot', key: 'inter_token_latency', definition: { ...SEND, end: 'last-token' } },
      ],
    };
  }
  if (name.includes('isoperf')) {
    return { tool: 'isoperf', known: true, latencies: [...SAME, TPOT, NTPOT, gap('token_gap')] };
  }
  return { tool: tool ?? 'not recorded', known: false, latencies: [...SAME, NTPOT] };
}
