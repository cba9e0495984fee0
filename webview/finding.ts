// One finding of a comparison: what differs and so what, both values with their places, what it moves, what to do.
import type { FindingSideView, FindingView } from '../src/views/comparison/model';
import type { DimensionState } from '../src/comparability/comparison';
import type { Side } from '../src/messages';
import { link } from './controls';
import { freshId, h, prose } from './dom';
import { post } from './host';

export function findingItem(finding: FindingView, state: DimensionState): HTMLElement {
  const titleId = freshId('finding');
  const openBoth = (): void => post({ type: 'openEvidence', finding: finding.index });
  const pitfall = finding.pitfall;
  const item = h(
    'li',
    { class: `finding finding-${state}`, 'data-stop': true, tabindex: -1, 'aria-labelledby': titleId },
    h(
      'p',
      { class: 'finding-title', id: titleId },
      h('strong', {}, finding.title),
      h('span', { class: 'state-word' }, STATE_WORDS[state]),
    ),
    h('p', {}, prose(finding.message)),
    h('div', { class: 'sides' }, side('a', finding, finding.a), side('b', finding, finding.b)),
    h(
      'dl',
      { class: 'consequences' },
      ...(finding.moves === '' ? [] : [h('dt', {}, 'Moves'), h('dd', {}, finding.moves)]),
      ...finding.more.flatMap(({ label, words }) => [h('dt', {}, label), h('dd', {}, prose(words))]),
      ...(finding.remedy === undefined ? [] : [h('dt', {}, 'Remedy'), h('dd', {}, prose(finding.remedy))]),
      h('dt', {}, 'Counts as equal'),
      h(
        'dd',
        { class: 'faint' },
        finding.tolerance,
        pitfall !== undefined && ' ',
        pitfall !== undefined && link(pitfall, () => post({ type: 'explain', code: pitfall }), 'What this means'),
      ),
    ),
  );
  item.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.target !== item) return;
    event.preventDefault();
    openBoth();
  });
  return item;
}

const STATE_WORDS: Readonly<Record<DimensionState, string>> = {
  confounds: 'confounds',
  unknown: 'not recorded',
  aligned: 'aligned',
  intended: 'intended',
  follows: 'follows',
  same: 'same',
};

function side(which: Side, finding: FindingView, view: FindingSideView): HTMLElement {
  const name = which.toUpperCase();
  return h(
    'div',
    { class: 'finding-side' },
    h('p', {}, h('span', { class: `side side-${which}` }, name), h('span', { class: 'side-value' }, view.summary)),
    h(
      'ul',
      { class: 'evidence' },
      ...view.evidence.map((entry) => h('li', {}, h('code', {}, entry.place), h('span', {}, ` ${entry.value}`))),
    ),
    view.canOpen &&
      h(
        'p',
        {},
        link(
          `Show in ${name}`,
          () => post({ type: 'openEvidence', finding: finding.index, side: which }),
          `Open the place this was read from, in ${name}`,
        ),
      ),
  );
}
