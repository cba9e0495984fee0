// The stages table of a report: one row per stage, every figure with what it is and how much it can carry.
import { isSuccess, type CountSource } from '../../metrics/request-metrics';
import { printedIn, QUANTITIES } from '../../metrics/quantities';
import { percentileKey } from '../../metrics/statistics';
import { minimumCountFor } from '../../sample-size';
import { counted, NOTHING, percent, significant, span, whole } from '../../figures';
import {
  countingOf,
  perRequest,
  shownLatencies,
  SHOWN_PERCENTILES,
  statOf,
  type Latency,
  type Scope,
} from '../../readers/scopes';
import type { Counting, Run } from '../../readers/run';
import type { ColumnGroup, Figure, StageRow, StageTable } from './model';

const SOURCE_WORDS: Readonly<Record<CountSource, string>> = {
  'server-usage': 'tokens counted by the server (usage)',
  'client-tokenizer': "tokens counted by the client's tokenizer",
  'server-tokenizer': "tokens counted by the server's own tokenizer, asked after the run",
  mixed: "tokens counted by the server where it did, by the client's tokenizer elsewhere",
  'not-counted': 'tokens not counted',
};

function counterWords(counting: Counting, which: 'input' | 'output'): string {
  if (which === 'output' && counting.outputElseAsked) {
    return 'tokens counted by the server where it did, the length asked for elsewhere';
  }
  return SOURCE_WORDS[counting[which]];
}

export function stageTable(run: Run, scopes: readonly Scope[]): StageTable {
  const counting = countingOf(run);
  // With one measured stage, that and "all measured" are the same numbers twice.
  const measured = scopes.filter((scope) => scope.stage !== undefined && !scope.warmup);
  const shown = measured.length === 1 ? scopes.filter((scope) => scope.stage !== undefined) : scopes;
  const latencies = shownLatencies(run, shown);
  const largest = Math.max(...shown.map(longest));
  const groups: ColumnGroup[] = [
    { label: 'Load', unit: 'requests/s', columns: ['offered', 'achieved'] },
    { label: 'Requests', columns: ['n', 'failed'] },
    ...latencies.map((id) => ({
      label: QUANTITIES[id].label,
      unit: printedIn(QUANTITIES[id], largest).unit,
      columns: SHOWN_PERCENTILES.map((value) => `p${value}`),
    })),
    { label: 'Tokens/s', columns: ['in', 'out'] },
    { label: QUANTITIES.schedule_delay.label, unit: 'ms', columns: ['p95'] },
  ];
  return { groups, rows: shown.map((scope) => row(run, scope, counting, latencies, largest)) };
}

function longest(scope: Scope): number {
  const stat = scope.report?.successes.latency.request_latency;
  return Math.max(0, ...SHOWN_PERCENTILES.map((value) => stat?.[percentileKey(value)] ?? 0));
}

function row(run: Run, scope: Scope, counting: Counting, latencies: readonly Latency[], largest: number): StageRow {
  return {
    ...(scope.stage === undefined ? {} : { stage: scope.stage }),
    label: scope.stage === undefined ? scope.label : `${scope.stage}: ${scope.label}`,
    warmup: scope.warmup,
    cells: [
      ...loadCells(scope),
      ...countCells(scope),
      ...latencies.flatMap((entry) => latencyCells(scope, entry, counting, largest)),
      ...tokenCells(scope, counting),
      lagCell(run, scope),
    ],
  };
}

function loadCells(scope: Scope): Figure[] {
  const summary = scope.report?.load_summary;
  const concurrency = scope.manifest?.requestedConcurrency ?? summary?.concurrency;
  const rate = scope.manifest?.requestedRateRps ?? summary?.requested_rate;
  const achieved = scope.manifest?.achievedRateRps ?? summary?.achieved_rate;
  const offered: Figure =
    rate !== undefined
      ? figure(rate, `Offered rate: what the config asks for (${scope.manifest ? 'run.json' : scope.source})`)
      : concurrency !== undefined
        ? { text: 'closed', note: `A closed loop of ${concurrency} requests in flight offers no rate of its own` }
        : { text: NOTHING, note: 'Stages of different rates have no offered rate together' };
  return [
    offered,
    achieved === undefined
      ? { text: NOTHING, note: 'Achieved rate: not recorded' }
      : figure(
          achieved,
          `Achieved rate: requests sent over the time from the first to the last send (${scope.source})`,
        ),
  ];
}

