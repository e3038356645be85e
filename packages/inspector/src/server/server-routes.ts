import { hasCode, KubeError } from 'kube-informer';
import type { Env } from 'kube-informer/core';
import type { CacheTracker, CacheRecord } from '../caches/cache-tracker.ts';
import type { EventStreams } from './event-streams.ts';
import type { FaultPanel } from './fault-panel.ts';
import type { History } from '../history/inspector-history.ts';
import type { IndexMask } from '../mask/index-mask.ts';
import type { Mask } from '../mask/mask.ts';
import type { OperatorList } from '../operators/operator-list.ts';
import { controllerKeySummary, controllerSummaries } from '../summaries/controller-summary.ts';
import { objectDetail } from '../summaries/object-detail.ts';
import { objectYaml } from '../summaries/object-yaml.ts';
import { overviewSummaryOfHandlers, overviewSummaryOfTimeline } from '../summaries/overview-summary.ts';
import type { PageAssets } from '../page/assets.ts';
import type { Overview } from '../protocol/messages.ts';
import { RowFeed } from '../summaries/row-feed.ts';
import { rowQueryFilters, parseRowQuery } from '../summaries/row-query.ts';
import {
  type RouteHandler,
  type RouteRequest,
  type Route,
  sendRequestHandlerJson,
  sendRequestHandlerText,
} from './request-handler.ts';

export interface RouteParts {
  readonly page: PageAssets;
  readonly tracker: CacheTracker;
  readonly history: History;
  readonly mask: Mask;
  readonly indexMask: IndexMask;
  readonly env: Env;
  readonly streams: EventStreams;
  readonly overview: () => Overview;
  /** Undefined if the page has no faults. */
  readonly faults: FaultPanel | undefined;
  readonly operators: OperatorList;
  readonly canReveal: boolean;
}

/**
 * All routes of the inspector: the four files of the page, data of the caches, and faults and reveals, if
 * enabled at the start. None sends a request to the API server.
 */
export function serverRoutes(parts: RouteParts): ReadonlyMap<string, Route> {
  const { page, tracker, env, mask, indexMask, faults, canReveal, overview } = parts;
  const file = (type: string, text: string): Route => ({
    access: 'page',
    handle: ({ response }) => sendRequestHandlerText(response, 200, type, text),
  });
  const data = (read: (request: RouteRequest) => unknown): Route => ({
    access: 'data',
    handle: async (request) => sendRequestHandlerJson(request.response, 200, await read(request)),
  });
  const action = (handle: RouteHandler): Route => ({ access: 'action', handle });
  const routes = new Map<string, Route>([
    ['/', file('text/html', page.html)],
    ['/app.js', file('text/javascript', page.script)],
    ['/app.css', file('text/css', page.style)],
    ['/icon.svg', file('image/svg+xml', page.icon)],
    ['/api/overview', data(overview)],
    ['/api/timeline', data(() => overviewSummaryOfTimeline(tracker.refresh(), env, mask))],
    ['/api/handlers', data(() => overviewSummaryOfHandlers(tracker.refresh()))],
    ['/api/controllers', data(() => controllerSummaries(parts))],
    ['/api/key', { access: 'data', handle: (request) => serverKeyRoute(parts, request) }],
    [
      '/api/filters',
      data(({ parameters }) => rowQueryFilters(serverRouteRecord(parts, parameters.get('cache')), indexMask, env)),
    ],
    ['/api/object', { access: 'data', handle: (request) => serverObjectRoute(parts, request) }],
    ['/api/stream', { access: 'data', handle: (request) => serverStreamRoute(parts, request) }],
  ]);
  if (faults !== undefined) {
    routes.set(
      '/api/faults',
      data(() => faults.list()),
    );
    routes.set('/api/fault', action(({ body, response }) => {
      const isKnown = faults.start(serverRouteText(body, 'name'));
      sendRequestHandlerJson(response, isKnown ? 202 : 404, isKnown ? {} : { error: 'unknown fault' });
    })); // prettier-ignore
  }
  if (canReveal)
    routes.set(
      '/api/reveal',
      action((request) => serverRevealRoute(parts, request)),
    );
  return routes;
}

