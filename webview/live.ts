// A run under way. Built once, then only texts and the one line change, so that nothing jumps under the reader.
import type { LiveStage, LiveView } from '../src/messages';
import type { ChartGroup } from '../src/views/report/model';
import { chartFigure } from './chart-figure';
import { button, setDisabled } from './controls';
import { h, rebuild, rebuildList, setAttributes, setText } from './dom';
import { post } from './host';
import { sign } from './keys';
import type { Page } from './page';

export interface LivePage extends Page {
  update(view: LiveView): void;
}

export function livePage(first: LiveView): LivePage {
  const title = h('h1');
  const identity = h('p', { class: 'identity' });
  const words = h('span');
  const state = h('p', { class: 'state', role: 'status' });
  const bar = h('progress', { class: 'progress', max: 1, 'aria-label': 'Progress of the run' });
  const stop = button('Stop', () => post({ type: 'stop', now: false }), {
    title: 'Sends nothing more and waits for the requests in flight; the report keeps what was measured',
  });
  const stopNow = button('Stop now', () => post({ type: 'stop', now: true }), {
    title: 'Cancels the requests in flight too',
  });
  const showLog = button('Show log', () => post({ type: 'showLog' }), {
    title: 'Everything the engine said, with the stack of an unexpected error',
  });
  const problems = h('ol', { class: 'notes' });
  const counts = h('dl', { class: 'counts' });
  const figures = h('dl', { class: 'live-figures' });
  const stages = h('ol', { class: 'live-stages' });
  const health = h('ul', { class: 'notes' });
  const errors = h('table', { class: 'data' });
  const calm = h('p', { class: 'faint' }, first.calm);
  const client = h('p', { class: 'faint' });
  const trace = chartFigure(traceGroup(first));
  let drawnAt = -1;

  const update = (view: LiveView): void => {
    setText(title, view.title);
    rebuild(identity, view.identity, () => view.identity.map((part) => h('span', {}, part)));
    setText(words, view.words);
    state.className = `state state-${view.tone}`;
    rebuild(state, view.tone, () => [sign(view.tone), words]);
    if (view.progress === undefined) bar.removeAttribute('value');
    else bar.value = view.progress;
    const running = view.phase === 'starting' || view.phase === 'running';
    const failed = view.phase === 'failed';
    showLog.hidden = !failed;
    stop.hidden = stopNow.hidden = bar.hidden = failed;
    setDisabled(stop, !running);
    setDisabled(stopNow, !running && view.phase !== 'stopping');
    rebuildList(problems, view.problems, problemItem);
    terms(
      counts,
      view.counts.map((count) => [count.label, count.value, `tone-word-${count.tone}`]),
    );
    terms(
      figures,
      view.figures.map((figure) => [figure.label, figure.value, '', figure.detail]),
    );
    rebuildList(stages, view.stages, stageItem);
    rebuildList(health, view.health, (entry) =>
      h('li', { class: `note note-${entry.tone}` }, sign(entry.tone), h('p', {}, entry.message)),
    );
    errorTable(errors, view);
    setText(calm, view.calm);
    calm.hidden = view.health.length > 0 || view.errors.length > 0;
    setText(client, view.client ?? '');
    client.hidden = view.client === undefined;
    trace.element.hidden = failed && view.trace.atSeconds.length === 0;
    for (const part of parts) part.hidden = failed && view.stages.length === 0;
    const at = view.trace.atSeconds.at(-1) ?? -1;
    if (at !== drawnAt) {
      drawnAt = at;
      trace.replace(traceGroup(view));
    }
  };
  const parts = [
    h('section', { 'aria-label': 'Requests' }, counts),
    h('section', { 'aria-label': 'The last seconds' }, figures, trace.element),
    h('section', { 'aria-label': 'Stages' }, h('h2', {}, 'Stages'), stages),
    h('section', { 'aria-label': 'Client' }, h('h2', {}, 'Client and errors'), calm, client, health, errors),
  ];
  update(first);
  return {
    element: h(
      'main',
      { class: 'page live' },
      h(
        'header',
        { class: 'head' },
        h('div', { class: 'head-line' }, title, h('div', { class: 'actions' }, stop, stopNow, showLog)),
        identity,
        state,
        bar,
      ),
      problems,
      ...parts,
    ),
    figures: [trace],
    update,
  };
}

