import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { ControlPlane } from '../real/harness/control-plane.ts';
import { Link } from '../real/harness/link.ts';
import { Valve } from './valve.ts';

/** The user whose requests the faults of access and priority aim at; an administrator is above such things. */
export const USER = 'chaos';
export const NAMESPACE = 'chaos';

/** Accepts connections and hands each to one of several servers, by chance: what stands before a highly available API. */
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

  /** New connections go to this one; undefined: to any. */
  prefer(at: number | undefined): void {
    this.#preferred = at;
  }

  /** RST on every connection. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.reset();
    // Not waited for: a connection still being made through a cut link ends with the link.
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

  /** Where a client connects that talks to one server only; its certificate is for loopback. */
  direct(at: number): { url: string; serverName: string } {
    return { url: `https://${(this.links[at] as Link).address}`, serverName: '127.0.0.1' };
  }

  async grant(): Promise<void> {
    await this.ask('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: USER },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER }],
    });
  }

  async revoke(): Promise<void> {
    await this.ask('DELETE', `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${USER}`);
  }

  /** Every request of the user is turned away with 429. */
  async overload(): Promise<void> {
    const group = '/apis/flowcontrol.apiserver.k8s.io/v1';
    await this.ask('POST', `${group}/prioritylevelconfigurations`, {
      metadata: { name: USER },
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 0, lendablePercent: 0, borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } } },
    }); // prettier-ignore
    await this.ask('POST', `${group}/flowschemas`, {
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
  }

  async relieve(): Promise<void> {
    const group = '/apis/flowcontrol.apiserver.k8s.io/v1';
    await this.ask('DELETE', `${group}/flowschemas/${USER}`);
    await this.ask('DELETE', `${group}/prioritylevelconfigurations/${USER}`);
  }

  /** Versions by key, as etcd has them now: asked for by hand, without a client of ours. */
  async truth(path: string): Promise<Map<string, string>> {
    const { text } = await this.ask('GET', path);
    const { items } = JSON.parse(text) as { items: { metadata: { name: string; resourceVersion: string } }[] };
    return new Map(items.map(({ metadata }) => [`${NAMESPACE}/${metadata.name}`, metadata.resourceVersion]));
  }

  /** The newest version there is. */
  async head(): Promise<bigint> {
    const { text } = await this.ask('GET', `/api/v1/namespaces/${NAMESPACE}/configmaps?limit=1`);
    return BigInt((JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
  }

  /** How many watchers a server has closed because they did not read, since it started. */
  async forcedCloses(at: number): Promise<number> {
    const { text } = await this.plane.ask('GET', '/metrics', undefined, at);
    const counts = [...text.matchAll(/^apiserver_terminated_watchers_total\{.*\} (\d+)/gm)];
    return counts.reduce((total, [, count]) => total + Number(count), 0);
  }

  /** As an administrator, of whichever server answers. */
  async ask(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const deadline = Date.now() + 60_000;
    for (let at = 0; ; at += 1) {
      try {
        const answer = await this.plane.ask(method, path, body, at % 2);
        if (answer.status < 500 && answer.status !== 429) return answer;
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
      if (Date.now() > deadline) throw new Error(`${method} ${path}: nobody answers`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.balancer[Symbol.asyncDispose]();
    for (const link of this.links) await link[Symbol.asyncDispose]();
    await this.plane[Symbol.asyncDispose]();
    for (const valve of this.valves) await valve[Symbol.asyncDispose]();
  }

  async #prepare(): Promise<void> {
    await this.ask('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    await this.grant();
    await this.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' },
        versions: [{
          name: 'v1', served: true, storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        }],
      },
    }); // prettier-ignore
    const deadline = Date.now() + 30_000;
    while ((await this.ask('GET', '/apis/example.com/v1/widgets')).status !== 200) {
      if (Date.now() > deadline) throw new Error('the custom resource is not served');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
