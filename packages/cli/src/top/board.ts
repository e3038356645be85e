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
import { Rate } from '../rate.ts';
import { Restarts } from './restarts.ts';

/** How one informer is doing, as numbers. */
export interface BoardRow {
  /** Escaped. */
  readonly name: string;
  readonly state: InformerState;
  readonly objects: number;
  readonly resourceVersion: string;
  readonly perSecond: number;
  /** Since the server was last heard from; undefined before the first time. */
  readonly lagMs: number | undefined;
  /** Changes that are received and not yet told to everybody. */
  readonly queued: number;
  /** How often the watch had to be opened again because it broke. */
  readonly restarts: number;
  readonly lastTrouble: Trouble | undefined;
  /** About how much the objects would take as JSON. */
  readonly bytes: number;
}

/** Why an informer could not follow, the last time. */
export interface Trouble {
  /** In a word, or in the words of whoever told us; escaped. */
  readonly reason: string;
  /** Wall clock. */
  readonly at: number;
}

interface Tracked {
  readonly name: string;
  readonly informer: ClusterInformer<KubeObject>;
  readonly caches: () => readonly ClusterCache[];
  readonly rate: Rate;
  trouble: Trouble | undefined;
  bytes: number;
  weighedAt: number;
  weighedObjects: number;
}

/** How often, and on how many objects, sizes are guessed. */
const WEIGH_MS = 5_000;
const SAMPLE = 20;

/**
 * Keeps the numbers of several informers.
 *
 * Give `informers` to the cluster whose informers are added: it is how failures are heard of.
 *
 * Room rule: counts; draws nothing.
 */
export class Board {
  readonly #env: Env;
  readonly #tracked: Tracked[] = [];
  readonly #restarts = new Restarts();
  /** By the name an informer has in messages. */
  readonly #failures = new Map<string, Trouble>();

  constructor(env: Env) {
    this.#env = env;
  }

  get informers(): InformerDefaults {
    const onWatchError: WatchErrorHandler = (error, { name }) =>
      void this.#failures.set(name, { reason: reasonOf(error), at: this.#env.wallNow() });
    return { onWatchError };
  }

  /** `name` is escaped; `cluster` is whose informer it is. */
  add(name: string, informer: ClusterInformer<KubeObject>, cluster: Pick<Cluster, 'caches'>): void {
    const rate = new Rate();
    const count = (): void => rate.count(this.#env.now());
    informer.on(
      { add: ({ initial }) => (initial ? undefined : count()), update: count, delete: count },
      { name: 'top' },
    );
    const caches = (): readonly ClusterCache[] =>
      cluster.caches().filter(({ resource }) => resource === informer.resource);
    this.#tracked.push({
      name,
      informer,
      caches,
      rate,
      trouble: undefined,
      bytes: 0,
      weighedAt: -Infinity,
      weighedObjects: 0,
    });
  }

  get isComplete(): boolean {
    return this.#tracked.every(({ informer }) => informer.hasSynced);
  }

  rows(): readonly BoardRow[] {
    return this.#tracked.map((tracked) => this.#row(tracked));
  }

  #row(tracked: Tracked): BoardRow {
    const { name, informer, caches, rate } = tracked;
    const [health] = informer.health();
    const { state } = informer;
    // A watch that is merely out of reach fails no cycle; its state tells.
    if (state.kind === 'stale') tracked.trouble = { reason: state.reason, at: this.#env.wallNow() };
    const failures = [...this.#failures].flatMap(([of, one]) => (isOf(of, informer.resource) ? [one] : []));
    const troubles = tracked.trouble === undefined ? failures : [...failures, tracked.trouble];
    const contact = health?.lastContactAt;
    return {
      name,
      state,
      objects: health?.objects ?? 0,
      resourceVersion: health?.resourceVersion ?? '',
      perSecond: rate.perSecond(this.#env.now()),
      lagMs: contact === undefined ? undefined : Math.max(0, this.#env.wallNow() - contact),
      queued: (health?.pending ?? 0) + (health?.handlers ?? []).reduce((sum, { pending }) => sum + pending, 0),
      restarts: caches().reduce((sum, cache) => sum + this.#restarts.of(cache.informer), 0),
      lastTrouble: troubles.toSorted((a, b) => b.at - a.at)[0],
      bytes: this.#weigh(tracked, health?.objects ?? 0),
    };
  }

  /** A few objects stand for all: exact would mean to write out the whole cache. */
  #weigh(tracked: Tracked, objects: number): number {
    const now = this.#env.now();
    if (now - tracked.weighedAt < WEIGH_MS && tracked.weighedObjects > 0) return tracked.bytes;
    if (objects === 0) return 0;
    const sample = tracked.informer.list();
    const step = Math.max(1, Math.floor(sample.length / SAMPLE));
    const chosen = sample.filter((_, index) => index % step === 0);
    const bytes = chosen.reduce((sum, object) => sum + JSON.stringify(object).length, 0);
    tracked.weighedAt = now;
    tracked.weighedObjects = objects;
    tracked.bytes = Math.round((bytes / chosen.length) * objects);
    return tracked.bytes;
  }
}

/** `v1/pods in shop` is an informer of `v1/pods`. */
const isOf = (name: string, resource: string): boolean => name === resource || name.startsWith(`${resource} `);
