// The comparison of two runs, the answer on the first screen: verdict, key numbers, two charts; then findings and all the rest.
import type { Chip, ComparisonView, FindingGroup, HeadRow } from '../src/views/comparison/model';
import type { Side } from '../src/messages';
import { askable } from './ask';
import { chartFigure, type ChartFigure } from './chart-figure';
import { head, watchVerdict } from './comparison-head';
import { button, link, select } from './controls';
import { h, prose, type Child } from './dom';
import { findingItem, openFinding } from './finding';
import { post, savedState, saveState } from './host';
import { keyTable } from './key-table';
import { sideMark, sign } from './keys';
import { figuresTable, interpolatedTable, metricTable } from './metric-table';
import type { Page } from './page';
import { pitfallList } from './pitfalls';
import { section } from './report';

/** Charts of the first screen; the others stand further down. */
const FIRST_CHARTS = 2;

export function comparisonPage(view: ComparisonView): Page {
  const figures = view.charts.map((group) => chartFigure(group));
  const top = head(view);
  const answer = verdict(view);
  watchVerdict(top, answer);
  const told = view.groups.filter(({ state, assumed }) => !isRest(state, assumed));
  const rest = view.groups.filter(({ state, assumed }) => isRest(state, assumed));
  return {
    element: h(
      'main',
      { class: 'page comparison' },
      top,
      answer,
      view.key.rows.length > 0 && quiet(section('Key numbers', keyTable(view.key))),
      quiet(charts('Charts', figures.slice(0, FIRST_CHARTS), view)),
      view.verdict.isClaim && section('Claim', h('p', { class: 'claim' }, prose(view.verdict.claim))),
      told.length > 0 && section('Findings', ...told.map((group) => findingGroup(group))),
      metricsSection(view),
      interpolation(view),
      figures.length > FIRST_CHARTS && charts('More charts', figures.slice(FIRST_CHARTS), view),
      section(
        'What this rests on',
        h(
          'ul',
          { class: 'plain notes-list' },
          ...[...(view.verdict.isClaim ? [] : [view.verdict.claim]), ...view.notes].map((note) =>
            h('li', {}, prose(note)),
          ),
        ),
        ...rest.map((group) => findingGroup(group)),
        pitfallList(view.pitfalls),
        runs(view.heads),
        h('div', { class: 'provenance' }, files('a', view.files.a), files('b', view.files.b)),
      ),
    ),
    figures,
  };
}

/** The heading is for those who walk by headings; what follows says by itself what it is. */
function quiet(element: HTMLElement): HTMLElement {
  element.querySelector('h2')?.classList.add('unseen');
  return element;
}

function isRest(state: FindingGroup['state'], assumed: FindingGroup['assumed']): boolean {
  return state === 'same' || state === 'follows' || assumed === true;
}

function verdict({ verdict: said, heads }: ComparisonView): HTMLElement {
  const { tone, word, sentence, chips, next } = said;
  const apart = heads.filter(({ differs }) => differs);
  return h(
    'section',
    { class: `verdict verdict-${tone}`, 'aria-label': 'Verdict' },
    h('h2', {}, sign(tone), h('span', {}, word)),
    h('p', { class: 'verdict-sentence' }, prose(withoutWord(sentence, word))),
    chips.length > 0 && h('ul', { class: 'chips' }, ...chips.map((chip) => h('li', {}, chipOf(chip)))),
    next !== undefined && h('p', { class: 'next' }, h('strong', {}, 'Next: '), prose(next)),
    ...apart.map(({ label, a, b }) =>
      h('p', { class: 'faint apart' }, `${label}: `, sideMark('a'), a, ' ', sideMark('b'), b),
    ),
  );
}

