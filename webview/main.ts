// The one webview bundle: shows the frame at once, says it is ready, and draws what the extension sends.
import type { HostMessage } from '../src/messages';
import { comparisonPage } from './comparison';
import { busy, button, registerControls } from './controls';
import { h } from './dom';
import { listen, post, savedState, saveState } from './host';
import { pageKeys, sign } from './keys';
import { livePage, type LivePage } from './live';
import type { Page } from './page';
import { reportPage } from './report';
import { onThemeChange } from './theme';

registerControls();

const root = document.getElementById('root') ?? document.body.appendChild(h('div', { id: 'root' }));
let page: Page | undefined;
let live: LivePage | undefined;

function show(next: Page): void {
  const scroll = savedState().scroll ?? 0;
  for (const figure of page?.figures ?? []) figure.remove();
  page = next;
  root.replaceChildren(next.element);
  for (const figure of next.figures) figure.redraw();
  window.scrollTo(0, scroll);
}

function showText(element: HTMLElement): void {
  show({ element: h('main', { class: 'page' }, element), figures: [] });
}

function receive(message: HostMessage): void {
  if (message.type !== 'live' && message.type !== 'copied') live = undefined;
  switch (message.type) {
    case 'loading':
      showText(busy(message.words));
      break;
    case 'report':
      // Another run than the one this page showed before: begin at its top.
      if (savedState().restore?.folders.join() !== message.restore.folders.join())
        saveState({ scroll: 0, stage: null });
      saveState({ restore: message.restore });
      show(reportPage(message.view, message.asText));
      break;
    case 'comparison':
      saveState({ restore: message.restore });
      show(comparisonPage(message.view));
      break;
    case 'live':
      saveState({ restore: message.restore });
      if (live) live.update(message.view);
      else {
        live = livePage(message.view);
        show(live);
      }
      break;
    case 'failed':
      showText(failed(message));
      break;
    case 'copied':
      announce('Copied as Markdown');
      break;
  }
}

function failed({ message, remedy, asText }: Extract<HostMessage, { type: 'failed' }>): HTMLElement {
  return h(
    'div',
    { class: 'note note-bad', role: 'alert' },
    sign('bad'),
    h(
      'div',
      {},
      h('p', { class: 'note-title' }, message),
      h('p', {}, remedy),
      h(
        'div',
        { class: 'actions' },
        asText === true && button('Open as Text', () => post({ type: 'openAsText' })),
        button('Show Log', () => post({ type: 'showLog' })),
      ),
    ),
  );
}

function announce(words: string): void {
  const spot =
    document.getElementById('announcement') ??
    document.body.appendChild(h('div', { id: 'announcement', role: 'status' }));
  spot.textContent = words;
  spot.classList.add('shown');
  setTimeout(() => {
    spot.classList.remove('shown');
    spot.textContent = '';
  }, 2000);
}

let scrollTimer: ReturnType<typeof setTimeout> | undefined;
window.addEventListener('scroll', () => {
  clearTimeout(scrollTimer);
  scrollTimer = setTimeout(() => saveState({ scroll: window.scrollY }), 200);
});
onThemeChange(() => {
  for (const figure of page?.figures ?? []) figure.redraw();
});
pageKeys(root);
listen(receive);
showText(busy('Opening …'));
post({ type: 'ready' });
