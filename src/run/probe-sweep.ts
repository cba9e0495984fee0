// The probe of a sweep: sends more than the server can take, and turns what came back into the rates of the stages.
import type { Seed } from '../config/model/lax';
import type { Client } from '../client/types';
import { stream, type StageName } from '../datagen/random';
import type { WorkloadRequest } from '../datagen/workload-request';
import { runStages, type EngineStage } from '../loadgen/engine';
import { EVENT_LOOP_LIMITED } from '../loadgen/health';
import type { PlannedLoadStage } from '../loadgen/plan';
import { rescaledExponentialOffsets } from '../loadgen/schedule';
import type { StopControl } from '../loadgen/stop';
import type { Ending } from '../loadgen/tally';
import type { WorkerPool } from '../loadgen/worker-pool';
import { estimateSaturation, FEWEST_COMPLETIONS, sweepRates } from '../loadgen/sweep';
import type { Problem, Result } from '../problem';
import type { RunManifest, StageHealth } from '../folder/manifest';

/** inference-perf's: the probe's requests are due within 5 s. */
const PROBE_SECONDS = 5;
export const PROBE_NAME: StageName = { kind: 'probe', index: 0 };

export type SweepFacts = NonNullable<RunManifest['sweep']>;

export interface SweepConfig {
  readonly type: 'linear' | 'geometric';
  readonly num_requests: number;
  readonly timeout: number;
  readonly num_stages: number;
  readonly saturation_percentile: number;
}

interface ProbeOptions {
  readonly sweep: SweepConfig;
  /** `probePlan` and its requests. */
  readonly stage: EngineStage;
  readonly client: Client;
  readonly pool: WorkerPool | undefined;
  readonly inFlightCap: number;
  readonly timeoutSeconds: number;
  readonly stop: StopControl;
}

/** Rates that were given instead of probed. */
export function pinnedSweep(type: SweepConfig['type'], rates: readonly number[], source: string): SweepFacts {
  return { type, source, ratesRps: [...rates] };
}

/** Errors: RUN045 when too few requests were answered to say anything. Warnings (RUN046) say when the rate is not the server's limit. */
export async function probeSweep(options: ProbeOptions): Promise<Result<SweepFacts>> {
  const { sweep, stage, inFlightCap } = options;
  const { requests } = stage;
  const records: Ending[] = [];
  let health: StageHealth | undefined;
  await runStages({
    stages: [stage],
    client: options.client,
    pool: options.pool,
    intervalSeconds: 0,
    timeoutSeconds: options.timeoutSeconds,
    answers: { texts: false, raw: false },
    graceSeconds: 0,
    stop: options.stop,
    zeroSeconds: performance.now() / 1000,
    onEvent: () => undefined,
    onEnded: (ended) => {
      records.push(ended);
    },
    onStageFinished: (outcome) => {
      health = outcome.health;
    },
  });
  const maxInFlight = health?.maxInFlight ?? 0;
  const answered = records.flatMap(({ outcome, sentSeconds, endSeconds }) =>
    outcome.kind === 'ok' && sentSeconds !== undefined && endSeconds !== undefined ? [{ sentSeconds, endSeconds }] : [],
  );
  const failed = records.filter(({ outcome }) => outcome.kind === 'failed').length;
  const capReached = maxInFlight >= inFlightCap;
  const estimate = estimateSaturation(answered, sweep.saturation_percentile, capReached || failed > 0);
  if (!estimate) return { ok: false, problems: [tooFew(records, answered.length, sweep)] };
  const ratesRps = sweepRates(sweep.type, estimate.rateRps, sweep.num_stages);
  const probe = {
    requests: requests.length,
    answered: answered.length,
    failed,
    offeredRps: requests.length / PROBE_SECONDS,
    maxInFlight,
    capReached,
    saturated: estimate.saturated,
    windowSeconds: estimate.windowSeconds,
    workers: health?.workers?.length ?? 1,
    ...(health?.eventLoopUse === undefined ? {} : { eventLoopUse: health.eventLoopUse }),
  };
  const facts: SweepFacts = {
    type: sweep.type,
    source: 'probe',
    saturationRps: estimate.rateRps,
    saturationPercentile: sweep.saturation_percentile,
    ratesRps,
    probe,
  };
  return { ok: true, value: facts, problems: [...remarks(facts, inFlightCap), found(facts)] };
}

