import type { Http2ServerResponse } from 'node:http2';
import { defined } from 'kube-informer/core';
import { goFormWithZeroValues } from '../api/protobuf/go-form.ts';
import { builtinSchemaName } from '../api/schema/builtin-schema.ts';
import type { JsonObject } from '../core/json.ts';
import type { ApiObject } from '../core/kube-object.ts';
import { badRequestStatusError, notAcceptableStatusError, StatusError } from '../core/status-error.ts';
import type { Served } from '../registry/served.ts';
import {
  type BookmarkOptions,
  INITIAL_EVENTS_END,
  jsonFrames,
  storedWatchForm,
  type WatchForm,
  watchFormFrame,
} from '../storage/watch/watch-form.ts';
import type { FrameCodec, WatchSink } from '../storage/watch/watch-sink.ts';
import { Watcher } from '../storage/watch/watcher.ts';
import { convertRecords } from '../verbs/converted-records.ts';
import { queryOfList, type ListQuery } from '../verbs/request/query.ts';
import { checkWatchVerb, startWatchVerb, type WatchStart } from '../verbs/watch-verb.ts';
import type { Backend } from './backend.ts';
import type { Exchange } from './http-exchange.ts';
import {
  type IncludeObject,
  includeObjectInForm,
  objectFormAtRevision,
  partialMetadataForm,
  tableFormRow,
} from './message/forms.ts';
import { gzipMember } from './message/gzip-member.ts';
import { type Accepted, PROTOBUF } from './message/negotiate.ts';
import { isWebSocketRequest } from './message/web-socket-request.ts';
import { responderMayGzip, GZIP_HEADERS, waitForResponderRoom } from './responder.ts';

const STREAM_TYPES = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];

/** Minimum lifetime of a watch without a timeout of its own; the maximum is twice as long. */
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
  if (accepted.type === 'application/yaml') throw notAcceptableStatusError(STREAM_TYPES);
  // Loaded for the first watch in protobuf.
  const protobuf = accepted.type === PROTOBUF ? await import('./message/protobuf-forms.ts') : undefined;
  const codec = protobuf?.protobufFrames ?? jsonFrames;
  const form =
    accepted.as === 'Table'
      ? await servedWatchStreamTableForm(
          served,
          accepted.version,
          includeObjectInForm(exchange.query),
          () => env.wallNow(),
          exchange.id,
        )
      : accepted.as === 'PartialObjectMetadataList'
        ? servedWatchStreamListForm(exchange)
        : protobuf === undefined
          ? servedWatchStreamForm(served, accepted)
          : protobuf.protobufWatchForm(served, accepted, (mark) => emptyServedWatchStreamObject(served, mark));
  checkWatchVerb(served, info.namespace, query);

  const isOver = isServedWatchStreamOver(query.timeoutSeconds);
  // Like a real server: a watch that must wait for a version gets its head only then, even if it waited in vain.
  const start = isOver
    ? undefined
    : await servedWatchStreamStart(startWatchVerb(api, served, info.namespace, query, gone));
  if (start !== undefined && !(start instanceof StatusError)) await convertRecords(served, start.initial ?? []);
  const isStreamedList = query.sendInitialEvents === true && query.allowWatchBookmarks;
  const isSocket = isWebSocketRequest(exchange.request.headers);
  const isZipped = backend.gzipWatches && isStreamedList && !isSocket && responderMayGzip(exchange);
  const type = protobuf === undefined ? 'application/json' : `${PROTOBUF};stream=watch`;
  const headers = { 'content-type': type, ...(isZipped ? GZIP_HEADERS : {}) };
  // Loaded for the first WebSocket.
  const sockets = isSocket ? await import('./web-socket/watch-socket.ts') : undefined;
  let open: WatchSink | undefined;
  if (sockets !== undefined)
    open = await sockets.openWatchSocket(exchange, {
      codec,
      head: (status, given) => responder.head(exchange, status, given),
      drained: (socket) => waitForResponderRoom(socket, gone),
    });
  else if (await responder.head(exchange, 200, headers)) {
    // A client that waits for its first event must already know that the watch is open.
    response.flushHeaders();
    open = servedWatchStreamSink(exchange, codec);
  }
  if (open === undefined) return;
  if (start === undefined) {
    open.end();
    return;
  }
  const faults = backend.faults();
  const plain = isZipped ? zippedServedWatchStreamSink(open, codec) : open;
  const sink = faults.watchSink === undefined ? plain : faults.watchSink(exchange, plain);
  if (start instanceof StatusError) {
    sink.write(codec.write('ERROR', start.status));
    sink.end();
    return;
  }
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
    ...defined({ maxQueuedBytes: backend.maxQueuedBytes }),
    ...(served.mayWait ? { prepare: (records) => convertRecords(served, records) } : {}),
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
  if (query.allowWatchBookmarks) backend.bookmarks.add(watcher, from, seconds * 1000, marksInitialEnd);
  await watcher.run();
}

