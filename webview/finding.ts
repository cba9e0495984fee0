// One finding of a comparison: a line that unfolds to the evidence of both sides, what it affects, and what to do.
import type { FindingView } from '../src/views/comparison/model';
import type { DimensionState } from '../src/comparability/comparison';
import type { Side } from '../src/messages';
import { link } from './controls';
import { freshId, h, prose } from './dom';
import { post } from './host';
import { sideMark } from './keys';

export function findingItem(finding: FindingView, state: DimensionState, isOpen: boolean): HTMLElement {
  const titleId = freshId('finding');
  const openBoth = (): void => post({ type: 'openEvidence', finding: finding.index });
  const { pitfall, number, title, message, moves, more, remedy, tolerance } = finding;
  const box = h(
    'details',
    { class: 'finding-box', open: isOpen },
    h(
      'summary',
      { class: 'finding-title', id: titleId },
      number !== undefined && h('span', { class: 'finding-number' }, `${number}.`),
      h('strong', {}, title),
      h('span', { class: 'state-word' }, STATE_WORDS[state]),
      h('span', { class: 'finding-side' }, sideMark('a'), h('span', { class: 'side-value' }, finding.a.summary)),
      h('span', { class: 'finding-side' }, sideMark('b'), h('span', { class: 'side-value' }, finding.b.summary)),
    ),
    h('p', {}, prose(message)),
    evidence(finding),
    h(
      'p',
      { class: 'evidence-links' },
      ...(['a', 'b'] as const).flatMap((side) => (finding[side].canOpen ? [showIn(side, finding), ' '] : [])),
    ),
    h(
      'dl',
      { class: 'consequences' },
      ...(moves === '' ? [] : [h('dt', {}, 'Affects'), h('dd', {}, moves)]),
      ...more.flatMap(({ label, words }) => [h('dt', {}, label), h('dd', {}, prose(words))]),
      ...(remedy === undefined ? [] : [h('dt', {}, 'Remedy'), h('dd', {}, prose(remedy))]),
      h('dt', {}, 'Rule'),
      h(
        'dd',
        { class: 'faint' },
        tolerance,
        pitfall !== undefined && ' ',
        pitfall !== undefined && link(pitfall, () => post({ type: 'explain', code: pitfall }), 'What this means'),
      ),
    ),
  );
  const item = h(
    'li',
    {
      class: `finding finding-${state}`,
      'data-stop': true,
      'data-finding': finding.index,
      tabindex: -1,
      'aria-labelledby': titleId,
    },
    box,
  );
  item.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.target !== item) return;
    event.preventDefault();
    openBoth();
  });
  return item;
}

/** Unfolds a finding, and what it stands in, and goes there. */
export function openFinding(index: number): void {
  const item = document.querySelector<HTMLElement>(`[data-finding="${index}"]`);
  if (!item) return;
  const around = item.closest<HTMLDetailsElement>('details.finding-group');
  if (around) around.open = true;
  const own = item.querySelector('details');
  if (own) own.open = true;
  item.focus({ preventScroll: true });
  item.scrollIntoView({ block: 'start' });
}

const STATE_WORDS: Readonly<Record<DimensionState, string>> = {
  confounds: 'confounds',
  unknown: 'not recorded',
  aligned: 'aligned',
  intended: 'intended',
  follows: 'follows',
  same: 'same',
};

function showIn(side: Side, { index }: FindingView): HTMLElement {
  const name = side.toUpperCase();
  const open = (): void => post({ type: 'openEvidence', finding: index, side });
  return link(`Show in ${name}`, open, `Open the place this was read from, in ${name}`);
}

/** Three columns; what is equal on both sides is folded. */
function evidence({ evidence: rows, title }: FindingView): HTMLElement | false {
  if (rows.length === 0) return false;
  const apart = rows.filter(({ isEqual }) => !isEqual);
  const alike = rows.filter(({ isEqual }) => isEqual);
  const table = (shown: typeof rows, caption: string): HTMLElement =>
    h(
      'table',
      { class: 'evidence' },
      h('caption', { class: 'unseen' }, caption),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col' }, 'Read at'),
          h('th', { scope: 'col' }, sideMark('a')),
          h('th', { scope: 'col' }, sideMark('b')),
        ),
      ),
      h(
        'tbody',
        {},
        ...shown.map(({ place, a, b }) =>
          h('tr', {}, h('th', { scope: 'row' }, h('code', {}, place)), h('td', {}, a), h('td', {}, b)),
        ),
      ),
    );
  if (apart.length === 0) return h('div', { class: 'evidence-box' }, table(alike, `Evidence: ${title}`));
  return h(
    'div',
    { class: 'evidence-box' },
    table(apart, `Evidence that differs: ${title}`),
    alike.length > 0 &&
      h(
        'details',
        {},
        h('summary', { class: 'faint' }, `${alike.length} more, equal on both sides`),
        table(alike, `Evidence that is equal: ${title}`),
      ),
  );
}
