import type { Env } from '../../core/env.ts';
import type { HandlerOptions } from './handler-options.ts';
import type { Bulk } from './bulk.ts';
import { type Handler, type InformerEvent } from './handlers.ts';
import { filteredForRegistration } from './filtered.ts';
import { handlerName } from './handler-name.ts';
import { Listener } from './processor-listener.ts';
import type { ResyncPeriod } from './resync-period.ts';

/** A listener and whether it takes part in the current resync. */
interface Member<T> {
  readonly listener: Listener<T>;
  readonly period: ResyncPeriod;
  /** True until the first resync check, so that unchanged states reach all handlers. */
  syncing: boolean;
}

const DEFAULT_LIMIT = 1_024;
const DEFAULT_ERROR_PAUSE_MS = 1_000;

/**
 * Puts each event into the queue of every handler, in the turn that changed the cache.
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

  /** Adds a handler. Its first events are adds for everything in the cache, unless `initial` is false. */
  add(handler: Handler<T>, period: ResyncPeriod, snapshot: () => Bulk<T>, options: HandlerOptions): Listener<T> {
    const {
      policy = 'coalesce',
      limit = DEFAULT_LIMIT,
      initial = true,
      errorPauseMs = DEFAULT_ERROR_PAUSE_MS,
      name = handlerName(handler),
    } = options;
    const listener = new Listener(filteredForRegistration(handler), snapshot, {
      name,
      policy,
      limit,
      errorPauseMs,
      env: this.#env,
    });
    this.#members.set(listener, { listener, period, syncing: true });
    if (!initial) return listener;
    const everything = snapshot();
    listener.pushBulk(everything, everything.size);
    return listener;
  }

  /** Removes a listener; false if it is unknown. Idempotent. */
  remove(listener: Listener<T>): boolean {
    const known = this.#members.delete(listener);
    if (!known) return false;
    listener.stop();
    // `stop` must still wait for its running callback.
    this.#leaving.add(listener);
    void listener.idle().then(() => this.#leaving.delete(listener));
    return true;
  }

  /** Sends the event to all handlers, or with `sync` only to those whose resync is due. */
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

  /** Decides for every handler whether its resync is due. Has side effects, so it must be called on every tick. */
  shouldResync(): boolean {
    const now = this.#env.now();
    let any = false;
    for (const member of this.#members.values()) {
      member.syncing = member.period.takeDue(now);
      any ||= member.syncing;
    }
    return any;
  }

  /** Policy `block`: settles when every blocking handler has caught up; undefined when there is nothing to wait for. */
  room(): Promise<unknown> | undefined {
    if (!this.#blocking) return undefined;
    // Called before every entry: nothing is allocated unless a handler is behind.
    let waits: Promise<void>[] | undefined;
    for (const listener of this.#members.keys()) {
      const wait = listener.room();
      if (wait !== undefined) (waits ??= []).push(wait);
    }
    if (waits !== undefined) return Promise.all(waits);
    this.#blocking = false;
    return undefined;
  }

  upstreamSynced(): void {
    for (const listener of this.#members.keys()) listener.tracker.upstreamSynced();
  }

  /** Stops all present handlers: no callback of theirs starts after this call. `stop` waits for the running ones. */
  halt(): void {
    for (const listener of this.listeners) listener.stop();
  }

  /** Stops all handlers: no callback starts after this call. Resolves when the running ones have settled. */
  async stop(): Promise<void> {
    const stopped = [...this.listeners, ...this.#leaving];
    this.#members.clear();
    for (const listener of stopped) listener.stop();
    await Promise.all(stopped.map((listener) => listener.idle()));
  }
}
