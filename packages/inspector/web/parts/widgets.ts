import type { CacheState, Tone } from '../../src/protocol/messages.ts';
import { domElement, setDomAttribute, setDomClass, setDomText, domSvg } from './dom.ts';
import { formatBrowserRoute, browserResourceRoute, type Route } from '../browser/browser-route.ts';

const STATE_TONES: Readonly<Record<CacheState, Tone>> = {
  idle: 'plain',
  starting: 'warn',
  synced: 'good',
  polling: 'warn',
  stale: 'bad',
  stopped: 'plain',
};

export const widgetTone = (state: CacheState): Tone => STATE_TONES[state];

export const linkWidget = (route: Route, name: string, ...children: readonly (Node | string)[]): HTMLAnchorElement =>
  domElement('a', { href: formatBrowserRoute(route), class: name }, ...children);

/** The name of a cache with the plural first: `v1/pods in shop` as `pods in shop v1`. */
export function cacheNameWidget(id: string): HTMLElement {
  const [resource = '', ...scope] = id.split(' ');
  const at = resource.lastIndexOf('/');
  const element = domElement('span', { class: 'cache-name' }, domElement('b', {}, resource.slice(at + 1)));
  if (scope.length > 0) element.append(' ', domElement('span', { class: 'scope' }, scope.join(' ')));
  element.append(' ', domElement('small', {}, resource.slice(0, at)));
  return element;
}

/** A link to the objects of a cache. */
export const cacheLinkWidget = (id: string, name: string): HTMLAnchorElement =>
  domElement(
    'a',
    { href: formatBrowserRoute(browserResourceRoute(id)), class: name, 'aria-label': id, title: id },
    cacheNameWidget(id),
  );

/** A status word with a coloured dot. The word alone has all the information, for people who do not see colours. */
export function badgeWidget(): { readonly element: HTMLElement; set(tone: Tone, text: string, title?: string): void } {
  const element = domElement('span', { class: 'badge' });
  return {
    element,
    set(tone, text, title) {
      setDomClass(element, `badge ${tone}`);
      setDomText(element, text);
      setDomAttribute(element, 'title', title);
    },
  };
}

export function fixedBadgeWidget(tone: Tone, text: string): HTMLElement {
  const made = badgeWidget();
  made.set(tone, text);
  return made.element;
}

/** A chart of the last minute, one point per second. */
export function plotWidget(name: string): {
  readonly element: SVGElement;
  set(samples: readonly number[], max?: number): void;
} {
  const [width, height] = [120, 24];
  const area = domSvg('path', { class: 'area' });
  const line = domSvg('path', { class: 'line' });
  const element = domSvg(
    'svg',
    { class: name, viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    area,
    line,
  );
  return {
    element,
    set(samples, max = Math.max(4, ...samples)) {
      // Leaves out the current, incomplete second: it would always look like a drop.
      const shown = samples.slice(0, -1);
      const step = width / Math.max(1, shown.length - 1);
      const points = shown.map(
        (value, index) => `${(index * step).toFixed(1)} ${(height - 1 - (value / max) * (height - 3)).toFixed(1)}`,
      );
      if (points.length === 0) return;
      setDomAttribute(line, 'd', `M${points.join('L')}`);
      setDomAttribute(area, 'd', `M0 ${height}L${points.join('L')}L${width} ${height}Z`);
    },
  };
}

/** Moves the focus between the rows' links with the arrow keys. */
export function widgetArrowKeys(rows: HTMLElement): void {
  rows.addEventListener('keydown', (event) => {
    const steps: ReadonlyMap<string, number> = new Map<string, number>(
      Object.entries({ ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 }),
    );
    const step = steps.get(event.key);
    if (step === undefined || !(event.target instanceof Element)) return;
    const links = [...rows.querySelectorAll<HTMLElement>('a.row-link')];
    const at = links.findIndex((one) => one.closest('tr, li') === (event.target as Element).closest('tr, li'));
    const next = links[Math.min(links.length - 1, Math.max(0, at + step))];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
    next.scrollIntoView({ block: 'nearest' });
  });
}

/** Opens the link of a row wherever the row is clicked, unless text was selected or another element was clicked. */
function openWidgetRows(body: HTMLElement): void {
  body.addEventListener('click', (event) => {
    if (!(event.target instanceof Element) || event.target.closest('a, button, input, select') !== null) return;
    if (event.defaultPrevented || (getSelection()?.toString() ?? '') !== '') return;
    event.target.closest('tr')?.querySelector<HTMLElement>('a.row-link')?.click();
  });
}

/** A table with a header. `name` is its CSS class. With `sort`, titles are buttons that call it with the index of their column. */
export function tableWidget(
  name: string,
  columns: readonly string[],
  sort?: (column: number) => void,
): { readonly element: HTMLElement; readonly body: HTMLElement; readonly titles: readonly HTMLElement[] } {
  const body = domElement('tbody');
  const titles = columns.map((column, index) =>
    domElement(
      'th',
      { scope: 'col' },
      sort === undefined
        ? column
        : domElement('button', { type: 'button', class: 'sort', click: () => sort(index) }, column),
    ),
  );
  const head = domElement('thead', {}, domElement('tr', {}, ...titles));
  widgetArrowKeys(body);
  openWidgetRows(body);
  return {
    element: domElement('div', { class: 'card' }, domElement('table', { class: name }, head, body)),
    body,
    titles,
  };
}
