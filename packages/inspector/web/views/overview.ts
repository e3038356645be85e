import type { CacheSummary, Overview } from '../../src/protocol/messages.ts';
import { bytes, count, lag, plural, rate, span } from '../parts/format.ts';
import { h, type Keyed, reconcile, setAttribute, setClass, setText } from '../parts/dom.ts';
import { shortReason } from '../parts/step-text.ts';
import type { Context, View } from './view.ts';
import { badge, cacheLink, plot, table, toneOfState } from '../parts/widgets.ts';

const COLUMNS = ['Informer', 'State', 'Objects', 'Events', 'Last message', 'Queue', 'Restarts'];

/** All informers: a headline, totals, and one row each. */
export function overviewView({ clock }: Context): View {
  const headline = h('h1', { class: 'headline' }, 'Loading …');
  const facts = h('dl', { class: 'facts' });
  const activity = plot('activity');
  const peak = h('span', { class: 'peak' });
  const { element: informers, body } = table('informers', COLUMNS);
  const rows = new Map<string, Keyed<CacheSummary>>();
  const total = new Map<string, Keyed<Fact>>();
  const element = h(
    'div',
    { class: 'stack' },
    h('header', { class: 'hero' }, headline, facts),
    h('figure', { class: 'card chart' }, h('figcaption', {}, h('span', {}, 'Events in the last minute'), peak), activity.element),
    informers,
  ); // prettier-ignore
  return {
    element,
    title: 'Overview',
    parameters: {},
    back: undefined,
    lost(ago) {
      setClass(headline, 'headline plain');
      setText(headline, ago === undefined ? 'No connection to the process' : `Offline, last update ${ago}`);
    },
    overview(overview) {
      const { caches } = overview;
      const { tone, text } = sentence(caches, clock.now());
      setClass(headline, `headline ${tone}`);
      setText(headline, text);
      reconcile(facts, total, factsOf(overview), ({ name }) => name, factRow);
      const sums = (caches[0]?.samples ?? []).map((_, at) =>
        caches.reduce((sum, { samples }) => sum + (samples[at] ?? 0), 0),
      );
      activity.set(sums);
      setText(peak, `peak ${count(Math.max(0, ...sums))}/s`);
      reconcile(
        body,
        rows,
        caches,
        ({ id }) => id,
        (cache) => informerRow(cache, clock),
      );
    },
  };
}

/** The headline. */
function sentence(caches: readonly CacheSummary[], now: number): { readonly tone: string; readonly text: string } {
  if (caches.length === 0) return { tone: 'plain', text: 'This process has no informers yet' };
  const behind = caches.filter(({ state }) => state === 'stale' || state === 'stopped');
  const starting = caches.filter(({ state }) => state === 'starting' || state === 'idle');
  const [first] = behind;
  if (first !== undefined) {
    const since = first.problem === undefined ? '' : `: ${first.problem.reason} for ${span(now - first.problem.since)}`;
    if (behind.length === 1) return { tone: 'bad', text: `${first.id} is ${first.state}${since}` };
    return { tone: 'bad', text: `${behind.length} of ${caches.length} informers are not up to date${since}` };
  }
  if (starting.length > 0)
    return {
      tone: 'warn',
      text: `${caches.length - starting.length} of ${plural(caches.length, 'informer')} synced`,
    };
  return { tone: 'good', text: `${plural(caches.length, 'informer')}, all up to date` };
}

interface Fact {
  readonly name: string;
  readonly value: string;
}

function factsOf({ caches, server, rssBytes }: Overview): readonly Fact[] {
  const sum = (of: (cache: CacheSummary) => number): number => caches.reduce((all, cache) => all + of(cache), 0);
  return [
    { name: 'objects', value: count(sum(({ objects }) => objects)) },
    { name: 'events/s', value: rate(sum(({ perSecond }) => perSecond)) },
    { name: 'queued', value: count(sum(({ queued }) => queued)) },
    { name: 'as JSON', value: `~${bytes(sum((cache) => cache.bytes))}` },
    { name: 'process memory', value: bytes(rssBytes) },
    { name: 'API server', value: server },
  ];
}

function factRow(): Keyed<Fact> {
  const [value, name] = [h('dd'), h('dt')];
  return {
    element: h('div', {}, name, value),
    update(fact) {
      setText(name, fact.name);
      setText(value, fact.value);
    },
  };
}

function informerRow({ id }: CacheSummary, clock: Context['clock']): Keyed<CacheSummary> {
  const [state, events] = [badge(), plot('spark')];
  const [objects, perSecond, lastMessage, queue, restarts, when, why, doing] = Array.from({ length: 8 }, () => h('span')) as [
    HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement,
  ]; // prettier-ignore
  setClass(when, 'when');
  setClass(why, 'note');
  setClass(doing, 'note');
  const cell = (label: string, name: string, ...children: readonly Node[]): HTMLElement =>
    h('td', { 'data-label': label, class: name }, ...children);
  const element = h(
    'tr',
    {},
    cell('', 'name', cacheLink(id, 'row-link'), doing),
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
      state.set(toneOfState(cache.state), cache.state, problem?.detail);
      setText(
        doing,
        problem === undefined
          ? cache.doing === 'watching'
            ? ''
            : cache.doing
          : `${problem.reason}: ${shortReason(problem.detail)}`,
      );
      setText(objects, count(cache.objects));
      setText(perSecond, rate(cache.perSecond));
      events.set(cache.samples);
      setText(lastMessage, lag(cache.lagMs));
      setText(queue, count(cache.queued));
      setText(restarts, count(cache.restarts));
      setText(when, lastRestart === undefined ? '' : ` ${span(clock.now() - lastRestart.at)} ago`);
      setText(why, lastRestart === undefined ? '' : shortReason(lastRestart.because));
      setAttribute(why, 'title', lastRestart?.because);
    },
  };
}
