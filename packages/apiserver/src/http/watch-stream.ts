import { defined } from '../core/defined.ts';
import type { Http2ServerResponse } from 'node:http2';
import { goFormWithZeroValues } from '../api/protobuf/go-form.ts';
import { builtinSchemaName } from '../api/schema/builtin-schema.ts';
import type { JsonObject } from '../core/json.ts';
import type { ApiObject } from '../core/object.ts';
import { badRequest, notAcceptable, StatusError } from '../core/status.ts';
import type { Served } from '../registry/served.ts';
import { watchFormFrame, INITIAL_EVENTS_END, storedWatchForm, type WatchForm } from '../storage/watch/watch-form.ts';
import type { WatchSink } from '../storage/watch/watch-sink.ts';
import { Watcher } from '../storage/watch/watcher.ts';
import { queryOfList, type ListQuery } from '../verbs/request/query.ts';
import { checkWatchVerb, startWatchVerb, type WatchStart } from '../verbs/watch.ts';
import type { Backend } from './backend.ts';
import type { Exchange } from './exchange.ts';
import { type IncludeObject, includeObjectInForm, partialMetadataForm, tableFormRow } from './message/forms.ts';
import { gzipMember } from './message/gzip-member.ts';
import type { Accepted } from './message/negotiate.ts';
import { responderMayGzip, GZIP_HEADERS, waitForResponderRoom } from './responder.ts';

const STREAM_TYPES = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];

/** A watch without a timeout of its own lasts at least this long, and at most twice. */
const MIN_WATCH_SECONDS = 1800;

/** Handles a watch: checks it, opens the stream, and leaves it to the watcher. */
export async function serveWatchStream(
  backend: Backend,
  exchange: Exchange,
  served: Served,
  query: ListQuery,
): Promise<void> {
  const { api, responder } = backend;
  const { env } = api;
  const { info, response, gone } = exchange;
  const accepted = exchange.accepted();
  if (accepted.type !== 'application/json') throw notAcceptable(STREAM_TYPES);
  const form =
    accepted.as === 'Table'
      ? await tableWatchStreamForm(
          served,
          accepted.version,
          includeObjectInForm(exchange.query),
          () => env.wallNow(),
          exchange.id,
        )
      : watchStreamForm(served, accepted, exchange);
  checkWatchVerb(served, info.namespace, query);

  const isStreamedList = query.sendInitialEvents === true && query.allowWatchBookmarks;
  const isZipped = backend.gzipWatches && isStreamedList && responderMayGzip(exchange);
  const headers = { 'content-type': 'application/json', ...(isZipped ? GZIP_HEADERS : {}) };
  if (!(await responder.head(exchange, 200, headers))) return;
  // A client that waits for its first event must know by now that the watch is open.
  response.flushHeaders();
  if (isServedWatchStreamOver(query.timeoutSeconds)) {
    response.end();
    return;
  }
  const faults = backend.faults();
  const plain = isZipped ? zippedWatchStreamSink(watchStreamSink(exchange)) : watchStreamSink(exchange);
  const sink = faults.watchSink === undefined ? plain : faults.watchSink(exchange, plain);
  let start: WatchStart;
  try {
    start = await startWatchVerb(api, served, info.namespace, query, gone);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    sink.write(watchFormFrame('ERROR', error.status));
    sink.end();
    return;
  }
  if (gone.aborted) return;
  const { selection, from, initial, marksInitialEnd } = start;
  const watcher = new Watcher({
    env,
    collection: served.collection,
    hub: backend.hub(served.collection),
    sink,
    selection,
    form,
    from,
    ...defined({ initial }),
    marksInitialEnd,
    ...(backend.maxQueuedBytes === undefined ? {} : { maxQueuedBytes: backend.maxQueuedBytes }),
  });
  gone.addEventListener('abort', () => watcher.end('closed'), { once: true });
  const { group, version, resource } = served.resource;
  const { namespace } = info;
  const { labelSelector, fieldSelector } = query;
  const facts = { id: exchange.id, group, version, resource, namespace, labelSelector, fieldSelector, from };
  const port = exchange.request.socket.remotePort ?? 0;
  const who = { user: exchange.user?.name ?? '', userAgent: exchange.userAgent, port };
  backend.watches.add({ ...facts, ...who }, watcher, exchange);
  watcher.signal.addEventListener('abort', () => {
    backend.metrics.watchEvents(group, resource, watcher.events);
    if (watcher.endReason === 'too-slow') backend.metrics.watcherTerminated(group, resource);
  });
  const seconds =
    query.timeoutSeconds === undefined || query.timeoutSeconds === 0
      ? MIN_WATCH_SECONDS * (1 + env.random())
      : query.timeoutSeconds;
  watcher.endAfter(seconds * 1000);
  if (query.allowWatchBookmarks) backend.bookmarks.add(watcher, from, seconds * 1000);
  await watcher.run();
}

/** The longest time that the real server's clock can hold; a longer watch ends at once. */
const MAX_SECONDS = 9_223_372_036;

const isServedWatchStreamOver = (timeoutSeconds = 0): boolean => timeoutSeconds < 0 || timeoutSeconds > MAX_SECONDS;

