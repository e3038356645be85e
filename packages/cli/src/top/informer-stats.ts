import { CacheSizes, EventRate, RestartCounter } from '@kube-informer/inspector/internal';
import type {
  Cluster,
  ClusterCache,
  ClusterInformer,
  InformerDefaults,
  InformerState,
  KubeObject,
} from 'kube-informer';
import type { Env } from 'kube-informer/core';
import { reasonOf, type WatchErrorHandler } from 'kube-informer/informer';

/** The numbers of one informer. */
export interface InformerRow {
  /** Name, escaped. */
  readonly name: string;
  readonly state: InformerState;
  readonly objects: number;
  readonly resourceVersion: string;
  readonly perSecond: number;
  /** Time since the last message from the server; undefined before the first one. */
  readonly lagMs: number | undefined;
  /** Changes that were received and not yet delivered to every handler. */
  readonly queued: number;
  /** Number of times the watch failed and was opened again. */
  readonly restarts: number;
  readonly lastProblem: Problem | undefined;
  /** Estimated size of the objects as JSON. */
  readonly bytes: number;
}

/** The last reason why an informer could not follow the server. */
export interface Problem {
  /** One word, or the text that another process sent; escaped. */
  readonly reason: string;
  /** Wall clock. */
  readonly at: number;
}

interface Tracked {
  readonly name: string;
  readonly informer: ClusterInformer<KubeObject>;
  readonly caches: () => readonly ClusterCache[];
  readonly rate: EventRate;
  problem: Problem | undefined;
}

/**
 * Collects the numbers of several informers.
 *
 * Pass `informers` to the cluster of the informers that are added: it reports their failures.
 *
 * Room rule: counts; draws nothing.
 */
export class InformerStats {
  readonly #env: Env;
  readonly #tracked: Tracked[] = [];
  readonly #restarts = new RestartCounter();
  readonly #sizes: CacheSizes;
  /** Problems by the informer's name in log messages. */
  readonly #failures = new Map<string, Problem>();

  constructor(env: Env) {
    this.#env = env;
    this.#sizes = new CacheSizes(env);
  }

  get informers(): InformerDefaults {
    const onWatchError: WatchErrorHandler = (error, { name }) =>
      void this.#failures.set(name, { reason: reasonOf(error), at: this.#env.wallNow() });
    return { onWatchError };
  }

  /** `name` is escaped; `cluster` is the one the informer belongs to. */
  add(name: string, informer: ClusterInformer<KubeObject>, cluster: Pick<Cluster, 'caches'>): void {
    const rate = new EventRate();
    const count = (): void => rate.count(this.#env.now());
    informer.on(
      { add: ({ initial }) => (initial ? undefined : count()), update: count, delete: count },
      { name: 'top' },
    );
    const caches = (): readonly ClusterCache[] =>
      cluster.caches().filter(({ resource }) => resource === informer.resource);
    this.#tracked.push({ name, informer, caches, rate, problem: undefined });
  }

  get isComplete(): boolean {
    return this.#tracked.every(({ informer }) => informer.hasSynced);
  }

  rows(): readonly InformerRow[] {
    return this.#tracked.map((tracked) => this.#row(tracked));
  }

  #row(tracked: Tracked): InformerRow {
    const { name, informer, caches, rate } = tracked;
    const [health] = informer.health();
    const { state } = informer;
    // Repeated failures are reported only occasionally; the state always shows them.
    if (state.kind === 'stale') tracked.problem = { reason: state.reason, at: this.#env.wallNow() };
    const failures = [...this.#failures].flatMap(([of, one]) =>
      areInformerStatsOf(of, informer.resource) ? [one] : [],
    );
    const problems = tracked.problem === undefined ? failures : [...failures, tracked.problem];
    const contact = health?.lastContactAt;
    return {
      name,
      state,
      objects: health?.objects ?? 0,
      resourceVersion: health?.resourceVersion ?? '',
      perSecond: rate.perSecond(this.#env.now()),
      lagMs: contact === undefined ? undefined : Math.max(0, this.#env.wallNow() - contact),
      queued: (health?.pending ?? 0) + (health?.handlers ?? []).reduce((sum, { pending }) => sum + pending, 0),
      restarts: caches().reduce((sum, cache) => sum + this.#restarts.of(cache.informer).count, 0),
      lastProblem: problems.toSorted((a, b) => b.at - a.at)[0],
      bytes: caches().reduce((sum, cache) => sum + this.#sizes.of(cache.informer), 0),
    };
  }
}

/** Whether a name belongs to a resource: `v1/pods in shop` is an informer of `v1/pods`. */
const areInformerStatsOf = (name: string, resource: string): boolean =>
  name === resource || name.startsWith(`${resource} `);
