// The report of one run: head, what to know before reading, stages, charts, provenance.
import type { ReportView, StageRow, StageTable, ViewNote } from '../src/views/report/model';
import { askable, figureCell } from './ask';
import { chartGrid } from './chart-figure';
import { button, link } from './controls';
import { freshId, h, prose, type Child } from './dom';
import { post, savedState, saveState } from './host';
import { sign } from './keys';
import type { Page } from './page';

/** @param asText the view stands for a file, which can be read as text as well */
export function reportPage(view: ReportView, asText = false): Page {
  let stage = savedState().stage ?? undefined;
  if (!view.stages.rows.some((row) => row.stage === stage)) stage = undefined;
  const { element: charts, figures } = chartGrid(view.charts, stage);
  const select = (next: number | undefined): void => {
    stage = next;
    saveState({ stage: next ?? null });
    for (const figure of figures) figure.selectStage(next);
  };
  return {
    element: h(
      'main',
      { class: 'page report' },
      head(view, asText),
      notesSection(view.notes),
      section('Stages', stagesTable(view.stages, stage, select)),
      section('Charts', charts),
      provenance(view),
    ),
    figures,
  };
}

function head(view: ReportView, asText: boolean): HTMLElement {
  return h(
    'header',
    { class: 'head' },
    h(
      'div',
      { class: 'head-line' },
      h('h1', {}, view.title),
      h(
        'div',
        { class: 'actions' },
        button('Compare with…', () => post({ type: 'compareWith' })),
        button('Copy as Markdown', () => post({ type: 'copyMarkdown' }), { title: 'c' }),
        asText && button('Open as Text', () => post({ type: 'openAsText' })),
      ),
    ),
    h('p', { class: 'identity' }, ...view.identity.map((part) => h('span', {}, part))),
    h('p', { class: `state state-${view.state.tone}` }, sign(view.state.tone), h('span', {}, view.state.words)),
  );
}

export function section(title: string, ...children: readonly Child[]): HTMLElement {
  const id = freshId('section');
  return h('section', { 'aria-labelledby': id }, h('h2', { id }, title), ...children);
}

function notesSection(notes: readonly ViewNote[]): HTMLElement {
  const serious = notes.some((note) => note.tone !== 'neutral');
  if (notes.length === 0) {
    return section(
      'Before you read on',
      h(
        'p',
        { class: 'quiet' },
        sign('good'),
        h('span', {}, 'Nothing stands between these numbers and their meaning.'),
      ),
    );
  }
  const list = h('ol', { class: 'notes' }, ...notes.map((note) => noteItem(note)));
  if (serious) return section('Before you read on', list);
  const words = notes.length === 1 ? '1 thing worth knowing' : `${notes.length} things worth knowing`;
  return section('Before you read on', h('details', {}, h('summary', {}, words), list));
}

function noteItem(note: ViewNote): HTMLElement {
  const code = note.code;
  return h(
    'li',
    { class: `note note-${note.tone}`, 'data-stop': true, tabindex: -1 },
    sign(note.tone),
    h(
      'div',
      {},
      h('p', { class: 'note-title' }, prose(note.title)),
      note.detail !== undefined && h('p', {}, prose(note.detail)),
      (note.remedy !== undefined || code !== undefined) &&
        h(
          'p',
          { class: 'faint' },
          note.remedy !== undefined && prose(note.remedy),
          note.remedy !== undefined && code !== undefined ? ' ' : '',
          code !== undefined && codeMark(code),
        ),
    ),
  );
}

/** Pitfalls have a page; the codes of problems name only themselves. */
export function codeMark(code: string): HTMLElement {
  if (!code.startsWith('CMP')) return h('span', { class: 'faint' }, code);
  return link(code, () => post({ type: 'explain', code }), 'What this means');
}

function stagesTable(
  table: StageTable,
  stage: number | undefined,
  select: (stage: number | undefined) => void,
): HTMLElement {
  const body = h('tbody', {}, ...table.rows.map((row) => stageRow(row, stage, (next) => choose(next))));
  const choose = (next: number): void => {
    const again = body.querySelector(`tr.selected[data-stage="${next}"]`) !== null;
    for (const row of body.rows) {
      const isSelected = !again && row.dataset['stage'] === String(next);
      row.classList.toggle('selected', isSelected);
      row.querySelector('button')?.setAttribute('aria-pressed', String(isSelected));
    }
    select(again ? undefined : next);
  };
  const element = h(
    'table',
    { class: 'stages' },
    h('caption', { class: 'unseen' }, 'Stages of the run. The button of a stage selects it for the charts.'),
    h('thead', {}, groupHeads(table), columnHeads(table)),
    body,
  );
  return askable(element, 'Stages');
}

function groupHeads(table: StageTable): HTMLElement {
  return h(
    'tr',
    { class: 'groups' },
    h('td', {}),
    ...table.groups.map((group) =>
      group.label === ''
        ? h('td', { colspan: group.columns.length })
        : h(
            'th',
            { scope: 'colgroup', colspan: group.columns.length },
            group.label,
            group.unit !== undefined && h('span', { class: 'unit' }, ` ${group.unit}`),
          ),
    ),
  );
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

function stageRow(row: StageRow, selected: number | undefined, choose: (stage: number) => void): HTMLTableRowElement {
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
  return h(
    'tr',
    {
      class: [stage === undefined && 'all', row.warmup && 'warmup', isSelected && 'selected'].filter(Boolean).join(' '),
      'data-stage': stage,
    },
    h('th', { scope: 'row', class: 'first' }, ...name),
    ...row.cells.map((cell) => figureCell(cell)),
  );
}

function provenance(view: ReportView): HTMLElement {
  const groups = view.provenance.map((group) =>
    h(
      'div',
      { class: 'facts' },
      h('h3', {}, group.title),
      h(
        'dl',
        {},
        ...group.facts.flatMap((fact) => [
          h('dt', {}, fact.label),
          h('dd', {}, fact.value, fact.note !== undefined && h('span', { class: 'faint' }, ` (${fact.note})`)),
        ]),
      ),
    ),
  );
  const files = view.files.map((file) =>
    h(
      'li',
      {},
      link(file, () => post({ type: 'openFile', side: 'a', file })),
    ),
  );
  return section(
    'Where the numbers come from',
    h(
      'div',
      { class: 'provenance' },
      ...groups,
      h('div', { class: 'facts' }, h('h3', {}, 'Files'), h('ul', { class: 'files' }, ...files)),
    ),
  );
}
