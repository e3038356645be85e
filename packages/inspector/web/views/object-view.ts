import type { ObjectDetail, Overview, Relative, Version } from '../../src/protocol/messages.ts';
import { RefusedError } from '../browser/browser-api.ts';
import { lifetimeFigureText, pluralFigureText } from '../parts/figure-text.ts';
import { domElement, replaceDomChildren, setDomText } from '../parts/dom.ts';
import { objectAgeClock } from '../../src/objects/object-age.ts';
import { browserPlatformSleep } from '../browser/browser-platform.ts';
import type { Route } from '../browser/browser-route.ts';
import type { Context, View } from './view.ts';
import { badgeWidget, fixedBadgeWidget, linkWidget, widgetArrowKeys } from '../parts/widgets.ts';
import { changedYamlLines, yamlLines } from '../parts/yaml-lines.ts';

type ObjectRoute = Extract<Route, { view: 'object' }>;

/** Minimum pause between two requests for the same object. */
const PAUSE_MS = 300;

const TYPES: Readonly<Record<Version['type'], string>> = {
  add: 'created',
  update: 'nothing but its version',
  delete: 'deleted',
  before: 'as it was before',
};

/** One object: YAML, history, owners and dependents. */
export function objectView(context: Context, route: ObjectRoute): View {
  return new ObjectView(context, route);
}

