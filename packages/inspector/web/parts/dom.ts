type Child = Node | string | number | undefined | false;
type Listener = (event: never) => void;
type Properties = Readonly<Record<string, string | number | boolean | undefined | Listener>>;

const SVG = 'http://www.w3.org/2000/svg';

/** Creates an HTML element (hyperscript). Children are text or nodes: nothing is ever parsed as HTML. */
export function domElement<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  return fillDomElement(document.createElement(tag), properties, children);
}

export function domSvg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  return fillDomElement(document.createElementNS(SVG, tag), properties, children);
}

function fillDomElement<E extends Element>(element: E, properties: Properties, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value as unknown as EventListener);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...domNodes(children));
  return element;
}

const domNodes = (children: readonly Child[]): (Node | string)[] =>
  children.flatMap((child) =>
    child === undefined || child === false ? [] : [typeof child === 'number' ? String(child) : child],
  );

/** Changes the text only if it differs, so that selections and screen readers are not disturbed. */
export function setDomText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setDomClass(element: Element, name: string): void {
  if (element.getAttribute('class') !== name) element.setAttribute('class', name);
}

export function setDomAttribute(element: Element, name: string, value: string | number | undefined): void {
  if (value === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

export function replaceDomChildren(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...domNodes(children));
}

/** An element that is reused while its contents change. */
export interface Keyed<T> {
  readonly element: Element;
  update(item: T): void;
}

/** Makes the children of `parent` match `items`, in order, with as few changes as possible. */
export function reconcileDom<T>(
  parent: Element,
  known: Map<string, Keyed<T>>,
  items: readonly T[],
  keyOf: (item: T) => string,
  create: (item: T) => Keyed<T>,
): void {
  const wanted = new Set(items.map(keyOf));
  for (const [key, { element }] of known) {
    if (wanted.has(key)) continue;
    element.remove();
    known.delete(key);
  }
  let at = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let found = known.get(key);
    if (found === undefined) known.set(key, (found = create(item)));
    found.update(item);
    if (found.element === at) at = at.nextElementSibling;
    else parent.insertBefore(found.element, at);
  }
}
