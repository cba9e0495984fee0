// The stages table of a report: one row per stage, every figure with what it is and how much it can carry.
import { isSuccess, type CountSource } from '../../metrics/request-metrics';
import { printedIn, QUANTITIES } from '../../metrics/quantities';
import type { Measure } from '../../readers/canonical';
import { quantileKey } from '../../readers/readers/values';
import { minimumCountFor } from '../../sample-size';
import { counted, NOTHING, percent, significant, span, whole } from '../../figures';
import {
  countingOf,
  perRequest,
  shownLatencies,
  SHOWN_PERCENTILES,
  reportedIn,
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
  // With one measured stage, that and "all measured" are the same numbers twice; a file without a summary has no such row.
  const measured = scopes.filter((scope) => scope.stage !== undefined && !scope.warmup);
  const shown = scopes.filter((scope) => scope.stage !== undefined || (measured.length !== 1 && hasNumbers(scope)));
  const latencies = shownLatencies(run, shown);
  const largest = Math.max(...shown.map(longest));
  const groups: ColumnGroup[] = [
    { id: 'load', label: 'Load', unit: 'requests/s', columns: ['offered', 'achieved'] },
    { id: 'requests', label: 'Requests', columns: ['n', 'failed'] },
    ...latencies.map((id) => ({
      id,
      label: QUANTITIES[id].label,
      unit: printedIn(QUANTITIES[id], largest).unit,
      columns: SHOWN_PERCENTILES.map((value) => `p${value}`),
    })),
    { id: 'tokens', label: 'Tokens/s', columns: ['in', 'out'] },
    { id: 'schedule_delay', label: QUANTITIES.schedule_delay.label, unit: 'ms', columns: ['p95'] },
  ];
  return { groups, rows: shown.map((scope) => row(run, scope, counting, latencies, largest)) };
}

function hasNumbers({ report, records }: Scope): boolean {
  if (records !== undefined && records.length > 0) return true;
  return report !== undefined && (report.measures.length > 0 || report.counts.ok !== undefined);
}

function longest(scope: Scope): number {
  const stats = reportedIn(scope, 'e2e')?.stats;
  return Math.max(0, ...SHOWN_PERCENTILES.map((value) => stats?.[quantileKey(value)] ?? 0));
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
  const load = scope.report?.load;
  const concurrency = scope.manifest?.requestedConcurrency ?? load?.concurrency;
  const rate = scope.manifest?.requestedRateRps ?? load?.requestedRateRps;
  const achieved = scope.manifest?.achievedRateRps ?? reportedIn(scope, 'sends_per_sec')?.stats['value'];
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
  // Without a report of a stage that has records, there are none of it.
  const { ok, failed } = scope.report?.counts ?? (scope.records ? { ok: 0, failed: 0 } : {});
  const others = scope.records?.filter((r) => r.outcome.kind === 'cancelled' || r.outcome.kind === 'notSent').length;
  const lost = others === undefined || others === 0 ? '' : `, and ${whole(others)} cancelled or not sent`;
  return [
    ok === undefined
      ? absent('Answered in full: not in the file')
      : {
          text: whole(ok),
          note: `Answered in full: ${counted(ok, 'request')}; every latency is over these (${scope.source})`,
        },
    failed === undefined
      ? absent('Failed: failures are not counted in the file')
      : {
          text: whole(failed),
          note: `Failed: ${counted(failed, 'request')}${shareOf(failed, ok)}${lost} (${scope.source})`,
        },
  ];
}

function absent(note: string): Figure {
  return { text: NOTHING, note, weak: true };
}

function shareOf(failed: number, ok: number | undefined): string {
  if (ok === undefined) return '';
  return `, ${percent(ok + failed === 0 ? 0 : failed / (ok + failed))} of those that ended`;
}

function latencyCells(scope: Scope, latency: Latency, counting: Counting, largest: number): Figure[] {
  const { label, words } = QUANTITIES[latency];
  const { factor } = printedIn(QUANTITIES[latency], largest);
  const measure = reportedIn(scope, latency);
  const remark = scope.report?.remarks?.[latency];
  if (!measure) {
    return SHOWN_PERCENTILES.map(() =>
      absent(`${label} was not measured: ${scope.report?.unmeasured?.[latency] ?? 'not in the report'}`),
    );
  }
  const n = sampleSize(scope, latency, counting);
  const window = windowOf(scope);
  const other = [...(remark === undefined ? [] : [remark]), ...differences(measure)]
    .map((words) => `; ${words}`)
    .join('');
  return SHOWN_PERCENTILES.map((value) => {
    const seconds = measure.stats[quantileKey(value)];
    if (seconds === undefined) return absent(`${label} p${value} is not in ${scope.source}`);
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

/** How a tool's number differs from inference-perf's of the same name. */
function differences({ quantity, definition: { weighting, anchor, end, percentiles } }: Measure): readonly string[] {
  return [
    ...(weighting === 'tokens' ? ['its mean is weighted by tokens'] : []),
    ...(quantity === 'ttft' && anchor === 'first-chunk' ? ['the first chunk counts, be it empty'] : []),
    ...(quantity === 'e2e' && end === 'last-token' ? ['it ends at the last token, not at the end of the stream'] : []),
    ...(percentiles === 'weighted-rank' || percentiles === 'nearest-rank'
      ? ['percentiles are by rank, not interpolated']
      : []),
  ];
}

/** " in 50 s", where the window is known. */
function windowOf({ report }: Scope): string {
  return report?.windowSeconds ? ` in ${span(report.windowSeconds.value)}` : '';
}

function sampleSize(scope: Scope, latency: Latency, counting: Counting): number {
  if (!scope.records || scope.records.length === 0) return scope.report?.counts.ok ?? 0;
  return scope.records.filter((r) => isSuccess(r) && perRequest(r, latency, counting) !== undefined).length;
}

function whatCounts(latency: Latency, counting: Counting): string {
  if (latency === 'tpot') return `, ${counterWords(counting, 'output')}`;
  if (latency === 'token_gap')
    return counting.itl === 'tokens' ? ', token by token' : ', between chunks as they arrived';
  return '';
}

function tokenCells(scope: Scope, counting: Counting): Figure[] {
  return (['input', 'output'] as const).map((what): Figure => {
    const id = `${what}_tokens_per_sec` as const;
    const value = reportedIn(scope, id)?.stats['value'];
    if (value === undefined) return absent(`${what} tokens/s: ${scope.report?.unmeasured?.[id] ?? 'not measured'}`);
    const by = counterWords(counting, what);
    return figure(
      value,
      `${what} tokens of the answered requests over the window${windowOf(scope)}, ${by} (${scope.source})`,
    );
  });
}

function lagCell(run: Run, scope: Scope): Figure {
  const health = run.manifest?.health.find((entry) => entry.stage === scope.stage);
  const seconds = reportedIn(scope, 'schedule_delay')?.stats['p95'] ?? health?.scheduleDelay?.p95;
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
