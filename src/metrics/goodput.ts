// Goodput as inference-perf defines it: answers that kept every limit (reference inference-perf.md section 5.5).
import type { RequestRecord } from './record';
import {
  inputTokens,
  itlGapsSeconds,
  latencySeconds,
  ntpotSeconds,
  outputTokens,
  tpotSeconds,
  ttftSeconds,
  type CountSource,
  type ItlBasis,
} from './request-metrics';
import { mean } from './statistics';

/** Names a limit may have; all limits are seconds. */
export const GOODPUT_LIMITS = ['ttft', 'tpot', 'itl', 'ntpot', 'request_latency'] as const;
export type GoodputLimit = (typeof GOODPUT_LIMITS)[number];

interface Sources {
  readonly output: CountSource;
  readonly input: CountSource;
  readonly itl: ItlBasis;
}

/**
 * Takes successes one by one: good means every limit holds with `<=`, and a metric that was not measured fails its limit.
 * `itl` is the request's mean gap. Rates are over max(end) - min(sent) of the successes. Failures are not in the
 * denominator, as upstream (its pitfall P66). `token_goodput` is left out when nobody counted tokens.
 */
export class Goodput {
  private readonly applied: readonly GoodputLimit[];
  private readonly met: number[];
  private successes = 0;
  private good = 0;
  private tokens = 0;
  private uncounted = 0;
  private firstSent = Infinity;
  private lastEnd = -Infinity;

  constructor(
    private readonly limits: Readonly<Record<string, number>>,
    private readonly sources: Sources,
  ) {
    this.applied = GOODPUT_LIMITS.filter((metric) => limits[metric] !== undefined);
    this.met = this.applied.map(() => 0);
  }

  add(record: RequestRecord): void {
    this.successes++;
    if (record.sentSeconds !== undefined) this.firstSent = Math.min(this.firstSent, record.sentSeconds);
    if (record.endSeconds !== undefined) this.lastEnd = Math.max(this.lastEnd, record.endSeconds);
    let isGood = true;
    for (const [index, metric] of this.applied.entries()) {
      const value = limitedSeconds(record, metric, this.sources);
      if (value !== undefined && value <= this.limits[metric]!) this.met[index]!++;
      else isGood = false;
    }
    if (!isGood) return;
    this.good++;
    const input = inputTokens(record, this.sources.input);
    const output = outputTokens(record, this.sources.output);
    if (input === undefined || output === undefined) this.uncounted++;
    else this.tokens += input + output;
  }

  report(): Readonly<Record<string, number>> {
    const windowSeconds = Math.max(0, this.lastEnd - this.firstSent);
    const perSecond = (total: number): number => (windowSeconds > 0 ? total / windowSeconds : 0);
    const share = (count: number): number => (this.successes > 0 ? (count / this.successes) * 100 : 0);
    return {
      goodput_percentage: share(this.good),
      request_goodput: perSecond(this.good),
      ...(this.uncounted === 0 ? { token_goodput: perSecond(this.tokens) } : {}),
      good_requests: this.good,
      total_requests: this.successes,
      ...Object.fromEntries(
        this.applied.map((metric, index) => [`${metric}_attainment_percentage`, share(this.met[index]!)]),
      ),
    };
  }
}

/** What a limit is held against, of one answer; undefined where it was not measured, which keeps no limit. */
export function limitedSeconds(
  record: RequestRecord,
  metric: GoodputLimit,
  { output, itl }: Pick<Sources, 'output' | 'itl'>,
): number | undefined {
  switch (metric) {
    case 'ttft':
      return ttftSeconds(record);
    case 'tpot':
      return tpotSeconds(record, output);
    case 'ntpot':
      return ntpotSeconds(record, output);
    case 'request_latency':
      return latencySeconds(record);
    case 'itl': {
      const gaps = itlGapsSeconds(record, itl);
      return gaps.length > 0 ? mean(gaps) : undefined;
    }
  }
}
