import type { ApiServer } from '@kube-informer/apiserver';
import { type Operator, run } from '@kube-informer/controller';
import { Cluster, type Env } from 'kube-informer';
import { createTransport, resolveConnection, type Transport, type TransportResponse } from 'kube-informer/client';
import { LEASE, OPERATORS, sites } from '../chaos/replicas/sites.ts';

/** Counts requests in flight, of all replicas and of the user, without open watches. */
export class SoakTraffic {
  count = 0;
  total = 0;

  /** Returns a transport whose requests are counted; `before` may refuse a request by throwing. */
  counted(transport: Transport, before: (method: string, path: string) => void): Transport {
    return {
      close: () => transport.close(),
      send: async (request) => {
        before(request.method, request.path);
        this.total += 1;
        this.count += 1;
        let response: TransportResponse;
        try {
          response = await transport.send(request);
        } catch (error) {
          this.count -= 1;
          throw error;
        }
        let isOver = false;
        const over = (): void => {
          if (!isOver) this.count -= 1;
          isOver = true;
          request.signal.removeEventListener('abort', over);
        };
        // A body that is not read, because the call was aborted meanwhile, ends with the abort: it would hold the clock up for ever.
        if (request.longLived === true || request.signal.aborted) over();
        else request.signal.addEventListener('abort', over, { once: true });
        return isOver ? response : { ...response, body: readUntilOver(response.body, over) };
      },
    };
  }
}

async function* readUntilOver(body: AsyncIterable<Uint8Array>, over: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } finally {
    over();
  }
}

export interface SoakReplicaOptions {
  readonly identity: string;
  readonly server: ApiServer;
  readonly env: Env;
  readonly traffic: SoakTraffic;
  /** Called when a write is sent; `holder` is the holder of the Lease on the server at that moment. */
  readonly sent: (identity: string, what: string, holder: string | undefined) => void;
}

/** One replica of the sites operator, with a connection that can be broken. */
export class SoakReplica {
  readonly identity: string;
  readonly operator: Operator;
  readonly #cluster: Cluster;
  /** Requests that fail: none, those for the Lease, or all. */
  cut: 'nothing' | 'leases' | 'all' = 'nothing';

  private constructor(identity: string, cluster: Cluster, env: Env) {
    this.identity = identity;
    this.#cluster = cluster;
    this.operator = run([sites(cluster)], {
      election: { lease: `${OPERATORS}/${LEASE}`, identity },
      env,
      graceMs: 5_000,
    });
  }

  static async start({ identity, server, env, traffic, sent }: SoakReplicaOptions): Promise<SoakReplica> {
    const to = { url: server.url, proxy: false, env } as const;
    let one: SoakReplica | undefined;
    const transport = traffic.counted(await createTransport(await resolveConnection(to), to), (method, path) => {
      const isLease = path.includes('/leases');
      if (one?.cut === 'all' || (one?.cut === 'leases' && isLease)) throw new Error(`${identity} is cut off`);
      const isWrite = method !== 'GET' && !isLease && !path.includes('reviews') && !path.includes('/events');
      if (isWrite) sent(identity, `${method} ${path.split('?')[0]}`, holderOf(server));
    });
    const cluster = await Cluster.connect({ ...to, transport });
    one = new SoakReplica(identity, cluster, env);
    return one;
  }

  /** Ends like a killed process: all requests fail from now on, so the lease is not released. */
  async crash(): Promise<void> {
    this.cut = 'all';
    void this.operator.stop();
    await Promise.all([this.operator.stop(), this.#cluster.close()]);
  }

  async stop(): Promise<void> {
    await this.operator.stop();
    await this.#cluster.close();
  }
}

/** The holder of the Lease as the server stores it now. */
export function holderOf(server: ApiServer): string | undefined {
  const lease = server.local.get('coordination.k8s.io', 'leases', OPERATORS, LEASE) as
    | { readonly spec?: { readonly holderIdentity?: string } }
    | undefined;
  return lease?.spec?.holderIdentity;
}
