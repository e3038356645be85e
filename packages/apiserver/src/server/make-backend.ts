import type { Descriptions } from '../api/openapi/openapi-descriptions.ts';
import type { UserTable } from '../auth/user/user-table.ts';
import type { PodConnections } from '../core/connected-pod.ts';
import { uuid } from '../core/uuid.ts';
import type { Backend } from '../http/backend.ts';
import type { LogSource } from '../http/log-source.ts';
import { ServerMetrics } from '../http/server-metrics.ts';
import { Responder } from '../http/responder.ts';
import type { Faults } from '../http/seams.ts';
import type { Watches } from '../http/served-watches.ts';
import { type BookmarkOptions, Bookmarks } from '../storage/watch/bookmarks.ts';
import { watchHubs } from '../storage/watch/watch-hub.ts';
import type { Api } from '../verbs/api-context.ts';
import { serverAccessOf } from './server-access.ts';
import type { AuthMode } from './server-access.ts';
import type { LocalClient } from './local-client.ts';
import { serverVersionInfo } from './server-version.ts';

/** The options of a server that its handlers need. */
export interface BackendOptions {
  readonly auth?: AuthMode;
  readonly bookmarks?: BookmarkOptions;
  readonly watchList?: boolean;
  readonly gzipWatches?: boolean;
  readonly maxQueuedBytes?: number;
  readonly version?: string;
  readonly nodes?: PodConnections;
}

export interface BackendParts {
  readonly api: Api;
  readonly local: LocalClient;
  readonly users: UserTable;
  readonly watches: Watches;
  readonly faults: () => Faults;
  readonly url: () => string;
  readonly kubelet: () => LogSource | undefined;
  readonly descriptions: Descriptions | undefined;
  /** Resolves when everything written is saved; undefined if nothing is saved, or everything already is. */
  readonly settled: (() => Promise<void> | undefined) | undefined;
}

/** Builds everything that the HTTP handlers need. */
export function makeBackend(parts: BackendParts, options: BackendOptions): Backend {
  const {
    auth = 'dev',
    bookmarks,
    watchList = true,
    gzipWatches = false,
    maxQueuedBytes,
    version,
    nodes = {},
  } = options;
  const { api, local, users, watches, faults, url, kubelet, descriptions, settled } = parts;
  const { env, store, registry } = api;
  return {
    api,
    ...serverAccessOf(auth, users, registry, local),
    responder: new Responder({ env, newId: () => uuid(() => env.random()), faults, settled }),
    metrics: new ServerMetrics(),
    bookmarks: new Bookmarks(env, () => store.revision, bookmarks),
    watches,
    hub: watchHubs({
      // The events of a turn are sent together, and only after they are saved.
      yield: async () => {
        await env.yield();
        await settled?.();
      },
    }),
    faults,
    logs: kubelet,
    connections: nodes,
    descriptions,
    watchList,
    gzipWatches,
    maxQueuedBytes,
    version: serverVersionInfo(version),
    address: () => new URL(url()).host,
  };
}
