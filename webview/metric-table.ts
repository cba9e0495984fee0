// The figures of two runs: a table that lays each metric on one, two or three lines, as its box is wide.
import type { InterpolatedTable, MetricTable } from '../src/views/comparison/model';
import { figureCell } from './ask';
import { h, type Child } from './dom';
import { sideMark } from './keys';

/** A table whose rows break over several lines where it is narrow; its roles are said, as its cells are laid out in a grid. */
export function figuresTable(className: string, ...parts: readonly HTMLElement[]): HTMLTableElement {
  const table = h('table', { class: className, role: 'table' }, ...parts);
  for (const group of table.querySelectorAll('thead, tbody')) group.setAttribute('role', 'rowgroup');
  for (const row of table.rows) row.setAttribute('role', 'row');
  for (const cell of table.querySelectorAll('td')) cell.setAttribute('role', 'cell');
  for (const head of table.querySelectorAll('th')) {
    head.setAttribute('role', head.scope === 'row' ? 'rowheader' : 'columnheader');
  }
  return table;
}

export function metricTable(table: MetricTable): HTMLTableElement {
  return figuresTable(
    'metrics',
    h('caption', { class: 'unseen' }, `Metrics of A and B, ${table.stage}. Percentages are of A.`),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col', class: 'first' }, 'Metric'),
        h('th', { scope: 'col' }, sideMark('a')),
        h('th', { scope: 'col' }, sideMark('b')),
        h('th', { scope: 'col' }, 'B − A'),
        h('th', { scope: 'col', class: 'interval' }, '95 % interval'),
        h('th', { scope: 'col', class: 'words' }, 'In words'),
        h('th', { scope: 'col', class: 'words' }, 'Verdict'),
      ),
    ),
    h(
      'tbody',
      {},
      ...table.rows.map((row) =>
        h(
          'tr',
          { class: `metric verdict-of-${row.verdict}` },
          h('th', { scope: 'row', class: 'first' }, row.label, h('span', { class: 'unit' }, `, ${row.unit}`)),
          figureCell(row.a),
          figureCell(row.b),
          figureCell(row.difference, 'difference'),
          figureCell(row.interval, 'difference interval'),
          h('td', { class: 'words difference' }, unbroken(row.words)),
          h('td', { class: 'words verdict-cell' }, row.verdictWords),
        ),
      ),
    ),
  );
}

export function interpolatedTable({ title, rows }: InterpolatedTable): HTMLElement {
  const heads: readonly Child[] = [sideMark('a'), sideMark('b'), 'of A'];
  const cell = (text: string): HTMLElement => h('td', { class: 'figure' }, text);
  return h(
    'div',
    { class: 'figures-box' },
    figuresTable(
      'metrics interpolated',
      h('caption', { class: 'unseen' }, title),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col', class: 'first' }, 'Metric'),
          ...heads.map((head) => h('th', { scope: 'col' }, head)),
          h('th', { scope: 'col', class: 'words' }, 'Also differs'),
        ),
      ),
      h(
        'tbody',
        {},
        ...rows.map((row) =>
          h(
            'tr',
            { class: 'metric' },
            h('th', { scope: 'row', class: 'first' }, row.label),
            cell(row.a),
            cell(row.b),
            cell(row.percent),
            h(
              'td',
              { class: 'words' },
              // Where the words stand on a line of their own, away from their head, they need it with them.
              row.words !== '' && h('span', { class: 'head-word faint', 'aria-hidden': 'true' }, 'also differs: '),
              row.words,
            ),
          ),
        ),
      ),
    ),
  );
}

/** A figure keeps its percent sign on its line. */
function unbroken(words: string): string {
  return words.replace(/(\d) %/g, '$1\u00a0%');
}
