import { type KubeObject, systemEnv } from 'kube-informer';
import { Client, type ClientConnectOptions } from 'kube-informer/client';
import { compareVersions, statusOf, type WatchEvent } from 'kube-informer/core';
import { SharedInformer, type SharedInformerOptions } from 'kube-informer/informer';
import { HandlerRecorder } from 'kube-informer/testing';
import { NAMESPACE, type State, stateOf } from './state.ts';

const QUIET = { ...systemEnv, log: (): void => {} };

export interface WatchedOptions {
  readonly name: string;
  readonly connect: ClientConnectOptions;
  readonly resource: string;
  readonly metadataOnly?: boolean;
  readonly informer?: SharedInformerOptions<KubeObject>;
  /** Milliseconds that a handler sometimes takes. */
  readonly slowMs?: number;
  readonly policy?: 'coalesce' | 'block';
  /** Events to drop, for a test that this is noticed. */
  readonly loses?: (event: WatchEvent<KubeObject>) => boolean;
}

const isSame = (one: State, other: State): boolean => one.version === other.version && one.content === other.content;

/** Time in which a handler receives what was queued before a reset, also on a busy machine. */
const RESET_MS = 60_000;

/**
 * One informer under observation: a handler's events must be a legal sequence, no object may go back to an older version unless
 * the storage itself did, and that must be announced once, and never without a reason.
 */
export class Watched implements AsyncDisposable {
  readonly name: string;
  readonly resource: string;
  readonly informer: SharedInformer<KubeObject>;
  readonly recorder = new HandlerRecorder();
  /**
   * `resumes`: watches that resumed where another one ended. `relists`: the whole collection, as a list or as a stream.
   * `failedChecks`: questions about the server's current version that had no answer.
   */
  readonly figures = {
    relists: 0,
    resumes: 0,
    events: 0,
    epochs: 0,
    failedChecks: 0,
    longestStaleMs: 0,
    longestSettleMs: 0,
  };
  /** Failed responses, by status code. */
  readonly refusals = new Map<number, number>();
  /** How often it must have noticed a restore, and how often it may have. */
  readonly setBack = { surely: 0, perhaps: 0 };
  readonly #client: Client;
  readonly #metadataOnly: boolean;
  readonly #wentBack: string[] = [];
  readonly #newest = new Map<string, { readonly version: string; readonly epoch: number; readonly isGone: boolean }>();
  #resetAt = 0;
  #gate: Promise<void> | undefined;

