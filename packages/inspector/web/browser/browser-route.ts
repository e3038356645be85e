/** A location on the page. */
export type Route =
  | { readonly view: 'not-found'; readonly path: string }
  | { readonly view: 'overview' | 'timeline' | 'handlers' | 'controllers' | 'faults' }
  | ({ readonly view: 'resource'; readonly cache: string } & RowFilter)
  | { readonly view: 'object'; readonly cache: string; readonly key: string }
  | { readonly view: 'key'; readonly controller: string; readonly key: string };

export interface RowFilter {
  readonly text: string;
  readonly namespace: string;
  readonly labels: string;
  readonly index: string;
  readonly value: string;
}

export const NO_FILTER: RowFilter = { text: '', namespace: '', labels: '', index: '', value: '' };

/** The server's limit for a parameter. */
const MAX_CHARACTERS = 1_000;
const PLAIN = ['overview', 'timeline', 'handlers', 'controllers', 'faults'] as const;

/**
 * Parses the fragment of an address. Accepts only known parameters, as texts of limited length; anything else
 * is `not-found`.
 */
export function parseBrowserRoute(hash: string): Route {
  const [path, query] = splitBrowserRoute(hash.replace(/^#\/?/, ''), '?');
  const parameters = new URLSearchParams(query);
  const text = (name: string): string => (parameters.get(name) ?? '').slice(0, MAX_CHARACTERS);
  const plain = PLAIN.find((view) => view === path);
  if (plain !== undefined) return { view: plain };
  if (path === '') return { view: 'overview' };
  const controller = text('controller');
  if (path === 'key' && controller !== '' && text('key') !== '') return { view: 'key', controller, key: text('key') };
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

export function formatBrowserRoute(route: Route): string {
  if (route.view === 'not-found') return `#/${route.path}`;
  const { view, ...rest } = route;
  const given = Object.entries(rest).filter(([, value]) => value !== '');
  // Slashes are allowed in a fragment, and most names contain some.
  const query = new URLSearchParams(given).toString().replaceAll('%2F', '/');
  return `#/${view === 'overview' ? '' : view}${query === '' ? '' : `?${query}`}`;
}

export const browserResourceRoute = (cache: string): Route => ({ view: 'resource', cache, ...NO_FILTER });

function splitBrowserRoute(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
