// The charts of one run that need its requests: distributions, latency over time, errors over time, lengths.
import { printedIn, QUANTITIES, spokenLabel } from '../../metrics/quantities';
import type { RequestRecord } from '../../metrics/record';
import { inputTokens, isSuccess, outputTokens } from '../../metrics/request-metrics';
import { ecdf, medianLine, percentilesOf, thinned, timeBins, type Points } from './curves';
import { counted, duration, NOTHING, percent, significant, whole } from '../../figures';
import type { Counting, Run } from '../../readers/run';
import { countingOf, perRequest, shownLatencies, valuesOf, type Latency, type Scope } from '../../readers/scopes';
import type { ChartBand, ChartGroup, ChartSeries, ChartView } from './model';

const TABLE_PERCENTS = [1, 5, 10, 25, 50, 75, 90, 95, 99, 100] as const;

/** What happens in a run, in the words of its latency. */
const EVENTS: Readonly<Record<Latency, string>> = {
  ttft: 'of the requests had their first token within',
  ttfc: 'of the requests showed their first content within',
  tpot: 'of the requests took at most, per output token,',
  token_gap: 'of the gaps between tokens were at most',
  chunk_gap: 'of the gaps between chunks were at most',
  e2e: 'of the requests were answered within',
};

export function distributions(run: Run, stages: readonly Scope[]): ChartGroup {
  const counting = countingOf(run);
  const measured = stages.filter((scope) => !scope.warmup);
  return {
    id: 'distributions',
    title: 'Distribution',
    choices: shownLatencies(run, stages).map((id) => distribution(measured, id, counting)),
  };
}

function distribution(stages: readonly Scope[], latency: Latency, counting: Counting): ChartView {
  const { label } = QUANTITIES[latency];
  const lists = stages.map((scope) => valuesOf(scope.records ?? [], latency, counting));
  const all = lists.flat();
  const [p50, p95, p99] = percentilesOf(all, [50, 95, 99]);
  const { unit, factor } = printedIn(QUANTITIES[latency], p99 ?? 0);
  const series = stages.flatMap((scope, index): ChartSeries[] => {
    const values = lists[index]!;
    if (values.length === 0) return [];
    const curve = ecdf(values.map((value) => value * factor));
    return [{ name: stageName(scope), tone: index, ...ofStage(scope), draw: 'steps', x: curve.x, y: curve.y }];
  });
  const what = isGap(latency) ? 'gap' : 'request';
  return {
    label,
    sentence:
      p50 === undefined || p95 === undefined || p99 === undefined
        ? `${label} was not measured for any request.`
        : `Half ${EVENTS[latency]} ${duration(p50)}, 95 % within ${duration(p95)}, 99 % within ${duration(p99)} (${counted(all.length, what)}).`,
    x: { label: `${label}, ${unit}`, min: 0 },
    y: { label: `% of ${what}s`, min: 0, max: 100 },
    series,
    bands: [],
    table: {
      head: [`${label}, ${unit}`, ...TABLE_PERCENTS.map((value) => (value === 100 ? 'max' : `p${value}`)), 'n'],
      rows: stages.map((scope, index) => [
        stageName(scope),
        ...cells(percentilesOf(lists[index]!, TABLE_PERCENTS), factor),
        whole(lists[index]!.length),
      ]),
    },
  };
}

function isGap(latency: Latency): boolean {
  return latency === 'token_gap' || latency === 'chunk_gap';
}

function cells(values: readonly number[], factor: number): readonly string[] {
  return TABLE_PERCENTS.map((_, index) =>
    values[index] === undefined ? NOTHING : significant(values[index] * factor),
  );
}

const TIMELINE_ORDER: readonly Latency[] = ['e2e', 'ttft', 'ttfc', 'token_gap', 'chunk_gap', 'tpot'];

export function overTime(run: Run, stages: readonly Scope[]): ChartGroup {
  const counting = countingOf(run);
  const shown = [...shownLatencies(run, stages)].sort((a, b) => TIMELINE_ORDER.indexOf(a) - TIMELINE_ORDER.indexOf(b));
  return {
    id: 'over-time',
    title: 'Latency over time',
    choices: shown.map((id) => timeline(stages, id, counting)),
  };
}