async function serverObjectRoute(parts: RouteParts, { parameters, response }: RouteRequest): Promise<void> {
  const record = serverRouteRecord(parts, parameters.get('cache'));
  const { tracker } = parts;
  const detail = await objectDetail(parameters.get('key') ?? '', { ...parts, record, records: tracker.refresh() });
  if (detail === undefined) sendRequestHandlerJson(response, 404, { error: 'the object is not in the cache' });
  else sendRequestHandlerJson(response, 200, detail);
}

function serverKeyRoute(parts: RouteParts, { parameters, response }: RouteRequest): void {
  const controller = parameters.get('controller') ?? '';
  const detail = controllerKeySummary(parts, { controller, key: parameters.get('key') ?? '' });
  if (detail !== undefined) return sendRequestHandlerJson(response, 200, detail);
  const names = controllerSummaries(parts).operators.flatMap(({ controllers }) => controllers.map(({ name }) => name));
  const known = [...new Set(names)].join(', ');
  const error =
    known === '' ? 'this process runs no controllers' : `the process runs no such controller: expected one of ${known}`;
  sendRequestHandlerJson(response, 404, { error });
}

/** Shows an object unmasked: enabled at the start, requested by a click, and logged. */
function serverRevealRoute(parts: RouteParts, { body, response }: RouteRequest): void {
  const record = serverRouteRecord(parts, serverRouteText(body, 'cache'));
  const key = serverRouteText(body, 'key');
  const current = record.cache.informer.store.get(key);
  if (current === undefined) return sendRequestHandlerJson(response, 404, { error: 'the object is not in the cache' });
  parts.env.log('warn', 'the inspector showed an object unmasked', { cache: record.id, key });
  sendRequestHandlerJson(response, 200, { yaml: objectYaml(current) });
}

function serverStreamRoute(parts: RouteParts, { parameters, response }: RouteRequest): void {
  const { streams } = parts;
  // A HEAD request to an endless stream would occupy a client slot forever.
  if (response.req.method === 'HEAD') {
    response.setHeader('allow', 'GET');
    return sendRequestHandlerJson(response, 405, { error: 'method not allowed: use GET' });
  }
  if (!streams.hasRoom) {
    response.setHeader('retry-after', '5');
    return sendRequestHandlerJson(response, 503, { error: 'too many pages are open; close one' });
  }
  const { feed, problem } = serverRouteRows(parts, parameters);
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
  streams.open(response, feed, problem);
}

/** An invalid selector, such as a half-typed one, stops the rows only; the stream of the page continues. */
function serverRouteRows(
  parts: RouteParts,
  parameters: URLSearchParams,
): { readonly feed?: RowFeed; readonly problem?: string } {
  if (!parameters.has('cache')) return {};
  try {
    const query = parseRowQuery(parameters);
    const { mask, indexMask, env } = parts;
    return { feed: new RowFeed({ record: serverRouteRecord(parts, query.cache), query, mask, indexMask, env }) };
  } catch (error) {
    if (error instanceof Error && hasCode(error, 'INVALID_OPTION')) return { problem: error.message };
    throw error;
  }
}

function serverRouteRecord({ tracker }: RouteParts, id: string | null): CacheRecord {
  const record = tracker.find(id ?? '');
  if (record === undefined) throw new KubeError('INVALID_OPTION', 'this process has no such cache');
  return record;
}

function serverRouteText(body: unknown, name: string): string {
  const value = typeof body === 'object' && body !== null && Object.hasOwn(body, name) ? Reflect.get(body, name) : '';
  return typeof value === 'string' ? value : '';
}
