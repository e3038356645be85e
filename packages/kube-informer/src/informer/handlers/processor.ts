import type { Env } from '../../core/env.ts';
import type { HandlerOptions } from './handler-options.ts';
import type { Bulk } from './bulk.ts';
import { type Handler, type InformerEvent } from './handlers.ts';
import { handlerName } from './handler-name.ts';
import { Listener } from './listener.ts';
import type { ResyncPeriod } from './resync-period.ts';

/** A listener and whether it takes part in the current resync. */
interface Member<T> {
  readonly listener: Listener<T>;
  readonly period: ResyncPeriod;
  /** True from the start: until the first resync check, unchanged states reach everybody who would hear them. */
  syncing: boolean;
}

const DEFAULT_LIMIT = 1_024;
const DEFAULT_ERROR_PAUSE_MS = 1_000;

/**
 * Hands each event to every handler's own queue, in the turn that changed the cache.
 *
 * Room rule: knows queues and periods. No deltas, no lists, no server.
 */
export class Processor<T> {
  readonly #env: Env;
  readonly #members = new Map<Listener<T>, Member<T>>();
  readonly #leaving = new Set<Listener<T>>();
  #blocking = false;

  constructor(env: Env) {
    this.#env = env;
  }

  get listeners(): Listener<T>[] {
    return [...this.#members.keys()];
  }

  /** Adds a handler and gives it everything that is already there, before any later event. */
  add(handler: Handler<T>, period: ResyncPeriod, snapshot: () => Bulk<T>, options: HandlerOptions): Listener<T> {
    const {
      policy = 'coalesce',
      limit = DEFAULT_LIMIT,
      initial = true,
      errorPauseMs = DEFAULT_ERROR_PAUSE_MS,
      name = handlerName(handler),
    } = options;
    const listener = new Listener(handler, snapshot, { name, policy, limit, errorPauseMs, env: this.#env });
    this.#members.set(listener, { listener, period, syncing: true });
    if (!initial) return listener;
    const everything = snapshot();
    listener.pushBulk(everything, everything.size);
    return listener;
  }

  /** Idempotent; false for a listener that is not here. */
  remove(listener: Listener<T>): boolean {
    const known = this.#members.delete(listener);
    if (!known) return false;
    listener.stop();
    // Its running callback is still ours to wait for.
    this.#leaving.add(listener);
    void listener.idle().then(() => this.#leaving.delete(listener));
    return true;
  }

  /** To everybody, or with `sync` only to those whose resync is due. */
  distribute(event: InformerEvent<T>, sync = false): void {
    for (const member of this.#members.values()) {
      if (sync && !member.syncing) continue;
      member.listener.push(event);
      if (member.listener.policy === 'block') this.#blocking = true;
    }
  }

  distributeBulk(bulk: Bulk<T>, initialAdds: number, sync = false): void {
    for (const member of this.#members.values()) {
      if (sync && !member.syncing) continue;
      member.listener.pushBulk(bulk, initialAdds);
      if (member.listener.policy === 'block') this.#blocking = true;
    }
  }

  /** Decides for every handler whether it is due now. Has side effects, so it must run on every tick. */
  shouldResync(): boolean {
    const now = this.#env.now();
    let any = false;
    for (const member of this.#members.values()) {
      member.syncing = member.period.takeDue(now);
      any ||= member.syncing;
    }
    return any;
  }

  /** Policy `block`: settles when every blocking handler has caught up; undefined when nobody has to wait. */
  room(): Promise<unknown> | undefined {
    if (!this.#blocking) return undefined;
    const waits = this.listeners.map((listener) => listener.room()).filter((wait) => wait !== undefined);
    if (waits.length === 0) {
      this.#blocking = false;
      return undefined;
    }
    return Promise.all(waits);
  }

  upstreamSynced(): void {
    for (const listener of this.#members.keys()) listener.tracker.upstreamSynced();
  }

  /** No callback starts after this call; resolves when the running ones have settled. */
  async stop(): Promise<void> {
    const stopped = [...this.listeners, ...this.#leaving];
    this.#members.clear();
    for (const listener of stopped) listener.stop();
    await Promise.all(stopped.map((listener) => listener.idle()));
  }
}
