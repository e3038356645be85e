import { type Env, KubeError } from 'kube-informer/core';
import type { WebhookOptions } from './admission/webhooks/webhook-address.ts';
import { CONTROLLER_NAMES } from './controllers/controller-name.ts';
import { type NodeOptions, NODE_OPTIONS } from './controllers/nodes/node-options.ts';
import {
  anyObjectCheck,
  type Check,
  eitherShapeCheck,
  flagCheck,
  integerShapeCheck,
  listShapeCheck,
  notNegativeCheck,
  oneOfShapeCheck,
  positiveCheck,
  shapeCheck,
  checkShape,
  shapeCheckThat,
  textCheck,
} from './core/shape-check.ts';
import type { AdminOptions } from './faults/admin/admin.ts';
import type { HistoryLimits } from './storage/store/stored-history.ts';
import type { WantedControllers } from './server/controller-switch.ts';
import type { BookmarkOptions } from './storage/watch/bookmarks.ts';

export interface ApiServerOptions {
  /** @default 0: any free port */
  readonly port?: number;
  /** Address to listen on. Any other than the loopback needs authentication. @default '127.0.0.1' */
  readonly host?: string;
  /** Whether to use TLS, with HTTP/2 and HTTP/1.1; false for plain HTTP/1.1. @default true */
  readonly tls?: boolean;
  /**
   * `envtest`: the API server alone, as in envtest; no controllers act on the stored objects. `demo`: with
   * all controllers, like a cluster.
   * @default 'envtest'
   */
  readonly profile?: 'envtest' | 'demo';
  /**
   * `dev`: one token and client certificates, and every authenticated user may do everything. `open`: no authentication.
   * `rbac`: roles and bindings decide.
   * @default 'dev'
   */
  readonly auth?: 'dev' | 'open' | 'rbac';
  /**
   * A directory in which everything is stored: objects with their uids and versions, the token, the
   * certificate authority. A later server with the same directory continues from there, after a close or a
   * kill. @default nothing is kept
   */
  readonly data?: string;
  /**
   * Starts even if a log in `data` is damaged, with everything before the damaged record and nothing after
   * it. The damaged files stay in the directory, with `.damaged` in their names. @default false: a damaged
   * directory is refused
   */
  readonly repairData?: boolean;
  /** The bearer token of the administrator. @default the one in `data`, or a random one */
  readonly token?: string;
  /** `gitVersion` of `/version`. @default 'v1.36.0+embedded' */
  readonly version?: string;
  /** Time, waits, randomness and the log. @default the system's */
  readonly env?: Env;
  /** Limits of the history for watches and exact lists. */
  readonly history?: HistoryLimits;
  readonly bookmarks?: BookmarkOptions;
  /** Streaming lists (`sendInitialEvents`), as servers from 1.34 on have them. @default true */
  readonly watchList?: boolean;
  /**
   * Compresses watches that begin with a streaming list for clients that accept gzip, with one gzip member
   * per flush, as servers from 1.37 on do; other watches are never compressed. @default false
   */
  readonly gzipWatches?: boolean;
  /** Writes `metadata.managedFields`. @default true */
  readonly managedFields?: boolean;
  /**
   * Controllers that act on the stored objects, by name: `['deployments', 'jobs', 'nodes']`.
   * @default all in the profile `demo`, none in `envtest`
   */
  readonly controllers?: WantedControllers;
  /** The fake nodes of the controller `nodes`, and the behaviour of their containers. */
  readonly nodes?: NodeOptions;
  /**
   * Definitions and other objects that exist from the start, and after a `reset`: files, folders, or patterns
   * such as `config/crd/*.yaml`. @default none
   */
  readonly manifests?: string | readonly string[];
  /**
   * A file with the texts that `kubectl explain` shows about built-in kinds: the OpenAPI document of any
   * cluster, saved with `kubectl get --raw /openapi/v2 > file`. @default no texts
   */
  readonly descriptions?: string;
  /**
   * Hosts at which webhooks may be called. @default the loopback only
   */
  readonly webhooks?: WebhookOptions;
  /** Maximum number of bytes that may wait for a slow watcher before it is cut off. @default 16 MiB */
  readonly maxQueuedBytes?: number;
  /** Maximum number of requests remembered for `server.requests`. @default 1000 */
  readonly requestLog?: number;
  /**
   * A second listener on the loopback, with a token of its own, to control faults and state from other
   * processes: see `server.admin`. @default false
   */
  readonly admin?: boolean | AdminOptions;
  /** Starts even if NODE_ENV is production. @default false */
  readonly force?: boolean;
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

const path = shapeCheckThat('a path', (value) => typeof value === 'string' && value !== '');
const port = integerShapeCheck(0, 65_535);
const OPTIONS = shapeCheck({
  port,
  host: shapeCheckThat('an address', (value) => typeof value === 'string' && value !== ''),
  tls: flagCheck,
  profile: oneOfShapeCheck('envtest', 'demo'),
  auth: oneOfShapeCheck('dev', 'open', 'rbac'),
  data: shapeCheckThat('a directory', (value) => typeof value === 'string' && value !== ''),
  repairData: flagCheck,
  token: shapeCheckThat('a text without spaces', (value) => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)),
  version: textCheck,
  env: anyObjectCheck,
  history: shapeCheck({ events: integerShapeCheck(0), bytes: integerShapeCheck(0) } satisfies Record<
    keyof HistoryLimits,
    Check
  >),
  bookmarks: shapeCheck({
    everyMs: positiveCheck,
    tickMs: positiveCheck,
    beforeEndMs: notNegativeCheck,
  } satisfies Record<keyof BookmarkOptions, Check>),
  watchList: flagCheck,
  gzipWatches: flagCheck,
  managedFields: flagCheck,
  controllers: eitherShapeCheck(oneOfShapeCheck('all'), listShapeCheck(oneOfShapeCheck(...CONTROLLER_NAMES))),
  nodes: NODE_OPTIONS,
  manifests: eitherShapeCheck(path, listShapeCheck(path)),
  descriptions: path,
  webhooks: shapeCheck({
    hosts: shapeCheckThat(
      'a list of host names',
      (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
    ),
    services: anyObjectCheck,
  } satisfies Record<keyof WebhookOptions, Check>),
  maxQueuedBytes: integerShapeCheck(1),
  requestLog: integerShapeCheck(0),
  admin: eitherShapeCheck(
    flagCheck,
    shapeCheck({ port, token: textCheck } satisfies Record<keyof AdminOptions, Check>),
  ),
  force: flagCheck,
} satisfies Record<keyof ApiServerOptions, Check>);

/** Refuses invalid values, and combinations that would open the server to other machines. */
export function checkOptions(options: ApiServerOptions, nodeEnv: string | undefined): void {
  checkShape(OPTIONS, options, '', 'startApiServer');
  const { host = '127.0.0.1', auth = 'dev', force = false } = options;
  if (nodeEnv === 'production' && !force)
    throw new KubeError(
      'INVALID_OPTION',
      'the embedded API server is for tests and demos: it does not start under NODE_ENV=production unless force is set',
    );
  if (!LOOPBACK.has(host) && auth === 'open')
    throw new KubeError('INVALID_OPTION', `auth 'open' is for the loopback only: expected 127.0.0.1, got ${host}`);
}
