import type { InformerTimeline, Timeline, TimelineStep } from '../../src/protocol/messages.ts';
import {
  domElement,
  type Keyed,
  reconcileDom,
  replaceDomChildren,
  setDomAttribute,
  setDomText,
  domSvg,
} from './dom.ts';
import { objectAgeClock } from '../../src/objects/object-age.ts';
import { KINDS, stepText } from './step-text.ts';
import { badgeWidget, cacheLinkWidget, widgetTone } from './widgets.ts';

const WIDTH = 1_000;
const HEIGHT = 20;
/** Minimum width of a step: a list of a few milliseconds must be visible. */
const MIN_WIDTH = 3;
/** Number of intervals on the time axis. */
const INTERVALS = 4;

/** Number of steps by which a key moves the selection. */
const MOVES: ReadonlyMap<string, number> = new Map([
  ['ArrowLeft', -1],
  ['ArrowRight', 1],
  ['Home', -Infinity],
  ['End', Infinity],
]);

/** A chart with one row per informer, showing its steps over time. */
export class TimelineChart {
  readonly element: HTMLElement;
  readonly #rows = domElement('div', { class: 'chart-rows' });
  readonly #axis = domElement('div', { class: 'axis', 'aria-hidden': 'true' });
  readonly #detail = domElement('output', { class: 'step-detail' }, 'Point at a step, or focus a row and use ← and →.');
  readonly #known = new Map<string, Keyed<InformerTimeline>>();
  #from = 0;
  #until = 1;

  constructor() {
    const kinds = (Object.keys(KINDS) as TimelineStep['kind'][]).map((kind) =>
      domElement('li', { class: kind }, KINDS[kind]),
    );
    kinds.push(domElement('li', { class: 'broken' }, 'failed'));
    this.element = domElement(
      'section',
      { class: 'card timeline' },
      domElement('ul', { class: 'legend' }, ...kinds),
      this.#rows,
      this.#axis,
      this.#detail,
    );
  }

  set({ at, informers }: Timeline, windowMs: number): void {
    this.#until = at;
    this.#from = at - windowMs;
    reconcileDom(this.#rows, this.#known, informers, ({ cache }) => cache, (informer) => this.#row(informer)); // prettier-ignore
    const marks = Array.from({ length: INTERVALS + 1 }, (_, index) =>
      objectAgeClock(this.#from + (windowMs * index) / INTERVALS),
    );
    replaceDomChildren(this.#axis, ...marks.map((text) => domElement('span', {}, text)));
  }

  #row({ cache }: InformerTimeline): Keyed<InformerTimeline> {
    const state = badgeWidget();
    const bars = domSvg('g');
    const picture = domSvg(
      'svg',
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      bars,
    );
    let [steps, chosen]: [readonly TimelineStep[], number | undefined] = [[], undefined];
    const show = (index: number | undefined): void => {
      chosen = index;
      const step = index === undefined ? undefined : steps[index];
      for (const [at, bar] of [...bars.children].entries()) bar.classList.toggle('chosen', at === index);
      if (step !== undefined)
        setDomText(this.#detail, `${objectAgeClock(step.startedAt)}  ${cache}: ${stepText(step, this.#until)}`);
    };
    const track = domElement('div', {
      class: 'track',
      tabindex: '0',
      role: 'group',
      'aria-label': `${cache}, timeline`,
      pointermove: ({ offsetX, currentTarget }: PointerEvent) => {
        const { clientWidth } = currentTarget as HTMLElement;
        show(this.#nearest(steps, this.#from + (offsetX / Math.max(1, clientWidth)) * (this.#until - this.#from)));
      },
      focus: () => show(chosen ?? (steps.length === 0 ? undefined : steps.length - 1)),
      keydown: (event: KeyboardEvent) => {
        const move = MOVES.get(event.key);
        if (move === undefined || steps.length === 0) return;
        event.preventDefault();
        show(Math.min(steps.length - 1, Math.max(0, (chosen ?? steps.length - 1) + move)));
      },
    }, picture); // prettier-ignore
    const name = domElement('div', { class: 'chart-name' }, cacheLinkWidget(cache, ''), state.element);
    return {
      element: domElement('div', { class: 'chart-row' }, name, track),
      update: (informer) => {
        state.set(widgetTone(informer.state), informer.state);
        steps = informer.steps.filter(({ endedAt }) => (endedAt ?? this.#until) >= this.#from);
        if (chosen !== undefined) chosen = Math.min(chosen, steps.length - 1);
        this.#draw(bars, steps, chosen);
      },
    };
  }

  #draw(bars: SVGGElement, steps: readonly TimelineStep[], chosen: number | undefined): void {
    while (bars.childElementCount > steps.length) bars.lastElementChild?.remove();
    // A step drawn wider than it was moves the next one.
    let drawn = 0;
    for (const [index, step] of steps.entries()) {
      const bar = bars.children[index] ?? bars.appendChild(timelineChartBar());
      const [body, tip] = bar.children as unknown as readonly [Element, Element];
      const x = Math.min(WIDTH - MIN_WIDTH, Math.max(drawn, this.#x(step.startedAt)));
      const end = Math.max(x + MIN_WIDTH, this.#x(step.endedAt ?? this.#until));
      setDomAttribute(bar, 'class', `${step.kind}${index === chosen ? ' chosen' : ''}`);
      setDomAttribute(body, 'x', x.toFixed(1));
      setDomAttribute(body, 'width', (end - x).toFixed(1));
      setDomAttribute(tip, 'x', (end - MIN_WIDTH).toFixed(1));
      setDomAttribute(tip, 'width', step.failed ? MIN_WIDTH : 0);
      drawn = end;
    }
  }

  #x(at: number): number {
    return ((at - this.#from) / (this.#until - this.#from)) * WIDTH;
  }

  /** The step at this time, or the nearest one that is too short to hit. */
  #nearest(steps: readonly TimelineStep[], at: number): number | undefined {
    const slack = (this.#until - this.#from) / 150;
    const short = steps.findIndex(
      ({ startedAt, endedAt = this.#until }) => endedAt - startedAt < slack && Math.abs(startedAt - at) < slack,
    );
    if (short >= 0) return short;
    const found = steps.findLastIndex(({ startedAt, endedAt = this.#until }) => startedAt <= at && at <= endedAt);
    return found < 0 ? undefined : found;
  }
}

/** A bar for a step, with a red end for one that failed. */
const timelineChartBar = (): SVGGElement =>
  domSvg('g', {}, domSvg('rect', { height: HEIGHT }), domSvg('rect', { class: 'end', height: HEIGHT }));
