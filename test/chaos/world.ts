import { once } from 'node:events';
import { get } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from 'kube-informer';
import { ControlPlane } from '../real/harness/control-plane.ts';
import { Link } from '../real/harness/link.ts';
import { within } from '../real/harness/until.ts';
import { NAMESPACE, type State, stateOf, USER } from './state.ts';
import { Valve } from '../real/harness/valve.ts';

/** A load balancer: accepts connections and passes each to one of several servers at random. */
export class Balancer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #preferred: number | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(targets: readonly string[], random: () => number): Promise<Balancer> {
    const server = createServer();
    const balancer = new Balancer(server);
    server.on('connection', (near) => {
      const at = balancer.#preferred ?? Math.floor(random() * targets.length);
      const [host = '', port = ''] = (targets[at] as string).split(':');
      const far = connect({ host, port: Number(port), noDelay: true });
      for (const [from, to] of [[near, far], [far, near]] as const) {
        balancer.#sockets.add(from);
        from.pipe(to);
        from.on('error', () => to.resetAndDestroy());
        from.on('close', () => {
          balancer.#sockets.delete(from);
          to.destroy();
        });
      } // prettier-ignore
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return balancer;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The server of new connections; undefined for any. */
  prefer(at: number | undefined): void {
    this.#preferred = at;
  }

  /** Resets every connection. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.reset();
    // Not awaited: a connection that is being opened through a cut link ends with the link.
    this.#server.close();
    return Promise.resolve();
  }
}

/** Two kube-apiservers on one etcd, each behind a network of its own that can be broken, and a balancer before both. */
export class World implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly links: readonly Link[];
  /** Between each server and etcd. */
  readonly valves: readonly Valve[];
  readonly balancer: Balancer;
  #isOverloaded = false;

  private constructor(plane: ControlPlane, valves: readonly Valve[], links: readonly Link[], balancer: Balancer) {
    this.plane = plane;
    this.valves = valves;
    this.links = links;
    this.balancer = balancer;
  }

  static async start(random: () => number): Promise<World> {
    const valves: Valve[] = [];
    const plane = await ControlPlane.start({
      apiservers: 2,
      log: (line) => console.log(line),
      toEtcd: async (etcd) => {
        const valve = await Valve.before(etcd);
        valves.push(valve);
        return valve.address;
      },
    });
    const links = await Promise.all(plane.urls.map((url) => Link.start(new URL(url).host)));
    const balancer = await Balancer.start(links.map(({ address }) => address), random); // prettier-ignore
    const world = new World(plane, valves, links, balancer);
    await world.#prepare();
    return world;
  }

  /** The address for a client of one server only; the server's certificate is for loopback. */
  direct(at: number): { url: string; serverName: string } {
    return { url: `https://${(this.links[at] as Link).address}`, serverName: '127.0.0.1' };
  }

  /** Creates a definition or a namespace, and waits until a defined resource is served. */
  async create(object: object): Promise<void> {
    const { kind, spec } = object as { kind: string; spec?: { group: string; names: { plural: string } } };
    if (kind !== 'CustomResourceDefinition' || spec === undefined) return this.#make('/api/v1/namespaces', object);
    await this.#make('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', object);
    await this.#untilServed(`/apis/${spec.group}/v1/${spec.names.plural}`);
  }

  async grant(): Promise<void> {
    await this.#make('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: USER },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER }],
    });
  }

  async revoke(): Promise<void> {
    await this.#remove(`/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${USER}`);
  }

  /**
   * Refuses requests of the user with 429. A priority level without seats still admits a request while no other is executing, so
   * a list that waits for a future version occupies it all the time.
   */
  async overload(): Promise<void> {
    const group = '/apis/flowcontrol.apiserver.k8s.io/v1';
    await this.#make(`${group}/prioritylevelconfigurations`, {
      metadata: { name: USER },
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 0, lendablePercent: 0, borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } } },
    }); // prettier-ignore
    await this.#make(`${group}/flowschemas`, {
      metadata: { name: USER },
      spec: {
        priorityLevelConfiguration: { name: USER },
        matchingPrecedence: 2,
        rules: [{
          subjects: [{ kind: 'User', user: { name: USER } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
        }],
      },
    }); // prettier-ignore
    this.#isOverloaded = true;
    for (const at of this.plane.urls.keys()) for (let one = 0; one < 3; one += 1) void this.#occupy(at);
  }

  async #occupy(at: number): Promise<void> {
    const { ca, token } = this.plane.credentials;
    const headers = { authorization: `Bearer ${token}`, 'impersonate-user': USER };
    const url = `${this.plane.urls[at]}/api/v1/namespaces/${NAMESPACE}/configmaps?resourceVersion=9007199254740991`;
    while (this.#isOverloaded) {
      await new Promise<void>((resolve) => {
        const call = get(url, { ca, headers, timeout: 10_000 }, (answer) => answer.resume().on('close', resolve));
        call.on('timeout', () => call.destroy());
        call.on('error', () => resolve());
      });
      await sleep(20);
    }
  }

  async relieve(): Promise<void> {
    this.#isOverloaded = false;
    const group = '/apis/flowcontrol.apiserver.k8s.io/v1';
    await this.#remove(`${group}/flowschemas/${USER}`);
    await this.#remove(`${group}/prioritylevelconfigurations/${USER}`);
  }

  /** Every object as etcd has it now, read without our client. */
  async truth(path: string): Promise<Map<string, State>> {
    const { items } = JSON.parse((await this.ask('GET', path)).text) as { items: KubeObject[] };
    return new Map(items.map((object) => [`${NAMESPACE}/${object.metadata?.name}`, stateOf(object)]));
  }

  /** The newest version. */
  async head(): Promise<bigint> {
    const { text } = await this.ask('GET', `/api/v1/namespaces/${NAMESPACE}/configmaps?limit=1`);
    return BigInt((JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
  }

  /** The number of watches that a server has closed since its start because the client did not read. */
  async forcedCloses(at: number): Promise<number> {
    const { text } = await this.plane.ask('GET', '/metrics', undefined, at);
    const counts = [...text.matchAll(/^apiserver_terminated_watchers_total\{.*\} (\d+)/gm)];
    return counts.reduce((total, [, count]) => total + Number(count), 0);
  }

  /** A request as an administrator to any server that responds. Both may be stopped for minutes. */
  async ask(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const deadline = Date.now() + 240_000;
    for (let at = 0; ; at += 1) {
      try {
        const answer = await within(path, this.plane.ask(method, path, body, at % 2), { withinMs: 5_000 });
        if (answer.status < 500 && answer.status !== 429) return answer;
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
      if (Date.now() > deadline) throw new Error(`${method} ${path}: no server responds`);
      await sleep(200);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.balancer[Symbol.asyncDispose]();
    for (const link of this.links) await link[Symbol.asyncDispose]();
    await this.plane[Symbol.asyncDispose]();
    for (const valve of this.valves) await valve[Symbol.asyncDispose]();
  }

  /** Creates an object; one that exists may come from a request whose response was lost. */
  async #make(path: string, body: object): Promise<void> {
    const { status, text } = await this.ask('POST', path, body);
    if (status !== 201 && status !== 409) throw new Error(`POST ${path}: ${status} ${text}`);
  }

  async #remove(path: string): Promise<void> {
    const { status, text } = await this.ask('DELETE', path);
    if (status !== 200 && status !== 404) throw new Error(`DELETE ${path}: ${status} ${text}`);
  }

  async #prepare(): Promise<void> {
    await this.#make('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    await this.grant();
    await this.#make('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' },
        versions: [{
          name: 'v1', served: true, storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        }],
      },
    }); // prettier-ignore
    await this.#untilServed('/apis/example.com/v1/widgets');
  }

  async #untilServed(path: string): Promise<void> {
    const deadline = Date.now() + 180_000;
    while ((await this.ask('GET', path)).status !== 200) {
      if (Date.now() > deadline) throw new Error(`${path} is not served`);
      await sleep(200);
    }
  }
}
