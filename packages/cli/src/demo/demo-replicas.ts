import { type Operator, run } from '@kube-informer/controller';
import { Cluster } from 'kube-informer';
import { createTransport, resolveConnection } from 'kube-informer/client';
import { type Env, KubeError } from 'kube-informer/core';
import { demoBackups, type DumpStore } from './demo-backups.ts';
import { ReplicaTransport } from './replica-transport.ts';
import { worldNameSuffix } from './demo-world.ts';

const REPLICAS = 2;
const LEASE = 'ops/backups';
/** Time that runs have to end when the demo ends. */
const GRACE_MS = 1_000;
/** Time until a crashed replica is replaced. */
const RESTART_MS = 3_000;
/** Time that a crashed replica stays on the page. */
const SHOWN_MS = 30_000;
/** Time between two checks of the leader. */
const POLL_MS = 200;
/** Time after which a take-over counts as failed: the Lease lasts 15 s, and a candidate tries every 2 to 5 s. */
const MAX_TAKE_OVER_MS = 45_000;

interface Replica {
  readonly identity: string;
  readonly operator: Operator;
  readonly cluster: Cluster;
  readonly transport: ReplicaTransport;
}

/**
 * The replicas of the demo's controller, as a Deployment would run them: each with its own connection and caches, one of them leads.
 * They share this process only so that the page can show them all.
 */
export class DemoReplicas implements AsyncDisposable {
  /** Operators shown by the inspector: those that run, and those that crashed recently. */
  readonly operators: Set<Operator> = new Set<Operator>();
  readonly #kubeconfig: string;
  readonly #env: Env;
  readonly #end = new AbortController();
  readonly #running = new Set<Replica>();
  /** Crashed replicas that are being replaced. */
  readonly #replacing = new Set<Promise<void>>();
  /** The external store, which is the same for all replicas. */
  readonly #store: DumpStore = { dumps: new Map() };

  constructor(kubeconfig: string, env: Env) {
    this.#kubeconfig = kubeconfig;
    this.#env = env;
  }

  async start(): Promise<void> {
    for (let n = 0; n < REPLICAS; n += 1) await this.#add();
  }

  /** Name of the replica that leads. */
  get leader(): string | undefined {
    return this.#leader?.identity;
  }

  /** Number of replicas that wait for the lease. */
  get standbys(): number {
    return [...this.#running].filter(({ operator }) => operator.state.kind === 'standby').length;
  }

  /** Ends the leader like a crash: it sends nothing more, and does not release its Lease. Resolves when another one leads. */
  async crashLeader(): Promise<void> {
    const crashed = await this.#untilLed();
    if (crashed === undefined) return;
    this.#running.delete(crashed);
    await crashed.transport.close();
    void crashed.operator.stop();
    void crashed.operator.stop();
    const replaced = this.#replace(crashed).catch((error: unknown) => {
      this.#env.log('error', 'a crashed replica could not be replaced', { error });
    });
    this.#replacing.add(replaced);
    void replaced.finally(() => this.#replacing.delete(replaced));
    await this.#untilLed(crashed.identity);
  }

  /** Keeps the leader from its Lease until another replica leads. It must notice by itself, and write nothing after that. */
  async takeLeaseAway(): Promise<void> {
    const leader = await this.#untilLed();
    if (leader === undefined) return;
    leader.transport.hasLease = false;
    try {
      await this.#untilLed(leader.identity);
    } finally {
      leader.transport.hasLease = true;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#replacing);
    await Promise.all(
      [...this.#running].map(async ({ operator, cluster }) => {
        await operator.stop();
        await cluster.close();
      }),
    );
  }

  get #leader(): Replica | undefined {
    return [...this.#running].find(({ operator }) => operator.state.kind === 'leading');
  }

  async #add(): Promise<void> {
    const env = this.#env;
    const options = { kubeconfigFile: this.#kubeconfig };
    const connection = await resolveConnection(options, env);
    const transport = new ReplicaTransport(await createTransport(connection, { env }));
    const cluster = await Cluster.connect({ ...options, env, transport, userAgent: 'demo-backups' });
    const identity = `backups-${worldNameSuffix(() => env.random())}`;
    const operator = run([demoBackups(cluster, this.#store)], {
      election: { lease: LEASE, identity },
      graceMs: GRACE_MS,
    });
    this.operators.add(operator);
    this.#running.add({ identity, operator, cluster, transport });
  }

  async #replace({ operator, cluster }: Replica): Promise<void> {
    const { signal } = this.#end;
    await this.#env.sleep(RESTART_MS, signal);
    if (!signal.aborted) await this.#add();
    await operator.stop();
    await cluster.close();
    await this.#env.sleep(SHOWN_MS - RESTART_MS, signal);
    this.operators.delete(operator);
  }

  /** Waits for a leader, other than the given one. Undefined when the demo ends. */
  async #untilLed(other?: string): Promise<Replica | undefined> {
    const { signal } = this.#end;
    const until = this.#env.now() + MAX_TAKE_OVER_MS;
    while (!signal.aborted) {
      const leader = this.#leader;
      if (leader !== undefined && leader.identity !== other) return leader;
      if (this.#env.now() > until)
        throw new KubeError('ILLEGAL_STATE', `no replica leads after ${MAX_TAKE_OVER_MS / 1_000} seconds`);
      await this.#env.sleep(POLL_MS, signal);
    }
    return undefined;
  }
}
