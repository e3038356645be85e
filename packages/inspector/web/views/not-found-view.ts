import { domElement } from '../parts/dom.ts';
import type { Route } from '../browser/browser-route.ts';
import type { View } from './view.ts';
import { linkWidget } from '../parts/widgets.ts';

/** Shown for an unknown address. */
export function notFoundView({ path }: Extract<Route, { view: 'not-found' }>): View {
  const text = domElement('p', { class: 'subtitle' }, `Unknown path “${path}”. `, linkWidget({ view: 'overview' }, 'way', 'Go to the overview')); // prettier-ignore
  return {
    element: domElement(
      'div',
      { class: 'stack' },
      domElement('header', { class: 'title' }, domElement('h1', {}, 'Page not found'), text),
    ),
    title: 'Page not found',
    parameters: {},
    back: { view: 'overview' },
  };
}
