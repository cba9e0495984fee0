// The key numbers of a comparison: A, B, and the difference as a dot with its interval, on one zero line for all of them.
import type { ComparisonView, KeyRow } from '../src/views/comparison/model';
import { askable, figureCell } from './ask';
import { h, setAttributes, shape } from './dom';
import { sideMark } from './keys';
import { figuresTable } from './metric-table';

const WIDTH = 260;
const HEIGHT = 22;
const MIDDLE = HEIGHT / 2;
/** A dot at the edge stays whole. */
const MARGIN = 8;

interface Scale {
  readonly from: number;
  readonly to: number;
}

export function keyTable({ rows, where }: ComparisonView['key']): HTMLElement {
  const scale = scaleOf(rows);
  const table = figuresTable(
    'key',
    h('caption', { class: 'unseen' }, `Key numbers of A and B, ${where}. Percentages are of A.`),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col', class: 'first' }, where),
        h('th', { scope: 'col' }, sideMark('a')),
        h('th', { scope: 'col' }, sideMark('b')),
        h('th', { scope: 'col' }, 'B − A'),
        h('th', { scope: 'col', class: 'bar-cell' }, h('span', { class: 'unseen' }, '95 % interval'), axis(scale)),
        h('th', { scope: 'col', class: 'words' }, h('span', { class: 'unseen' }, 'In words')),
      ),
    ),
    h('tbody', {}, ...rows.map((row) => keyRow(row, scale))),
  );
  return askable(table, 'Key numbers', 'figures-box');
}

function keyRow(row: KeyRow, scale: Scale): HTMLElement {
  const { label, unit, percent, interval, bar, verdict, words } = row;
  const note = `${label}: B minus A in percent of A; 95 % interval ${interval}`;
  return h(
    'tr',
    { class: `metric verdict-of-${verdict}` },
    h('th', { scope: 'row', class: 'first' }, label, h('span', { class: 'unit' }, `, ${unit}`)),
    figureCell(row.a),
    figureCell(row.b),
    figureCell({ text: percent, note }),
    h(
      'td',
      { class: 'bar-cell' },
      h('span', { class: 'unseen' }, interval),
      bar ? barOf(bar, scale, verdict === 'confounded' || verdict === 'undetermined') : '',
    ),
    h('td', { class: 'words' }, verdict === 'confounded' && h('span', { class: 'head-word' }, 'confounded '), words),
  );
}

/** All dots and whiskers, and zero. */
function scaleOf(rows: readonly KeyRow[]): Scale {
  const values = rows.flatMap(({ bar }) => (bar ? [bar.at, bar.low ?? bar.at, bar.high ?? bar.at] : []));
  const from = Math.min(0, ...values);
  const to = Math.max(0, ...values);
  // Nothing differs at all: one percent to each side.
  return from === to ? { from: -1, to: 1 } : { from, to };
}

function place(value: number, { from, to }: Scale): number {
  return MARGIN + ((value - from) / (to - from)) * (WIDTH - 2 * MARGIN);
}

function barOf({ at, low, high }: NonNullable<KeyRow['bar']>, scale: Scale, isHollow: boolean): SVGElement {
  const zero = place(0, scale);
  const parts = [shape('path', { d: `M${zero} 0V${HEIGHT}`, class: 'zero' })];
  if (low !== undefined && high !== undefined) {
    const [x, y] = [place(low, scale), place(high, scale)];
    parts.push(
      shape('path', { d: `M${x} ${MIDDLE}H${y}M${x} ${MIDDLE - 4}v8M${y} ${MIDDLE - 4}v8`, class: 'whisker' }),
    );
  }
  const r = isHollow ? 3.5 : 4;
  parts.push(shape('circle', { cx: place(at, scale), cy: MIDDLE, r, class: isHollow ? 'dot hollow' : 'dot' }));
  return drawing('difference-bar', HEIGHT, parts);
}

/** The ends of the line and zero in figures, where they do not stand on each other. */
function axis(scale: Scale): SVGElement {
  const text = (value: number, anchor: string): SVGElement => {
    const element = shape('text', { x: place(value, scale), y: 12, 'text-anchor': anchor });
    element.textContent = value === 0 ? '0' : `${value > 0 ? '+' : '−'}${Number(Math.abs(value).toPrecision(2))} %`;
    return element;
  };
  const apart = 60;
  const zero = place(0, scale);
  const parts = [text(0, zero < apart ? 'start' : zero > WIDTH - apart ? 'end' : 'middle')];
  if (zero - place(scale.from, scale) > apart) parts.push(text(scale.from, 'start'));
  if (place(scale.to, scale) - zero > apart) parts.push(text(scale.to, 'end'));
  return drawing('difference-axis', 16, parts);
}

function drawing(className: string, height: number, shapes: readonly SVGElement[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  setAttributes(element, {
    class: className,
    viewBox: `0 0 ${WIDTH} ${height}`,
    width: WIDTH,
    height,
    'aria-hidden': 'true',
    focusable: 'false',
  });
  element.append(...shapes);
  return element;
}