function traceGroup(view: LiveView): ChartGroup {
  const { atSeconds, ttftMs, itlMs } = view.trace;
  const last = atSeconds.at(-1) ?? 0;
  // A window that slides by whole minutes: the line moves, the frame does not.
  const from = Math.max(0, Math.floor((last - 60) / 30) * 30);
  const numbers = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);
  const say = (values: readonly (number | null)[]): string => {
    const value = numbers(values).at(-1);
    return value === undefined
      ? view.phase === 'failed'
        ? 'not measured'
        : 'not measured yet'
      : `${Number(value.toPrecision(3))} ms`;
  };
  return {
    id: 'trace',
    title: 'Latency of the last minute',
    choices: [
      {
        label: 'median of the last 5 s',
        sentence: `Medians of the last 5 s. TTFT: ${say(ttftMs)}. Gap between chunks: ${say(itlMs)}.`,
        x: { label: 'seconds of the run', min: from, max: from + 90 },
        y: { label: 'ms', max: roundUp(Math.max(1, ...numbers(ttftMs), ...numbers(itlMs))) },
        series: [
          { name: 'TTFT', tone: 'p50', draw: 'line', x: atSeconds, y: ttftMs },
          { name: 'Gap between chunks', tone: 'p95', draw: 'line', x: atSeconds, y: itlMs },
        ],
        bands: [],
        table: {
          head: ['Second', 'TTFT, ms', 'Gap, ms'],
          rows: atSeconds.map((at, index) => [at.toFixed(0), plain(ttftMs[index]), plain(itlMs[index])]),
        },
      },
    ],
  };
}

function plain(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : String(Number(value.toPrecision(3)));
}

/** The next of 1, 2, 5 times a power of ten: the scale changes seldom. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

function problemItem(problem: LiveView['problems'][number]): HTMLElement {
  return h(
    'li',
    { class: `note note-${problem.tone}`, 'data-stop': true, tabindex: -1 },
    sign(problem.tone),
    h(
      'div',
      {},
      h('p', { class: 'note-title' }, problem.message),
      problem.remedy !== undefined && h('p', { class: 'faint' }, problem.remedy),
    ),
  );
}

function stageItem(stage: LiveStage): HTMLElement {
  const mark = { waiting: '○', running: '●', done: '✓' }[stage.state];
  return h(
    'li',
    { class: `live-stage live-stage-${stage.state}` },
    h('span', { class: 'stage-mark', 'aria-hidden': 'true' }, mark),
    h('span', {}, stage.label, stage.warmup && h('span', { class: 'tag' }, 'warm-up')),
    h('span', { class: 'faint' }, stage.words),
  );
}

function errorTable(table: HTMLTableElement, view: LiveView): void {
  table.hidden = view.errors.length === 0;
  rebuild(table, view.errors, () => [
    h('caption', { class: 'unseen' }, 'Failed requests by label'),
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Failure'), h('th', { scope: 'col' }, 'Requests'))),
    h(
      'tbody',
      {},
      ...view.errors.map((error) =>
        h('tr', {}, h('th', { scope: 'row' }, error.label), h('td', {}, String(error.count))),
      ),
    ),
  ]);
}

type Term = readonly [label: string, value: string, className?: string, detail?: string | undefined];

/** Changes texts in place while the labels stay the same. */
function terms(list: HTMLElement, entries: readonly Term[]): void {
  const labels = [...list.querySelectorAll('dt')].map((term) => term.textContent);
  if (labels.join('\n') !== entries.map(([label]) => label).join('\n')) {
    list.replaceChildren(
      ...entries.map(([label]) =>
        h(
          'div',
          { class: 'term' },
          h('dt', {}, label),
          h('dd', { class: 'value' }),
          h('dd', { class: 'detail faint' }),
        ),
      ),
    );
  }
  for (const [index, [, value, className, detail]] of entries.entries()) {
    const entry = list.children[index];
    const valueElement = entry?.querySelector('.value');
    const detailElement = entry?.querySelector('.detail');
    if (!valueElement || !detailElement) continue;
    setText(valueElement, value);
    setAttributes(valueElement, { class: `value ${className ?? ''}`.trim() });
    setText(detailElement, detail ?? '');
  }
}
