import type { AdmissionHook, AdmissionOptions } from './admission/webhooks/in-process-webhook.ts';
import { Conversions } from './conversion/conversions.ts';
import type { ConversionHook, ConversionOptions } from './conversion/in-process-conversion.ts';
import type { CustomVersion } from './api/kinds/definition/custom-version.ts';
import { allowAll } from './auth/authz/authorize.ts';
import { defined, KubeError, systemEnv } from 'kube-informer/core';
import type { IssuedCertificate } from './auth/certificates/authority.ts';
import {
  kubeconfigFor,
  kubeconfigText,
  type KubeconfigUser,
  writeKubeconfig,
} from './auth/certificates/kubeconfig-text.ts';
import { ADMIN, UserTable } from './auth/user/user-table.ts';
import { checkShape } from './core/shape-check.ts';
import type { ApiObject } from './core/kube-object.ts';
import type { Admin } from './faults/admin/admin.ts';
import { RESTART, type RestartOptions, RESTORE, type RestoreOptions } from './faults/fault-host.ts';
import type { FaultMenu } from './faults/menu.ts';
import type { Backend } from './http/backend.ts';
import type { Handler } from './http/listener/listen.ts';
import type { RequestEntry } from './http/request-log.ts';
import { type WatchInfo, Watches } from './http/served-watches.ts';
import type { ApiServerOptions } from './options.ts';
import { ControllerSwitch } from './server/controller-switch.ts';
import { followDefinitions, type FollowedDefinitions } from './server/follow-definitions.ts';
import { makeFaultMenu } from './server/fault-menu.ts';
import { Front } from './server/front.ts';
import { identityOfUsers, restoreIdentityUsers, type ServerData } from './server/server-identity.ts';
import { LocalClient } from './server/local-client.ts';
import { makeApi, type ServerApi } from './server/make-api.ts';
import { makeBackend } from './server/make-backend.ts';
import { readDescriptions } from './server/server-descriptions.ts';
import type { Replica, ReplicaOptions } from './server/replica.ts';
import { seedServer } from './server/seed-server.ts';
import { SkewedEnv } from './server/skewed-env.ts';
import { Traffic } from './server/server-traffic.ts';
import { type Awaited, hasWaiterWatches, Waiters } from './server/waiters.ts';
import type { Store, StoreSnapshot } from './storage/store/stored-objects.ts';

/** Added to the revision by a restore with `bump`: the value that etcd's documentation recommends for `--bump-revision`. */
const BUMPED_REVISIONS = 1_000_000_000;

/** The collection that defines other collections. */
const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

/** Maximum number of turns of the event loop to wait for destroyed connections to close. */
const MAX_TURNS = 100;

/**
 * A Kubernetes API server in this process.
 *
 * It accepts requests from when `startApiServer` resolves until it is closed. All its data is in memory.
 * Clients see no difference between writes through `load` and through HTTP.
 */
export class ApiServer implements AsyncDisposable {
  readonly #env: SkewedEnv;
  readonly #options: ApiServerOptions;
  readonly #front: Front;
  readonly #traffic: Traffic;
  readonly #waiters = new Waiters();
  readonly #watches = new Watches(() => this.#waiters.look());
  readonly #users: UserTable;
  readonly #api: ServerApi;
  readonly #local: LocalClient;
  readonly #controllers: ControllerSwitch;
  readonly #definitions: FollowedDefinitions;
  readonly #conversions: Conversions;
  readonly #replicas = new Set<Replica>();
  readonly #data: ServerData | undefined;
  /** Faults to inject. */
  readonly faults: FaultMenu;
  #token: string;
  #backend: Backend | undefined;
  #handler: Handler = () => {};
  #admin: Admin | undefined;
  #restarted: Promise<void> | undefined;
  /** The state that `reset` restores. */
  #started: StoreSnapshot | undefined;
  readonly #closed = new AbortController();

