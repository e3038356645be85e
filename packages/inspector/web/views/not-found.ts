import { h } from '../parts/dom.ts';
import type { Route } from '../browser/route.ts';
import type { View } from './view.ts';
import { linkWidget } from '../parts/widgets.ts';

/** Shown for an unknown address. */
export function notFoundView({ path }: Extract<Route, { view: 'not-found' }>): View {
  const text = h('p', { class: 'subtitle' }, `Unknown path “${path}”. `, linkWidget({ view: 'overview' }, 'way', 'Go to the overview')); // prettier-ignore
  return {
    element: h('div', { class: 'stack' }, h('header', { class: 'title' }, h('h1', {}, 'Page not found'), text)),
    title: 'Page not found',
    parameters: {},
    back: { view: 'overview' },
  };
}
