// The table at the end of `isoperf run`: one row per stage, and "-" with a reason where the sample does not carry the number.
import { shortLabel, type QuantityId } from '../metrics/quantities';
import { minimumCountFor } from '../sample-size';
import type { FinishedRun } from '../run';
import type { StageFigures } from '../run/types';
import { wrap } from './text-layout';

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

/** Several lines, each ending in a line end. @param room columns of the terminal: a wider table goes on below itself */
export function runTable(run: FinishedRun, room: number): string {
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
  const said = [...[...notes].sort(), ...sourceLines(run)].map((line) => wrap(line, room));
  const lines = [...align(load, room), '', ...align(latency, room), '', ...said];
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

/** First column to the left, figures to the right; columns without room go on below, beside the first column again. */
function align(rows: readonly (readonly string[])[], room: number): string[] {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const parts: number[][] = [];
  let left = 0;
  for (const column of head.keys()) {
    if (column === 0) continue;
    const width = widths[column]! + GAP.length;
    if (parts.length === 0 || width > left) {
      parts.push([0]);
      left = room - widths[0]!;
    }
    parts.at(-1)!.push(column);
    left -= width;
  }
  return parts.flatMap((part, i) => [
    ...(i === 0 ? [] : ['']),
    ...rows.map((row) =>
      part
        .map((column) => (column === 0 ? row[0]!.padEnd(widths[0]!) : row[column]!.padStart(widths[column]!)))
        .join(GAP)
        .trimEnd(),
    ),
  ]);
}

const GAP = '  ';
