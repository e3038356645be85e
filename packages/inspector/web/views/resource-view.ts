import type { ChangesMessage, Filters, Overview, Row, RowsMessage } from '../../src/protocol/messages.ts';
import { objectAgeText } from '../../src/objects/object-age.ts';
import { countFigureText, pluralFigureText } from '../parts/figure-text.ts';
import {
  domElement,
  type Keyed,
  reconcileDom,
  replaceDomChildren,
  setDomAttribute,
  setDomClass,
  setDomText,
} from '../parts/dom.ts';
import { RowSort } from '../parts/row-sort.ts';
import { browserPlatformAfter, browserPlatformNow } from '../browser/browser-platform.ts';
import { type Route, type RowFilter } from '../browser/browser-route.ts';
import type { Context, View } from './view.ts';
import { badgeWidget, fixedBadgeWidget, linkWidget, tableWidget, widgetTone } from '../parts/widgets.ts';

type ResourceRoute = Extract<Route, { view: 'resource' }>;

const COLUMNS = ['Namespace', 'Name', 'Status', 'Labels', 'Age'];
/** Number of rows shown at first, which browsers lay out quickly. */
const FIRST_ROWS = 300;
const MAX_ROWS = 2_000;
/** Pause between the last key and the request. */
const TYPING_MS = 150;
const MARKED_MS = 4_000;
const GONE_MS = 1_200;
/** Minimum interval between requests for filter values. */
const FILTERS_MS = 5_000;

/** The objects of one cache: filtered by the server, updated live. */
export function resourceView(context: Context, first: ResourceRoute): View {
  return new ResourceView(context, first);
}