  private constructor(options: WatchedOptions, client: Client) {
    const { name, resource, metadataOnly = false, informer = {}, slowMs = 0, policy = 'coalesce' } = options;
    const { loses = () => false } = options;
    this.name = name;
    this.resource = resource;
    this.#client = client;
    this.#metadataOnly = metadataOnly;
    const whole = client.resource<KubeObject>(resource);
    const source = (metadataOnly ? whole.metadataOnly() : whole).listWatch({ namespace: NAMESPACE });
    const echo = source.echo?.bind(source);
    this.informer = new SharedInformer<KubeObject>(
      {
        // As in a Cluster: the question about the server's current version goes the way of a watch.
        ...(echo === undefined ? {} : { echo }),
        list: async (asked, signal) => {
          // A list of one item is a probe; an exact list comes from `verify`.
          if (asked.limit !== 1 && asked.continue === undefined && asked.resourceVersionMatch !== 'Exact')
            this.figures.relists += 1;
          try {
            return await (source.list(asked, signal) as ReturnType<typeof whole.list>);
          } catch (error) {
            throw this.#noted(error);
          }
        },
        watch: (asked, signal) => {
          this.figures[asked.sendInitialEvents === true ? 'relists' : 'resumes'] += 1;
          return this.#gated(source.watch(asked, signal) as ReturnType<typeof whole.watch>, loses);
        },
      },
      {
        ...informer,
        env: {
          ...QUIET,
          log: (_level, message) => {
            if (message.startsWith('a check of the watch failed')) this.figures.failedChecks += 1;
          },
        },
        onEpochReset: () => {
          this.figures.epochs += 1;
          this.#resetAt = Date.now();
        },
      },
    );
    this.informer.on(this.recorder, { limit: Number.POSITIVE_INFINITY });
    const look = ({ key, object }: { key: string; object: KubeObject }): void => this.look(key, object);
    const gone = ({ key, object }: { key: string; object: KubeObject }): void => this.look(key, object, true);
    this.informer.on({ add: look, update: look, delete: gone }, { limit: Number.POSITIVE_INFINITY });
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

  /** Stops reading from the server until the returned function is called. */
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

  get isWatching(): boolean {
    const last = this.informer.timeline.at(-1);
    return last?.kind === 'watch' && last.endedAt === undefined;
  }

  /** Whether a list or a watch has failed since then. */
  hasFailedSince(wallClock: number): boolean {
    return this.informer.timeline.some(({ failed, endedAt = 0 }) => failed && endedAt >= wallClock);
  }

  /** All errors so far. */
  get violations(): string[] {
    const { epochs } = this.figures;
    const { surely, perhaps } = this.setBack;
    return [
      ...this.#wentBack,
      ...this.recorder.violations,
      ...(epochs < surely ? [`announced ${epochs} new epochs, and there were ${surely}`] : []),
      ...(epochs > surely + perhaps
        ? [`announced ${epochs} new epochs, and there cannot be more than ${surely + perhaps}`]
        : []),
    ].map((text) => `${this.name}: ${text}`);
  }

  /** Compares the cache with the handler's view and with a list made without the client; `verify` compares by itself. */
  disagreements(truth?: ReadonlyMap<string, State>): string[] {
    const found: string[] = [];
    const cached = new Map(
      this.informer.list().map((object) => [`${object.metadata?.namespace}/${object.metadata?.name}`, object]),
    );
    const { view } = this.recorder;
    for (const [key, object] of cached) {
      const received = view.get(key);
      if (received === undefined || !isSame(stateOf(received), stateOf(object)))
        found.push(`${this.name}: the handler's ${key} is not the cache's`);
    }
    for (const key of view.keys()) if (!cached.has(key)) found.push(`${this.name}: the handler still has ${key}`);
    for (const [key, { version, content }] of truth ?? []) {
      const object = cached.get(key);
      if (object?.metadata?.resourceVersion !== version) found.push(`${this.name}: lacks ${key}@${version}`);
      else if (!this.#metadataOnly && stateOf(object).content !== content)
        found.push(`${this.name}: has another ${key}@${version}`);
    }
    if (truth !== undefined)
      for (const key of cached.keys()) if (!truth.has(key)) found.push(`${this.name}: still has ${key}`);
    return [...found, ...this.violations];
  }

  /** Records every state a handler receives. */
  look(key: string, object: KubeObject, isGone = false): void {
    const version = object.metadata?.resourceVersion ?? '';
    const { epochs } = this.figures;
    const known = this.#newest.get(key);
    const isBack = known !== undefined && (compareVersions(version, known.version) ?? 0) < 0;
    // In a new epoch each key may go back once, and soon: queued events are delivered after the reset. One that was gone before
    // may be made again at any time.
    const isInTime = known?.isGone === true || Date.now() - this.#resetAt < RESET_MS;
    const mayGoBack = known?.epoch !== epochs && isInTime;
    if (isBack && !mayGoBack) this.#wentBack.push(`${key} went back from ${known.version} to ${version}`);
    this.#newest.set(key, { version, epoch: isBack || known === undefined ? epochs : known.epoch, isGone });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.informer.stop();
    await this.#client.close();
  }

  async *#gated(
    events: AsyncIterable<WatchEvent<KubeObject>>,
    loses: (event: WatchEvent<KubeObject>) => boolean,
  ): AsyncGenerator<WatchEvent<KubeObject>, undefined> {
    try {
      for await (const event of events) {
        await this.#gate;
        if (event.type === 'ERROR') this.#note((event.object as { code?: number }).code);
        if (!loses(event)) yield event;
      }
    } catch (error) {
      throw this.#noted(error);
    }
    return undefined;
  }

  #noted(error: unknown): unknown {
    this.#note(statusOf(error)?.code);
    return error;
  }

  #note(code: number | undefined): void {
    if (code !== undefined) this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
  }
}
