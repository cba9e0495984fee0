// The report of one run, the answer on the first screen: key numbers, notices in a line, charts; then stages and provenance.
import type { ReportView, Tone, ViewNote } from '../src/views/report/model';
import { figureText } from './ask';
import { chartGrid } from './chart-figure';
import { button, link } from './controls';
import { freshId, h, prose, type Child } from './dom';
import { post, savedState, saveState } from './host';
import { sign } from './keys';
import type { Page } from './page';
import { stagesTable } from './stages-table';

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
      keySection(view.key),
      notices(view),
      section('Charts', charts),
      section('Stages', stagesTable(view.stages, stage, select)),
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

function keySection({ where, numbers }: ReportView['key']): HTMLElement | false {
  if (numbers.length === 0) return false;
  const entries = numbers.map(({ label, unit, figure }) =>
    h(
      'div',
      { class: 'key-number' },
      h('dt', {}, label, unit !== undefined && h('span', { class: 'unit' }, ` ${unit}`)),
      h('dd', { title: figure.note }, figureText(figure)),
    ),
  );
  const title = h('h2', { class: 'unseen' }, `Key numbers: ${where}`);
  return h(
    'section',
    { 'aria-label': `Key numbers: ${where}` },
    title,
    h('p', { class: 'faint key-where' }, where),
    h('dl', { class: 'key-numbers' }, ...entries),
  );
}

/** One line that unfolds to all notices. */
function notices({ notes, notice }: ReportView): HTMLElement {
  if (notice === undefined) {
    const words = 'Nothing was found that stands between these numbers and their meaning.';
    return h('p', { class: 'quiet notice-line' }, sign('good'), h('span', {}, words));
  }
  const tone: Tone = notes[0]?.tone ?? 'neutral';
  const box = h(
    'details',
    { class: 'notices', open: savedState().notices === true },
    h('summary', { class: 'notice-line' }, h('h2', {}, sign(tone), prose(notice))),
    h('ol', { class: 'notes' }, ...notes.map((note) => noteItem(note))),
  );
  box.addEventListener('toggle', () => saveState({ notices: box.open }));
  return h('section', { 'aria-label': 'Notices' }, box);
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
