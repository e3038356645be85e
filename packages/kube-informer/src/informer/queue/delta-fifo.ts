import { type Env, guardedEnv } from '../../core/env.ts';
import { guardedKey, type Key, type KeyFn } from '../../core/object/key.ts';
import type { KubeError } from '../../core/errors.ts';
import { keyOfMaybeUnreadable } from '../../core/object/unreadable.ts';
import type { Latch } from '../../core/async/latch.ts';
import {
  type DeletedFinalStateUnknown,
  type Delta,
  type Deltas,
  isTombstone,
  type ObjectDelta,
  type PoisonedDelta,
} from './delta.ts';
import { type ProcessFn, type Queue, type QueueOptions, type ReplaceInfo } from './queue.ts';
import { type KnownObjects, knownObject, knownObjectForResync } from './known-objects.ts';
import { QueueCore } from './queue-core.ts';
import { transformReceived, guardedTransform, unreadableInTransform, type TransformFn } from './transform.ts';

/** Deltas about one object. */
export type KeyedDelta<T> = Exclude<Delta<T>, { type: 'replacedAll' | 'syncAll' | 'bookmark' }>;

export interface DeltaFifoOptions<T> extends QueueOptions<T> {
  /** The objects the consumer holds. Without it, only queued objects can be found missing from a list. */
  readonly knownObjects?: KnownObjects<T>;
  /** Marks listed objects `replaced`; false marks them `sync`, as old versions of client-go did. @default true */
  readonly emitReplaced?: boolean;
}

/**
 * Changes waiting to be applied, grouped by object, in order of first arrival.
 *
 * Invariants (docs/SPEC.md):
 *  Q1  a key is queued exactly when it has at least one delta, and keeps its place while it waits
 *  Q2  two deletes in a row for a key are one delete, with the final state if either knows it
 *  Q3  after `replace`, every known key missing from the list has a `deleted` delta, or a `poisoned` one if the list has
 *      an object whose name could not be read
 *  Q4  `hasSynced` turns true once, when the whole first list has been applied
 *
 * Removing from the queue and applying happen in one turn, so that `replace` never
 * runs between them and misses an object that is neither queued nor cached. `process`
 * must therefore be synchronous.
 *
 * Room rule: no network, no time, no handlers; only `pop` waits, and only for work.
 */
export class DeltaFifo<T> implements Queue<T> {
  readonly keepsUnreadable = true;
  readonly #env: Env;
  readonly #keyOf: KeyFn<T>;
  readonly #transform: TransformFn<T> | undefined;
  readonly #emitReplaced: boolean;
  readonly #known: KnownObjects<T> | undefined;
  readonly #core: QueueCore;
  /** A Map iterates in order of insertion, so it holds both the items and their order. */
  readonly #items = new Map<Key, KeyedDelta<T>[]>();
  #order: IterableIterator<Key> | undefined;

  constructor(options: DeltaFifoOptions<T>) {
    this.#env = guardedEnv(options.env);
    this.#keyOf = guardedKey(options.key);
    this.#transform = guardedTransform(options.transform);
    this.#emitReplaced = options.emitReplaced ?? true;
    this.#known = options.knownObjects;
    this.#core = new QueueCore('DeltaFifo', () => this.#items.size, options);
  }

  get pending(): number {
    return this.#items.size;
  }

  get hasSynced(): boolean {
    return this.#core.synced.isOpen;
  }

  get synced(): Latch {
    return this.#core.synced;
  }

  add(object: T): void {
    const delta = this.#changed('added', this.#keyOf(object), object);
    this.#core.populate(0);
    this.#append(delta);
  }

  update(object: T): void {
    const delta = this.#changed('updated', this.#keyOf(object), object);
    this.#core.populate(0);
    this.#append(delta);
  }

