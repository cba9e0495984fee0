// Every number can be asked: pointing at a figure (mouse or arrow keys) says what it is in one line under its table.
import type { Figure } from '../src/views/report/model';
import { h, setText } from './dom';

/** A cell with a figure; what it is stays with it for `askable`. */
export function figureCell(figure: Figure, className = ''): HTMLTableCellElement {
  const classes = `figure ${figure.weak === true ? 'weak' : ''} ${className}`.trim();
  return h(
    'td',
    { class: classes, 'data-note': figure.note, tabindex: figure.note === undefined ? undefined : -1 },
    figureText(figure),
  );
}

/** Underlined where a notice of the report affects the figure. */
export function figureText({ text, doubted }: Figure): HTMLElement | string {
  return doubted === true ? h('span', { class: 'doubted' }, text) : text;
}

/**
 * The table in its box with the answer line under it. One stop for the Tab key; arrows walk from figure to figure.
 * @param boxClass by default a box that scrolls sideways where the table is wider
 */
export function askable(table: HTMLTableElement, label: string, boxClass = 'scroll'): HTMLElement {
  const hint = 'Point at a figure, or walk with the arrow keys, to see how it was measured.';
  const answer = h('p', { class: 'answer', 'aria-live': 'polite' }, hint);
  const box = h('div', { class: boxClass, role: 'region', 'aria-label': label, tabindex: -1 }, table);
  const first = table.querySelector<HTMLElement>('[data-note]');
  if (first) first.tabIndex = 0;

  const say = (target: EventTarget | null): void => {
    const cell = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-note]') : null;
    setText(answer, cell?.dataset['note'] ?? hint);
    answer.classList.toggle('asked', cell !== null);
  };
  table.addEventListener('mouseover', (event) => say(event.target));
  table.addEventListener('mouseleave', () =>
    say(table.contains(document.activeElement) ? document.activeElement : null),
  );
  table.addEventListener('focusin', (event) => {
    say(event.target);
    const cell = event.target instanceof HTMLElement ? event.target : undefined;
    if (cell?.dataset['note'] === undefined) return;
    for (const other of table.querySelectorAll<HTMLElement>('[data-note][tabindex="0"]')) other.tabIndex = -1;
    cell.tabIndex = 0;
  });
  table.addEventListener('keydown', (event) => {
    const next = neighbour(event.target, event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  return h('div', { class: 'askable' }, box, answer);
}

const STEPS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
};

function neighbour(from: EventTarget | null, key: string): HTMLElement | undefined {
  const step = STEPS[key];
  if (!step || !(from instanceof HTMLTableCellElement)) return undefined;
  const row = from.parentElement as HTMLTableRowElement;
  const rows = [...(row.parentElement as HTMLTableSectionElement).rows];
  let r = rows.indexOf(row) + step[0];
  let c = from.cellIndex + step[1];
  while (r >= 0 && r < rows.length && c >= 0 && c < row.cells.length) {
    const cell = rows[r]?.cells[c];
    if (cell?.dataset['note'] !== undefined) return cell;
    r += step[0];
    c += step[1];
  }
  return undefined;
}
