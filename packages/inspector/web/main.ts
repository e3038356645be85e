import type { Overview } from '../src/protocol/messages.ts';
import { Api, RefusedError, takeBrowserApiToken } from './browser/browser-api.ts';
import { domElement } from './parts/dom.ts';
import { Clock, browserPlatformEvery, browserPlatformNow } from './browser/browser-platform.ts';
import { objectAgeText } from '../src/objects/object-age.ts';
import { formatBrowserRoute, parseBrowserRoute, browserResourceRoute, type Route } from './browser/browser-route.ts';
import { canShellShowView, VIEWS, Shell } from './shell.ts';
import { restoreTheme, toggleTheme } from './browser/theme.ts';
import type { Context, View } from './views/view.ts';
import { controllersView } from './views/controllers-view.ts';
import { faultsView } from './views/faults-view.ts';
import { handlersView } from './views/handlers-view.ts';
import { keyView } from './views/key-view.ts';
import { notFoundView } from './views/not-found-view.ts';
import { objectView } from './views/object-view.ts';
import { overviewView } from './views/overview-view.ts';
import { resourceView } from './views/resource-view.ts';
import { timelineView } from './views/timeline-view.ts';

/** Messages come every second; without one for this long, the connection is considered lost. */
const SILENT_MS = 5_000;

restoreTheme();
const token = takeBrowserApiToken();
if (token === '')
  showInWebMain('Open the address that was printed when the inspector started: it contains the access token.');
else runWebMain(new Api(token));

function runWebMain(api: Api): void {
  const clock = new Clock();
  const shell = new Shell();
  let view: View | undefined;
  let stream = new AbortController();
  let followed: string | undefined;
  let last: Overview | undefined;
  let receivedAt: number | undefined;
  let problem: string | undefined;
  let current: Route | undefined;
  /** The last route of each cache's table, and the object opened from it. */
  const lastTables = new Map<string, { readonly route: Route; readonly key: string }>();

  const go: Context['go'] = (route, { replace = false } = {}) => {
    history[replace ? 'replaceState' : 'pushState'](null, '', formatBrowserRoute(route));
    navigate();
  };
  const tableOf: Context['tableOf'] = (cache) => lastTables.get(cache)?.route ?? browserResourceRoute(cache);
  const context: Context = { api, clock, go, tableOf };

  /** Shows whether the page is live. Called every second, since a lost connection may cause no event. */
  const showConnection = (): void => {
    const silentForMs = receivedAt === undefined ? 0 : browserPlatformNow() - receivedAt;
    const text = problem ?? (silentForMs > SILENT_MS ? 'the process does not respond' : undefined);
    const ago = receivedAt === undefined ? undefined : `${objectAgeText(silentForMs)} ago`;
    shell.showConnectionProblem(text, ago);
    if (text !== undefined) view?.lost?.(ago);
  };

  const navigate = (): void => {
    const route = parseBrowserRoute(location.hash);
    const from = current;
    current = route;
    if (route.view === 'object') {
      const table = from?.view === 'resource' && from.cache === route.cache ? from : lastTables.get(route.cache)?.route;
      if (table !== undefined) lastTables.set(route.cache, { route: table, key: route.key });
    }
    if (view?.move?.(route) === true) shell.mark(route);
    else {
      view?.close?.();
      view = webMainView(route, context);
      shell.show(view.element, route, view.title);
      if (last !== undefined) view.overview?.(last);
      scrollTo(0, 0);
      if (from !== undefined) shell.focus();
      if (from?.view === 'object' && route.view === 'resource' && from.cache === route.cache) view.seek?.(from.key);
    }
    showConnection();
    follow();
  };

  /** Opens a stream for the current view, unless its parameters are unchanged. */
  const follow = (): void => {
    const parameters = view?.parameters ?? {};
    const wanted = JSON.stringify(parameters);
    if (wanted === followed) return;
    followed = wanted;
    stream.abort();
    stream = new AbortController();
    const { signal } = stream;
    void api.follow(parameters, {
      signal,
      message: (event, data) => {
        if (!signal.aborted) onMessage(event, data);
      },
      state: (error) => {
        problem = error === undefined ? undefined : webMainProblem(error);
        showConnection();
      },
    });
  };

  const onMessage = (event: string, data: unknown): void => {
    if (event !== 'overview') return view?.message?.(event, data);
    last = data as Overview;
    receivedAt = browserPlatformNow();
    clock.sync(last.at);
    shell.overview(last);
    view?.overview?.(last);
    showConnection();
  };

  addEventListener('hashchange', () => {
    // The address of another inspector, or of a restarted one, was pasted.
    if (!location.hash.startsWith('#token=')) return navigate();
    takeBrowserApiToken();
    location.reload();
  });
  addEventListener('keydown', (event) => onWebMainKey(event, shell, view, go, last));
  browserPlatformEvery(1_000, showConnection);
  navigate();
}

function webMainView(route: Route, context: Context): View {
  switch (route.view) {
    case 'overview':
      return overviewView(context);
    case 'timeline':
      return timelineView(context);
    case 'handlers':
      return handlersView(context);
    case 'controllers':
      return controllersView(context);
    case 'key':
      return keyView(context, route);
    case 'faults':
      return faultsView(context);
    case 'resource':
      return resourceView(context, route);
    case 'object':
      return objectView(context, route);
    case 'not-found':
      return notFoundView(route);
  }
}

function onWebMainKey(
  event: KeyboardEvent,
  shell: Shell,
  view: View | undefined,
  go: Context['go'],
  overview: Overview | undefined,
): void {
  const { key, target } = event;
  const isTyping = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
  if (event.ctrlKey || event.metaKey || event.altKey || shell.isHelping) return;
  if (key === 'Escape') {
    if (isTyping && target.value !== '') return;
    if (isTyping) return target.blur();
    if (view?.back !== undefined) go(view.back);
    return;
  }
  if (isTyping) return;
  if (key === '/' && view?.search !== undefined) {
    event.preventDefault();
    view.search.focus();
    view.search.select();
  }
  if (key === '?') shell.help();
  if (key === 't') toggleTheme();
  const chosen = VIEWS[Number(key) - 1];
  if (chosen !== undefined && canShellShowView(chosen[0], overview)) go({ view: chosen[0] });
}

function webMainProblem(error: unknown): string {
  if (error instanceof RefusedError && error.status === 401)
    return 'the token is no longer valid: open the printed address';
  return error instanceof RefusedError ? error.message : 'the process cannot be reached';
}

function showInWebMain(text: string): void {
  document.body.replaceChildren(
    domElement(
      'main',
      { class: 'message-only' },
      domElement('h1', {}, 'kube-informer inspector'),
      domElement('p', {}, text),
    ),
  );
}
