import { h } from '../h.ts';
import type { Route } from '../route.ts';
import type { View } from '../view.ts';
import { link } from '../widgets.ts';

/** An address that leads to nothing: typed, or of another version. */
export function nowhereView({ path }: Extract<Route, { view: 'nowhere' }>): View {
  const text = h('p', { class: 'subtitle' }, `Nothing here is called “${path}”. `, link({ view: 'overview' }, 'way', 'To the overview')); // prettier-ignore
  return {
    element: h('div', { class: 'stack' }, h('header', { class: 'title' }, h('h1', {}, 'There is no such page'), text)),
    title: 'No such page',
    parameters: {},
    back: { view: 'overview' },
  };
}
