// The few numbers of a report's first screen, picked out of its stages table: of the measured window, or of the highest load.
import { loadOf, type Scope } from '../../readers/scopes';
import type { ColumnId, KeyNumber, ReportView, StageRow, StageTable } from './model';

/** What a reader asks first, by group and column of the stages table. */
const NUMBERS: readonly (readonly [group: ColumnId, column: string, label?: string])[] = [
  ['requests', 'n', 'Answered'],
  ['requests', 'failed', 'Failed'],
  ['ttft', 'p50'],
  ['ttft', 'p95'],
  ['tpot', 'p50'],
  ['e2e', 'p95', 'Latency p95'],
  ['tokens', 'out', 'Output tokens/s'],
  ['load', 'achieved', 'Sent'],
];

export function keyNumbers(table: StageTable, scopes: readonly Scope[]): ReportView['key'] {
  const stages = scopes.filter((scope) => scope.stage !== undefined && !scope.warmup);
  const row = keyRow(table, stages);
  if (!row) return { where: 'no measured stage', numbers: [] };
  const where =
    stages.length < 2
      ? row.label
      : row.stage === undefined
        ? 'all measured stages'
        : `${row.label}, 1 of ${stages.length} loads`;
  return { where, numbers: NUMBERS.flatMap((wanted) => numberOf(table, row, ...wanted)) };
}

/** Stages of one load are one measurement; of several loads together there is no latency that anybody saw. */
function keyRow({ rows }: StageTable, stages: readonly Scope[]): StageRow | undefined {
  const whole = rows.find(({ stage }) => stage === undefined);
  const loads = stages.map(loadOf);
  if (whole && new Set(loads).size < 2) return whole;
  const known = loads.map((load) => load ?? 0);
  const highest = stages[known.lastIndexOf(Math.max(...known))];
  return rows.find(({ stage }) => stage === highest?.stage) ?? whole ?? rows.at(-1);
}

function numberOf(
  { groups }: StageTable,
  { cells }: StageRow,
  id: ColumnId,
  column: string,
  name?: string,
): readonly KeyNumber[] {
  const at = groups.findIndex((group) => group.id === id);
  const group = groups[at];
  if (!group) return [];
  const before = groups.slice(0, at).reduce((sum, { columns }) => sum + columns.length, 0);
  const cell = (wanted: string) => cells[before + group.columns.indexOf(wanted)];
  const figure = cell(column);
  if (!figure) return [];
  const label = name ?? `${group.label} ${column}`;
  if (id !== 'load') return [{ label, ...(group.unit === undefined ? {} : { unit: group.unit }), figure }];
  // "29.8 of 30.0"; a closed loop offers no rate of its own.
  const offered = cell('offered')?.text ?? '';
  const of = /\d/.test(offered) ? ` of ${offered}` : '';
  return [{ label, unit: 'requests/s', figure: { ...figure, text: `${figure.text}${of}` } }];
}
