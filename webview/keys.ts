// Keys of a page: j and k between its findings, c copies, and the state words that go with tones.
import type { Side } from '../src/messages';
import type { Tone } from '../src/views/report/model';
import { h } from './dom';
import { post } from './host';

/** Keys work wherever the focus is, also when nothing has it yet. */
export function pageKeys(root: HTMLElement): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.key === 'j') moveBetween(root, 1);
    else if (event.key === 'k') moveBetween(root, -1);
    else if (event.key === 'c') post({ type: 'copyMarkdown' });
    else return;
    event.preventDefault();
  });
}

function moveBetween(root: HTMLElement, by: number): void {
  // Who walks through the notices wants to see them.
  const folded = root.querySelector<HTMLDetailsElement>('details.notices:not([open])');
  if (folded) folded.open = true;
  const stops = [...root.querySelectorAll<HTMLElement>('[data-stop]')].filter((stop) => stop.offsetParent !== null);
  if (stops.length === 0) return;
  const at = stops.findIndex((stop) => stop.contains(document.activeElement));
  const next = at < 0 ? (by > 0 ? 0 : stops.length - 1) : Math.min(stops.length - 1, Math.max(0, at + by));
  const stop = stops[next];
  stop?.focus();
  stop?.scrollIntoView({ block: 'nearest' });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, vscode-dropdown') !== null;
}

const WORDS: Readonly<Record<Tone, string>> = { good: '✓', caution: '!', bad: '✕', neutral: 'i' };

/** A sign with a shape of its own, so that no state is told by colour alone. */
export function sign(tone: Tone): HTMLElement {
  return h('span', { class: `sign sign-${tone}`, 'aria-hidden': 'true' }, WORDS[tone]);
}

/** A or B, framed in its colour and its kind of line. */
export function sideMark(side: Side): HTMLElement {
  return h('span', { class: `side side-${side}` }, side.toUpperCase());
}
