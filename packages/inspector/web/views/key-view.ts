import type { KeyDetail, RunDetail } from '../../src/protocol/controller-messages.ts';
import type { Overview } from '../../src/protocol/messages.ts';
import { objectAgeClock } from '../../src/objects/object-age.ts';
import { RefusedError } from '../browser/browser-api.ts';
import type { Route } from '../browser/browser-route.ts';
import { domElement, replaceDomChildren, setDomText } from '../parts/dom.ts';
import { runLane } from '../parts/run-lane.ts';
import { laneSteps } from '../parts/lane-steps.ts';
import { badgeWidget, fixedBadgeWidget, linkWidget } from '../parts/widgets.ts';
import type { Context, View } from './view.ts';

const LEGEND = [
  ['event', 'event'],
  ['queued', 'queued'],
  ['run', 'run'],
  ['write', 'write'],
  ['echo', 'echo: a cache has the write'],
] as const;

/** One key of a controller: why it does not run now, and what its last runs did. */
export function keyView({ api, clock }: Context, { controller, key }: Extract<Route, { view: 'key' }>): View {
  const kind = badgeWidget();
  const sentence = domElement('p', { class: 'sentence' });
  const facts = domElement('p', { class: 'subtitle' });
  const runs = domElement('ol', { class: 'runs' });
  const tools = domElement('div', { class: 'tools' });
  let [detail, caches]: [KeyDetail | undefined, Overview['caches']] = [undefined, []];

  const draw = (): void => {
    if (detail === undefined) return;
    const { resource, operator, state } = detail;
    kind.set(detail.tone, detail.kind);
    setDomText(sentence, detail.sentence);
    setDomText(facts, `${resource} · ${operator}, ${state}`);
    const [, namespace = ''] = /^(.*)\//.exec(key) ?? [];
    const cache = caches.find(
      (one) => one.resource === resource && (one.namespace === '' || one.namespace === namespace),
    );
    replaceDomChildren(tools, cache && linkWidget({ view: 'object', cache: cache.id, key }, 'button', 'Object'));
    const now = clock.now();
    replaceDomChildren(runs, ...detail.runs.map((run) => keyViewRun(run, now)));
    if (detail.runs.length === 0)
      runs.append(domElement('li', { class: 'empty' }, 'It has not run, and no run is planned.'));
  };
  const load = async (): Promise<void> => {
    try {
      detail = await api.get<KeyDetail>('key', { controller, key });
      draw();
    } catch (error) {
      if (detail === undefined)
        setDomText(sentence, error instanceof RefusedError ? error.message : 'the process cannot be reached');
    }
  };
  void load();
  const crumbs = domElement(
    'nav',
    { class: 'crumbs', 'aria-label': 'Breadcrumbs' },
    linkWidget({ view: 'controllers' }, '', 'Controllers'),
    ' / ',
    controller,
  );
  const legend = domElement(
    'ul',
    { class: 'legend' },
    ...LEGEND.map(([name, text]) => domElement('li', { class: `${name}-step` }, text)),
  );
  return {
    element: domElement(
      'div',
      { class: 'stack' },
      domElement('header', { class: 'title' }, crumbs, domElement('h1', {}, key), kind.element, tools, facts),
      sentence,
      domElement('section', { class: 'card timeline' }, legend, runs),
    ),
    title: key,
    parameters: {},
    back: { view: 'controllers' },
    overview(overview) {
      ({ caches } = overview);
      void load();
    },
  };
}

function keyViewRun(run: RunDetail, now: number): HTMLElement {
  const { outcome, tone, startedAt, error } = run;
  const steps = laneSteps(run, now).map(({ kind, offset, text }) =>
    domElement('li', {}, domElement('span', { class: 'offset' }, offset), domElement('span', { class: `kind ${kind}-step` }, kind), domElement('span', { class: 'what' }, text)),
  ); // prettier-ignore
  return domElement(
    'li',
    { class: 'run' },
    domElement('div', { class: 'run-head' }, fixedBadgeWidget(tone, outcome), startedAt !== undefined && domElement('time', {}, objectAgeClock(startedAt))),
    runLane(run, now),
    domElement('ol', { class: 'steps' }, ...steps),
    error !== '' && domElement('p', { class: 'problem' }, error),
  ); // prettier-ignore
}
