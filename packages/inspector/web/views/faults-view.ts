import type { FaultSummary, Timeline } from '../../src/protocol/messages.ts';
import { RefusedError } from '../browser/browser-api.ts';
import { objectAgeText } from '../../src/objects/object-age.ts';
import { domElement, type Keyed, reconcileDom, setDomText } from '../parts/dom.ts';
import { TimelineChart } from '../parts/timeline-chart.ts';
import type { Context, View } from './view.ts';

const WINDOW_MS = 60_000;

/** Starts faults, with the timeline below, to see the informers recover. */
export function faultsView({ api, clock }: Context): View {
  const list = domElement('ul', { class: 'faults' });
  const known = new Map<string, Keyed<FaultSummary>>();
  const chart = new TimelineChart();
  /** Errors of requests, by fault. */
  const refused = new Map<string, string>();
  const load = async (): Promise<void> => {
    const [faults, timeline] = await Promise.all([
      api.get<readonly FaultSummary[]>('faults').catch(() => undefined),
      api.get<Timeline>('timeline').catch(() => undefined),
    ]);
    const shown = faults?.map((fault) => ({ ...fault, failure: refused.get(fault.name) ?? fault.failure }));
    if (shown !== undefined) reconcileDom(list, known, shown, ({ name }) => name, (fault) => faultsViewCard(fault, run, clock)); // prettier-ignore
    if (timeline !== undefined) chart.set(timeline, WINDOW_MS);
  };
  const run = async (name: string): Promise<void> => {
    refused.delete(name);
    try {
      await api.post('fault', { name });
    } catch (error) {
      refused.set(name, error instanceof RefusedError ? error.message : 'the process cannot be reached');
    }
    await load();
  };
  void load();
  const text = "The demo's API server runs in this process. Inject a fault, and watch the informers recover.";
  const header = domElement(
    'header',
    { class: 'title' },
    domElement('h1', {}, 'Faults'),
    domElement('p', { class: 'subtitle' }, text),
  );
  return {
    element: domElement('div', { class: 'stack' }, header, list, chart.element),
    title: 'Faults',
    parameters: {},
    back: { view: 'overview' },
    overview: () => void load(),
  };
}

function faultsViewCard(
  { name, title, description }: FaultSummary,
  run: (name: string) => Promise<void>,
  clock: Context['clock'],
): Keyed<FaultSummary> {
  const ran = domElement('span', { class: 'note' });
  const failed = domElement('p', { class: 'problem', role: 'alert' });
  const button = domElement('button', { type: 'button', click: () => void run(name) }, 'Start');
  const element = domElement(
    'li',
    { class: 'card fault' },
    domElement('h2', {}, title),
    domElement('p', {}, description),
    failed,
    domElement('div', { class: 'tools' }, button, ran),
  );
  return {
    element,
    update({ ranAt, isRunning, failure }) {
      setDomText(failed, failure === undefined ? '' : `failed: ${failure}`);
      button.disabled = isRunning;
      setDomText(button, isRunning ? 'Running …' : 'Start');
      button.setAttribute('aria-label', `${title}: start`);
      setDomText(ran, ranAt === undefined ? '' : `${objectAgeText(clock.now() - ranAt)} ago`);
    },
  };
}
