import { Cluster, type ClusterInformer, type KubeObject, systemEnv } from 'kube-informer';
import type { ClientConnectOptions } from 'kube-informer/client';
import type { InformerState } from 'kube-informer/informer';
import { wordsOf } from './promises.ts';

const SAMPLE_MS = 100;

export interface FollowerOptions {
  readonly name: string;
  readonly connect: ClientConnectOptions;
  readonly namespace: string;
}

/**
 * An informer of the ConfigMaps of a namespace, and how far it is behind the writes that it is told of.
 *
 * A write counts as seen when a handler got it. Ten times a second the age of the oldest write that was not seen is put
 * beside what the state says at that moment.
 */
export class Follower implements AsyncDisposable {
  readonly name: string;
  readonly informer: ClusterInformer<KubeObject, never>;
  /** From the acknowledged write to the handler, by name of the object. */
  readonly lags = new Map<string, number>();
  /** For how long each state was seen, from the first sync on. */
  readonly time: Record<string, number> = {};
  /** The greatest age of an unseen write, by the state at that moment. */
  readonly longest: Record<string, number> = {};
  /** Every change of the state with its time since the start, for people who read a failure. */
  readonly story: string[] = [];
  readonly #cluster: Cluster;
  readonly #beganAt = performance.now();
  readonly #written = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #sampledAt = performance.now();

  private constructor(name: string, cluster: Cluster, namespace: string) {
    this.name = name;
    this.#cluster = cluster;
    this.informer = cluster.informer<KubeObject>('v1/configmaps', { namespace });
    this.informer.on({ add: ({ object }) => this.#see(object.metadata?.name ?? '') });
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  static async start({ name, connect, namespace }: FollowerOptions): Promise<Follower> {
    const env = { ...systemEnv, log: () => {} };
    const cluster = await Cluster.connect({ proxy: false, env, ...connect });
    return new Follower(name, cluster, namespace);
  }

  get state(): InformerState {
    return this.informer.state;
  }

  /** Whether it has the first state, however it follows from there. */
  get isReady(): boolean {
    return this.informer.hasSynced;
  }

  /** An object was created, and the server has said so. */
  wrote(name: string): void {
    if (this.lags.has(name)) return;
    this.#written.set(name, performance.now());
  }

  /** Writes that it has not seen. */
  get unseen(): readonly string[] {
    return [...this.#written.keys()];
  }

  get maxLag(): number {
    return Math.max(0, ...this.lags.values());
  }

  /** All of it in a few lines, for the message of a failure. */
  describe(): string {
    const seconds = (times: Record<string, number>): string =>
      Object.entries(times)
        .map(([kind, ms]) => `${kind} ${(ms / 1_000).toFixed(1)} s`)
        .join(', ');
    return [
      `${this.name}: saw ${this.lags.size}, at most ${(this.maxLag / 1_000).toFixed(1)} s late`,
      `states: ${seconds(this.time)}; oldest unseen write: ${seconds(this.longest)}`,
      ...this.story.slice(-8),
    ].join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#cluster.close();
  }

  #see(name: string): void {
    const at = this.#written.get(name);
    this.#written.delete(name);
    // A watch may be quicker than the answer to the write.
    this.lags.set(name, at === undefined ? 0 : performance.now() - at);
  }

  #sample(): void {
    const { state } = this;
    const now = performance.now();
    const sinceLast = now - this.#sampledAt;
    this.#sampledAt = now;
    const words = wordsOf(state);
    if (this.story.at(-1)?.endsWith(` ${words}`) !== true)
      this.story.push(`${((now - this.#beganAt) / 1_000).toFixed(1)} s: ${words}`);
    if (!this.isReady) return;
    this.time[state.kind] = (this.time[state.kind] ?? 0) + sinceLast;
    const [oldest = now] = this.#written.values();
    this.longest[state.kind] = Math.max(this.longest[state.kind] ?? 0, now - oldest);
  }
}
