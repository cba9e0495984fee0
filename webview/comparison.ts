// The comparison of two runs: heads, verdict and claim, findings worst first, metrics, overlaid charts.
import type {
  ComparisonView,
  FindingGroup,
  HeadRow,
  InterpolatedTable,
  MetricTable,
} from '../src/comparability/view-model';
import type { Side } from '../src/messages';
import { askable, figureCell } from './ask';
import { chartGrid } from './chart-figure';
import { button, link, select } from './controls';
import { h, prose, type Child } from './dom';
import { findingItem } from './finding';
import { post } from './host';
import { sign } from './keys';
import type { Page } from './page';
import { pitfallList } from './pitfalls';
import { section } from './report';

export function comparisonPage(view: ComparisonView): Page {
  const { element: charts, figures } = chartGrid(view.charts);
  return {
    element: h(
      'main',
      { class: 'page comparison' },
      head(view),
      verdict(view),
      section(
        'Findings',
        intent(view),
        alignment(view),
        cutControl(view),
        ...view.groups.map((group) => findingGroup(group)),
        pitfallList(view.pitfalls),
      ),
      metricsSection(view.metrics),
      interpolation(view),
      section('Charts', charts),
      section('Files', h('div', { class: 'provenance' }, files('a', view.files.a), files('b', view.files.b))),
    ),
    figures,
  };
}

function head(view: ComparisonView): HTMLElement {
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
        button('Swap A and B', () => post({ type: 'swap' })),
        button('Save…', () => post({ type: 'saveComparison' }), { title: 'As a file that asks the same again' }),
        button('Copy as Markdown', () => post({ type: 'copyMarkdown' }), { title: 'c' }),
      ),
    ),
    h(
      'div',
      { class: 'scroll', role: 'region', 'aria-label': 'The two runs', tabindex: 0 },
      h(
        'table',
        { class: 'heads' },
        h('caption', { class: 'unseen' }, 'The two runs, the same field under each other'),
        h('thead', {}, headRow(view, 'Run')),
        h('tbody', {}, ...view.heads.map((row) => factRow(row))),
      ),
    ),
  );
}

function headRow(view: ComparisonView, label: string): HTMLElement {
  return h(
    'tr',
    {},
    h('th', { scope: 'col' }, h('span', { class: 'unseen' }, label)),
    h(
      'th',
      { scope: 'col' },
      sideMark('a'),
      link(view.names.a, () => post({ type: 'openReport', side: 'a' }), 'Open the report of A'),
    ),
    h(
      'th',
      { scope: 'col' },
      sideMark('b'),
      link(view.names.b, () => post({ type: 'openReport', side: 'b' }), 'Open the report of B'),
    ),
  );
}

function factRow(row: HeadRow): HTMLElement {
  return h(
    'tr',
    { class: row.differs ? 'differs' : '' },
    h('th', { scope: 'row' }, row.label),
    h('td', {}, row.a),
    h(
      'td',
      {},
      row.differs && h('span', { class: 'differs-sign' }, '≠', h('span', { class: 'unseen' }, 'differs:')),
      row.b,
    ),
  );
}

export function sideMark(side: Side): HTMLElement {
  return h('span', { class: `side side-${side}` }, side.toUpperCase());
}

function verdict(view: ComparisonView): HTMLElement {
  const { tone, word, sentence, claim, isClaim } = view.verdict;
  return h(
    'section',
    { class: `verdict verdict-${tone}`, 'aria-label': 'Verdict' },
    h('h2', {}, sign(tone), h('span', {}, word)),
    h('p', { class: 'verdict-sentence' }, prose(sentence)),
    h('p', { class: 'claim' }, isClaim && h('strong', {}, 'Claim: '), prose(claim)),
    view.notes.length > 0 && h('ul', { class: 'faint plain' }, ...view.notes.map((note) => h('li', {}, note))),
  );
}

function intent(view: ComparisonView): HTMLElement {
  const choices = [
    { value: '', label: 'none declared' },
    ...view.intendable.map((entry) => ({ value: entry.id, label: entry.title })),
  ];
  const control = select('The one change under test', choices, view.intended ?? '', (value) =>
    post({ type: 'intend', dimension: value === '' ? null : value }),
  );
  return h('div', { class: 'intent' }, h('span', {}, 'The one change under test:'), control);
}

/** What both sides can be recomputed in, and what that did or would need. */
function alignment(view: ComparisonView): HTMLElement | false {
  if (view.alignment.length === 0) return false;
  return h(
    'fieldset',
    { class: 'alignment' },
    h('legend', {}, 'Recompute both sides alike in:'),
    ...view.alignment.map(({ id, title, on, possible, words }) => {
      const box = h('input', { type: 'checkbox' });
      box.checked = on;
      box.disabled = !possible;
      box.addEventListener('change', () => post({ type: 'align', dimension: id, on: box.checked }));
      return h(
        'div',
        { class: 'alignment-switch' },
        h('label', {}, box, ` ${title}`),
        h('p', { class: 'faint' }, prose(words)),
      );
    }),
  );
}

