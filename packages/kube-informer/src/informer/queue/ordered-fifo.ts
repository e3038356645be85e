import { guardedAnswer, type UserCode } from '../../core/guarded.ts';
import { KubeError } from '../../core/errors.ts';
import { type Env, guardedEnv } from '../../core/env.ts';
import { guardedKey, type Key, type KeyFn } from '../../core/object/key.ts';
import { keyOfMaybeUnreadable } from '../../core/object/unreadable.ts';
import type { Latch } from '../../core/async/latch.ts';
import { isOlder } from '../../core/object/resource-version.ts';
import { Slices } from '../../core/async/slices.ts';
import { RingBuffer } from '../../store/ring-buffer.ts';
import {
  type DeletedFinalStateUnknown, type Delta, type Deltas, isTombstone, type PoisonedObject, type ReplacedAllDelta,
} from './delta.ts'; // prettier-ignore
import { type ProcessFn, type Queue, type QueueOptions, type ReplaceInfo } from './queue.ts';
import { BATCH_SIZE, QueueCore } from './queue-core.ts';
import { type KnownObjects, knownObject, knownObjectForResync } from './known-objects.ts';
import { transformReceived, guardedTransform, unreadableInTransform, type TransformFn } from './transform.ts';

export interface OrderedFifoOptions<T> extends QueueOptions<T> {
  /**
   * Queues a replace as one entry, which is compared with the cache when it is applied. False: a replace
   * or a resync becomes one entry per object, which requires `knownObjects`. @default true
   */
  readonly atomic?: boolean;
  /** The objects the consumer holds; only with `atomic: false`. */
  readonly knownObjects?: KnownObjects<T>;
  /** Reads the resourceVersion, to choose the newer of two states of one object in one list. */
  readonly resourceVersion?: UserCode<(object: T) => string | undefined>;
  /** See `Sink.recall`. @default returns `object` */
  readonly recall?: UserCode<(object: T) => T>;
}

/** A list as it is queued. */
type PreparedList<T> = Pick<ReplacedAllDelta<T>, 'keys' | 'objects' | 'poisoned' | 'unnamed'>;

/**
 * Changes waiting to be applied, in the order in which the server sent them, nothing merged.
 *
 * Invariants (docs/SPEC.md):
 *  O1  entries leave in the order they came, across all objects
 *  O2  a replace is one entry (atomic), so half of it is never visible
 *  O3  a list with an invalid key is refused as a whole, before anything is queued, unless the object could not be decoded
 *  O4  `hasSynced` turns true once, after the first list has been applied
 *
 * Room rule: no network, no cache, no handlers; only `pop` and a large `replace` wait.
 */
export class OrderedFifo<T> implements Queue<T> {
  readonly keepsUnreadable = true;
  readonly #env: Env;
  readonly #keyOf: KeyFn<T>;
  readonly #transform: TransformFn<T> | undefined;
  readonly #recall: ((object: T) => T) | undefined;
  readonly #versionOf: (object: T) => string | undefined;
  readonly #known: KnownObjects<T> | undefined;
  readonly #core: QueueCore;
  readonly #deltas = new RingBuffer<Delta<T>>();

  constructor(options: OrderedFifoOptions<T>) {
    const { atomic = true, knownObjects } = options;
    if (atomic !== (knownObjects === undefined)) {
      throw new KubeError(
        'INVALID_OPTION',
        atomic
          ? 'OrderedFifo: option knownObjects requires atomic: false'
          : 'OrderedFifo: atomic: false requires option knownObjects',
      );
    }
    const { recall, resourceVersion = () => undefined } = options;
    this.#env = guardedEnv(options.env);
    this.#keyOf = guardedKey(options.key);
    this.#transform = guardedTransform(options.transform);
    this.#recall = recall === undefined ? undefined : guardedAnswer('recall', recall);
    this.#versionOf = guardedAnswer('resourceVersion', resourceVersion);
    this.#known = knownObjects;
    this.#core = new QueueCore('OrderedFifo', () => this.#deltas.length, options);
  }

  get pending(): number {
    return this.#deltas.length;
  }

  get hasSynced(): boolean {
    return this.#core.synced.isOpen;
  }

  get synced(): Latch {
    return this.#core.synced;
  }

  recall(object: T): T {
    return this.#recall?.(object) ?? object;
  }

  add(object: T): void {
    const version = this.#versionBeforeTransform(object);
    this.#pushChange(this.#changed('added', this.#keyOf(object), object), version);
  }

  update(object: T): void {
    const version = this.#versionBeforeTransform(object);
    this.#pushChange(this.#changed('updated', this.#keyOf(object), object), version);
  }

