import type { CacheSummary, Overview } from '../src/protocol/messages.ts';
import { countFigureText } from './parts/figure-text.ts';
import {
  domElement,
  type Keyed,
  reconcileDom,
  replaceDomChildren,
  setDomAttribute,
  setDomClass,
  setDomText,
} from './parts/dom.ts';
import { formatBrowserRoute, browserResourceRoute, type Route } from './browser/browser-route.ts';
import { toggleTheme } from './browser/theme.ts';
import { cacheNameWidget, linkWidget, widgetTone } from './parts/widgets.ts';

const KEYS: readonly (readonly [key: string, meaning: string])[] = [
  ['/', 'search'],
  ['↑ ↓', 'select a row'],
  ['Enter', 'open'],
  ['Esc', 'back'],
  ['1 – 5', 'overview, timeline, handlers, controllers, faults'],
  ['t', 'switch light and dark'],
  ['?', 'show this list'],
];

type MainView = 'overview' | 'timeline' | 'handlers' | 'controllers' | 'faults';

export const VIEWS: readonly (readonly [view: MainView, label: string])[] = [
  ['overview', 'Overview'],
  ['timeline', 'Timeline'],
  ['handlers', 'Handlers'],
  ['controllers', 'Controllers'],
  ['faults', 'Faults'],
];

/** Whether the process has what a view shows. */
export const canShellShowView = (view: MainView, overview: Overview | undefined): boolean => {
  if (view === 'faults') return overview?.canFault === true;
  return view !== 'controllers' || overview?.hasOperators === true;
};

/** The frame around the views: navigation, and whether the page is live. */
export class Shell {
  readonly #main = domElement('main', { id: 'main', tabindex: '-1' });
  readonly #live = domElement('span', { class: 'live wait', role: 'status' }, 'connecting');
  readonly #lost = domElement('p', { class: 'lost-note', role: 'alert' });
  readonly #view = domElement('div');
  readonly #links = new Map<string, HTMLAnchorElement>();
  readonly #caches = domElement('ul', { class: 'caches' });
  readonly #known = new Map<string, Keyed<CacheSummary>>();
  readonly #help: HTMLDialogElement;
  #route: Route = { view: 'overview' };

  constructor() {
    this.#help = domElement('dialog', { class: 'card help', 'aria-label': 'Keys' }, domElement('h2', {}, 'Keys'), domElement('dl', {}, ...KEYS.flatMap(([key, meaning]) => [domElement('dt', {}, domElement('kbd', {}, key)), domElement('dd', {}, meaning)]))); // prettier-ignore
    this.#help.addEventListener('click', () => this.#help.close());
    const nav = domElement('nav', { class: 'views', 'aria-label': 'Views' });
    for (const [view, label] of VIEWS) {
      const viewLink = linkWidget({ view }, '', label);
      viewLink.hidden = !canShellShowView(view, undefined);
      this.#links.set(view, viewLink);
      nav.append(viewLink);
    }
    const brand = domElement(
      'a',
      { class: 'brand', href: '#/' },
      domElement('img', { src: '/icon.svg', alt: '', width: '26', height: '26' }),
      domElement('span', {}, 'kube-informer'),
    );
    this.#main.append(this.#lost, this.#view);
    document.body.replaceChildren(
      domElement('a', { class: 'skip', href: '#main', click: (event: Event) => { event.preventDefault(); this.#main.focus(); } }, 'Skip to content'),
      domElement('aside', { class: 'side' }, domElement('div', { class: 'top' }, brand, this.#live), nav, domElement('h2', { class: 'side-title' }, 'Caches'), this.#caches,
        domElement('div', { class: 'side-tools' },
          domElement('button', { type: 'button', class: 'quiet', click: toggleTheme, title: 'Switch light and dark (t)' }, 'Theme'),
          domElement('button', { type: 'button', class: 'quiet', click: () => this.help(), title: 'Keys (?)' }, 'Keys'))),
      this.#main,
      this.#help,
    ); // prettier-ignore
  }

  show(element: HTMLElement, route: Route, title: string): void {
    this.#route = route;
    document.title = `${title} · kube-informer inspector`;
    replaceDomChildren(this.#view, element);
    this.mark(route);
  }

  /** Focuses the new view's heading if the focused element was removed. */
  focus(): void {
    const heading = this.#view.querySelector('h1');
    if (heading === null || document.activeElement !== document.body) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }

  mark(route: Route): void {
    this.#route = route;
    for (const [view, viewLink] of this.#links)
      setDomAttribute(
        viewLink,
        'aria-current',
        view === (route.view === 'key' ? 'controllers' : route.view) ? 'page' : undefined,
      );
    for (const one of this.#caches.querySelectorAll('a')) {
      const isHere =
        'cache' in route && one.getAttribute('href') === formatBrowserRoute(browserResourceRoute(route.cache));
      setDomAttribute(one, 'aria-current', isHere ? 'page' : undefined);
    }
  }

  overview(overview: Overview): void {
    const { caches } = overview;
    for (const [view] of VIEWS) {
      const viewLink = this.#links.get(view);
      if (viewLink !== undefined) viewLink.hidden = !canShellShowView(view, overview);
    }
    reconcileDom(this.#caches, this.#known, caches, ({ id }) => id, ({ id }) => shellCacheItem(id)); // prettier-ignore
    this.mark(this.#route);
  }

  /**
   * `text` is undefined while the page is live. Otherwise the data is as old as `ago`, and no status is shown as good.
   */
  showConnectionProblem(text: string | undefined, ago: string | undefined): void {
    const isWaiting = text === undefined && ago === undefined;
    document.body.classList.toggle('lost', text !== undefined);
    setDomClass(this.#live, isWaiting ? 'live wait' : text === undefined ? 'live' : 'live gone');
    setDomText(this.#live, isWaiting ? 'connecting' : text === undefined ? 'live' : 'offline');
    setDomAttribute(this.#live, 'title', text);
    const old = ago === undefined ? '' : ` Last update ${ago}.`;
    setDomText(this.#lost, text === undefined ? '' : `${text[0]?.toUpperCase()}${text.slice(1)}.${old}`);
  }

  help(): void {
    if (this.#help.open) this.#help.close();
    else this.#help.showModal();
  }

  get isHelping(): boolean {
    return this.#help.open;
  }
}

function shellCacheItem(id: string): Keyed<CacheSummary> {
  const objects = domElement('span', { class: 'count' });
  const dot = domElement('i', { class: 'dot', 'aria-hidden': 'true' });
  return {
    element: domElement(
      'li',
      {},
      domElement(
        'a',
        { href: formatBrowserRoute(browserResourceRoute(id)), 'aria-label': id, title: id },
        dot,
        cacheNameWidget(id),
        objects,
      ),
    ),
    update(cache) {
      setDomClass(dot, `dot ${widgetTone(cache.state)}`);
      setDomText(objects, countFigureText(cache.objects));
    },
  };
}