/** All requests within five seconds, at exponential gaps: more than the server can take, if it is to say anything. */
export function probePlan({
  sweep,
  requests,
  inFlightCap,
  seed,
}: {
  readonly sweep: SweepConfig;
  readonly requests: readonly WorkloadRequest[];
  readonly inFlightCap: number;
  readonly seed: Seed;
}): PlannedLoadStage {
  const offsets = rescaledExponentialOffsets(requests.length, PROBE_SECONDS, stream(seed, 'arrivals', 'probe', 0));
  return {
    id: 0,
    name: PROBE_NAME,
    warmup: true,
    label: 'probe',
    count: requests.length,
    pacing: { kind: 'open', offsets, inFlightCap },
    law: 'exponential-gaps-rescaled',
    deadline: { seconds: sweep.timeout, graceSeconds: 0 },
  };
}

function tooFew(records: readonly Ending[], answered: number, { timeout }: SweepConfig): Problem {
  const failure = records.find(({ outcome }) => outcome.kind === 'failed')?.outcome;
  const example = failure?.kind === 'failed' ? ` The first failure: ${failure.label}: ${failure.message}` : '';
  return {
    code: 'RUN045',
    severity: 'error',
    path: ['load', 'sweep'],
    message: `Nothing was measured: ${answered} of the probe's ${records.length} requests were answered within ${timeout} s, and fewer than ${FEWEST_COMPLETIONS} say nothing about a rate.${example}`,
    remedy: 'Raise sweep.num_requests or sweep.timeout, or write the rates as load.stages.',
  };
}

function remarks({ probe, saturationRps }: SweepFacts, inFlightCap: number): Problem[] {
  if (!probe) return [];
  const warn = (message: string, remedy: string): Problem => ({
    code: 'RUN046',
    severity: 'warning',
    path: ['load', 'sweep'],
    message,
    remedy,
  });
  const rate = saturationRps?.toFixed(2) ?? '?';
  const use = probe.eventLoopUse ?? 0;
  const busy =
    use > EVENT_LOOP_LIMITED
      ? [
          warn(
            `The rate found, ${rate} requests/s, may be this client's: ${probe.workers === 1 ? 'its thread' : `the busiest of its ${probe.workers ?? 1} threads`} was ${(use * 100).toFixed(0)} % busy while it probed.`,
            'Lower sweep.num_requests, use a machine with more cores, or raise --workers.',
          ),
        ]
      : [];
  if (!probe.saturated) {
    return [
      ...busy,
      warn(
        `The sweep stays below the server's limit: it kept up with all ${probe.offeredRps.toFixed(1)} requests/s of the probe (${rate}/s were completed).`,
        'Raise sweep.num_requests: the probe sends a fifth of it per second.',
      ),
    ];
  }
  if (!probe.capReached) return busy;
  return [
    ...busy,
    warn(
      `The rate found, ${rate} requests/s, is what the server does with ${inFlightCap} requests in flight, which is this client's cap (num_workers x worker_max_concurrency); with more it might do more.`,
      'Raise worker_max_concurrency, or say the cap beside the result.',
    ),
  ];
}

function found({ saturationRps, ratesRps }: SweepFacts): Problem {
  return {
    code: 'RUN047',
    severity: 'information',
    path: ['load', 'sweep'],
    message: `The probe found ${saturationRps?.toFixed(2) ?? '?'} requests/s at saturation; the stages run at ${ratesRps.join(', ')} requests/s.`,
    remedy: `To repeat these rates without a probe: '# isoperf: sweep-rates=${ratesRps.join(' ')}', or --pin-sweep with this run's run.json.`,
  };
}
