import type { Descriptions } from '../api/openapi/openapi-descriptions.ts';
import type { Authenticator } from '../auth/authn/authenticate.ts';
import type { Authorizer } from '../auth/authz/authorize.ts';
import type { TokenIssuer } from '../auth/review/token-request.ts';
import type { UserTable } from '../auth/user/user-table.ts';
import type { PodConnections } from '../core/connected-pod.ts';
import type { Collection } from '../storage/store/stored-collection.ts';
import type { Bookmarks } from '../storage/watch/bookmarks.ts';
import type { WatchHub } from '../storage/watch/watch-hub.ts';
import type { Api } from '../verbs/api-context.ts';
import type { ServerMetrics } from './server-metrics.ts';
import type { LogSource } from './log-source.ts';
import type { Responder } from './responder.ts';
import type { Faults } from './seams.ts';
import type { Watches } from './served-watches.ts';

/** Everything that the HTTP room needs. Created once, by the server. */
export interface Backend {
  readonly api: Api;
  readonly authenticate: Authenticator;
  readonly authorizer: Authorizer;
  readonly users: UserTable;
  readonly tokens: () => Promise<TokenIssuer>;
  readonly responder: Responder;
  readonly metrics: ServerMetrics;
  readonly bookmarks: Bookmarks;
  readonly watches: Watches;
  readonly hub: (collection: Collection) => WatchHub;
  /** Returns the seams; called for every request, because rules change. */
  readonly faults: () => Faults;
  /** Source of the logs of pods; undefined if there are no kubelets. */
  readonly logs: () => LogSource | undefined;
  /** Functions of the user that take the place of containers. */
  readonly connections: PodConnections;
  /** Texts about the built-in kinds, for `kubectl explain`. */
  readonly descriptions: Descriptions | undefined;
  /** Whether streaming lists are supported. */
  readonly watchList: boolean;
  /** Whether streaming lists are compressed for clients that accept gzip. */
  readonly gzipWatches: boolean;
  readonly maxQueuedBytes: number | undefined;
  /** The document at `/version`. */
  readonly version: Readonly<Record<string, string>>;
  /** The address, such as `127.0.0.1:6443`. */
  readonly address: () => string;
}
