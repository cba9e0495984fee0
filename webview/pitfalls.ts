// The pitfalls that two runs show: code, whose evidence, the figures, and a link to the page of each.
import type { PitfallSeen } from '../src/comparability/comparison';
import { link } from './controls';
import { h, prose } from './dom';
import { post } from './host';

export function pitfallList(seen: readonly PitfallSeen[]): HTMLElement | false {
  if (seen.length === 0) return false;
  const words = seen.length === 1 ? '1 known pitfall applies' : `${seen.length} known pitfalls apply`;
  return h(
    'details',
    { class: 'pitfalls' },
    h('summary', {}, h('h3', {}, words)),
    h('ul', { class: 'plain' }, ...seen.map((entry) => item(entry))),
  );
}

function item({ code, title, side, words, accepted }: PitfallSeen): HTMLElement {
  return h(
    'li',
    {},
    link(code, () => post({ type: 'explain', code }), `What ${code} means`),
    ' ',
    h('strong', {}, `${title}. `),
    side === 'between' ? '' : `${side}: `,
    prose(words),
    accepted !== undefined && h('span', { class: 'faint' }, ` (${accepted}; it is listed all the same)`),
  );
}
