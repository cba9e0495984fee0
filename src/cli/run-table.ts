// The table at the end of `isoperf run`: one row per stage, and "-" with a reason where the sample does not carry the number.
import { shortLabel, type QuantityId } from '../metrics/quantities';
import { minimumCountFor } from '../sample-size';
import type { FinishedRun } from '../run';
import type { StageFigures } from '../run/types';

const PERCENTILES = [50, 95, 99] as const;

/** The latencies of the table, and where the figures of a stage have them. */
const LATENCIES = [
  ['ttft', 'ttft'],
  ['ttfc', 'ttfc'],
  ['tpot', 'tpot'],
  ['token_gap', 'itl'],
  ['e2e', 'latency'],
] as const satisfies readonly (readonly [QuantityId, keyof StageFigures])[];

const LATE = shortLabel('schedule_delay');
const OUTPUT_RATE = shortLabel('output_tokens_per_sec');

/** Several lines, each ending in a line end. */
export function runTable(run: FinishedRun): string {
  const notes = new Set<string>();
  const rows = run.manifest.stages.map((stage) => ({
    stage,
    figures: run.figures.get(stage.id),
    late: run.manifest.health.find((health) => health.stage === stage.id)?.scheduleDelay,
  }));
  const load = [
    [
      'stage',
      'offered',
      'achieved',
      'ok',
      'failed',
      'cancelled',
      'not sent',
      OUTPUT_RATE,
      `${LATE} p50`,
      `${LATE} p99`,
    ],
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
        quantile(late, 50, 'schedule_delay', notes),
        quantile(late, 99, 'schedule_delay', notes),
      ];
    }),
  ];
  const shown = LATENCIES.filter(([id]) => id !== 'ttfc' || rows.some(({ figures }) => figures?.ttfc));
  const latency = [
    ['ms', ...shown.flatMap(([id]) => PERCENTILES.map((percent) => `${shortLabel(id)} p${percent}`))],
    ...rows.map(({ stage, figures }) => [String(stage.id), ...latencyCells(shown, figures, notes)]),
  ];
  const lines = [...align(load), '', ...align(latency), '', ...[...notes].sort(), ...sourceLines(run)];
  return `${lines.join('\n')}\n`;
}

function latencyCells(
  shown: readonly (typeof LATENCIES)[number][],
  figures: StageFigures | undefined,
  notes: Set<string>,
): string[] {
  return shown.flatMap(([id, figure]) => PERCENTILES.map((percent) => quantile(figures?.[figure], percent, id, notes)));
}

type Quantiles = { readonly count: number } & Partial<Readonly<Record<`p${(typeof PERCENTILES)[number]}`, number>>>;

function quantile(
  of: Quantiles | undefined,
  percent: (typeof PERCENTILES)[number],
  id: QuantityId,
  notes: Set<string>,
): string {
  if (of === undefined || of.count === 0) {
    if (id !== 'schedule_delay')
      notes.add(`- ${shortLabel(id)}: not measured (no success, not streamed, or not counted)`);
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
  notes.add(`- ${OUTPUT_RATE}: nobody counted the tokens of every answer`);
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
