// The stages of a run: one row each where there is room for it; where there is not, a block with its groups under each other.
import type { ColumnGroup, Figure, StageRow, StageTable } from '../src/views/report/model';
import { askable, figureCell } from './ask';
import { h, type Child } from './dom';
import { figuresTable } from './metric-table';

/** @param select called with the stage that the charts are to show; undefined: all of them */
export function stagesTable(
  table: StageTable,
  stage: number | undefined,
  select: (stage: number | undefined) => void,
): HTMLElement {
  const choose = (next: number): void => {
    const again = body.querySelector(`tr.selected[data-stage="${next}"]`) !== null;
    for (const row of body.rows) {
      const isSelected = !again && row.dataset['stage'] === String(next);
      row.classList.toggle('selected', isSelected);
      row.querySelector('button')?.setAttribute('aria-pressed', String(isSelected));
    }
    select(again ? undefined : next);
  };
  const body = h('tbody', {}, ...table.rows.map((row) => stageRow(table, row, stage, choose)));
  const element = figuresTable(
    'stages',
    h('caption', { class: 'unseen' }, 'Stages of the run. The button of a stage selects it for the charts.'),
    h('thead', {}, groupHeads(table), columnHeads(table)),
    body,
  );
  return askable(element, 'Stages', 'figures-box');
}

function groupHeads(table: StageTable): HTMLElement {
  return h(
    'tr',
    { class: 'groups' },
    h('td', {}),
    ...table.groups.map((group) => h('th', { scope: 'colgroup', colspan: group.columns.length }, ...groupName(group))),
  );
}

function groupName({ label, unit }: ColumnGroup): readonly Child[] {
  return [label, unit !== undefined && h('span', { class: 'unit' }, ` ${unit}`)];
}

function columnHeads(table: StageTable): HTMLElement {
  return h(
    'tr',
    {},
    h('th', { scope: 'col', class: 'first' }, 'Stage'),
    ...table.groups.flatMap((group) =>
      group.columns.map((column, index) => h('th', { scope: 'col', class: index === 0 ? 'group-start' : '' }, column)),
    ),
  );
}

function stageRow(
  { groups }: StageTable,
  row: StageRow,
  selected: number | undefined,
  choose: (stage: number) => void,
): HTMLTableRowElement {
  const stage = row.stage;
  const isSelected = stage !== undefined && stage === selected;
  const name: Child[] =
    stage === undefined
      ? [row.label]
      : [
          h(
            'button',
            { class: 'pick', type: 'button', 'aria-pressed': String(isSelected), onclick: () => choose(stage) },
            row.label,
          ),
        ];
  if (row.warmup) name.push(h('span', { class: 'tag' }, 'warm-up'));
  let at = 0;
  const cells = groups.flatMap((group) => {
    const figures = row.cells.slice(at, at + group.columns.length);
    at += group.columns.length;
    return groupCells(group, figures);
  });
  return h(
    'tr',
    {
      class: [stage === undefined && 'all', row.warmup && 'warmup', isSelected && 'selected'].filter(Boolean).join(' '),
      'data-stage': stage,
    },
    h('th', { scope: 'row', class: 'first' }, ...name),
    ...cells,
  );
}

/** The group's name stands before its figures where they make a block; the heads of the columns then stand with each figure. */
function groupCells(group: ColumnGroup, figures: readonly Figure[]): HTMLElement[] {
  const last = figures.length - 1;
  return [
    h('td', { class: 'group-name', 'aria-hidden': 'true' }, ...groupName(group)),
    ...figures.map((figure, index) => {
      const cell = figureCell(figure, index === 0 ? 'group-start' : '');
      cell.dataset['column'] = group.columns[index] ?? '';
      if (index === last) cell.classList.add(`fill-${figures.length}`);
      return cell;
    }),
  ];
}