function countCells(scope: Scope): Figure[] {
  const missing = scope.report?.isoperf?.not_measured;
  const absent = (what: string, key: string): Figure | undefined =>
    missing?.[key] === undefined ? undefined : { text: NOTHING, note: `${what}: ${missing[key]}`, weak: true };
  const ok = scope.report?.successes.count ?? 0;
  const failed = scope.report?.failures.count ?? 0;
  const others = scope.records?.filter((r) => r.outcome.kind === 'cancelled' || r.outcome.kind === 'notSent').length;
  const lost = others === undefined || others === 0 ? '' : `, and ${whole(others)} cancelled or not sent`;
  return [
    absent('Answered in full', 'successes.count') ?? {
      text: whole(ok),
      note: `Answered in full: ${counted(ok, 'request')}; every latency is over these (${scope.source})`,
    },
    absent('Failed', 'failures.count') ?? {
      text: whole(failed),
      note: `Failed: ${counted(failed, 'request')}, ${percent(ok + failed === 0 ? 0 : failed / (ok + failed))} of those that ended${lost} (${scope.source})`,
    },
  ];
}

function latencyCells(scope: Scope, latency: Latency, counting: Counting, largest: number): Figure[] {
  const { label, words } = QUANTITIES[latency];
  const { factor } = printedIn(QUANTITIES[latency], largest);
  const { stat, key } = statOf(scope, latency, counting);
  if (stat === null) {
    const reason = scope.report?.isoperf?.not_measured[key] ?? 'not in the report';
    return SHOWN_PERCENTILES.map(() => ({ text: NOTHING, note: `${label} was not measured: ${reason}`, weak: true }));
  }
  const n = sampleSize(scope, latency, counting);
  const window = windowOf(scope);
  const differs = scope.report?.isoperf?.differs_from_inference_perf?.[key];
  const other = differs === undefined ? '' : `; ${differs}`;
  return SHOWN_PERCENTILES.map((value) => {
    const seconds = stat[percentileKey(value)];
    if (seconds === undefined)
      return { text: NOTHING, note: `${label} p${value} is not in ${scope.source}`, weak: true };
    const need = minimumCountFor(value);
    const basis = whatCounts(latency, counting);
    const about = `${label} p${value}: ${words}${basis}${other}; n = ${whole(n)} requests${window} (${scope.source})`;
    const shown = figure(seconds * factor, about);
    if (n >= need) return shown;
    return {
      ...shown,
      weak: true,
      note: `Too few: p${value} needs ${need} requests to mean something, there are ${whole(n)}. ${about}`,
    };
  });
}

/** " in 50 s", where the window is known. */
function windowOf({ report }: Scope): string {
  const seconds = report?.benchmark_time_seconds ?? 0;
  return seconds > 0 ? ` in ${span(seconds)}` : '';
}

function sampleSize(scope: Scope, latency: Latency, counting: Counting): number {
  if (!scope.records || scope.records.length === 0) return scope.report?.successes.count ?? 0;
  return scope.records.filter((r) => isSuccess(r) && perRequest(r, latency, counting) !== undefined).length;
}

function whatCounts(latency: Latency, counting: Counting): string {
  if (latency === 'tpot') return `, ${counterWords(counting, 'output')}`;
  if (latency === 'token_gap')
    return counting.itl === 'tokens' ? ', token by token' : ', between chunks as they arrived';
  return '';
}

function tokenCells(scope: Scope, counting: Counting): Figure[] {
  const throughput = scope.report?.successes.throughput;
  const missing = scope.report?.isoperf?.not_measured;
  const cell = (value: number | null | undefined, what: 'input' | 'output'): Figure =>
    value === null || value === undefined
      ? {
          text: NOTHING,
          note: `${what} tokens/s: ${missing?.[`successes.throughput.${what}_tokens_per_sec`] ?? 'not measured'}`,
          weak: true,
        }
      : figure(
          value,
          `${what} tokens of the answered requests over the window${windowOf(scope)}, ${counterWords(counting, what)} (${scope.source})`,
        );
  return [cell(throughput?.input_tokens_per_sec, 'input'), cell(throughput?.output_tokens_per_sec, 'output')];
}

function lagCell(run: Run, scope: Scope): Figure {
  const health = run.manifest?.health.find((entry) => entry.stage === scope.stage);
  const seconds = scope.report?.load_summary.schedule_delay?.['p95'] ?? health?.scheduleDelay?.p95;
  if (seconds === undefined) return { text: NOTHING, note: 'The schedule delay was not recorded' };
  const verdict = health && health.verdict !== 'ok' ? `. ${health.reasons.join('; ')}` : '';
  return {
    ...figure(
      seconds * 1000,
      `${QUANTITIES.schedule_delay.label} p95: ${QUANTITIES.schedule_delay.words}, what latencies leave out (${scope.source})${verdict}`,
    ),
    ...(verdict === '' ? {} : { weak: true }),
  };
}

function figure(value: number, note: string): Figure {
  return { text: significant(value), note };
}