  /** `data` is open, and is closed with the server. */
  constructor(options: ApiServerOptions, data?: ServerData) {
    const { tls = true, host = '127.0.0.1', requestLog } = options;
    const { profile = 'envtest', controllers = profile === 'demo' ? 'all' : [], nodes = {} } = options;
    const { token = data?.identity?.token } = options;
    const env = new SkewedEnv(options.env ?? systemEnv);
    this.#options = options;
    this.#env = env;
    this.#traffic = new Traffic(requestLog, () => this.#waiters.look());
    this.#data = data;
    this.#front = new Front({ env, host, tls, authority: data?.identity?.authority });
    this.#users = new UserTable(env);
    if (data?.identity !== undefined) restoreIdentityUsers(this.#users, data.identity);
    this.#token = this.#users.add(ADMIN, defined({ token }));
    this.#api = makeApi(env, () => this.#backend?.authorizer ?? allowAll, options);
    const { store } = this.#api;
    this.#conversions = new Conversions(env, options.webhooks);
    this.#local = new LocalClient(this.#api, ADMIN);
    this.#definitions = followDefinitions(this.#api, this.#local, this.#watches, this.#conversions);
    this.#controllers = new ControllerSwitch(this.#local, controllers, nodes);
    this.faults = this.#makeMenu();
    data?.follow(store);
    if (data !== undefined && data.revision > 0) this.#replace(data.take(), data.revision);
    seedServer(this.#local, this.#api);
  }

  async start(): Promise<void> {
    const { port = 0, admin = false, env = systemEnv, manifests = [] } = this.#options;
    const data = this.#data;
    this.#backend = makeBackend(
      {
        api: this.#api,
        local: this.#local,
        users: this.#users,
        watches: this.#watches,
        faults: () => this.faults.seams,
        url: () => this.url,
        kubelet: () => this.#controllers.kubelet,
        descriptions: await readDescriptions(this.#options.descriptions),
        settled: data === undefined ? undefined : () => data.settled(),
      },
      this.#options,
    );
    this.#handler = this.#traffic.handlerOf(this.#backend);
    await this.#keepIdentity();
    this.#users.onChange = () => void this.#keepIdentity()?.catch(() => {}); // `settled` rejects
    if (manifests.length > 0) await this.install(...[manifests].flat());
    await this.#data?.settled();
    await this.#controllers.load();
    await this.#api.admission.open();
    this.#started = this.snapshot();
    await this.#open(port);
    if (admin === false) return;
    const { startAdmin } = await import('./faults/admin/admin.ts');
    const { adminRoutes } = await import('./faults/admin/admin-routes.ts');
    this.#admin = await startAdmin(admin === true ? {} : admin, adminRoutes(this, env), env);
  }

  /** The administrator's bearer token. */
  get token(): string {
    return this.#token;
  }

  /** The endpoint to control this server from other processes; only with the option `admin`. */
  get admin(): Pick<Admin, 'url' | 'token'> | undefined {
    return this.#admin;
  }

  /** URL, such as `https://127.0.0.1:40123`. */
  get url(): string {
    return this.#front.url;
  }

  /** Certificate authority that clients must trust, PEM; undefined without TLS. */
  get ca(): string | undefined {
    return this.#front.ca;
  }

  /** The last requests, oldest first. */
  get requests(): readonly RequestEntry[] {
    return this.#traffic.log.entries();
  }

  /** A client that calls the verbs without HTTP. */
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
    /** Drops the history up to a revision, or all of it: older watches and tokens get 410. */
    compact: (revision) => this.#api.store.compact(revision),
  };

  get revision(): { readonly current: number; jump(revisions: number): void } {
    const { store } = this.#api;
    return {
      current: store.revision,
      /** Moves the counter forward, as writes of other kinds do in a busy cluster. */
      jump: (revisions) => store.skip(revisions),
    };
  }

  /** Restarts at the same address with the same certificates: connections break, and watches cannot resume. */
  async restart(options: RestartOptions = {}): Promise<void> {
    checkShape(RESTART, options, '', 'restart');
    // One after the other: two at once would compete for the address.
    const last = this.#restarted ?? Promise.resolve();
    await (this.#restarted = last.catch(() => {}).then(() => this.#restart(options)));
  }

  async #restart({ keep = 'data', downMs = 0 }: RestartOptions): Promise<void> {
    await this.#shut();
    if (keep === 'nothing') {
      this.#replace({ revision: 1, collections: new Map() }, 1);
      seedServer(this.#local, this.#api);
    }
    await this.#env.sleep(downMs, this.#closed.signal);
    if (this.#closed.signal.aborted) return;
    this.#api.store.reopen();
    await this.#open();
  }

  /** All objects as they are now, for `restore`. */
  snapshot(): StoreSnapshot {
    return this.#api.store.snapshot();
  }

  /** Restores a snapshot and ends open watches, like a storage that was restored from a backup. */
  restore(snapshot: StoreSnapshot, options: RestoreOptions = {}): void {
    checkShape(RESTORE, options, '', 'restore');
    const { revisions = 'rollback' } = options;
    if (revisions === 'continue') return this.#rewind(snapshot);
    const newest = Math.max(this.#api.store.revision, snapshot.revision);
    this.#controllers.stop();
    this.#replace(snapshot, revisions === 'rollback' ? snapshot.revision : newest + BUMPED_REVISIONS);
    this.#controllers.start();
  }

  /**
   * Restores the state after the start, including manifests; faults and the request log become empty. Watches
   * stay open and get deletes and changes as events, so one server can serve many tests. Users and their
   * tokens stay.
   */
  reset(): void {
    this.faults.clear();
    this.#traffic.log.clear();
    if (this.#started !== undefined) this.#rewind(this.#started);
  }

  /**
   * Creates or replaces the objects of manifests, definitions first: files, folders, or patterns such as `config/**\/*.yaml`. Returns
   * them as they are stored. Rejects with the file and the reason if one is refused.
   */
  async install(...paths: readonly string[]): Promise<readonly ApiObject[]> {
    const { installManifests } = await import('./server/manifests.ts');
    return installManifests(paths, (object) => this.#local.put(object));
  }

  /** Ends containers of a pod on a fake node, as a crash does; false if none is running. Needs the controller `nodes`. */
  exitContainers(namespace: string, pod: string, exit: { readonly exitCode?: number; readonly container?: string } = {}): boolean {
    return this.#controllers.kubelet?.exit(namespace, pod, exit) ?? false;
  } // prettier-ignore

  /** Adds a second address of the same cluster, whose reads are stale. It ends with this server. */
  async addReplica(options: ReplicaOptions = {}): Promise<Replica> {
    const backend = this.#backend;
    if (backend === undefined || this.#front.hasLeft) throw new KubeError('ILLEGAL_STATE', 'the server is closed');
    const main = this.#handler;
    const makeHandler = (own: Backend): Handler => this.#traffic.handlerOf(own);
    const versionsOf = (definition: ApiObject): readonly CustomVersion[] => this.#definitions.versionsOf(definition);
    const { Replica: ReplicaServer } = await import('./server/replica.ts');
    const replica = new ReplicaServer({ backend, versionsOf, mainHandler: main, makeHandler }, options);
    await replica.start(this.#front);
    this.#replicas.add(replica);
    if (options.spread === true)
      this.#handler = (request, response) => (this.#env.random() < 0.5 ? main : replica.handler)(request, response);
    return replica;
  }

  watchers(): readonly WatchInfo[] {
    return this.#watches.list();
  }

  /** A kubeconfig of the administrator, or of any other user, as text. It contains secrets. */
  kubeconfig({ user, groups = [], namespace }: KubeconfigUser = {}): string {
    const token = user === undefined ? this.token : this.#users.add({ name: user, groups });
    return kubeconfigText(kubeconfigFor({ url: this.url, ca: this.ca, token, ...defined({ namespace }) }));
  }

  /** Writes the kubeconfig to a file that only this user can read. */
  writeKubeconfig(path: string, user: KubeconfigUser = {}): Promise<void> {
    return writeKubeconfig(path, this.kubeconfig(user));
  }

  /** Issues a client certificate of a user, signed by this server's authority. */
  issueClientCertificate(user: { readonly name: string; readonly groups?: readonly string[] }): IssuedCertificate {
    return this.#front.issueClient(user);
  }

  /**
   * Stores objects as they are, without the rules of their kinds: the fastest way to fill a server. An
   * existing object is changed and keeps its uid; if nothing changes there is no event.
   */
  load(objects: Iterable<ApiObject>): number {
    return this.#local.load(objects);
  }

  /**
   * Adds a webhook that is a function of this process: the quickest way to test one. `on` selects its writes;
   * with `service` or `url` it handles the calls of configurations that are stored in the server.
   *
   *     server.admission({ on: 'v1/pods', validate: (pod) => (pod.metadata?.labels?.['team'] ? undefined : 'no team') });
   */
  admission(options: AdmissionOptions): AdmissionHook {
    return this.#api.admission.add(options);
  }

  /**
   * Adds a conversion webhook that is a function of this process: the quickest way to test one.
   *
   *     server.conversion({ on: 'crontabs.example.com', convert: (crontab, to) => (to.endsWith('v2') ? up(crontab) : down(crontab)) });
   */
  conversion(options: ConversionOptions): ConversionHook {
    return this.#conversions.add(options);
  }

  /** Resolves when no request is in progress (open watches do not count) and every event has been sent. */
  async idle(): Promise<void> {
    await this.#waiters.until(() => this.#traffic.running <= this.#watches.size);
    await this.#env.yield();
    await this.#env.yield();
  }

  /** Resolves when a condition holds. */
  waitFor(what: Awaited): Promise<void> {
    return this.#waiters.until(typeof what === 'function' ? what : () => hasWaiterWatches(what, this.#watches.list()));
  }

  /** Ends every watch, cuts every connection and frees the port. */
  async close(): Promise<void> {
    this.#closed.abort();
    // A restart in progress would open the port again.
    await this.#restarted?.catch(() => {});
    this.#front.leave();
    const admin = this.#admin;
    this.#admin = undefined;
    await admin?.close();
    for (const replica of this.#replicas) await replica.close();
    this.#replicas.clear();
    this.faults.clear();
    await this.#shut();
    this.#waiters.close();
    await this.#data?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #open(port?: number): Promise<void> {
    await this.#front.open((request, response) => this.#handler(request, response), port);
    this.#controllers.start();
  }

  #keepIdentity(): Promise<void> | undefined {
    const authority = this.#front.exportAuthority() ?? this.#data?.identity?.authority;
    return this.#data?.keep({ token: this.#token, ...identityOfUsers(this.#users), ...defined({ authority }) });
  }

  async #shut(): Promise<void> {
    this.#controllers.stop();
    this.#watches.end();
    await this.#front.close();
    this.#watches.end();
    // Wait until every request has noticed that its connection is gone: its writes would belong to the time before the
    // restart.
    for (let turn = 0; this.#traffic.running > 0 && turn < MAX_TURNS; turn += 1) await this.#env.yield();
  }

  #replace(snapshot: StoreSnapshot, revision: number): void {
    this.#watches.end();
    this.#api.store.restore(snapshot, revision);
    this.#definitions.refresh();
    this.#data?.rewrite();
    for (const replica of this.#replicas) replica.copy();
  }

  #rewind(snapshot: StoreSnapshot): void {
    this.#controllers.stop();
    this.#api.store.rewind(snapshot, DEFINITIONS);
    this.#controllers.start();
  }

  #makeMenu(): FaultMenu {
    return makeFaultMenu({
      api: this.#api,
      env: this.#env,
      watches: this.#watches,
      front: this.#front,
      restart: (options) => this.restart(options),
      snapshot: () => this.snapshot(),
      restore: (snapshot, options) => this.restore(snapshot, options),
      expireToken: () => {
        const old = this.#token;
        this.#token = this.#users.add(ADMIN);
        this.#users.expire(old);
        return this.#token;
      },
    });
  }
}
