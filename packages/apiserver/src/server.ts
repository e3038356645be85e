import { type Env, KubeError, systemEnv } from 'kube-informer/core';
import { kindContext } from './addresses.ts';
import { authenticator, openAuthenticator } from './auth/authenticate.ts';
import { allowAll, type Authorizer } from './auth/authorize.ts';
import { type CertificateAuthority, createAuthority, type IssuedCertificate } from './auth/certificates.ts';
import { kubeconfigFor, kubeconfigText, writeKubeconfig } from './auth/kubeconfig.ts';
import { rbac, type RbacResource } from './auth/rbac.ts';
import { TokenIssuer } from './auth/token-request.ts';
import { ADMIN, ANONYMOUS, UserTable } from './auth/users.ts';
import { CustomDefinitions } from './custom-definitions.ts';
import { type Faults, noFaults } from './faults/seams.ts';
import type { Backend } from './http/backend.ts';
import { requestHandler } from './http/handler.ts';
import { type Listener, listen } from './http/listen.ts';
import { Responder } from './http/respond.ts';
import { uuid } from './ids.ts';
import { LocalClient } from './local.ts';
import { ServerMetrics } from './metrics.ts';
import type { ApiServerOptions } from './options.ts';
import { Registry } from './registry.ts';
import { type RequestEntry, RequestLog } from './request-log.ts';
import { runControllers } from './run-controllers.ts';
import { seed } from './seed.ts';
import { serveBuiltin, serveCustom } from './serve-builtin.ts';
import type { Served } from './served.ts';
import type { Collection } from './store/collection.ts';
import { Store } from './store/store.ts';
import { timestamp } from './time.ts';
import type { ApiObject } from './types.ts';
import type { Api } from './verbs/api.ts';
import { versionInfo } from './version.ts';
import { Waiters } from './waiters.ts';
import { Bookmarks } from './watch/bookmarks.ts';
import { WatchHub } from './watch/hub.ts';
import { type WatchInfo, Watches } from './watch/watches.ts';

/** What to wait for: so many watches that are open, or anything that can be asked. */
export type Awaited =
  | { readonly watches: number; readonly resource?: string; readonly namespace?: string }
  | (() => boolean);

/**
 * A Kubernetes API server in this process.
 *
 * It answers from the moment `startApiServer` resolves until it is closed. Everything it holds is in memory. Writes made
 * through `load` and through HTTP are the same to every client.
 */
export class ApiServer implements AsyncDisposable {
  readonly #env: Env;
  readonly #options: ApiServerOptions;
  readonly #authority: CertificateAuthority | undefined;
  readonly #log: RequestLog;
  readonly #metrics = new ServerMetrics();
  readonly #waiters = new Waiters();
  readonly #watches = new Watches(() => this.#waiters.look());
  readonly #users: UserTable;
  readonly #api: Api;
  readonly #local: LocalClient;
  readonly #hubs = new WeakMap<Collection, WatchHub>();
  /** The administrator's bearer token. */
  readonly token: string;
  #faults: Faults = noFaults;
  #listener: Listener | undefined;
  #stopControllers: (() => void) | undefined;
  #running = 0;

