import type { CacheSummary, Overview } from '../../src/protocol/messages.ts';
import {
  bytesFigureText,
  countFigureText,
  lagFigureText,
  rateFigureText,
  spanFigureText,
} from '../parts/figure-text.ts';
import { RowSort } from '../parts/row-sort.ts';
import { headlineOf } from '../parts/headline.ts';
import { domElement, type Keyed, reconcileDom, setDomAttribute, setDomClass, setDomText } from '../parts/dom.ts';
import { stepReasonText } from '../parts/step-text.ts';
import type { Context, View } from './view.ts';
import { badgeWidget, cacheLinkWidget, plotWidget, tableWidget, widgetTone } from '../parts/widgets.ts';

const COLUMNS = ['Informer', 'State', 'Objects', 'Events', 'Last message', 'Queue', 'Restarts'];

/** All informers: a headline, totals, and one row each. */
export function overviewView({ clock }: Context): View {
  const headline = domElement('h1', { class: 'headline' }, 'Loading …');
  const facts = domElement('dl', { class: 'facts' });
  const activity = plotWidget('activity');
  const peak = domElement('span', { class: 'peak' });
  const sort = new RowSort<CacheSummary>([
    ({ id }) => id,
    ({ state }) => state,
    ({ objects }) => objects,
    ({ perSecond }) => perSecond,
    ({ lagMs }) => lagMs,
    ({ queued }) => queued,
    ({ restarts: count }) => count,
  ]);
  let last: Overview | undefined;
  const {
    element: informers,
    body,
    titles,
  } = tableWidget('informers', COLUMNS, (column) => {
    sort.choose(column, titles);
    if (last !== undefined) drawRows(last);
  });
  const rows = new Map<string, Keyed<CacheSummary>>();
  const total = new Map<string, Keyed<Fact>>();
  const element = domElement(
    'div',
    { class: 'stack' },
    domElement('header', { class: 'hero' }, headline, facts),
    domElement('figure', { class: 'card chart' }, domElement('figcaption', {}, domElement('span', {}, 'Events in the last minute'), peak), activity.element),
    informers,
  ); // prettier-ignore
  const drawRows = ({ caches }: Overview): void =>
    reconcileDom(
      body,
      rows,
      sort.sorted(caches),
      ({ id }) => id,
      (cache) => overviewViewInformerRow(cache, clock),
    );
  return {
    element,
    title: 'Overview',
    parameters: {},
    back: undefined,
    lost(ago) {
      setDomClass(headline, 'headline plain');
      setDomText(headline, ago === undefined ? 'No connection to the process' : `Offline, last update ${ago}`);
    },
    overview(overview) {
      const { caches } = overview;
      const { tone, text } = headlineOf(caches, clock.now());
      setDomClass(headline, `headline ${tone}`);
      setDomText(headline, text);
      reconcileDom(facts, total, overviewViewFacts(overview), ({ name }) => name, overviewViewFactRow);
      const sums = (caches[0]?.samples ?? []).map((_, at) =>
        caches.reduce((sum, { samples }) => sum + (samples[at] ?? 0), 0),
      );
      activity.set(sums);
      setDomText(peak, `peak ${countFigureText(Math.max(0, ...sums))}/s`);
      last = overview;
      drawRows(overview);
    },
  };
}

interface Fact {
  readonly name: string;
  readonly value: string;
}

function overviewViewFacts({ caches, server, rssBytes }: Overview): readonly Fact[] {
  const sum = (of: (cache: CacheSummary) => number): number => caches.reduce((all, cache) => all + of(cache), 0);
  return [
    { name: 'objects', value: countFigureText(sum(({ objects }) => objects)) },
    { name: 'events/s', value: rateFigureText(sum(({ perSecond }) => perSecond)) },
    { name: 'queued', value: countFigureText(sum(({ queued }) => queued)) },
    { name: 'as JSON', value: `~${bytesFigureText(sum((cache) => cache.bytes))}` },
    { name: 'process memory', value: bytesFigureText(rssBytes) },
    { name: 'API server', value: server },
  ];
}

function overviewViewFactRow(): Keyed<Fact> {
  const [value, name] = [domElement('dd'), domElement('dt')];
  return {
    element: domElement('div', {}, name, value),
    update(fact) {
      setDomText(name, fact.name);
      setDomText(value, fact.value);
    },
  };
}

function overviewViewInformerRow({ id }: CacheSummary, clock: Context['clock']): Keyed<CacheSummary> {
  const [state, events] = [badgeWidget(), plotWidget('spark')];
  const [objects, perSecond, lastMessage, queue, restarts, when, why, doing] = Array.from({ length: 8 }, () => domElement('span')) as [
    HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement,
  ]; // prettier-ignore
  setDomClass(when, 'when');
  setDomClass(why, 'note');
  setDomClass(doing, 'note');
  const cell = (label: string, name: string, ...children: readonly Node[]): HTMLElement =>
    domElement('td', { 'data-label': label, class: name }, ...children);
  const element = domElement(
    'tr',
    {},
    cell('', 'name', cacheLinkWidget(id, 'row-link'), doing),
    cell('State', 'state', state.element),
    cell('Objects', 'number', objects),
    cell('Events/s', 'events', events.element, perSecond),
    cell('Last message', 'last-message', lastMessage),
    cell('Queue', 'number', queue),
    cell('Restarts', 'restarts', restarts, when, why),
  );
  return {
    element,
    update(cache) {
      const { problem, lastRestart } = cache;
      state.set(widgetTone(cache.state), cache.state, problem?.detail);
      setDomText(
        doing,
        problem === undefined
          ? cache.doing === 'watching'
            ? ''
            : cache.doing
          : `${problem.reason}: ${stepReasonText(problem.detail)}`,
      );
      setDomText(objects, countFigureText(cache.objects));
      setDomText(perSecond, rateFigureText(cache.perSecond));
      events.set(cache.samples);
      setDomText(lastMessage, lagFigureText(cache.lagMs));
      setDomText(queue, countFigureText(cache.queued));
      setDomText(restarts, countFigureText(cache.restarts));
      setDomText(when, lastRestart === undefined ? '' : ` ${spanFigureText(clock.now() - lastRestart.at)} ago`);
      setDomText(why, lastRestart === undefined ? '' : stepReasonText(lastRestart.because));
      setDomAttribute(why, 'title', lastRestart?.because);
    },
  };
}