/** The heading says the word already. */
function withoutWord(sentence: string, word: string): string {
  const rest = sentence.startsWith(`${word}: `) ? sentence.slice(word.length + 2) : sentence;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

function chipOf({ index, title, state, align }: Chip): HTMLElement {
  const jump = button(title, () => openFinding(index), { title: `Show the finding: ${title}` });
  jump.classList.add('chip');
  const box = h(
    'span',
    { class: `chip-box chip-${state}` },
    h('span', { class: `mark mark-${state}`, 'aria-hidden': 'true' }, MARKS[state]),
    jump,
  );
  if (align !== undefined && state !== 'aligned') {
    const words = `Align ${title.toLowerCase()}: recompute both sides the same way`;
    const now = button('align', () => post({ type: 'align', dimension: align, on: true }), { title: words });
    now.setAttribute('aria-label', words);
    now.classList.add('chip', 'chip-align');
    box.append(now);
  }
  return box;
}

function charts(title: string, figures: readonly ChartFigure[], { key }: ComparisonView): HTMLElement {
  if (figures.length === 0) {
    const why = 'There is no chart: neither side kept its requests, and there is one load only.';
    return section(title, h('p', { class: 'faint' }, why));
  }
  const className = title === 'Charts' && key.rows.length > 0 ? 'charts first-charts' : 'charts';
  return section(title, h('div', { class: className }, ...figures.map(({ element }) => element)));
}

function runs(heads: readonly HeadRow[]): HTMLElement {
  return h(
    'details',
    { class: 'runs-table' },
    h('summary', {}, h('h3', {}, 'The two runs')),
    figuresTable(
      'heads',
      h('caption', { class: 'unseen' }, 'The two runs, the same field under each other'),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col' }, h('span', { class: 'unseen' }, 'Run')),
          h('th', { scope: 'col' }, sideMark('a')),
          h('th', { scope: 'col' }, sideMark('b')),
        ),
      ),
      h('tbody', {}, ...heads.map((row) => factRow(row))),
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
  const { state, assumed, title, hint, findings } = group;
  const heading: readonly Child[] = [
    h('span', { class: `mark mark-${state}`, 'aria-hidden': 'true' }, MARKS[state]),
    `${title} (${findings.length})`,
  ];
  const told = !isRest(state, assumed);
  // The worst finding is open; more would push the rest out of sight.
  const list = h(
    'ol',
    { class: 'findings' },
    ...findings.map((finding) => findingItem(finding, state, finding.number === 1)),
  );
  if (told) {
    return h(
      'div',
      { class: 'finding-group', 'data-state': state },
      h('h3', { title: hint }, ...heading),
      h('p', { class: 'faint' }, hint),
      list,
    );
  }
  return h(
    'details',
    { class: 'finding-group', 'data-state': assumed === true ? 'assumed' : state },
    h('summary', {}, h('h3', {}, ...heading)),
    h('p', { class: 'faint' }, hint),
    list,
  );
}

const MARKS = { confounds: '✕', unknown: '?', aligned: '≈', intended: '→', follows: '↳', same: '=' } as const;

/** Folded: the key numbers stand above. One table; of several loads the one that is chosen, at first where those are. */
function metricsSection({ metrics, key }: ComparisonView): HTMLElement {
  if (metrics.length === 0) return section('All metrics', h('p', { class: 'faint' }, 'No number is on both sides.'));
  const box = h('div', {});
  const show = (index: number): void => {
    const table = metrics[index]!;
    box.replaceChildren(askable(metricTable(table), `Metrics, ${table.stage}`, 'figures-box'));
  };
  const kept = savedState().table ?? key.table;
  const first = kept < metrics.length ? kept : key.table;
  show(first);
  const choices = metrics.map(({ stage }, index) => ({ value: String(index), label: stage }));
  const control = select('Load of the metrics', choices, String(first), (value) => {
    saveState({ table: Number(value) });
    show(Number(value));
  });
  const count = metrics.reduce((sum, { rows }) => sum + rows.length, 0);
  const details = h(
    'details',
    { class: 'all-metrics', open: savedState().metrics === true },
    h('summary', {}, h('h2', {}, `All ${count} metrics`)),
    metrics.length > 1 && h('div', { class: 'intent' }, h('span', {}, 'Load:'), control),
    box,
  );
  details.addEventListener('toggle', () => saveState({ metrics: details.open }));
  return h('section', { 'aria-label': 'All metrics' }, details);
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