  /** Queues a delete. Ignored for an object that is neither queued nor known: there is nothing to delete. */
  delete(object: T | DeletedFinalStateUnknown<T>): void {
    const tombstone = isTombstone<T>(object);
    const key = tombstone ? object.key : this.#keyOf(object);
    this.#core.populate(0);
    if (!this.#items.has(key) && (this.#known === undefined || !isKnownToDeltaFifo(this.#known, key))) return;
    if (tombstone) return this.#append({ type: 'deleted', key, object: object.object, finalStateUnknown: true });
    const delta = this.#changed('updated', key, object);
    const last = delta.type === 'poisoned' ? undefined : delta.object;
    this.#append({ type: 'deleted', key, object: last, finalStateUnknown: false });
  }

  deleteIfHeld(object: T): void {
    this.#append({ type: 'deleted', key: this.#keyOf(object), object, finalStateUnknown: false, onlyIfHeld: true });
  }

  /** Queues a complete list. Keys are computed first: one invalid key throws, and nothing is queued. */
  replace(items: readonly T[], _resourceVersion: string, info: ReplaceInfo = {}): void {
    const keyed: [Key, T][] = [];
    let unnamed: KubeError | undefined;
    for (const object of items) {
      const found = keyOfMaybeUnreadable(this.#keyOf, object);
      if ('key' in found) keyed.push([found.key, object]);
      else unnamed ??= found.unnamed;
    }
    const listed = new Set<Key>();
    for (const [key, object] of keyed) {
      listed.add(key);
      const delta = this.#changed(this.#emitReplaced ? 'replaced' : 'sync', key, object);
      this.#append(info.newEpoch === true ? { ...delta, newEpoch: true } : delta);
    }
    let invented = 0;
    const missing = (key: Key, object: T | undefined): void => {
      if (unnamed === undefined) this.#append({ type: 'deleted', key, object, finalStateUnknown: true });
      else if (object === undefined) return;
      else this.#append({ type: 'poisoned', key, object, error: unreadableInTransform(key, unnamed) });
      invented += 1;
    };
    for (const [key, deltas] of this.#items) if (!listed.has(key)) missing(key, newestInDeltaFifo(deltas));
    const known = this.#known;
    if (known !== undefined) {
      for (const key of known.keys()) {
        if (!listed.has(key) && !this.#items.has(key)) missing(key, knownObject(known, key));
      }
    }
    this.#core.populate(listed.size + invented);
  }

  /** Queues every known object without queued changes: a queued change is newer than the known state. */
  resync(): void {
    const known = this.#known;
    if (known === undefined) return;
    for (const key of known.keys()) {
      if (this.#items.has(key)) continue;
      const object = knownObjectForResync(known, key, this.#env);
      if (object !== undefined) this.#append({ type: 'sync', key, object });
    }
  }

  /** Does nothing: grouped by object, changes have no order in which a bookmark could be placed. */
  bookmark(): void {}

  room(): Promise<void> | undefined {
    return this.#core.room();
  }

  async pop(process: ProcessFn<T>): Promise<void> {
    while (this.#items.size === 0) await this.#core.ready();
    const key = this.#oldest();
    const deltas = this.#items.get(key) as KeyedDelta<T>[];
    this.#items.delete(key);
    const applying = this.#core.apply(process, deltas as unknown as Deltas<T>, 1);
    if (applying !== undefined) await applying;
  }

  close(): void {
    this.#core.close();
  }

  /** The oldest key. Uses one iterator for many pops: a new one would walk over all entries that were popped before. */
  #oldest(): Key {
    this.#order ??= this.#items.keys();
    const next = this.#order.next();
    if (next.done !== true) return next.value;
    this.#order = undefined;
    return this.#oldest();
  }

  #changed(type: 'added' | 'updated' | 'replaced' | 'sync', key: Key, object: T): ObjectDelta<T> | PoisonedDelta<T> {
    try {
      return { type, key, object: transformReceived(this.#transform, this.#keyOf, key, object) };
    } catch (error) {
      return { type: 'poisoned', key, error, object };
    }
  }

  #append(delta: KeyedDelta<T>): void {
    const deltas = this.#items.get(delta.key);
    if (deltas === undefined) this.#items.set(delta.key, [delta]);
    else if (!mergeInDeltaFifo(deltas, delta)) deltas.push(delta);
    this.#core.wake();
  }
}

/** Merges two deletes in a row (Q2). Returns whether `delta` was merged into the last one. */
function mergeInDeltaFifo<T>(deltas: KeyedDelta<T>[], delta: KeyedDelta<T>): boolean {
  const last = deltas.at(-1);
  if (delta.type !== 'deleted' || last?.type !== 'deleted') return false;
  if (delta.onlyIfHeld !== true && (last.finalStateUnknown || last.onlyIfHeld)) deltas[deltas.length - 1] = delta;
  return true;
}

function newestInDeltaFifo<T>(deltas: readonly KeyedDelta<T>[]): T | undefined {
  return deltas.findLast((delta) => delta.type !== 'poisoned')?.object;
}

/** Whether `key` is known. True when the lookup fails: the object may be known. */
function isKnownToDeltaFifo<T>(known: KnownObjects<T>, key: Key): boolean {
  try {
    return known.has?.(key) ?? known.get(key) !== undefined;
  } catch {
    return true;
  }
}
