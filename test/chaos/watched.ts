import { type KubeObject, systemEnv } from 'kube-informer';
import { Client, type ClientConnectOptions } from 'kube-informer/client';
import { compareVersions, type WatchEvent } from 'kube-informer/core';
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
  /** Events that never arrive: for showing that this is noticed. */
  readonly loses?: (event: WatchEvent<KubeObject>) => boolean;
}

/**
 * One informer under observation: everything a handler is told must be a legal story, and no object may go back in time
 * except when the storage itself did.
 */
export class Watched implements AsyncDisposable {
  readonly name: string;
  readonly resource: string;
  readonly informer: SharedInformer<KubeObject>;
  readonly violations: string[] = [];
  readonly recorder = new Recorder();
  /** `resumes`: watches that went on where another one ended. `relists`: the whole collection, as a list or as a stream. */
  readonly figures = { relists: 0, resumes: 0, events: 0, epochs: 0, longestStaleMs: 0 };
  readonly #client: Client;
  readonly #newest = new Map<string, string>();
  #resetAt = 0;
  #gate: Promise<void> | undefined;

  private constructor(options: WatchedOptions, client: Client) {
    const {
      name,
      resource,
      metadataOnly = false,
      informer = {},
      slowMs = 0,
      policy = 'coalesce',
      loses = () => false,
    } = options;
    this.name = name;
    this.resource = resource;
    this.#client = client;
    const whole = client.resource<KubeObject>(resource);
    const source = (metadataOnly ? whole.metadataOnly() : whole).listWatch({ namespace: NAMESPACE });
    this.informer = new SharedInformer<KubeObject>(
      {
        list: (asked, signal) => {
          // One item: the question whether the server is behind us. Exact: `verify`.
          if (asked.limit !== 1 && asked.continue === undefined && asked.resourceVersionMatch !== 'Exact')
            this.figures.relists += 1;
          return source.list(asked, signal) as ReturnType<typeof whole.list>;
        },
        watch: (asked, signal) => {
          this.figures[asked.sendInitialEvents === true ? 'relists' : 'resumes'] += 1;
          return this.#gated(source.watch(asked, signal) as ReturnType<typeof whole.watch>, loses);
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
    const look = ({ key, object }: { key: string; object: KubeObject }): void => this.look(key, object);
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

  /** Nothing is read from the server any more until the returned function is called. */
  stopReading(): () => void {
    let open = (): void => {};
    this.#gate = new Promise((resolve) => (open = resolve));
    return () => {
      this.#gate = undefined;
      open();
    };
  }

  /** Called every second. */
  sample(): void {
    const staleMs = this.informer.staleFor();
    if (Number.isFinite(staleMs)) this.figures.longestStaleMs = Math.max(this.figures.longestStaleMs, staleMs);
    this.figures.events += this.recorder.events.length;
    this.recorder.clear();
  }

  /** Cache against handler's view, and against what somebody else says the server has; `verify` compares by itself. */
  disagreements(truth?: ReadonlyMap<string, string>): string[] {
    const found: string[] = [];
    const cached = new Map(
      this.informer.list().map((object) => [`${object.metadata?.namespace}/${object.metadata?.name}`, object]),
    );
    for (const [key, object] of cached)
      if (this.recorder.view.get(key)?.metadata?.resourceVersion !== object.metadata?.resourceVersion)
        found.push(`${this.name}: the handler's ${key} is not the cache's`);
    for (const key of this.recorder.view.keys())
      if (!cached.has(key)) found.push(`${this.name}: the handler still has ${key}`);
    for (const [key, version] of truth ?? [])
      if (cached.get(key)?.metadata?.resourceVersion !== version) found.push(`${this.name}: lacks ${key}@${version}`);
    if (truth !== undefined)
      for (const key of cached.keys()) if (!truth.has(key)) found.push(`${this.name}: still has ${key}`);
    return [...found, ...this.violations, ...this.recorder.violations.map((text) => `${this.name}: ${text}`)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.informer.stop();
    await this.#client.close();
  }

  async *#gated(
    events: AsyncIterable<WatchEvent<KubeObject>>,
    loses: (event: WatchEvent<KubeObject>) => boolean,
  ): AsyncGenerator<WatchEvent<KubeObject>, undefined> {
    for await (const event of events) {
      await this.#gate;
      if (!loses(event)) yield event;
    }
    return undefined;
  }

  /** Every state a handler is told of. */
  look(key: string, object: KubeObject): void {
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