function timeline(stages: readonly Scope[], latency: Latency, counting: Counting): ChartView {
  const { label } = QUANTITIES[latency];
  const spoken = spokenLabel(QUANTITIES[latency]);
  const name = isGap(latency) ? `mean ${spoken} of a request` : spoken;
  const points = sentPoints(stages, (record) =>
    isSuccess(record) ? perRequest(record, latency, counting) : undefined,
  );
  const { unit, factor } = printedIn(QUANTITIES[latency], percentilesOf(points.y, [99])[0] ?? 0);
  const scaled: Points = { x: points.x, y: points.y.map((value) => value * factor) };
  const end = endOf(stages);
  const bins = timeBins(scaled, 0, end);
  const line = medianLine(bins);
  const drawn = thinned(scaled);
  const series: ChartSeries[] = [
    { name: 'one request', tone: 'sample', draw: 'points', x: drawn.x, y: drawn.y },
    { name: 'median', tone: 'p95', draw: 'line', x: line.x, y: line.y },
  ];
  return {
    label,
    sentence: driftSentence(points, name),
    x: { label: 'seconds of the run, when sent', min: 0, max: end },
    y: { label: `${isGap(latency) ? name : label}, ${unit}` },
    series: points.x.length === 0 ? [] : series,
    bands: bandsOf(stages),
    table: {
      head: ['Seconds', 'Requests', `Median ${label}, ${unit}`, `p95, ${unit}`, `Max, ${unit}`],
      rows: bins.map((bin) => {
        const [p50, p95, max] = percentilesOf(bin.values, [50, 95, 100]);
        return [`${bin.from} to ${bin.to}`, whole(bin.values.length), shown(p50), shown(p95), shown(max)];
      }),
    },
  };
}

function driftSentence(points: Points, name: string): string {
  const n = points.x.length;
  if (n === 0) return `${name[0]!.toUpperCase()}${name.slice(1)} was not measured for any request.`;
  const third = Math.floor(n / 3);
  const order = points.x.map((_, index) => index).sort((a, b) => points.x[a]! - points.x[b]!);
  const at = (from: number, to: number): number | undefined =>
    percentilesOf(
      order.slice(from, to).map((index) => points.y[index]!),
      [50],
    )[0];
  const [early, late, all] = [at(0, third), at(n - third, n), at(0, n)];
  const largest = points.y.reduce((max, value) => Math.max(max, value), 0);
  const slowest = points.x[points.y.indexOf(largest)]!;
  const peak = `the slowest took ${duration(largest)}, sent at ${significant(slowest)} s`;
  if (early === undefined || late === undefined || early === 0) return `Median ${name} ${duration(all!)}; ${peak}.`;
  const drift = (late - early) / early;
  const moved = Math.abs(drift) < 0.05 ? 'stays level' : drift > 0 ? 'rises' : 'falls';
  return `Median ${name} ${moved} over the run: ${duration(early)} in the first third of the requests, ${duration(late)} in the last; ${peak}.`;
}

export function errorsOverTime(stages: readonly Scope[]): ChartGroup {
  const records = stages.flatMap((scope) => scope.records ?? []);
  const failures = new Map<string, { x: number[]; y: number[] }>();
  for (const record of records) {
    if (record.outcome.kind !== 'failed') continue;
    const at = record.endSeconds ?? record.sentSeconds ?? record.scheduledSeconds;
    const points = failures.get(record.outcome.label) ?? { x: [], y: [] };
    points.x.push(at);
    points.y.push(1);
    failures.set(record.outcome.label, points);
  }
  const labels = [...failures].sort((a, b) => b[1].x.length - a[1].x.length);
  const total = labels.reduce((sum, [, points]) => sum + points.x.length, 0);
  const binned = labels.map(([label, points]) => ({ label, bins: timeBins(points, 0, endOf(stages)) }));
  const names = binned[0]?.bins.map((bin) => String(bin.from)) ?? [];
  const biggest = labels[0];
  const view: ChartView = {
    label: 'failed requests',
    sentence:
      biggest === undefined
        ? 'No request failed.'
        : `${counted(total, 'request')} failed, ${percent(total / records.length)} of ${whole(records.length)}; most often: ${biggest[0]} (${whole(biggest[1].x.length)}).`,
    x: { label: 'seconds of the run', categories: names },
    y: { label: 'failed requests', whole: true },
    stacked: true,
    series: binned.map(({ label, bins }, index) => ({
      name: label,
      tone: (index + 4) % 6,
      draw: 'bars',
      x: bins.map((_, position) => position),
      y: bins.map((bin) => bin.values.length),
    })),
    bands: [],
    table: {
      head: ['Seconds', ...labels.map(([label]) => label)],
      rows: (binned[0]?.bins ?? []).map((bin, index) => [
        `${bin.from} to ${bin.to}`,
        ...binned.map(({ bins }) => whole(bins[index]!.values.length)),
      ]),
    },
  };
  return { id: 'errors', title: 'Errors over time', choices: [view] };
}