/** The query of a watch; a path that names one object counts as a field selector. */
export function watchStreamQuery(exchange: Exchange, watchList: boolean): ListQuery {
  const query = queryOfList(exchange.query, { isWatch: true, watchList });
  const { name } = exchange.info;
  if (name === '') return query;
  if (query.fieldSelector !== '' && query.fieldSelector !== `metadata.name=${name}`)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return { ...query, fieldSelector: `metadata.name=${name}` };
}

function watchStreamForm(served: Served, accepted: Accepted, exchange: Exchange): WatchForm {
  if (accepted.as === 'PartialObjectMetadataList') return listWatchStreamForm(exchange);
  if (accepted.as === 'object' && served.conversion === undefined)
    return storedWatchForm(served.head, (revision, marks) => emptyWatchStreamObject(served, revision, marks));
  const shown = (object: ApiObject): unknown =>
    accepted.as === 'object' ? object : partialMetadataForm(object, accepted.version);
  return {
    key: `${accepted.as} ${accepted.version} ${served.apiVersion}`,
    event: (type, record, revision) =>
      watchFormFrame(type, shown(watchStreamObjectAt(served.object(record), revision))),
    bookmark: ({ revision, endsInitialEvents }) =>
      watchFormFrame('BOOKMARK', shown(emptyWatchStreamObject(served, revision, endsInitialEvents ? END_MARK : {}))),
  };
}

/** No event is a list. As on a real server the first event ends the stream without an error. */
function listWatchStreamForm({ id, response }: Exchange): WatchForm {
  const end = (): Buffer => {
    response.end();
    return Buffer.alloc(0);
  };
  return { key: `PartialObjectMetadataList ${id}`, event: end, bookmark: end };
}

const END_MARK = { annotations: { [INITIAL_EVENTS_END]: 'true' } };

/** Rows, one to an event. Only the first brings the columns, so every watcher has a form of its own. */
async function tableWatchStreamForm(
  served: Served,
  version: string,
  include: IncludeObject,
  now: () => number,
  id: number,
): Promise<WatchForm> {
  const format = await served.table();
  let isFirst = true;
  const table = (row: JsonObject, revision: number): JsonObject => {
    const columnDefinitions = isFirst ? (format.columns as unknown as JsonObject[]) : null;
    isFirst = false;
    return {
      kind: 'Table',
      apiVersion: `meta.k8s.io/${version}`,
      metadata: { resourceVersion: String(revision) },
      columnDefinitions,
      rows: [row],
    };
  };
  const options = (): Parameters<typeof tableFormRow>[1] => ({ table: format, include, version, now: now() });
  return {
    key: `Table ${id}`,
    event: (type, record, revision) => {
      const object = watchStreamObjectAt(served.object(record), revision);
      return watchFormFrame(type, table(tableFormRow(object, options()), revision));
    },
    bookmark: ({ revision, endsInitialEvents }) => {
      const object = emptyWatchStreamObject(served, revision, endsInitialEvents ? END_MARK : {});
      // The version is in the object, and a bookmark carries nothing else.
      const shown = include === 'None' ? 'Metadata' : include;
      return watchFormFrame('BOOKMARK', table(tableFormRow(object, { ...options(), include: shown }), revision));
    },
  };
}

/** The same object under the version of an event. */
function watchStreamObjectAt(object: ApiObject, revision: number): ApiObject {
  const version = String(revision);
  if (object.metadata?.resourceVersion === version) return object;
  return { ...object, metadata: { ...object.metadata, resourceVersion: version } };
}

/** The object in a bookmark: of the kind, with a version and no other field set. */
function emptyWatchStreamObject(served: Served, revision: number, marks: object): ApiObject {
  const object = served.named({ metadata: { resourceVersion: String(revision), ...marks } });
  const { custom, group, version, kind } = served.resource;
  const message = custom ? undefined : builtinSchemaName(group, version, kind);
  if (message === undefined) return object;
  const empty = goFormWithZeroValues(object as JsonObject, message) as ApiObject;
  served.strategy.empty?.(empty);
  return empty;
}

/** A watch over HTTP/1.1 or HTTP/2. */
function watchStreamSink(exchange: Exchange): WatchSink {
  const { response, gone } = exchange;
  const { stream } = response as unknown as Partial<Pick<Http2ServerResponse, 'stream'>>;
  return {
    write: (bytes) => {
      if (gone.aborted || response.writableEnded) return;
      exchange.bytes += bytes.length;
      response.write(bytes);
    },
    get queued() {
      return stream?.writableLength ?? response.writableLength;
    },
    drained: () => waitForResponderRoom(response, gone),
    end: () => {
      if (!gone.aborted) response.end();
    },
  };
}

/** Every write is a gzip member of its own. */
function zippedWatchStreamSink(sink: WatchSink): WatchSink {
  return {
    write: (bytes) => {
      if (bytes.length > 0) sink.write(gzipMember(bytes));
    },
    get queued() {
      return sink.queued;
    },
    drained: () => sink.drained(),
    end: () => sink.end(),
  };
}
