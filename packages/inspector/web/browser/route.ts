/** Where somebody is on the page. */
export type Route =
  | { readonly view: 'not-found'; readonly path: string }
  | { readonly view: 'overview' | 'timeline' | 'handlers' | 'faults' }
  | ({ readonly view: 'resource'; readonly cache: string } & RowFilter)
  | { readonly view: 'object'; readonly cache: string; readonly key: string };

export interface RowFilter {
  readonly text: string;
  readonly namespace: string;
  readonly labels: string;
  readonly index: string;
  readonly value: string;
}

export const NO_FILTER: RowFilter = { text: '', namespace: '', labels: '', index: '', value: '' };

/** What the server takes; an address is typed and pasted by people. */
const MAX_CHARACTERS = 1_000;
const PLAIN = ['overview', 'timeline', 'handlers', 'faults'] as const;

/**
 * Reads the part of an address behind `#`. Only what is named here is taken from it, as texts of bounded length;
 * whatever is not understood leads nowhere, and says so.
 */
export function parseRoute(hash: string): Route {
  const [path, query] = splitOnce(hash.replace(/^#\/?/, ''), '?');
  const parameters = new URLSearchParams(query);
  const text = (name: string): string => (parameters.get(name) ?? '').slice(0, MAX_CHARACTERS);
  const plain = PLAIN.find((view) => view === path);
  if (plain !== undefined) return { view: plain };
  if (path === '') return { view: 'overview' };
  const cache = text('cache');
  if (path === 'object' && cache !== '' && text('key') !== '') return { view: 'object', cache, key: text('key') };
  if (path !== 'resource' || cache === '') return { view: 'not-found', path: path.slice(0, MAX_CHARACTERS) };
  return {
    view: 'resource',
    cache,
    text: text('text'),
    namespace: text('namespace'),
    labels: text('labels'),
    index: text('index'),
    value: text('value'),
  };
}

export function formatRoute(route: Route): string {
  if (route.view === 'not-found') return `#/${route.path}`;
  const { view, ...rest } = route;
  const given = Object.entries(rest).filter(([, value]) => value !== '');
  // Slashes may stand in a fragment, and names are full of them.
  const query = new URLSearchParams(given).toString().replaceAll('%2F', '/');
  return `#/${view === 'overview' ? '' : view}${query === '' ? '' : `?${query}`}`;
}

export const resourceRoute = (cache: string): Route => ({ view: 'resource', cache, ...NO_FILTER });

function splitOnce(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
