// One chart as a figure of a page: title, choice of metric, legend, drawing, the sentence that says it, and its table.
import type { ChartGroup, ChartSeries, DataTable } from '../src/views/report/model';
import { createChart } from './charts';
import { button, select } from './controls';
import { freshId, h, rebuild, setText, shape, svg } from './dom';
import { savedState, saveState } from './host';
import { styleOf, type PointShape } from './series';

export interface ChartFigure {
  readonly element: HTMLElement;
  selectStage(stage: number | undefined): void;
  /** New data for the same chart, as a live view has every second. */
  replace(group: ChartGroup): void;
  redraw(): void;
  remove(): void;
}

export function chartFigure(first: ChartGroup, initialStage?: number): ChartFigure {
  let group = first;
  let stage = initialStage;
  let chosen = Math.min(savedState().choices?.[group.id] ?? 0, group.choices.length - 1);
  let tableShown = false;

  const titleId = freshId('chart');
  const sentenceId = freshId('chart-says');
  const canvas = h('canvas');
  const drawing = h(
    'div',
    { class: 'drawing', role: 'img', tabindex: 0, 'aria-labelledby': titleId, 'aria-describedby': sentenceId },
    canvas,
  );
  const tableBox = h('div', { class: 'drawing table-box', hidden: true, tabindex: 0, role: 'region' });
  tableBox.setAttribute('aria-labelledby', titleId);
  const legend = h('ul', { class: 'legend' });
  const sentence = h('figcaption', { id: sentenceId });
  const toggle = button('Table', () => flip(), { title: 'The numbers of this chart as a table (t)' });
  const controls = h('div', { class: 'chart-controls' }, toggle);
  // Where there is nothing to draw of any of them, there is nothing to choose.
  if (group.choices.length > 1 && group.choices.some(({ series }) => series.length > 0)) controls.prepend(choice());
  const element = h(
    'figure',
    { class: 'chart', 'data-chart': group.id },
    h('div', { class: 'chart-head' }, h('h3', { id: titleId }, group.title), controls),
    legend,
    drawing,
    tableBox,
    sentence,
  );
  const chart = createChart(canvas);
  element.addEventListener('keydown', (event) => {
    if (event.key !== 't' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target !== drawing && event.target !== tableBox) return;
    event.preventDefault();
    flip();
    (tableShown ? tableBox : drawing).focus();
  });

  function choice(): HTMLElement {
    const choices = group.choices.map((view, index) => ({ value: String(index), label: view.label }));
    return select(`${group.title}: metric`, choices, String(chosen), (value) => {
      chosen = Number(value);
      saveState({ choices: { ...savedState().choices, [group.id]: chosen } });
      redraw();
    });
  }

  function flip(): void {
    tableShown = !tableShown;
    setText(toggle, tableShown ? 'Chart' : 'Table');
    redraw();
  }

  function redraw(): void {
    const view = group.choices[chosen];
    if (!view) return;
    const drawable = view.series.length > 0;
    setText(sentence, view.sentence);
    element.classList.toggle('nothing', !drawable);
    toggle.hidden = !drawable;
    drawing.hidden = !drawable || tableShown;
    tableBox.hidden = !drawable || !tableShown;
    const named = drawable && view.series.length > 1 ? view.series : [];
    rebuild(
      legend,
      named.map(({ name, tone, draw }) => [name, tone, draw]),
      () => named.map((series) => legendEntry(series)),
    );
    if (!drawable) return;
    if (tableShown) tableBox.replaceChildren(dataTable(view.table, `${group.title}: ${view.label}`));
    // A hidden canvas has no size to draw at.
    else if (canvas.isConnected) chart.draw(view, stage);
  }

  redraw();
  return {
    element,
    selectStage(next) {
      stage = next;
      redraw();
    },
    replace(next) {
      group = next;
      redraw();
    },
    redraw,
    remove: () => chart.remove(),
  };
}

function legendEntry(series: ChartSeries): HTMLElement {
  const style = styleOf(series);
  const className = `swatch tone-${style.hue}`;
  const drawing =
    series.draw === 'bars'
      ? svg(className, '0 0 26 12', shape('rect', { x: 7, y: 1, width: 12, height: 10, class: 'fill' }))
      : svg(
          className,
          '0 0 26 12',
          ...(series.draw === 'points'
            ? []
            : [shape('path', { d: 'M0 6H26', class: 'stroke', 'stroke-dasharray': style.dash.join(' ') || 'none' })]),
          point(style.point, series.draw),
        );
  return h('li', {}, drawing, series.name);
}

function point(kind: PointShape, draw: ChartSeries['draw']): SVGElement {
  if (draw === 'steps') return shape('g', {});
  const paths: Readonly<Record<PointShape, string>> = {
    circle: 'M16.5 6a3.5 3.5 0 1 1-7 0a3.5 3.5 0 1 1 7 0z',
    triangle: 'M13 2L17 9.5H9z',
    rect: 'M10 3h6v6h-6z',
    rectRot: 'M13 2l4 4l-4 4l-4-4z',
    cross: 'M12 2h2v3h3v2h-3v3h-2v-3h-3v-2h3z',
  };
  return shape('path', { d: paths[kind], class: 'fill' });
}

export function dataTable(table: DataTable, caption: string): HTMLElement {
  return h(
    'table',
    { class: 'data' },
    h('caption', { class: 'unseen' }, caption),
    h('thead', {}, h('tr', {}, ...table.head.map((text) => h('th', { scope: 'col' }, text)))),
    h(
      'tbody',
      {},
      ...table.rows.map((row) =>
        h('tr', {}, ...row.map((text, index) => (index === 0 ? h('th', { scope: 'row' }, text) : h('td', {}, text)))),
      ),
    ),
  );
}

/** A grid of figures; drawing waits until the figures are in the page and have a size. */
export function chartGrid(
  groups: readonly ChartGroup[],
  stage?: number,
): { element: HTMLElement; figures: readonly ChartFigure[] } {
  const figures = groups.map((group) => chartFigure(group, stage));
  return { element: h('div', { class: 'charts' }, ...figures.map((figure) => figure.element)), figures };
}
