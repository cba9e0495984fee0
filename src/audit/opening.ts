// A cold opening wave, seen in the requests of any tool: the first of them are slower than anything that comes after.
import { significant } from '../figures';
import { latencySeconds, ttftSeconds } from '../metrics/request-metrics';
import { openingWave, type OpeningWave } from '../metrics/steady-state';
import type { Caution } from '../pitfalls/in-report';
import type { CanonicalReport, ReportScope } from '../readers/canonical';
import type { Requests } from '../readers/records/requests';

/** In a window too short for stretches: each of the first is so many times slower than the slowest that follows. */
const FAR = 3;
const FEWEST_OPENING = 3;
const FEWEST_LATER = 10;

/** Of the first measured stage: a later one starts warm, and carries another load. */
export function openingCautions(report: CanonicalReport, requests: Requests): Caution[] {
  const times = sentTimes(requests);
  const parts = report.scopes.filter(({ kind }) => kind === 'stage' || kind === 'run');
  let from = 0;
  for (const scope of parts) {
    const total = scope.counts.total ?? (parts.length === 1 ? times.length : undefined);
    if (total === undefined) return [];
    const own = times.slice(from, from + total);
    from += total;
    if (scope.warmup !== true) return cautionOf(scope, own);
  }
  const [only] = report.scopes;
  return parts.length === 0 && only ? cautionOf(only, times) : [];
}

interface Timed {
  readonly sent: number;
  /** Undefined for a failure, which is none of the answers. */
  readonly ttft: number | undefined;
  readonly latency: number | undefined;
}

/** In the order of sending. */
function sentTimes(requests: Requests): readonly Timed[] {
  const all: Timed[] = [];
  for (let i = 0; i < requests.length; i++) {
    const row = requests.at(i);
    const failed = requests.isFailed(i);
    all.push({
      sent: row.sentSeconds ?? row.attemptedSeconds ?? Infinity,
      ttft: failed ? undefined : ttftSeconds(row),
      latency: failed ? undefined : latencySeconds(row),
    });
  }
  return requests.hasStarts ? all.sort((x, y) => x.sent - y.sent) : all;
}

function cautionOf(scope: ReportScope, times: readonly Timed[]): Caution[] {
  const answered = times.filter(({ ttft, latency }) => (ttft ?? latency) !== undefined);
  const streamed = answered.every(({ ttft }) => ttft !== undefined);
  const values = Float64Array.from(answered.flatMap(({ ttft, latency }) => (streamed ? ttft : latency) ?? []));
  const wave = openingWave(values) ?? apartFromTheRest(values);
  if (!wave) return [];
  const name = streamed ? 'TTFT' : 'latency';
  const message = `the first ${wave.requests} of ${values.length} answers have ${significant(wave.ratio)} times the mean ${name} of the rest: a cold start is in every mean, tail and rate`;
  return [{ id: 'CMP008', scope: scope.id, message, pitfall: 'CMP008' }];
}

/** Few requests of which the first stand clear of all others: under one law, the slowest come first once in very many orders. */
function apartFromTheRest(values: Float64Array): OpeningWave | undefined {
  let found: OpeningWave | undefined;
  for (let first = FEWEST_OPENING; values.length - first >= Math.max(FEWEST_LATER, first); first++) {
    const [head, rest] = [values.subarray(0, first), values.subarray(first)];
    if (Math.min(...head) <= FAR * Math.max(...rest)) continue;
    const mean = (part: Float64Array): number => part.reduce((sum, value) => sum + value, 0) / part.length;
    found = { requests: first, ratio: mean(head) / mean(rest) };
  }
  return found;
}