class ResourceView implements View {
  readonly element: HTMLElement;
  readonly search: HTMLInputElement;
  readonly back: Route = { view: 'overview' };
  readonly #context: Context;
  readonly #state = badgeWidget();
  readonly #counted = domElement('output', { class: 'counted' });
  readonly #problem = domElement('p', { class: 'problem', role: 'alert' });
  readonly #more = domElement('button', { class: 'quiet', type: 'button', click: () => this.#showMore() }, 'Show more');
  readonly #namespace = domElement('select', { 'aria-label': 'Namespace', change: () => this.#onInput() });
  readonly #labels = domElement('input', {
    type: 'text', placeholder: 'Labels: app=web, tier in (a,b)', 'aria-label': 'Label selector', spellcheck: 'false', autocomplete: 'off', input: () => this.#onInput(),
  }); // prettier-ignore
  readonly #index = domElement('select', { 'aria-label': 'Index', change: () => this.#chooseIndex() });
  readonly #value = domElement('select', { 'aria-label': 'Index value', change: () => this.#onInput() });
  readonly #body: HTMLElement;
  readonly #rows = new Map<string, Row>();
  readonly #elements = new Map<string, Keyed<Row>>();
  /** The order of rows. By age, the youngest come first. */
  readonly #sort = new RowSort<Row>([
    ({ namespace }) => namespace,
    ({ name }) => name,
    ({ status }) => status,
    ({ labels }) => labels,
    ({ createdAt }) => (createdAt === undefined ? undefined : -createdAt),
  ]);
  readonly #gone = new Set<string>();
  readonly #added = new Set<string>();
  #filters: Filters = { namespaces: [], indexes: [] };
  #route: ResourceRoute;
  #limit = FIRST_ROWS;
  #matching = 0;
  #objects = 0;
  #isComplete = false;
  #filtersLoadedAt = -Infinity;
  #focusKey: string | undefined;
  #cancel: () => void = () => {};

  constructor(context: Context, route: ResourceRoute) {
    this.#context = context;
    this.#route = route;
    this.search = domElement('input', {
      type: 'search', placeholder: 'Search name, labels, status   /', 'aria-label': 'Search', spellcheck: 'false', autocomplete: 'off', input: () => this.#onInput(),
    }); // prettier-ignore
    const { element, body, titles } = tableWidget('objects', COLUMNS, (column) => {
      this.#sort.choose(column, titles);
      this.#draw();
    });
    this.#body = body;
    this.search.addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowDown') return;
      event.preventDefault();
      body.querySelector<HTMLElement>('a.row-link')?.focus();
    });
    setDomClass(element, 'card rows');
    this.element = domElement(
      'div',
      { class: 'stack' },
      domElement('header', { class: 'title' }, domElement('h1', {}, route.cache), this.#state.element, this.#counted),
      domElement('form', { class: 'filters', role: 'search', submit: (event: Event) => event.preventDefault() }, this.search, this.#namespace, this.#labels, this.#index, this.#value),
      this.#problem,
      element,
      this.#more,
    ); // prettier-ignore
    this.#fill(route);
    this.#showFilters();
    void this.#loadFilters();
  }

  get title(): string {
    return this.#route.cache;
  }

  get parameters(): Readonly<Record<string, string>> {
    const { view: _, ...query } = this.#route;
    return { ...query, limit: String(this.#limit) };
  }

  move(route: Route): boolean {
    if (route.view !== 'resource' || route.cache !== this.#route.cache) return false;
    this.#route = route;
    this.#fill(route);
    return true;
  }

  overview({ caches }: Overview): void {
    const found = caches.find(({ id }) => id === this.#route.cache);
    if (found === undefined) this.#state.set('bad', 'closed');
    else this.#state.set(widgetTone(found.state), found.state, found.problem?.detail);
    // Updates ages.
    this.#draw();
  }

  message(event: string, data: unknown): void {
    if (event === 'problem') this.#showProblem((data as { error: string }).error);
    if (event === 'rows') this.#snapshot(data as RowsMessage);
    if (event === 'changes') this.#apply(data as ChangesMessage);
  }

  seek(key: string): void {
    this.#focusKey = key;
  }

  close(): void {
    this.#cancel();
  }

  /** Shows the reason why there are no rows. */
  #showProblem(text: string): void {
    setDomText(this.#problem, text);
    setDomText(this.#counted, '');
  }

  /** Focuses, once, the row of the object that the user came from, unless the focus has moved. */
  #focusRow(): void {
    const key = this.#focusKey;
    this.#focusKey = undefined;
    const row =
      key === undefined ? undefined : this.#elements.get(key)?.element.querySelector<HTMLElement>('a.row-link');
    const { activeElement } = document;
    if (row === undefined || row === null || (activeElement !== document.body && activeElement?.tagName !== 'H1'))
      return;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  }

  #snapshot({ rows, matching, objects }: RowsMessage): void {
    setDomText(this.#problem, '');
    this.#rows.clear();
    this.#gone.clear();
    this.#added.clear();
    for (const row of rows) this.#rows.set(row.key, row);
    this.#isComplete = true;
    this.#count(matching, objects);
    this.#draw();
    this.#focusRow();
    void this.#loadFilters();
  }

  #apply({ rows, gone, matching, objects }: ChangesMessage): void {
    const last = [...this.#rows.values()].reduce((last, { order }) => (order > last ? order : last), '');
    for (const row of rows) {
      this.#gone.delete(row.key);
      // Sorted after the last row shown, and the limit is reached.
      if (!this.#rows.has(row.key) && this.#rows.size >= this.#limit && row.order > last) continue;
      if (!this.#rows.has(row.key)) this.#mark(this.#added, row.key, MARKED_MS);
      this.#rows.set(row.key, row);
    }
    for (const key of gone) {
      if (!this.#rows.has(key)) continue;
      this.#gone.add(key);
      browserPlatformAfter(GONE_MS, () => {
        if (!this.#gone.delete(key)) return;
        this.#rows.delete(key);
        this.#draw();
      });
    }
    this.#count(matching, objects);
    this.#draw();
  }

  #mark(marks: Set<string>, key: string, ms: number): void {
    marks.add(key);
    browserPlatformAfter(ms, () => marks.delete(key));
  }

  #count(matching: number, objects: number): void {
    this.#matching = matching;
    this.#objects = objects;
  }

  #draw(): void {
    const found = [...this.#rows.values()].toSorted((a, b) => (a.order < b.order ? -1 : 1)).slice(0, this.#limit);
    const rows = this.#sort.sorted(found);
    reconcileDom(this.#body, this.#elements, rows, ({ key }) => key, (row) => this.#row(row)); // prettier-ignore
    // Events have no labels: the status gets the space.
    this.#body.parentElement?.classList.toggle(
      'no-labels',
      rows.every(({ labels }) => labels === ''),
    );
    const isFiltered = this.#matching !== this.#objects;
    const shown = rows.length < this.#matching ? `, the first ${countFigureText(rows.length)} shown` : '';
    const text = isFiltered
      ? `${countFigureText(this.#matching)} of ${pluralFigureText(this.#objects, 'object')}`
      : pluralFigureText(this.#objects, 'object');
    const isRefused = this.#problem.textContent !== '';
    setDomText(this.#counted, isRefused ? '' : this.#isComplete ? `${text}${shown}` : 'searching …');
    this.#more.hidden = rows.length >= this.#matching || this.#limit >= MAX_ROWS;
  }

  #row({ key }: Row): Keyed<Row> {
    const { cache } = this.#route;
    const [namespace, status, labels, old] = [domElement('td', { class: 'namespace' }), domElement('td', { class: 'status' }), domElement('td', { class: 'labels' }), domElement('td', { class: 'age' })] as const; // prettier-ignore
    const name = linkWidget({ view: 'object', cache, key }, 'row-link');
    const element = domElement('tr', {}, namespace, domElement('td', { class: 'name' }, name), status, labels, old);
    let shownStatus = '';
    return {
      element,
      update: (row) => {
        const now = this.#context.clock.now();
        setDomText(namespace, row.namespace);
        setDomText(name, row.name);
        setDomText(labels, row.labels);
        setDomAttribute(labels, 'title', row.labels);
        if (shownStatus !== row.status)
          replaceDomChildren(status, row.status === '' ? '' : fixedBadgeWidget(row.tone, row.status));
        setDomAttribute(status, 'title', row.status);
        shownStatus = row.status;
        setDomText(old, row.createdAt === undefined ? '' : objectAgeText(now - row.createdAt));
        const isNew = this.#added.has(key);
        const isChanged = row.changedAt !== undefined && now - row.changedAt < MARKED_MS;
        setDomClass(element, this.#gone.has(key) ? 'gone' : isNew ? 'added' : isChanged ? 'changed' : '');
      },
    };
  }

  #fill(route: RowFilter): void {
    for (const [input, text] of [
      [this.search, route.text],
      [this.#labels, route.labels],
    ] as const)
      // prettier-ignore
      if (input.value !== text && document.activeElement !== input) input.value = text;
  }

  #onInput(): void {
    this.#cancel();
    this.#cancel = browserPlatformAfter(TYPING_MS, () => this.#applyFilters());
  }

  #chooseIndex(): void {
    this.#showIndexValues();
    this.#onInput();
  }

  #applyFilters(): void {
    const [index, value] = [this.#index.value, this.#value.value];
    this.#isComplete = false;
    this.#limit = FIRST_ROWS;
    const given = value === '' ? { index: '', value: '' } : { index, value };
    const route = { ...this.#route, text: this.search.value.trim(), namespace: this.#namespace.value, labels: this.#labels.value.trim(), ...given }; // prettier-ignore
    this.#context.go(route, { replace: true });
  }

  #showMore(): void {
    this.#limit = Math.min(MAX_ROWS, this.#limit * 3);
    this.#context.go(this.#route, { replace: true });
  }

  /** Loads the filter values again from time to time, because namespaces are added and removed. */
  async #loadFilters(): Promise<void> {
    if (browserPlatformNow() - this.#filtersLoadedAt < FILTERS_MS) return;
    this.#filtersLoadedAt = browserPlatformNow();
    try {
      this.#filters = await this.#context.api.get<Filters>('filters', { cache: this.#route.cache });
      this.#showFilters();
    } catch {
      // The stream reports the problem.
    }
  }

  #showFilters(): void {
    const { namespaces, indexes } = this.#filters;
    const { namespace, index } = this.#route;
    resourceViewChoices(this.#namespace, 'All namespaces', namespaces, namespace);
    this.#namespace.hidden = namespaces.length === 0 && namespace === '';
    resourceViewChoices(this.#index, 'Index …', indexes.map(({ name }) => name), index); // prettier-ignore
    this.#index.hidden = indexes.length === 0;
    this.#showIndexValues();
  }

  #showIndexValues(): void {
    const found = this.#filters.indexes.find(({ name }) => name === this.#index.value);
    resourceViewChoices(this.#value, 'any value', found?.values ?? [], this.#route.value);
    this.#value.hidden = found === undefined;
  }
}

function resourceViewChoices(select: HTMLSelectElement, none: string, values: readonly string[], chosen: string): void {
  const wanted = chosen === '' || values.includes(chosen) ? values : [chosen, ...values];
  const current = [...select.options].slice(1).map(({ value }) => value);
  if (select.options.length === 0 || current.join('\n') !== wanted.join('\n'))
    replaceDomChildren(
      select,
      domElement('option', { value: '' }, none),
      ...wanted.map((value) => domElement('option', { value }, value)),
    );
  if (document.activeElement !== select) select.value = chosen;
}