class ObjectView implements View {
  readonly element: HTMLElement;
  readonly title: string;
  readonly back: Route;
  readonly parameters: Readonly<Record<string, string>>;
  readonly #context: Context;
  readonly #route: ObjectRoute;
  readonly #status = badgeWidget();
  readonly #facts = domElement('p', { class: 'subtitle' });
  readonly #main = domElement('div', { class: 'code' });
  readonly #tools = domElement('div', { class: 'tools' });
  readonly #heading = domElement('h2', {}, 'YAML');
  readonly #history = domElement('ol', { class: 'versions' });
  readonly #relatives = domElement('ul', { class: 'relatives' });
  readonly #events = domElement('ol', { class: 'object-events' });
  readonly #eventCard = domElement(
    'section',
    { class: 'card', hidden: true },
    domElement('h2', {}, 'Events'),
    this.#events,
  );
  #detail: ObjectDetail | undefined;
  /** The version whose diff is shown; undefined for the whole object. */
  #chosen: string | undefined;
  #revealed: string | undefined;
  #canReveal = false;
  #isReading = false;
  #isStale = false;

  constructor(context: Context, route: ObjectRoute) {
    this.#context = context;
    this.#route = route;
    this.title = route.key;
    this.back = context.tableOf(route.cache);
    this.parameters = { cache: route.cache, key: route.key };
    widgetArrowKeys(this.#relatives);
    const crumbs = domElement('nav', { class: 'crumbs', 'aria-label': 'Breadcrumbs' }, linkWidget({ view: 'overview' }, '', 'Overview'), ' / ', linkWidget(this.back, '', route.cache)); // prettier-ignore
    this.element = domElement(
      'div',
      { class: 'stack' },
      domElement('header', { class: 'title' }, crumbs, domElement('h1', {}, route.key), this.#status.element, this.#facts),
      domElement(
        'div',
        { class: 'object' },
        domElement('section', { class: 'card text' }, domElement('div', { class: 'card-head' }, this.#heading, this.#tools), this.#main),
        domElement('div', { class: 'aside' },
          domElement('section', { class: 'card' }, domElement('h2', {}, 'Owners and dependents'), this.#relatives),
          domElement('section', { class: 'card' }, domElement('h2', {}, 'History'), this.#history),
          this.#eventCard),
      ),
    ); // prettier-ignore
    void this.#follow();
  }

  overview({ canReveal }: Overview): void {
    if (this.#canReveal !== canReveal) {
      this.#canReveal = canReveal;
      this.#draw();
    }
    this.#drawFacts();
  }

  message(event: string): void {
    if (event === 'changes' || event === 'rows') void this.#follow();
  }

  /** Loads the object again, with a pause: finding its dependents searches every cache. */
  async #follow(): Promise<void> {
    this.#isStale = true;
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#isStale) {
      this.#isStale = false;
      await this.#load();
      await browserPlatformSleep(PAUSE_MS);
    }
    this.#isReading = false;
  }

  async #load(): Promise<void> {
    const { cache, key } = this.#route;
    try {
      const detail = await this.#context.api.get<ObjectDetail>('object', { cache, key });
      if (detail.resourceVersion !== this.#detail?.resourceVersion) this.#revealed = undefined;
      this.#detail = detail;
      this.#draw();
    } catch (error) {
      if (this.#detail !== undefined) return;
      const text = error instanceof RefusedError ? error.message : 'the process cannot be reached';
      replaceDomChildren(this.#main, domElement('p', { class: 'empty' }, text));
    }
  }

  #draw(): void {
    const detail = this.#detail;
    if (detail === undefined) return;
    this.#status.set(detail.tone, detail.status || detail.kind);
    this.#drawFacts();
    this.#drawText(detail);
    this.#drawHistory(detail);
    this.#drawEvents(detail);
    const own: Relative = { ...detail, depth: 0 };
    const relatives = [...detail.owners, own, ...detail.owned];
    const top = detail.owners.length;
    replaceDomChildren(this.#relatives, ...relatives.map((one) => this.#relative(one, one.depth + top)));
  }

  #drawFacts(): void {
    const detail = this.#detail;
    if (detail === undefined) return;
    const { kind, namespace, resourceVersion } = detail;
    const inside = namespace === '' ? '' : `in ${namespace}`;
    const parts = [kind, inside, lifetimeFigureText(detail, this.#context.clock.now()), `version ${resourceVersion}`];
    setDomText(this.#facts, parts.filter((part) => part !== '').join(' · '));
  }

  #drawText(detail: ObjectDetail): void {
    const version = detail.versions.find((one) => objectViewVersionId(one) === this.#chosen);
    const scroll = this.#main.firstElementChild?.scrollTop ?? 0;
    const isChange = version !== undefined && version.changes.length > 0;
    setDomText(this.#heading, isChange ? `Changes at ${objectAgeClock(version.at ?? 0)}` : 'YAML');
    replaceDomChildren(
      this.#main,
      isChange ? changedYamlLines(version.changes) : yamlLines(this.#revealed ?? detail.yaml),
    );
    if (this.#main.firstElementChild !== null) this.#main.firstElementChild.scrollTop = scroll;
    const canReveal =
      this.#canReveal && detail.isMasked && this.#revealed === undefined && !isChange && !detail.isDeleted;
    replaceDomChildren(
      this.#tools,
      detail.isMasked && this.#revealed === undefined && domElement('span', { class: 'note' }, 'secrets are masked'),
      canReveal && domElement('button', { type: 'button', class: 'quiet', click: () => void this.#reveal() }, 'Reveal'),
      isChange && domElement('button', { type: 'button', class: 'quiet', click: () => this.#choose(undefined) }, 'Whole object'),
      !isChange && domElement('button', { type: 'button', class: 'quiet', click: () => void navigator.clipboard.writeText(detail.yaml) }, 'Copy'),
    ); // prettier-ignore
  }

  #drawHistory({ versions }: ObjectDetail): void {
    if (versions.length === 0) {
      replaceDomChildren(
        this.#history,
        domElement('li', { class: 'empty' }, 'No changes since the inspector started.'),
      );
      return;
    }
    const focused = document.activeElement?.getAttribute('data-version');
    replaceDomChildren(this.#history, ...versions.map((version) => this.#version(version)));
    if (focused !== null && focused !== undefined && this.element.isConnected)
      [...this.#history.querySelectorAll('button')].find((one) => one.dataset['version'] === focused)?.focus();
  }

  #drawEvents({ events }: ObjectDetail): void {
    this.#eventCard.hidden = events.length === 0;
    const items = events.map(({ at, isWarning, reason, message, count }) =>
      domElement(
        'li',
        {},
        domElement('time', {}, at === undefined ? '' : objectAgeClock(at)),
        fixedBadgeWidget(isWarning ? 'warn' : 'plain', count > 1 ? `${reason} ×${count}` : reason),
        domElement('span', { class: 'message' }, message),
      ),
    );
    replaceDomChildren(this.#events, ...items);
  }

  #version(version: Version): HTMLElement {
    const { at, added, removed, paths } = version;
    const text = paths.length === 0 ? objectViewVersionText(version) : paths.join(', ');
    const id = objectViewVersionId(version);
    const counts = [
      added > 0 && domElement('span', { class: 'plus', title: pluralFigureText(added, 'line') }, `+${added}`),
      removed > 0 && domElement('span', { class: 'minus', title: pluralFigureText(removed, 'line') }, `−${removed}`),
    ];
    const isChosen = id === this.#chosen;
    const properties = {
      type: 'button', 'data-version': id, 'aria-pressed': String(isChosen), disabled: version.changes.length === 0,
      click: () => this.#choose(isChosen ? undefined : id),
    }; // prettier-ignore
    const time = at === undefined ? 'earlier' : objectAgeClock(at);
    return domElement(
      'li',
      {},
      domElement(
        'button',
        properties,
        domElement('time', {}, time),
        domElement('span', { class: 'paths', title: text }, text),
        ...counts,
      ),
    );
  }

  #choose(id: string | undefined): void {
    this.#chosen = id;
    this.#draw();
    // On a narrow screen the text is above the history, out of sight.
    if (id !== undefined) this.#heading.scrollIntoView({ block: 'nearest' });
  }

  #relative({ kind, name, cache, key, status, tone, depth }: Relative, level: number): HTMLElement {
    const isSelf = depth === 0;
    const label = [domElement('span', { class: 'kind' }, kind), ' ', name];
    const shown =
      cache === undefined || isSelf
        ? domElement('span', { class: isSelf ? 'self' : '' }, ...label)
        : linkWidget({ view: 'object', cache, key }, 'row-link', ...label);
    const item = domElement('li', { class: `level-${Math.min(6, level)}`, 'aria-current': isSelf ? 'true' : undefined }, shown, status !== '' && fixedBadgeWidget(tone, status)); // prettier-ignore
    return item;
  }

  async #reveal(): Promise<void> {
    const { cache, key } = this.#route;
    const { yaml } = await this.#context.api.post<{ yaml: string }>('reveal', { cache, key });
    this.#revealed = yaml;
    this.#draw();
  }
}

const objectViewVersionId = ({ at, type, resourceVersion }: Version): string =>
  `${type} ${resourceVersion} ${at ?? ''}`;

/** The text about a version without changed paths. */
function objectViewVersionText({ type, changes }: Version): string {
  if (changes.some(({ kind }) => kind === 'omitted')) return 'changed; too large to compare with the newer changes';
  return TYPES[type];
}