export function lengths(stages: readonly Scope[], counting: Counting): ChartGroup {
  const records = stages.filter((scope) => !scope.warmup).flatMap((scope) => scope.records ?? []);
  const ok = records.filter(isSuccess);
  const some = (values: readonly (number | undefined)[]): number[] => values.filter((value) => value !== undefined);
  return {
    id: 'lengths',
    title: 'Lengths, asked and realised',
    choices: [
      lengthChart(
        'output',
        'max_tokens',
        some(ok.map((r) => r.maxTokens)),
        some(ok.map((r) => outputTokens(r, counting.output))),
      ),
      lengthChart(
        'prompt',
        'asked',
        some(ok.map((r) => r.askedPromptTokens)),
        some(ok.map((r) => inputTokens(r, counting.input))),
      ),
    ],
  };
}

function lengthChart(
  what: string,
  askedName: string,
  asked: readonly number[],
  realised: readonly number[],
): ChartView {
  const curve = (name: string, tone: ChartSeries['tone'], values: readonly number[]): ChartSeries[] =>
    values.length === 0 ? [] : [{ name, tone, draw: 'steps', ...ecdf(values) }];
  const [askedMedian] = percentilesOf(asked, [50]);
  const [p5, p50, p95] = percentilesOf(realised, [5, 50, 95]);
  const said = askedMedian === undefined ? '' : `, ${askedName} ${whole(askedMedian)} at the median`;
  return {
    label: what,
    sentence:
      p50 === undefined || p5 === undefined || p95 === undefined
        ? `Nobody counted the ${what} tokens.`
        : `${what === 'output' ? 'Answers' : 'Prompts'}: median ${whole(p50)} tokens, 90 % between ${whole(p5)} and ${whole(p95)}${said}.`,
    x: { label: `${what} tokens`, min: 0 },
    y: { label: '% of requests', min: 0, max: 100 },
    series: realised.length === 0 ? [] : [...curve(askedName, 'asked', asked), ...curve('realised', 'p50', realised)],
    bands: [],
    table: {
      head: ['Tokens', ...TABLE_PERCENTS.map((value) => (value === 100 ? 'max' : `p${value}`)), 'n'],
      rows: [
        [
          askedName,
          ...TABLE_PERCENTS.map((_, i) => tokens(percentilesOf(asked, TABLE_PERCENTS)[i])),
          whole(asked.length),
        ],
        [
          'realised',
          ...TABLE_PERCENTS.map((_, i) => tokens(percentilesOf(realised, TABLE_PERCENTS)[i])),
          whole(realised.length),
        ],
      ],
    },
  };
}

function sentPoints(stages: readonly Scope[], value: (record: RequestRecord) => number | undefined): Points {
  const x: number[] = [];
  const y: number[] = [];
  for (const record of stages.flatMap((scope) => scope.records ?? [])) {
    const at = value(record);
    if (at === undefined || record.sentSeconds === undefined) continue;
    x.push(record.sentSeconds);
    y.push(at);
  }
  return { x, y };
}

/** Stages as stretches of the run; the warm-up is shaded. */
export function bandsOf(stages: readonly Scope[]): readonly ChartBand[] {
  return stages.flatMap((scope): ChartBand[] => {
    const sent = (scope.records ?? []).map((record) => record.sentSeconds).filter((value) => value !== undefined);
    if (scope.stage === undefined || sent.length === 0) return [];
    const from = scope.manifest?.startSeconds ?? sent.reduce((a, b) => Math.min(a, b));
    const to = Math.max(
      from,
      sent.reduce((a, b) => Math.max(a, b)),
    );
    const label = scope.warmup ? 'warm-up' : `stage ${scope.stage}`;
    return [{ from, to, label, shaded: scope.warmup, stage: scope.stage }];
  });
}

function endOf(stages: readonly Scope[]): number {
  let end = 1;
  for (const scope of stages) for (const record of scope.records ?? []) end = Math.max(end, record.endSeconds ?? 0);
  return Math.ceil(end);
}

function ofStage(scope: Scope): { readonly stage?: number } {
  return scope.stage === undefined ? {} : { stage: scope.stage };
}

function stageName(scope: Scope): string {
  return scope.stage === undefined ? scope.label : `${scope.stage}: ${scope.label}`;
}

function tokens(value: number | undefined): string {
  return value === undefined ? NOTHING : whole(value);
}

function shown(value: number | undefined): string {
  return value === undefined ? NOTHING : significant(value);
}
