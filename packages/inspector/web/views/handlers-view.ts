import type { HandlerSummary } from '../../src/protocol/messages.ts';
import { objectAgeText } from '../../src/objects/object-age.ts';
import { countFigureText, spanFigureText } from '../parts/figure-text.ts';
import { domElement, type Keyed, reconcileDom, replaceDomChildren, setDomText } from '../parts/dom.ts';
import type { Context, View } from './view.ts';
import { badgeWidget, cacheLinkWidget, tableWidget } from '../parts/widgets.ts';

const COLUMNS = ['Handler', 'State', 'Queue', 'Calls', 'Failures', 'Slowest calls'];
/** Duration from which a handler call is shown as slow: it delays all events after it. */
const SLOW_MS = 1_000;
const SHOWN_SLOWEST = 3;

/** All event handlers, with their queues and slowest calls. */
export function handlersView({ api, clock }: Context): View {
  const { element: handlers, body } = tableWidget('handlers', COLUMNS);
  const known = new Map<string, Keyed<HandlerSummary>>();
  const load = async (): Promise<void> => {
    const list = await api.get<readonly HandlerSummary[]>('handlers').catch(() => undefined);
    if (list === undefined) return;
    const seen = new Map<string, number>();
    // Two handlers of an informer may have the same name.
    const keyOf = ({ cache, name }: HandlerSummary): string => {
      const number = (seen.get(`${cache} ${name}`) ?? 0) + 1;
      seen.set(`${cache} ${name}`, number);
      return `${cache} ${name} ${number}`;
    };
    const keys = new Map(list.map((handler) => [handler, keyOf(handler)]));
    reconcileDom(body, known, list, (handler) => keys.get(handler) ?? '', (handler) => handlersViewRow(handler, clock)); // prettier-ignore
  };
  void load();
  return {
    element: domElement(
      'div',
      { class: 'stack' },
      domElement('header', { class: 'title' }, domElement('h1', {}, 'Handlers')),
      handlers,
    ),
    title: 'Handlers',
    parameters: {},
    back: { view: 'overview' },
    overview: () => void load(),
  };
}

function handlersViewRow({ cache, name }: HandlerSummary, clock: Context['clock']): Keyed<HandlerSummary> {
  const state = badgeWidget();
  const [queue, calls, failures, slowest] = [
    domElement('span'),
    domElement('span'),
    domElement('span'),
    domElement('ul', { class: 'slowest' }),
  ] as const;
  let shown = '';
  const element = domElement(
    'tr',
    {},
    domElement(
      'td',
      { class: 'name' },
      cacheLinkWidget(cache, 'row-link'),
      domElement('span', { class: 'note' }, name),
    ),
    domElement('td', { 'data-label': 'State' }, state.element),
    domElement('td', { 'data-label': 'Queue', class: 'number' }, queue),
    domElement('td', { 'data-label': 'Calls', class: 'number' }, calls),
    domElement('td', { 'data-label': 'Failures', class: 'number' }, failures),
    domElement('td', { 'data-label': 'Slowest', class: 'slow' }, slowest),
  );
  return {
    element,
    update(handler) {
      const busy = handler.busyForMs;
      if (busy !== undefined && busy >= SLOW_MS) state.set('bad', `busy for ${spanFigureText(busy)}`);
      else if (!handler.synced) state.set('warn', 'catching up');
      else if (handler.pending > 0) state.set('warn', 'working');
      else state.set('good', 'idle');
      setDomText(queue, countFigureText(handler.pending));
      setDomText(calls, countFigureText(handler.calls));
      setDomText(failures, countFigureText(handler.failures));
      failures.className = handler.failures > 0 ? 'minus' : '';
      const top = handler.slowest.slice(0, SHOWN_SLOWEST);
      const text = JSON.stringify(top);
      if (text === shown) return;
      shown = text;
      replaceDomChildren(
        slowest,
        ...top.map(({ key, ms, at }) =>
          domElement(
            'li',
            { title: `${objectAgeText(clock.now() - at)} ago` },
            domElement('span', { class: 'ms' }, spanFigureText(ms)),
            ` ${key}`,
          ),
        ),
      );
    },
  };
}