  /** Queues every delete: the consumer decides whether the object was known. */
  delete(object: T | DeletedFinalStateUnknown<T>): void {
    const version = isTombstone<T>(object) ? undefined : this.#versionBeforeTransform(object);
    this.#pushChange(this.#deleted(object), version);
  }

  deleteIfHeld(object: T): void {
    this.#push({ type: 'deleted', key: this.#keyOf(object), object, finalStateUnknown: false, onlyIfHeld: true });
  }

  /** Queues a complete list. Large lists are prepared in slices; the queue changes at the end, in one turn. */
  async replace(items: readonly T[], resourceVersion: string, info: ReplaceInfo = {}): Promise<void> {
    const listed = await this.#prepare(items);
    const newEpoch = info.newEpoch === true;
    if (this.#known === undefined) {
      this.#push({ type: 'replacedAll', ...listed, resourceVersion, newEpoch });
    } else {
      this.#spellOut(listed, this.#known, newEpoch);
    }
    this.#core.populate(this.#deltas.length);
  }

  resync(): void {
    const known = this.#known;
    if (known === undefined) return this.#push({ type: 'syncAll' });
    const queued = this.#lastQueued();
    for (const key of known.keys()) {
      // A queued change is newer than the known state, which must not overtake it.
      if (queued.has(key)) continue;
      const object = knownObjectForResync(known, key, this.#env);
      if (object !== undefined) this.#push({ type: 'sync', key, object });
    }
  }

  /**
   * Queues a bookmark in order with the changes. Ignored with `atomic: false`, where its place among them is
   * unknown.
   */
  bookmark(resourceVersion: string): void {
    if (this.#known === undefined) this.#push({ type: 'bookmark', resourceVersion });
  }

  room(): Promise<void> | undefined {
    return this.#core.room();
  }

  async pop(process: ProcessFn<T>): Promise<void> {
    while (this.#deltas.length === 0) await this.#core.ready();
    const applying = this.#core.apply(process, [this.#deltas.shift() as Delta<T>], 1);
    if (applying !== undefined) await applying;
  }

  popNow(process: ProcessFn<T>): boolean | Promise<void> {
    const next = this.#deltas.shift();
    return next === undefined ? false : (this.#core.apply(process, [next], 1) ?? true);
  }

  /**
   * Applies up to `BATCH_SIZE` changes of different objects at once; replaces, resyncs and bookmarks are
   * applied alone.
   */
  async popBatch(processBatch: ProcessFn<T>, process: ProcessFn<T>): Promise<void> {
    while (this.#deltas.length === 0) await this.#core.ready();
    // `initial` holds for the whole batch, so a batch must not reach beyond the initial list.
    const maxBatch = this.#core.initialLeft > 0 ? Math.min(BATCH_SIZE, this.#core.initialLeft) : BATCH_SIZE;
    const batch: Delta<T>[] = [];
    const keys = new Set<Key>();
    while (batch.length < maxBatch) {
      const next = this.#deltas.peek();
      if (next === undefined) break;
      const alone = next.type === 'replacedAll' || next.type === 'syncAll' || next.type === 'bookmark';
      if (batch.length > 0 && (alone || keys.has(next.key))) break;
      batch.push(this.#deltas.shift() as Delta<T>);
      if (alone) break;
      keys.add(next.key);
    }
    const apply = batch.length === 1 ? process : processBatch;
    const applying = this.#core.apply(apply, batch as unknown as Deltas<T>, batch.length);
    if (applying !== undefined) await applying;
  }

  close(): void {
    this.#core.close();
  }

  #push(delta: Delta<T>): void {
    this.#deltas.push(delta);
    this.#core.wake();
  }

  /** The version before the transform, which may change the object in place; undefined without a transform. */
  #versionBeforeTransform(object: T): string | undefined {
    return this.#transform === undefined ? undefined : this.#versionIfReadable(object);
  }

  #versionIfReadable(object: T): string | undefined {
    try {
      return this.#versionOf(object);
    } catch {
      return undefined; // reported when the object is applied
    }
  }

  /**
   * Queues a change. If the transform removed its version, or threw, the version is queued as a bookmark,
   * because the cache has reached it nevertheless.
   */
  #pushChange(change: Delta<T>, version: string | undefined): void {
    this.#core.populate(0);
    this.#push(change);
    if (!version) return;
    const kept = change.type === 'poisoned' ? undefined : (change as { object?: T }).object;
    if (kept === undefined || this.#versionIfReadable(kept) !== version) this.bookmark(version);
  }

  #changed(type: 'added' | 'updated' | 'replaced', key: Key, object: T): Delta<T> {
    try {
      return { type, key, object: transformReceived(this.#transform, this.#keyOf, key, object) };
    } catch (error) {
      return { type: 'poisoned', key, error, object };
    }
  }

  #deleted(object: T | DeletedFinalStateUnknown<T>): Delta<T> {
    // The object of a tombstone came from the cache, so it has already been transformed.
    if (isTombstone<T>(object))
      return { type: 'deleted', key: object.key, object: object.object, finalStateUnknown: true };
    const key = this.#keyOf(object);
    const delta = this.#changed('updated', key, object);
    // A failing transform must not block a delete: without a last state, the cached one is announced.
    if (delta.type === 'poisoned') return { type: 'deleted', key, object: undefined, finalStateUnknown: false };
    return { type: 'deleted', key, object: (delta as { object: T }).object, finalStateUnknown: false };
  }

  /** Keys, transformed objects and poisoned objects, each key once. */
  async #prepare(items: readonly T[]): Promise<PreparedList<T>> {
    const keyOf = this.#keyOf;
    const transform = this.#transform;
    const slices = new Slices(this.#env);
    const places = new Map<Key, number>();
    const keys: Key[] = [];
    const objects: T[] = [];
    let unnamed: KubeError | undefined;
    for (const object of items) {
      const listed = keyOfMaybeUnreadable(keyOf, object);
      if ('unnamed' in listed) {
        unnamed ??= listed.unnamed;
        continue;
      }
      const { key } = listed;
      const place = places.get(key);
      if (place === undefined) {
        places.set(key, keys.length);
        keys.push(key);
        objects.push(object);
      } else if (!isOlder(this.#versionOf(object), this.#versionOf(objects[place] as T))) {
        objects[place] = object; // listed twice, on two pages: the newer state counts
      }
      if (slices.due()) await slices.pause();
    }
    const poisoned = new Map<Key, PoisonedObject<T>>();
    for (let i = 0; i < keys.length; i += 1) {
      const key = keys[i] as Key;
      try {
        objects[i] = transformReceived(transform, keyOf, key, objects[i] as T);
      } catch (error) {
        poisoned.set(key, { object: objects[i] as T, error });
      }
      if (slices.due()) await slices.pause();
    }
    if (poisoned.size === 0) return { keys, objects, poisoned, unnamed };
    const isHealthy = (_: unknown, i: number): boolean => !poisoned.has(keys[i] as Key);
    return { objects: objects.filter(isHealthy), keys: keys.filter(isHealthy), poisoned, unnamed };
  }

  /** Non-atomic replace: deletes for objects that are queued or known but not listed, then the items. */
  #spellOut(listed: PreparedList<T>, known: KnownObjects<T>, newEpoch: boolean): void {
    const alive = new Set<Key>(listed.keys);
    for (const key of listed.poisoned.keys()) alive.add(key);
    const missing = (key: Key, object: T | undefined): void => {
      if (listed.unnamed === undefined) this.#push({ type: 'deleted', key, object, finalStateUnknown: true });
      else if (object !== undefined)
        this.#push({ type: 'poisoned', key, object, error: unreadableInTransform(key, listed.unnamed), newEpoch });
    };
    const queued = this.#lastQueued();
    for (const [key, delta] of queued) {
      if (alive.has(key) || (delta.type === 'deleted' && delta.onlyIfHeld !== true)) continue;
      missing(key, delta.type === 'poisoned' ? knownObject(known, key) : delta.object);
    }
    for (const key of known.keys()) {
      if (!alive.has(key) && !queued.has(key)) missing(key, knownObject(known, key));
    }
    listed.keys.forEach((key, i) => this.#push({ type: 'replaced', key, object: listed.objects[i] as T, newEpoch }));
    for (const [key, poisoned] of listed.poisoned) this.#push({ type: 'poisoned', key, ...poisoned, newEpoch });
  }

  /** The newest queued delta of each key, in order of first arrival. */
  #lastQueued(): Map<Key, Exclude<Delta<T>, { type: 'replacedAll' | 'syncAll' | 'bookmark' }>> {
    const last = new Map<Key, Exclude<Delta<T>, { type: 'replacedAll' | 'syncAll' | 'bookmark' }>>();
    for (const delta of this.#deltas) {
      if (delta.type !== 'replacedAll' && delta.type !== 'syncAll' && delta.type !== 'bookmark')
        last.set(delta.key, delta);
    }
    return last;
  }
}