/** How much of both windows' start is left out as warm-up. */
function cutControl({ cut }: ComparisonView): HTMLElement | false {
  if (cut === undefined) return false;
  const usual = [
    { value: 'auto', label: 'what they declare and MSER-5 suggests' },
    ...['50', '100', '500'].map((value) => ({ value, label: `the first ${value} requests` })),
    ...['5s', '10s', '30s', '60s'].map((value) => ({ value, label: `the first ${value.replace('s', ' s')}` })),
  ];
  const own = usual.some(({ value }) => value === cut) ? [] : [{ value: cut, label: cut }];
  const control = select('Warm-up cut of both windows', [...usual, ...own], cut, (value) =>
    post({ type: 'cut', cut: value }),
  );
  return h('div', { class: 'cut' }, h('span', {}, 'Warm-up cut of both windows, when it is aligned:'), control);
}

/** Loads that only one side has: apart from what is judged, and said to be. */
function interpolation({ interpolation: shown }: ComparisonView): HTMLElement | false {
  if (!shown) return false;
  const box = h('input', { type: 'checkbox' });
  box.checked = shown.on;
  box.addEventListener('change', () => post({ type: 'interpolate', on: box.checked }));
  const words = 'A straight line between two loads, not a measurement: in no verdict, claim or gate.';
  return section(
    'Loads of one side only',
    h(
      'div',
      { class: 'interpolation' },
      h('label', {}, box, ' Interpolate the other side between its neighbouring loads'),
      h('p', { class: 'faint' }, words),
      ...shown.tables.flatMap((table) => [h('h3', {}, table.title), table.rows.length > 0 && interpolatedTable(table)]),
    ),
  );
}

function interpolatedTable({ title, rows }: InterpolatedTable): HTMLElement {
  const heads: readonly Child[] = [sideMark('a'), sideMark('b'), 'of A'];
  const cell = (text: string): HTMLElement => h('td', { class: 'figure' }, text);
  return h(
    'div',
    { class: 'scroll', role: 'region', 'aria-label': title, tabindex: 0 },
    h(
      'table',
      { class: 'metrics' },
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
            h('td', { class: 'words' }, row.words),
          ),
        ),
      ),
    ),
  );
}

function findingGroup(group: FindingGroup): HTMLElement {
  const heading: readonly Child[] = [
    h('span', { class: `mark mark-${group.state}`, 'aria-hidden': 'true' }, MARKS[group.state]),
    `${group.title} (${group.findings.length})`,
  ];
  const list = h('ol', { class: 'findings' }, ...group.findings.map((finding) => findingItem(finding, group.state)));
  if (group.state !== 'same' && group.state !== 'follows' && group.assumed !== true) {
    return h(
      'div',
      { class: 'finding-group', 'data-state': group.state },
      h('h3', {}, ...heading),
      h('p', { class: 'faint' }, group.hint),
      list,
    );
  }
  return h(
    'details',
    { class: 'finding-group', 'data-state': group.assumed === true ? 'assumed' : group.state },
    h('summary', {}, h('h3', {}, ...heading)),
    h('p', { class: 'faint' }, group.hint),
    list,
  );
}

const MARKS = { confounds: '✕', unknown: '?', aligned: '≈', intended: '→', follows: '↳', same: '=' } as const;

function metricsSection(tables: readonly MetricTable[]): HTMLElement {
  return section(
    'Metrics',
    ...tables.flatMap((table) => [
      tables.length > 1 && h('h3', {}, table.stage),
      askable(metricTable(table), `Metrics, ${table.stage}`),
    ]),
  );
}

function metricTable(table: MetricTable): HTMLTableElement {
  return h(
    'table',
    { class: 'metrics' },
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
        h('th', { scope: 'col' }, '95 % interval'),
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
          figureCell(row.interval, 'difference'),
          h('td', { class: 'words difference' }, row.words),
          h('td', { class: 'words verdict-cell' }, row.verdictWords),
        ),
      ),
    ),
  );
}

function files(side: Side, names: readonly string[]): HTMLElement {
  return h(
    'div',
    { class: 'facts' },
    h('h3', {}, sideMark(side), 'Files'),
    h(
      'ul',
      { class: 'files' },
      ...names.map((file) =>
        h(
          'li',
          {},
          link(file, () => post({ type: 'openFile', side, file })),
        ),
      ),
    ),
  );
}
