// The table at the end of `isoperf run`: one row per stage, and "-" with a reason where the sample does not carry the number.
import type { RequestRecord } from '../metrics/record';
import {
  isSuccess,
  itlGapsSeconds,
  latencySeconds,
  outputTokens,
  scheduleDelaySeconds,
  tpotSeconds,
  ttftSeconds,
} from '../metrics/request-metrics';
import { percentile, sortedValues } from '../metrics/statistics';
import { minimumCountFor } from '../sample-size';
import { spanSeconds } from '../metrics/summarize';
import type { FinishedRun } from '../run';

const PERCENTILES = [50, 95, 99] as const;

/** Several lines, each ending in a line end. */
export function runTable(run: FinishedRun): string {
  const notes = new Set<string>();
  const rows = run.manifest.stages.map((stage) => {
    const records = run.records.filter((record) => record.stage === stage.id);
    return { stage, records, successes: records.filter(isSuccess) };
  });
  const load = [
    ['stage', 'offered', 'achieved', 'ok', 'failed', 'cancelled', 'not sent', 'out tok/s', 'late p50', 'late p99'],
    ...rows.map(({ stage, records, successes }) => {
      const delays = defined(records.map(scheduleDelaySeconds));
      return [
        `${stage.id}${stage.warmup ? ' (warm-up)' : ''}`,
        stage.requestedConcurrency === undefined
          ? `${figure(stage.requestedRateRps)} rps`
          : `${stage.requestedConcurrency} in flight`,
        stage.achievedRateRps === undefined ? '-' : `${figure(stage.achievedRateRps)} rps`,
        String(stage.counts?.ok ?? 0),
        String(stage.counts?.failed ?? 0),
        String(stage.counts?.cancelled ?? 0),
        String(stage.counts?.notSent ?? 0),
        tokensPerSecond(records, successes, run, notes),
        quantile(delays, 50, delays.length, 'lateness', notes),
        quantile(delays, 99, delays.length, 'lateness', notes),
      ];
    }),
  ];
  const latency = [
    ['ms', ...['TTFT', 'TPOT', 'ITL', 'E2E'].flatMap((name) => PERCENTILES.map((percent) => `${name} p${percent}`))],
    ...rows.map(({ stage, successes }) => [String(stage.id), ...latencyCells(successes, run, notes)]),
  ];
  const lines = [...align(load), '', ...align(latency), '', ...[...notes].sort(), ...sourceLines(run)];
  return `${lines.join('\n')}\n`;
}

function latencyCells(successes: readonly RequestRecord[], run: FinishedRun, notes: Set<string>): string[] {
  const tokens = run.manifest.tokens;
  const source = tokens?.output.source ?? 'not-counted';
  const gaps = successes.map((record) => itlGapsSeconds(record, tokens?.itl ?? 'chunks'));
  const metrics = [
    { name: 'TTFT', values: defined(successes.map(ttftSeconds)) },
    { name: 'TPOT', values: defined(successes.map((record) => tpotSeconds(record, source))) },
    // Gaps of one answer are not independent: what carries a percentile is the number of answers.
    { name: 'ITL', values: gaps.flatMap((list) => [...list]), n: gaps.filter((list) => list.length > 0).length },
    { name: 'E2E', values: defined(successes.map(latencySeconds)) },
  ];
  return metrics.flatMap(({ name, values, n }) =>
    PERCENTILES.map((percent) => quantile(values, percent, n ?? values.length, name, notes)),
  );
}

function quantile(values: readonly number[], percent: number, n: number, name: string, notes: Set<string>): string {
  if (values.length === 0) {
    if (name !== 'lateness') notes.add(`- ${name}: not measured (no success, not streamed, or not counted)`);
    return '-';
  }
  const needed = minimumCountFor(percent);
  if (n < needed) {
    notes.add(`- p${percent} needs ${needed} requests to be bounded at 95 % confidence`);
    return '-';
  }
  return figure(percentile(sortedValues(values), percent) * 1000);
}

function tokensPerSecond(
  records: readonly RequestRecord[],
  successes: readonly RequestRecord[],
  run: FinishedRun,
  notes: Set<string>,
): string {
  const source = run.manifest.tokens?.output.source ?? 'not-counted';
  const counts = defined(successes.map((record) => outputTokens(record, source)));
  const window = spanSeconds(records.filter(({ outcome }) => outcome.kind === 'ok' || outcome.kind === 'failed'));
  if (counts.length < successes.length || counts.length === 0 || window === 0) {
    notes.add('- out tok/s: nobody counted the tokens of every answer');
    return '-';
  }
  return figure(counts.reduce((sum, count) => sum + count, 0) / window);
}

function sourceLines({ manifest }: FinishedRun): string[] {
  const { tokens } = manifest;
  if (!tokens) return [];
  return [
    `Output tokens: ${tokens.output.source} (${tokens.output.reason ?? ''})`,
    `Input tokens: ${tokens.input.source}. ITL between ${tokens.itl}.`,
  ];
}

/** Three significant digits. */
function figure(value: number | undefined): string {
  if (value === undefined) return '-';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.max(Math.abs(value), 0.01))));
  return value.toFixed(Math.min(digits, 3));
}

function defined(values: readonly (number | undefined)[]): number[] {
  return values.filter((value) => value !== undefined);
}

/** First column to the left, figures to the right. */
function align(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
}
