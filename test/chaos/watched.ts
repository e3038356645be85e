import { type KubeObject, systemEnv } from 'kube-informer';
import { Client, type ClientConnectOptions } from 'kube-informer/client';
import { compareVersions } from 'kube-informer/core';
import { SharedInformer, type SharedInformerOptions } from 'kube-informer/informer';
import { Recorder } from 'kube-informer/testing';
import { NAMESPACE } from './world.ts';

const QUIET = { ...systemEnv, log: (): void => {} };

export interface WatchedOptions {
  readonly name: string;
  readonly connect: ClientConnectOptions;
  readonly resource: string;
  readonly metadataOnly?: boolean;
  readonly informer?: SharedInformerOptions<KubeObject>;
  /** Milliseconds a handler takes now and then. */
  readonly slowMs?: number;
  readonly policy?: 'coalesce' | 'block';
}

/**
 * One informer under observation: everything a handler is told must be a legal story, and no object may go back in time
 * except when the storage itself did.
 */
export class Watched implements AsyncDisposable {
  readonly name: string;
  readonly informer: SharedInformer<KubeObject>;
  readonly violations: string[] = [];
  readonly recorder = new Recorder();
  readonly figures = { lists: 0, watches: 0, events: 0, epochs: 0, longestStaleMs: 0 };
  readonly #client: Client;
  readonly #newest = new Map<string, string>();
  #resetAt = 0;

  private constructor(options: WatchedOptions, client: Client) {
    const { name, resource, metadataOnly = false, informer = {}, slowMs = 0, policy = 'coalesce' } = options;
    this.name = name;
    this.#client = client;
    const whole = client.resource<KubeObject>(resource);
    const source = (metadataOnly ? whole.metadataOnly() : whole).listWatch({ namespace: NAMESPACE });
    this.informer = new SharedInformer<KubeObject>(
      {
        list: (asked, signal) => {
          // One item: the question whether the server is behind us.
          if (asked.limit !== 1) this.figures.lists += 1;
          return source.list(asked, signal) as ReturnType<typeof whole.list>;
        },
        watch: (asked, signal) => {
          this.figures.watches += 1;
          return source.watch(asked, signal) as ReturnType<typeof whole.watch>;
        },
      },
      {
        ...informer,
        env: QUIET,
        onEpochReset: () => {
          this.figures.epochs += 1;
          this.#resetAt = Date.now();
          this.#newest.clear();
        },
      },
    );
    this.informer.on(this.recorder, { limit: Number.POSITIVE_INFINITY });
    const look = ({ key, object }: { key: string; object: KubeObject }): void => this.#look(key, object);
    this.informer.on({ add: look, update: look, delete: look }, { limit: Number.POSITIVE_INFINITY });
    if (slowMs > 0) {
      let count = 0;
      const slow = async (): Promise<void> => {
        if ((count += 1) % 50 === 0) await new Promise((resolve) => setTimeout(resolve, slowMs));
      };
      this.informer.on({ add: slow, update: slow, delete: slow }, { policy });
    }
    this.informer.start();
  }

  static async start(options: WatchedOptions): Promise<Watched> {
    return new Watched(options, await Client.connect({ proxy: false, env: QUIET, ...options.connect }));
  }

  /** Called every second. */
  sample(): void {
    const staleMs = this.informer.staleFor();
    if (Number.isFinite(staleMs)) this.figures.longestStaleMs = Math.max(this.figures.longestStaleMs, staleMs);
    this.figures.events += this.recorder.events.length;
    this.recorder.clear();
  }

  /** Cache against handler's view; the server is compared by `verify`. */
  disagreements(): string[] {
    const found: string[] = [];
    const cached = new Map(
      this.informer.list().map((object) => [`${object.metadata?.namespace}/${object.metadata?.name}`, object]),
    );
    for (const [key, object] of cached)
      if (this.recorder.view.get(key)?.metadata?.resourceVersion !== object.metadata?.resourceVersion)
        found.push(`${this.name}: the handler's ${key} is not the cache's`);
    for (const key of this.recorder.view.keys())
      if (!cached.has(key)) found.push(`${this.name}: the handler still has ${key}`);
    return [...found, ...this.violations, ...this.recorder.violations.map((text) => `${this.name}: ${text}`)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.informer.stop();
    await this.#client.close();
  }

  #look(key: string, object: KubeObject): void {
    const version = object.metadata?.resourceVersion ?? '';
    const known = this.#newest.get(key);
    const order = known === undefined ? undefined : compareVersions(version, known);
    // What was queued before a reset is told after it.
    const isReset = Date.now() - this.#resetAt < 10_000;
    if (order !== undefined && order < 0 && !isReset)
      this.violations.push(`${this.name}: ${key} went back from ${known} to ${version}`);
    this.#newest.set(key, version);
  }
}
