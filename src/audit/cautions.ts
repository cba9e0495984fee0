// What a reader must know about a scope although its arithmetic is sound.
import { minimumCountFor } from '../sample-size';
import { measureOf, statisticOf, type CanonicalReport, type ReportScope } from '../readers/canonical';
import { duration, percent, significant, whole } from '../figures';
import type { Caution } from './identity';
import { at, numberAt, textAt } from '../readers/readers/values';

const LATENCIES = ['ttft', 'tpot', 'e2e', 'ntpot'] as const;

export function cautionsOf(scope: ReportScope, report: CanonicalReport): Caution[] {
  return [
    ...fewRequests(scope),
    ...lateClient(scope),
    ...failures(scope),
    ...emptyAnswers(scope),
    ...askedLength(scope, report),
    ...goodput(scope),
    ...server(scope),
    ...timeouts(scope, report),
  ];
}

/** The highest percentile shown against the count that a 95 % bound on it needs. */
function fewRequests(scope: ReportScope): Caution[] {
  const n = scope.counts.ok;
  if (n === undefined) return [];
  const shown = new Set<number>();
  for (const id of LATENCIES) {
    for (const key of Object.keys(measureOf(scope, id)?.stats ?? {})) {
      const match = /^p(\d+(?:\.\d+)?)$/.exec(key);
      if (match && Number(match[1]) >= 50) shown.add(Number(match[1]));
    }
  }
  const weak = [...shown].sort((a, b) => a - b).filter((p) => n < minimumCountFor(p));
  const first = weak[0];
  if (first === undefined) return [];
  const names = weak.map((p) => `p${p}`).join(', ');
  return [
    {
      id: 'few-requests',
      scope: scope.id,
      message: `${whole(n)} answers are too few for ${names}: p${first} needs ${whole(minimumCountFor(first))} for a bound with 95 % confidence`,
      pitfall: 'CMP012',
    },
  ];
}

function lateClient(scope: ReportScope): Caution[] {
  const delay = measureOf(scope, 'schedule_delay')?.stats;
  const mean = delay?.['mean'];
  if (mean === undefined || scope.load.model === 'closed') return [];
  const p99 = delay?.['p99'];
  // Reference P3: over 10 ms in the median, or over a second at p99; without percentiles the mean has to do.
  if (mean < 0.05 && !((delay?.['p50'] ?? 0) > 0.01) && !((p99 ?? 0) > 1)) return [];
  return [
    {
      id: 'late-client',
      scope: scope.id,
      message: `requests were sent ${duration(mean)} late on average${p99 === undefined ? '' : `, p99 ${duration(p99)}`}: no latency contains that wait`,
      pitfall: 'CMP003',
    },
  ];
}

function failures(scope: ReportScope): Caution[] {
  const { failed, total, ok } = scope.counts;
  if (failed === undefined || total === undefined || total === 0 || failed / total <= 0.01) return [];
  const none = failed >= total || ok === 0;
  const how =
    failed >= total
      ? `${total === 1 ? 'the only request' : `all ${whole(total)} requests`} failed`
      : `${whole(failed)} of ${whole(total)} requests failed (${percent(failed / total)})`;
  return [
    {
      id: 'failures',
      scope: scope.id,
      message: none
        ? `${how}${failed >= total ? '' : ' and none succeeded'}: there is no answer that a latency, a length or a rate could be of`
        : `${how}: latencies are those of the survivors`,
      pitfall: 'CMP065',
    },
  ];
}

function emptyAnswers(scope: ReportScope): Caution[] {
  const ntpot = measureOf(scope, 'ntpot');
  if (ntpot?.stats['min'] !== 0) return [];
  return [
    {
      id: 'empty-answers',
      scope: scope.id,
      message: 'some answers had no token that was counted: each is an NTPOT of 0, and the mean is too small',
      pitfall: 'CMP061',
    },
  ];
}

/** A fixed length was asked for, the end of sequence ignored, and the client counts another one: it is the counter. */
function askedLength(scope: ReportScope, report: CanonicalReport): Caution[] {
  const config = report.config;
  if (scope.kind === 'summary' || at(config, 'server', 'ignore_eos') === false) return [];
  const fixed =
    textAt(config, 'data', 'type') === 'shared_prefix'
      ? numberAt(config, 'data', 'shared_prefix', 'output_len')
      : undefined;
  const output = measureOf(scope, 'output_tokens');
  const mean = output?.stats['mean'];
  if (fixed === undefined || mean === undefined || Math.abs(mean - fixed) / fixed < 0.01) return [];
  const again = output?.definition.tokens === 'client';
  const why = again
    ? 'the client tokenized the text again'
    : mean > fixed
      ? 'no server may send more than it was asked for, so the count or the file is wrong'
      : 'the server stopped early';
  return [
    {
      id: 'asked-length',
      scope: scope.id,
      message: `${significant(fixed)} output tokens were asked for with ignore_eos, ${significant(mean)} were counted on average (${percent((mean - fixed) / fixed)}): ${why}`,
      pitfall: again || mean > fixed ? 'CMP058' : 'CMP036',
    },
  ];
}

function goodput(scope: ReportScope): Caution[] {
  const { failed, ok } = scope.counts;
  const share = scope.goodput?.stats['goodput_percentage'];
  const good = scope.goodput?.stats['good_requests'];
  // Of no success there is no share.
  if (share === undefined || failed === undefined || ok === undefined || failed === 0 || ok === 0) return [];
  const all = ok + failed;
  const honest = good === undefined ? (share * ok) / all : (good / all) * 100;
  return [
    {
      id: 'goodput',
      scope: scope.id,
      message: `goodput is ${significant(share)} % of the successes, and ${significant(honest)} % when the ${whole(failed)} failures count`,
      pitfall: 'CMP066',
    },
  ];
}

function server(scope: ReportScope): Caution[] {
  const telemetry = scope.server;
  if (!telemetry) return [];
  const served = (scope.counts.ok ?? 0) > 0;
  return [
    ...(served && telemetry.zeros.length > 0
      ? [
          {
            id: 'zeros' as const,
            scope: scope.id,
            message: `${telemetry.file} says 0 for ${telemetry.zeros.join(', ')}: a metric that is missing or renamed is written as 0, so read it as no data`,
            pitfall: 'CMP072',
          },
        ]
      : []),
    ...(telemetry.misnamed.length > 0
      ? [
          {
            id: 'misnamed' as const,
            scope: scope.id,
            message: `${telemetry.file}: ${telemetry.misnamed.join('; ')}`,
            pitfall: 'CMP073',
          },
        ]
      : []),
  ];
}

function timeouts(scope: ReportScope, report: CanonicalReport): Caution[] {
  // Written, it is a choice; only the silent default surprises.
  if ((numberAt(report.config, 'load', 'request_timeout') ?? 0) > 0) return [];
  const longest = statisticOf(scope, 'failed_latency', 'max');
  if (longest === undefined || Math.abs(longest - 300) > 3) return [];
  return [
    {
      id: 'timeout',
      scope: scope.id,
      message: 'the longest failure took 300 s: requests ended at the client’s default timeout',
      pitfall: 'CMP064',
    },
  ];
}