  constructor(options: ApiServerOptions) {
    const { env = systemEnv, auth = 'dev', tls = true, history, requestLog, managedFields = true, token } = options;
    this.#options = options;
    this.#env = env;
    this.#log = new RequestLog(requestLog);
    this.#authority = tls ? createAuthority(env) : undefined;
    this.#users = new UserTable(env);
    this.token = this.#users.add(ADMIN, token === undefined ? {} : { token });
    const store = new Store(history === undefined ? {} : { history });
    const registry = new Registry();
    this.#api = { env, store, registry, kindContext: kindContext(env, registry), tracksManagers: managedFields };
    this.#local = new LocalClient(this.#api, ADMIN);
    for (const served of serveBuiltin(store)) registry.add(served);
    this.#followDefinitions();
    seed(this.#local, { hasRoles: auth === 'rbac' });
  }

  async start(): Promise<void> {
    const { host = '127.0.0.1', port = 0 } = this.#options;
    const backend = this.#backend();
    const handler = requestHandler({
      backend,
      onStart: () => (this.#running += 1),
      onEnd: (entry) => {
        this.#running -= 1;
        this.#log.add(entry);
        this.#waiters.look();
      },
    });
    const names = [...new Set(['localhost', '127.0.0.1', '::1', 'kubernetes.default.svc', host])];
    const tls =
      this.#authority === undefined
        ? undefined
        : { identity: this.#authority.issueServer(names), clientAuthority: this.#authority.certificate };
    this.#listener = await listen({ host, port, tls, handler });
    const { profile = 'envtest', controllers = profile === 'demo' } = this.#options;
    this.#stopControllers = runControllers(this.#local, controllers);
  }

  /** `https://127.0.0.1:40123` */
  get url(): string {
    return `${this.#authority === undefined ? 'http' : 'https'}://${this.#address()}`;
  }

  /** What clients must trust, PEM; undefined without TLS. */
  get ca(): string | undefined {
    return this.#authority?.certificate;
  }

  /** The last requests, oldest first. */
  get requests(): readonly RequestEntry[] {
    return this.#log.entries();
  }

  /** The verbs without HTTP. */
  get local(): LocalClient {
    return this.#local;
  }

  get store(): Store {
    return this.#api.store;
  }

  get users(): UserTable {
    return this.#users;
  }

  readonly history: { compact(revision?: number): void } = {
    /** Forgets the past up to a revision, or all of it: older watches and tokens get 410. */
    compact: (revision) => this.#api.store.compact(revision),
  };

  /** What misbehaves from now on; see `Faults`. */
  set faults(faults: Faults) {
    this.#faults = faults;
    this.#api.store.guard = faults.transaction;
  }

  watchers(): readonly WatchInfo[] {
    return this.#watches.list();
  }

  /** A kubeconfig of the administrator, as text. It holds secrets. */
  kubeconfig(): string {
    return kubeconfigText(kubeconfigFor({ url: this.url, ca: this.ca, token: this.token }));
  }

  /** The same as a file that only this user can read. */
  writeKubeconfig(path: string): Promise<void> {
    return writeKubeconfig(path, this.kubeconfig());
  }

  /** A client certificate of a user, signed by this server's authority. */
  issueClientCertificate(user: { readonly name: string; readonly groups?: readonly string[] }): IssuedCertificate {
    if (this.#authority === undefined)
      throw new KubeError('INVALID_OPTION', 'client certificates need TLS: the server was started with tls: false');
    return this.#authority.issueClient({ name: user.name, groups: user.groups ?? [] });
  }

  /** Stores objects as they are, without the rules of their kinds: the quick way to a full server. */
  load(objects: Iterable<ApiObject>): number {
    const creationTimestamp = timestamp(this.#env.wallNow());
    return this.#local.load(objects, (object, served) => ({
      ...object,
      metadata: {
        ...(served.resource.namespaced ? { namespace: 'default' } : {}),
        uid: uuid(() => this.#env.random()),
        creationTimestamp,
        ...object.metadata,
      },
    }));
  }

  /** Resolves when no request is being answered (open watches do not count) and every event is on its way. */
  async idle(): Promise<void> {
    await this.#waiters.until(() => this.#running <= this.#watches.size);
    await this.#env.yield();
    await this.#env.yield();
  }

  /** Resolves when it is so. */
  waitFor(what: Awaited): Promise<void> {
    if (typeof what === 'function') return this.#waiters.until(what);
    const { watches, resource, namespace } = what;
    const matches = (watch: WatchInfo): boolean =>
      (resource === undefined || watch.resource === resource) &&
      (namespace === undefined || watch.namespace === namespace);
    return this.#waiters.until(() => this.#watches.list().filter(matches).length >= watches);
  }

  /** Ends every watch, cuts every connection, frees the port. */
  async close(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    this.#stopControllers?.();
    this.#watches.end();
    await listener?.close();
    this.#watches.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #address(): string {
    const { host = '127.0.0.1' } = this.#options;
    if (this.#listener === undefined) throw new KubeError('ILLEGAL_STATE', 'the server is closed');
    return `${host.includes(':') ? `[${host}]` : host}:${this.#listener.port}`;
  }

  #backend(): Backend {
    const { auth = 'dev', bookmarks, watchList = true, maxQueuedBytes, version } = this.#options;
    const authorizer = auth === 'rbac' ? this.#rbac() : allowAll;
    const users = this.#users;
    const { store } = this.#api;
    return {
      api: this.#api,
      authenticate:
        auth === 'open'
          ? openAuthenticator(ADMIN, authorizer)
          : authenticator({ users, authorizer, anonymous: auth === 'rbac' ? ANONYMOUS : undefined }),
      authorizer,
      users,
      tokens: new TokenIssuer(users),
      responder: new Responder({
        env: this.#env,
        newId: () => uuid(() => this.#env.random()),
        faults: () => this.#faults,
      }),
      metrics: this.#metrics,
      bookmarks: new Bookmarks(this.#env, () => store.revision, bookmarks),
      watches: this.#watches,
      hub: (collection) => this.#hub(collection),
      faults: () => this.#faults,
      watchList,
      maxQueuedBytes,
      version: versionInfo(version),
      address: () => this.#address(),
    };
  }

  #hub(collection: Collection): WatchHub {
    let hub = this.#hubs.get(collection);
    if (hub === undefined) {
      hub = new WatchHub(this.#env, collection);
      this.#hubs.set(collection, hub);
    }
    return hub;
  }

  #rbac(): Authorizer {
    const { registry } = this.#api;
    const collection = (resource: RbacResource): Served =>
      registry.find('rbac.authorization.k8s.io', 'v1', resource) as Served;
    const all: readonly RbacResource[] = ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'];
    return rbac({
      version: () => all.map((resource) => collection(resource).collection.lastRevision).join(),
      list: (resource) => this.#local.list('rbac.authorization.k8s.io', resource),
    });
  }

  #followDefinitions(): void {
    const { store, registry } = this.#api;
    new CustomDefinitions({
      env: this.#env,
      store,
      registry,
      definitions: registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions') as Served,
      serve: (version) => serveCustom(store, version),
      removeObject: (served, namespace, name) => void this.#local.removeFrom(served, namespace, name),
      onGone: (served) => {
        const gone = new Set(served.map(({ resource }) => `${resource.group}/${resource.resource}`));
        this.#watches.end(({ group, resource }) => gone.has(`${group}/${resource}`));
      },
    });
  }
}
