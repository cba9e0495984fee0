// CMP008: Warm-up is measured.
import type { LoadedConfig } from '../../config/load';
import { duration } from '../../figures';
import { statisticOf } from '../../readers/canonical';
import { minimumCountFor } from '../../sample-size';
import type { ConfigText } from '../fix';
import { type Fix, fix } from '../fix';
import { type Check, repeatsFirst, STAGES, warning } from '../in-config';
import { carriesAsMuch, LATENCIES, measuredStages, type ReportSign, said } from '../in-report';
import { type Pitfall, RATES } from '../pitfall';

const noWarmUp: Check = ({ config: { load }, warmupStages }) =>
  load.stages.length === 0 || warmupStages.size > 0 || repeatsFirst(load.stages) ? [] : [warning(STAGES)];

/** Tails vary by half between equal stages; twice is more than that. */
const COLD_RATIO = 2;

/** The first stage against the next one, at the highest percentile that both have the requests for. */
const coldStart: ReportSign = (report) => {
  if (report.scopes.some(({ warmup }) => warmup === true)) return undefined;
  const [first, second] = measuredStages(report);
  if (!first || !second || !carriesAsMuch(first, second)) return undefined;
  const fewest = Math.min(first.counts.ok ?? 0, second.counts.ok ?? 0);
  const at_ = [99, 95, 90].find((percentile) => fewest >= minimumCountFor(percentile));
  for (const id of LATENCIES) {
    const [cold, warm] = [statisticOf(first, id, `p${at_}`), statisticOf(second, id, `p${at_}`)];
    if (cold === undefined || warm === undefined || warm <= 0) continue;
    if (cold < COLD_RATIO * warm) return undefined;
    return said(
      first.id,
      `p${at_} of ${id === 'ttft' ? 'TTFT' : 'latency'} is ${duration(cold)} here and ${duration(warm)} in ${second.id}, which carries as much load or more: so does a server that is not warm yet, and this stage is measured like any other`,
    );
  }
  return undefined;
};

/** A marked stage of the first stage's load, put before it. */
function warmUp(page: ConfigText, { config }: LoadedConfig): readonly Fix[] {
  const dash = page.dash(['load', 'stages', 0]);
  const { load } = config;
  if (!dash) return [];
  const lines =
    load.type === 'concurrent'
      ? [
          `- num_requests: ${4 * load.stages[0]!.concurrency_level} # isoperf: warmup`,
          `  concurrency_level: ${load.stages[0]!.concurrency_level}`,
        ]
      : load.type === 'trace_session_replay' || load.type === 'trace_replay'
        ? undefined
        : [
            `- rate: ${load.stages[0]!.rate} # isoperf: warmup`,
            `  duration: ${Math.max(30, Math.ceil(1 / load.stages[0]!.rate))}`,
          ];
  return lines ? fix('Add a warm-up stage', [page.above(dash, lines)], false) : [];
}

export const CMP008: Pitfall = {
  code: 'CMP008',
  title: 'Warm-up is measured',
  consequence:
    'The first requests pay for compilation, cold caches and new connections. With no warm-up stage they are in the percentiles, most of all in the tails of TTFT.',
  remedy: 'Put a stage first and mark it with "# isoperf: warmup": it is sent and recorded, but not measured.',
  moves: ['ttft', 'request_latency', ...RATES],
  configPaths: ['load.stages'],
  source: 'inference-perf: inference_perf/loadgen/load_generator.py',
  inConfig: { words: 'No stage carries the warmup directive.', check: noWarmUp },
  inReport: {
    words:
      'p99 of TTFT (p95 or p90 with fewer requests) is twice as high in the first stage as in the second, which carries as much load or more, and no warm-up is declared.',
    whole: coldStart,
  },
  mend: (_problem, page, loaded) => warmUp(page, loaded),
};
