// The table at the end of `isoperf run`: one row per stage, and "-" with a reason where the sample does not carry the number.
import { minimumCountFor } from '../sample-size';
import type { FinishedRun } from '../run';
import type { StageFigures } from '../run/types';

const PERCENTILES = [50, 95, 99] as const;

/** Several lines, each ending in a line end. */
export function runTable(run: FinishedRun): string {
  const notes = new Set<string>();
  const rows = run.manifest.stages.map((stage) => ({
    stage,
    figures: run.figures.get(stage.id),
    late: run.manifest.health.find((health) => health.stage === stage.id)?.scheduleDelay,
  }));
  const load = [
    ['stage', 'offered', 'achieved', 'ok', 'failed', 'cancelled', 'not sent', 'out tok/s', 'late p50', 'late p99'],
    ...rows.map(({ stage, figures, late }) => {
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
        tokensPerSecond(figures, notes),
        quantile(late, 50, 'lateness', notes),
        quantile(late, 99, 'lateness', notes),
      ];
    }),
  ];
  const latency = [
    ['ms', ...['TTFT', 'TPOT', 'ITL', 'E2E'].flatMap((name) => PERCENTILES.map((percent) => `${name} p${percent}`))],
    ...rows.map(({ stage, figures }) => [String(stage.id), ...latencyCells(figures, notes)]),
  ];
  const lines = [...align(load), '', ...align(latency), '', ...[...notes].sort(), ...sourceLines(run)];
  return `${lines.join('\n')}\n`;
}

function latencyCells(figures: StageFigures | undefined, notes: Set<string>): string[] {
  const metrics = [
    { name: 'TTFT', of: figures?.ttft },
    { name: 'TPOT', of: figures?.tpot },
    { name: 'ITL', of: figures?.itl },
    { name: 'E2E', of: figures?.latency },
  ];
  return metrics.flatMap(({ name, of }) => PERCENTILES.map((percent) => quantile(of, percent, name, notes)));
}

type Quantiles = { readonly count: number } & Partial<Readonly<Record<`p${(typeof PERCENTILES)[number]}`, number>>>;

function quantile(
  of: Quantiles | undefined,
  percent: (typeof PERCENTILES)[number],
  name: string,
  notes: Set<string>,
): string {
  if (of === undefined || of.count === 0) {
    if (name !== 'lateness') notes.add(`- ${name}: not measured (no success, not streamed, or not counted)`);
    return '-';
  }
  const needed = minimumCountFor(percent);
  if (of.count < needed) {
    notes.add(`- p${percent} needs ${needed} requests to be bounded at 95 % confidence`);
    return '-';
  }
  return figure((of[`p${percent}`] ?? Number.NaN) * 1000);
}

function tokensPerSecond(figures: StageFigures | undefined, notes: Set<string>): string {
  if (figures?.outputTokensPerSecond !== undefined) return figure(figures.outputTokensPerSecond);
  notes.add('- out tok/s: nobody counted the tokens of every answer');
  return '-';
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
