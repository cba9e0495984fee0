// Builds elements. Text is always set as text, never parsed as HTML: reports are hostile input.

export type Child = Node | string | undefined | false;

type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: Event) => void)>>;

/**
 * One element. `class`, `aria-*` and the like are attributes, functions are listeners (`onclick`), true is an empty
 * attribute, false and undefined are left out.
 */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

export function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
}

export function append(parent: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child !== undefined && child !== false) parent.append(child);
  }
}

/** A sentence in which `names` stand in backticks: these become code, the rest stays text. */
export function prose(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  text.split(/`([^`]+)`/).forEach((part, index) => {
    if (part !== '') fragment.append(index % 2 === 1 ? h('code', {}, part) : part);
  });
  return fragment;
}

/** A small drawing; shapes are given by path data, colours come from the style sheet. */
export function svg(className: string, viewBox: string, ...shapes: readonly SVGElement[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  setAttributes(element, { class: className, viewBox, 'aria-hidden': 'true', focusable: 'false' });
  element.append(...shapes);
  return element;
}

export function shape(tag: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(element, attributes);
  return element;
}

/** Sets text only when it differs, so that nothing flickers and screen readers stay quiet. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

let counter = 0;

export function freshId(prefix: string): string {
  counter += 1;
  return `${prefix}-${counter}`;
}

const built = new WeakMap<Element, string>();

/** Builds an element's children again only when their data changed: focus, selection and scroll stay otherwise. */
export function rebuild(element: Element, data: unknown, make: () => readonly Node[]): void {
  const key = JSON.stringify(data);
  if (built.get(element) === key) return;
  built.set(element, key);
  element.replaceChildren(...make());
}

/** As `rebuild`, entry by entry: an entry whose data stayed keeps its element. */
export function rebuildList<T>(list: Element, entries: readonly T[], make: (entry: T) => Element): void {
  entries.forEach((entry, index) => {
    const old = list.children[index];
    const key = JSON.stringify(entry);
    if (old && built.get(old) === key) return;
    const fresh = make(entry);
    built.set(fresh, key);
    if (old) old.replaceWith(fresh);
    else list.append(fresh);
  });
  while (list.children.length > entries.length) list.lastElementChild!.remove();
}
