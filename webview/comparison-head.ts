// The line that stays on top of a comparison: both runs, the verdict's word once it is out of sight, and what can be done.
import type { ComparisonView } from '../src/views/comparison/model';
import type { Side } from '../src/messages';
import { button, link, select } from './controls';
import { h, prose, type Child } from './dom';
import { post, savedState, saveState } from './host';
import { sideMark, sign } from './keys';

export function head(view: ComparisonView): HTMLElement {
  const { tone, word } = view.verdict;
  return h(
    'header',
    { class: 'head' },
    h(
      'div',
      { class: 'head-line' },
      h(
        'h1',
        { class: 'runs' },
        run('a', view.names.a),
        h('span', { class: 'faint' }, 'against'),
        run('b', view.names.b),
      ),
      h('span', { class: 'head-verdict', 'aria-hidden': 'true' }, sign(tone), word),
      h(
        'div',
        { class: 'actions' },
        alignMenu(view),
        intentMenu(view),
        button('Swap', () => post({ type: 'swap' }), { title: 'Swap A and B' }),
        button('Save…', () => post({ type: 'saveComparison' }), { title: 'As a file that asks the same again' }),
        button('Copy', () => post({ type: 'copyMarkdown' }), { title: 'Copy as Markdown (c)' }),
      ),
    ),
  );
}

/** The verdict's word stands in the head while the verdict itself is out of sight. */
export function watchVerdict(headElement: HTMLElement, verdict: HTMLElement): void {
  new IntersectionObserver(([entry]) => {
    headElement.classList.toggle('verdict-gone', entry?.isIntersecting === false);
  }).observe(verdict);
}

function run(side: Side, name: string): HTMLElement {
  const open = (): void => post({ type: 'openReport', side });
  return h('span', { class: 'run-name' }, sideMark(side), link(name, open, `Open the report of ${side.toUpperCase()}`));
}

/** A button that unfolds a box over the page. It stays open while its controls are used, and is open again after a redraw. */
function menu(id: string, label: string, ...children: readonly Child[]): HTMLElement {
  const element = h(
    'details',
    { class: 'menu', 'data-menu': id },
    h('summary', {}, label),
    h('div', { class: 'menu-box', role: 'group', 'aria-label': label }, ...children),
  );
  element.open = savedState().menu === id;
  element.addEventListener('toggle', () => {
    if (element.open) saveState({ menu: id });
    else if (savedState().menu === id) saveState({ menu: null });
    if (!element.open) return;
    for (const other of document.querySelectorAll<HTMLDetailsElement>('details.menu')) {
      if (other !== element) other.open = false;
    }
  });
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !element.open) return;
    element.open = false;
    element.querySelector('summary')?.focus();
  });
  return element;
}

/** What both sides can be recomputed in, and what that did or would need. */
function alignMenu(view: ComparisonView): HTMLElement | false {
  const on = view.alignment.filter((entry) => entry.on).length;
  if (view.alignment.length === 0 && view.cut === undefined) return false;
  const boxes = view.alignment.map(({ id, title, on: isOn, possible, words }) => {
    const box = h('input', { type: 'checkbox' });
    box.checked = isOn;
    box.disabled = !possible;
    box.addEventListener('change', () => post({ type: 'align', dimension: id, on: box.checked }));
    return h(
      'div',
      { class: 'alignment-switch' },
      h('label', {}, box, ` ${title}`),
      h('p', { class: 'faint' }, prose(words)),
    );
  });
  return menu(
    'align',
    on > 0 ? `Align (${on})` : 'Align',
    h('fieldset', { class: 'alignment' }, h('legend', {}, 'Recompute both sides the same way in:'), ...boxes),
    cutControl(view),
  );
}

/** How much of both windows' start is left out as warm-up. */
function cutControl({ cut }: ComparisonView): HTMLElement | false {
  if (cut === undefined) return false;
  const usual = [
    { value: 'auto', label: 'what they declare, and the suggested cut (MSER-5)' },
    ...['50', '100', '500'].map((value) => ({ value, label: `the first ${value} requests` })),
    ...['5s', '10s', '30s', '60s'].map((value) => ({ value, label: `the first ${value.replace('s', ' s')}` })),
  ];
  const own = usual.some(({ value }) => value === cut) ? [] : [{ value: cut, label: cut }];
  const control = select('Warm-up cut of both windows', [...usual, ...own], cut, (value) =>
    post({ type: 'cut', cut: value }),
  );
  return h('div', { class: 'cut' }, h('span', {}, 'Warm-up cut of both windows:'), control);
}

function intentMenu(view: ComparisonView): HTMLElement {
  const choices = [
    { value: '', label: 'none declared' },
    ...view.intendable.map((entry) => ({ value: entry.id, label: entry.title })),
  ];
  const chosen = view.intendable.find(({ id }) => id === view.intended);
  const control = select('The one change under test', choices, view.intended ?? '', (value) =>
    post({ type: 'intend', dimension: value === '' ? null : value }),
  );
  return menu(
    'intent',
    chosen ? `Under test: ${chosen.title.toLowerCase()}` : 'Change under test',
    h('div', { class: 'intent' }, h('span', {}, 'The one change under test:'), control),
  );
}