/** The start of a watch, or the error to send in its stream. */
async function servedWatchStreamStart(starting: Promise<WatchStart>): Promise<WatchStart | StatusError> {
  try {
    return await starting;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}

/** The longest time that the real server can represent; a longer watch ends at once. */
const MAX_SECONDS = 9_223_372_036;

const isServedWatchStreamOver = (timeoutSeconds = 0): boolean => timeoutSeconds < 0 || timeoutSeconds > MAX_SECONDS;

/** The query of a watch; a path that names one object counts as a field selector. */
export function httpWatchStreamQuery(exchange: Exchange, watchList: boolean): ListQuery {
  const query = queryOfList(exchange.query, { isWatch: true, watchList });
  const { name } = exchange.info;
  if (name === '') return query;
  if (query.fieldSelector !== '' && query.fieldSelector !== `metadata.name=${name}`)
    throw badRequestStatusError("fieldSelector metadata.name doesn't match requested name");
  return { ...query, fieldSelector: `metadata.name=${name}` };
}

function servedWatchStreamForm(served: Served, accepted: Accepted): WatchForm {
  if (accepted.as === 'object' && served.conversion === undefined)
    return storedWatchForm(served.head, (mark) => emptyServedWatchStreamObject(served, mark));
  const shown = (object: ApiObject): unknown =>
    accepted.as === 'object' ? object : partialMetadataForm(object, accepted.version);
  return {
    key: `${accepted.as} ${accepted.version} ${served.apiVersion}`,
    event: (type, record, revision) =>
      watchFormFrame(type, shown(objectFormAtRevision(served.object(record), revision))),
    bookmark: (mark) => watchFormFrame('BOOKMARK', shown(emptyServedWatchStreamObject(served, mark))),
  };
}

/**
 * The form of a list, which no event can have. As on a real server, the first event ends the stream without
 * an error.
 */
function servedWatchStreamListForm({ id, response, socket }: Exchange): WatchForm {
  const end = (): Buffer => {
    if (response.statusCode === 101) socket.end();
    else response.end();
    return Buffer.alloc(0);
  };
  return { key: `PartialObjectMetadataList ${id}`, event: end, bookmark: end };
}

/** The form of Tables: one row per event. Only the first has the columns, so every watcher has a form of its own. */
async function servedWatchStreamTableForm(
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
      const object = objectFormAtRevision(served.object(record), revision);
      return watchFormFrame(type, table(tableFormRow(object, options()), revision));
    },
    bookmark: (mark) => {
      const object = emptyServedWatchStreamObject(served, mark);
      // The version is in the object, and a bookmark carries nothing else.
      const shown = include === 'None' ? 'Metadata' : include;
      return watchFormFrame('BOOKMARK', table(tableFormRow(object, { ...options(), include: shown }), mark.revision));
    },
  };
}

/** The object in a bookmark: of the kind, with a version and no other field. */
function emptyServedWatchStreamObject(served: Served, { revision, endsInitialEvents }: BookmarkOptions): ApiObject {
  const annotations = endsInitialEvents ? { [INITIAL_EVENTS_END]: 'true' } : undefined;
  const object = served.named({ metadata: { resourceVersion: String(revision), ...defined({ annotations }) } });
  const { custom, group, version, kind } = served.resource;
  const message = custom ? undefined : builtinSchemaName(group, version, kind);
  if (message === undefined) return object;
  const empty = goFormWithZeroValues(object as JsonObject, message) as ApiObject;
  served.strategy.empty?.(empty);
  return empty;
}

/** A watch over HTTP/1.1 or HTTP/2. */
function servedWatchStreamSink(exchange: Exchange, codec: FrameCodec): WatchSink {
  const { response, gone } = exchange;
  const { stream } = response as unknown as Partial<Pick<Http2ServerResponse, 'stream'>>;
  return {
    codec,
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

/** A sink in which every write is a gzip member of its own. */
function zippedServedWatchStreamSink(sink: WatchSink, codec: FrameCodec): WatchSink {
  return {
    codec,
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
