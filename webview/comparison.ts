// The comparison of two runs: heads, verdict and claim, findings worst first, metrics, overlaid charts.
import type { ComparisonView, FindingGroup, HeadRow, MetricTable } from '../src/views/comparison/model';
import type { Side } from '../src/messages';
import { askable } from './ask';
import { chartGrid } from './chart-figure';
import { button, link, select } from './controls';
import { h, prose, type Child } from './dom';
import { findingItem } from './finding';
import { post } from './host';
import { sideMark, sign } from './keys';
import { figuresTable, interpolatedTable, metricTable } from './metric-table';
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
      figuresTable(
        'heads',
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
    runHead('a', view.names.a),
    runHead('b', view.names.b),
  );
}

function runHead(side: Side, name: string): HTMLElement {
  const open = (): void => post({ type: 'openReport', side });
  return h(
    'th',
    { scope: 'col' },
    h('div', { class: 'run-name' }, sideMark(side), link(name, open, `Open the report of ${side.toUpperCase()}`)),
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
      askable(metricTable(table), `Metrics, ${table.stage}`, 'figures-box'),
    ]),
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
