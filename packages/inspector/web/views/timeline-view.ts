import type { Timeline, TimelineStep } from '../../src/protocol/messages.ts';
import { domElement, type Keyed, reconcileDom, setDomText } from '../parts/dom.ts';
import { TimelineChart } from '../parts/timeline-chart.ts';
import { objectAgeClock } from '../../src/objects/object-age.ts';
import { KINDS, stepText } from '../parts/step-text.ts';
import type { Context, View } from './view.ts';
import { cacheLinkWidget } from '../parts/widgets.ts';

const WINDOWS: readonly (readonly [label: string, ms: number])[] = [
  ['1 minute', 60_000],
  ['5 minutes', 300_000],
  ['30 minutes', 1_800_000],
  ['6 hours', 21_600_000],
];
const MAX_ENTRIES = 80;

interface Entry {
  readonly cache: string;
  readonly step: TimelineStep;
}

/** The steps of each informer, as a chart and as a list, to explain why something was late. */
export function timelineView({ api }: Context): View {
  const chart = new TimelineChart();
  const story = domElement('ol', { class: 'story' });
  const known = new Map<string, Keyed<Entry>>();
  let windowMs = 60_000;
  let last: Timeline | undefined;
  const draw = (): void => {
    if (last === undefined) return;
    chart.set(last, windowMs);
    const { at } = last;
    reconcileDom(story, known, timelineViewEntries(last, at - windowMs), timelineViewKey, (entry) =>
      timelineViewRow(entry, () => last?.at ?? 0),
    );
  };
  const buttons = WINDOWS.map(([label, ms]) =>
    domElement(
      'button',
      { type: 'button', 'aria-pressed': String(ms === windowMs), click: (event: Event) => choose(event, ms) },
      label,
    ),
  );
  const choose = ({ currentTarget }: Event, ms: number): void => {
    windowMs = ms;
    for (const button of buttons) button.setAttribute('aria-pressed', String(button === currentTarget));
    draw();
  };
  const element = domElement(
    'div',
    { class: 'stack' },
    domElement('header', { class: 'title' }, domElement('h1', {}, 'Timeline'), domElement('div', { class: 'choice', role: 'group', 'aria-label': 'Time range' }, ...buttons)),
    chart.element,
    domElement('section', { class: 'card' }, domElement('h2', {}, 'Steps'), story),
  ); // prettier-ignore
  const load = async (): Promise<void> => {
    last = await api.get<Timeline>('timeline').catch(() => last);
    draw();
  };
  void load();
  return { element, title: 'Timeline', parameters: {}, back: { view: 'overview' }, overview: () => void load() };
}

/** The entries of the list, newest first. */
function timelineViewEntries({ informers }: Timeline, from: number): readonly Entry[] {
  const entries = informers.flatMap(({ cache, steps }) => steps.map((step) => ({ cache, step })));
  return entries
    .filter(({ step }) => (step.endedAt ?? Infinity) >= from)
    .toSorted((a, b) => b.step.startedAt - a.step.startedAt || (a.cache < b.cache ? -1 : 1))
    .slice(0, MAX_ENTRIES);
}

const timelineViewKey = ({ cache, step }: Entry): string => `${step.startedAt} ${cache} ${step.kind}`;

function timelineViewRow({ cache, step }: Entry, now: () => number): Keyed<Entry> {
  const text = domElement('span', { class: 'what' });
  const element = domElement(
    'li',
    {},
    domElement('time', {}, objectAgeClock(step.startedAt)),
    domElement('span', { class: `kind ${step.kind}` }, KINDS[step.kind]),
    cacheLinkWidget(cache, 'informer'),
    text,
  );
  return {
    element,
    update(entry) {
      setDomText(text, stepText(entry.step, now()));
      element.classList.toggle('failed', entry.step.failed);
    },
  };
}
