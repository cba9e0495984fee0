// The controls of every view. The only file that knows @vscode/webview-ui-toolkit: replace its body to leave the toolkit.
import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeDropdown,
  vsCodeLink,
  vsCodeOption,
  vsCodeProgressRing,
} from '@vscode/webview-ui-toolkit';
import { h } from './dom';

/** Must run while the page loads: the toolkit takes over the theme in its own load listener. */
export function registerControls(): void {
  provideVSCodeDesignSystem().register(
    vsCodeButton(),
    vsCodeDropdown(),
    vsCodeLink(),
    vsCodeOption(),
    vsCodeProgressRing(),
  );
}

interface ButtonOptions {
  readonly primary?: boolean;
  readonly title?: string;
  readonly disabled?: boolean;
}

export function button(label: string, onClick: () => void, options: ButtonOptions = {}): HTMLElement {
  const element = custom('vscode-button', { appearance: options.primary === true ? 'primary' : 'secondary' });
  element.append(label);
  if (options.title !== undefined) element.title = options.title;
  element.addEventListener('click', onClick);
  setDisabled(element, options.disabled === true);
  return element;
}

export function setDisabled(element: HTMLElement, disabled: boolean): void {
  element.toggleAttribute('disabled', disabled);
}

/** Something that opens a file or a page: looks and reads as a link, says so to a screen reader. */
export function link(label: string, onClick: () => void, title?: string): HTMLElement {
  // A page without an editor behind it has nothing to open.
  if (document.body.classList.contains('standalone')) return h('span', {}, label);
  const element = custom('vscode-link', { href: '#' });
  element.append(label);
  if (title !== undefined) element.title = title;
  element.addEventListener('click', (event) => {
    event.preventDefault();
    onClick();
  });
  return element;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export function select(
  label: string,
  choices: readonly Choice[],
  chosen: string,
  onChange: (value: string) => void,
): HTMLElement {
  const element = custom('vscode-dropdown', { 'aria-label': label });
  for (const choice of choices) {
    const option = custom('vscode-option', { value: choice.value });
    option.append(choice.label);
    option.toggleAttribute('selected', choice.value === chosen);
    element.append(option);
  }
  element.addEventListener('change', () => onChange((element as HTMLElement & { readonly value: string }).value));
  return element;
}

export function busy(words: string): HTMLElement {
  const ring = custom('vscode-progress-ring', { 'aria-hidden': 'true' });
  return h('div', { class: 'busy', role: 'status' }, ring, h('span', {}, words));
}

function custom(tag: string, attributes: Readonly<Record<string, string>>): HTMLElement {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}
