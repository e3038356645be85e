import type {
  ControllersMessage,
  ControllerSummary,
  KeyRow,
  OperatorSummary,
} from '../../src/protocol/controller-messages.ts';
import { objectAgeClock, objectAgeText } from '../../src/objects/object-age.ts';
import { controllersHeadline } from '../parts/controllers-headline.ts';
import { domElement, type Keyed, reconcileDom, setDomAttribute, setDomClass, setDomText } from '../parts/dom.ts';
import { countFigureText, spanFigureText } from '../parts/figure-text.ts';
import { badgeWidget, linkWidget, tableWidget } from '../parts/widgets.ts';
import type { Context, View } from './view.ts';

const COLUMNS = ['Controller', 'State', 'Ready', 'Waiting', 'Stale', 'Running', 'Runs', 'Failures'];
const KEY_COLUMNS = ['Key', 'State', 'Why', 'Last run'];
const MAX_STEPS = 12;

interface Line {
  readonly operator: OperatorSummary;
  readonly controller: ControllerSummary;
}

interface KeyLine {
  readonly controller: string;
  readonly row: KeyRow;
}

interface Step {
  readonly at: number;
  readonly operator: string;
  readonly state: string;
}

/** Words for the history of a replica. */
const STEPS: ReadonlyMap<string, string> = new Map([
  ['starting', 'starts'],
  ['standby', 'stands by'],
  ['leading', 'leads'],
  ['stopping', 'stops'],
  ['ended', 'has ended'],
]);

/** All controllers of the process, by replica: queues, keys, and the leader with the start of its term. */
export function controllersView({ api, clock }: Context): View {
  const headline = domElement('h1', { class: 'headline' }, 'Loading …');
  const { element: controllers, body } = tableWidget('controllers', COLUMNS);
  const { element: keys, body: keyBody } = tableWidget('keys', KEY_COLUMNS);
  const noKeys = domElement('p', { class: 'empty', hidden: true });
  const history = domElement('ol', { class: 'story leaders' });
  const lines = new Map<string, Keyed<Line>>();
  const keyLines = new Map<string, Keyed<KeyLine>>();
  const steps = new Map<string, Keyed<Step>>();
  const draw = ({ operators }: ControllersMessage): void => {
    const { tone, text } = controllersHeadline(operators);
    setDomClass(headline, `headline ${tone}`);
    setDomText(headline, text);
    const shown = operators.flatMap((operator) => operator.controllers.map((controller) => ({ operator, controller })));
    reconcileDom(body, lines, shown, controllersViewLineId, (line) => controllersViewLine(line, clock));
    const all = shown
      .flatMap(({ controller }) => controller.keys.map((row) => ({ controller: controller.name, row })))
      .toSorted((a, b) => (controllersViewLineIdOfKey(a) < controllersViewLineIdOfKey(b) ? -1 : 1));
    reconcileDom(keyBody, keyLines, all, controllersViewLineIdOfKey, (line) => controllersViewEntry(line, clock));
    noKeys.hidden = all.length > 0;
    const isLed = shown.some(({ controller }) => controller.state === 'leading');
    setDomText(noKeys, isLed ? 'No key has run yet.' : 'No key is at work: no controller of this process leads.');
    reconcileDom(history, steps, controllersViewSteps(operators), controllersViewStepId, controllersViewStep);
  };
  const load = async (): Promise<void> => {
    const message = await api.get<ControllersMessage>('controllers').catch(() => undefined);
    if (message !== undefined) draw(message);
  };
  void load();
  keys.append(noKeys);
  return {
    element: domElement(
      'div',
      { class: 'stack' },
      domElement('header', { class: 'hero' }, headline),
      controllers,
      keys,
      domElement('section', { class: 'card' }, domElement('h2', {}, 'Replicas'), history),
    ),
    title: 'Controllers',
    parameters: {},
    back: { view: 'overview' },
    overview: () => void load(),
    lost(ago) {
      setDomClass(headline, 'headline plain');
      setDomText(headline, ago === undefined ? 'No connection to the process' : `Offline, last update ${ago}`);
    },
  };
}

const controllersViewLineId = ({ operator, controller }: Line): string => `${operator.id} ${controller.name}`;
const controllersViewLineIdOfKey = ({ controller, row }: KeyLine): string => `${controller} ${row.key}`;
const controllersViewStepId = ({ at, operator, state }: Step): string => `${at} ${operator} ${state}`;

function controllersViewLine({ operator, controller }: Line, clock: Context['clock']): Keyed<Line> {
  const state = badgeWidget();
  const [since, ready, waiting, stale, running, runs, failures, failure] = Array.from({ length: 8 }, () => domElement('span')) as [
    HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement,
  ]; // prettier-ignore
  setDomClass(since, 'note');
  setDomClass(failure, 'note');
  const name = domElement('b', {}, controller.name);
  const element = domElement(
    'tr',
    {},
    domElement('td', { class: 'name' }, name, domElement('span', { class: 'note' }, operator.id)),
    domElement('td', { 'data-label': 'State', class: 'state' }, state.element, since),
    domElement('td', { 'data-label': 'Ready', class: 'number' }, ready),
    domElement('td', { 'data-label': 'Waiting', class: 'number' }, waiting),
    domElement('td', { 'data-label': 'Stale', class: 'number' }, stale),
    domElement('td', { 'data-label': 'Running', class: 'number' }, running),
    domElement('td', { 'data-label': 'Runs', class: 'number' }, runs),
    domElement('td', { 'data-label': 'Failures', class: 'failures' }, failures, failure),
  );
  return {
    element,
    update(line) {
      const one = line.controller;
      const isEnded = line.operator.state === 'ended';
      state.set(isEnded ? 'bad' : one.tone, isEnded ? 'ended' : one.state);
      setDomText(since, controllersViewSince(line, clock.now()));
      setDomText(ready, countFigureText(one.ready));
      setDomText(waiting, countFigureText(one.waiting));
      setDomText(stale, countFigureText(one.stale));
      setDomText(running, `${countFigureText(one.running)} of ${countFigureText(one.workers)}`);
      setDomAttribute(running, 'title', one.hung === 0 ? undefined : `${one.hung} hung`);
      setDomText(runs, countFigureText(one.runs));
      setDomText(failures, countFigureText(one.failures));
      setDomClass(failures, one.failures > 0 ? 'minus' : '');
      const { lastFailure } = one;
      setDomText(failure, lastFailure === undefined ? '' : `${lastFailure.key}: ${lastFailure.error}`);
      setDomAttribute(
        failure,
        'title',
        lastFailure && `${objectAgeText(clock.now() - lastFailure.at)} ago: ${lastFailure.error}`,
      );
    },
  };
}

function controllersViewSince({ operator, controller }: Line, now: number): string {
  if (controller.reason !== '') return controller.reason;
  // As the Lease says: a leader that has crashed still holds it.
  if (operator.leader !== '') return `lease of ${operator.leader}`;
  return operator.since === undefined ? '' : `for ${objectAgeText(now - operator.since)}`;
}

function controllersViewEntry({ controller, row }: KeyLine, clock: Context['clock']): Keyed<KeyLine> {
  const state = badgeWidget();
  const outcome = badgeWidget();
  const [why, when] = [domElement('span', { class: 'why' }), domElement('span', { class: 'note' })];
  const element = domElement(
    'tr',
    {},
    domElement(
      'td',
      { class: 'name' },
      linkWidget({ view: 'key', controller, key: row.key }, 'row-link', row.key),
      domElement('span', { class: 'note' }, controller),
    ),
    domElement('td', { 'data-label': 'State', class: 'state' }, state.element),
    domElement('td', { 'data-label': 'Why' }, why),
    domElement('td', { 'data-label': 'Last run' }, outcome.element, when),
  );
  return {
    element,
    update(line) {
      const { kind, tone, sentence, key, last } = line.row;
      state.set(tone, kind);
      // The key is in the first column.
      setDomText(why, sentence.startsWith(`${key} `) ? sentence.slice(key.length + 1) : sentence);
      if (last === undefined) outcome.set('plain', 'none');
      else outcome.set(last.tone, last.outcome);
      setDomText(
        when,
        last === undefined
          ? ''
          : `${objectAgeText(clock.now() - last.startedAt)} ago, took ${spanFigureText(last.durationMs)}`,
      );
    },
  };
}

/** Steps of all operators, newest first. */
function controllersViewSteps(operators: readonly OperatorSummary[]): readonly Step[] {
  return operators
    .flatMap(({ id, steps }) => steps.map(({ at, state }) => ({ at, operator: id, state })))
    .toSorted((a, b) => b.at - a.at || (a.operator < b.operator ? -1 : 1))
    .slice(0, MAX_STEPS);
}

function controllersViewStep({ at, operator, state }: Step): Keyed<Step> {
  const kind =
    state === 'leading' ? 'watch' : state === 'standby' ? 'list' : state === 'starting' ? 'resync' : 'broken';
  const element = domElement(
    'li',
    {},
    domElement('time', {}, objectAgeClock(at)),
    domElement('span', { class: `kind ${kind}` }, STEPS.get(state) ?? state),
    domElement('span', { class: 'what' }, operator),
  );
  return { element, update() {} };
}
