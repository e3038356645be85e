import type { Env } from '../../core/env.ts';
import type { Key } from '../../core/object/key.ts';
import type { ObjectAccess } from '../../core/object/object.ts';
import { isOlder } from '../../core/object/resource-version.ts';
import { Slices } from '../../core/async/slices.ts';
import type { Indexer, StagedReplace } from '../../store/indexer.ts';
import type { StoreWrite } from '../../store/store.ts';
import type { PoisonedState } from '../verify/consistency.ts';
import { findOlderInList } from '../queue/older-in-list.ts';
import { unreadableInTransform } from '../queue/transform.ts';
import type { Delta, DeletedDelta, Deltas, PoisonedObject, ObjectDelta, ReplacedAllDelta } from '../queue/delta.ts';
import { type Bulk, bulkOf, bulkOfAdds, bulkOfResync } from '../handlers/bulk.ts';
import type { EventMaker } from '../handlers/event-maker.ts';
import type { InformerEvent } from '../handlers/handlers.ts';
import { compareStates, type StateVerdict } from './compare-states.ts';
import { DeletedObjects } from './deleted-objects.ts';
import { PoisonedKeys } from './poisoned-keys.ts';

/** Receives the events about each change of the cache. */
export interface Audience<Stored, Seen = Stored> {
  /** Called with each event. With `sync`, nothing changed, and the event is only for handlers whose resync is due. */
  event(event: InformerEvent<Seen>, sync: boolean): void;
  bulk(bulk: Bulk<Seen>, initialAdds: number, sync: boolean): void;
  /** Called before an added or updated object is announced. */
  stored?(object: Stored): void;
  epochReset?(): void;
}

export interface ProcessOptions<T, Seen = T> {
  readonly store: Indexer<T & object>;
  readonly audience: Audience<T, Seen>;
  readonly access: ObjectAccess<T>;
  readonly events: EventMaker<T, Seen>;
  readonly env: Env;
  /** Event for another UID under the same key: one update with `replaced`, or a delete and an add. @default 'flag' */
  readonly uidChange?: 'flag' | 'split';
  /** Sends the same events as client-go, including unchanged states and unknown deletes, for comparing the two. */
  readonly parity?: 'client-go';
  /** Whether readers see no difference except the version: then the change is applied and not announced. */
  readonly isUnseen?: (before: T, now: T) => boolean;
  /** False for a server that counts versions per object: a recreated object may then have a lower version. */
  readonly versionsAreOrdered?: () => boolean;
}

/** A write to the cache and the events to send after it. */
interface Plan<T, Seen> {
  readonly write: StoreWrite<T & object>;
  readonly events: readonly InformerEvent<Seen>[];
  readonly sync: boolean;
}

/**
 * Turns deltas into a changed cache and events about it.
 *
 * Promises: the cache and its indexes are written before events are sent (G12); the
 * state of a key never goes back inside an epoch (G1); a key that was announced
 * and is gone is announced deleted once (G5); unchanged states are not announced
 * (G18); an object that cannot be decoded, transformed or indexed poisons its key and affects no other (G9).
 *
 * Room rule: one turn, no awaits, except for a replace, which is prepared aside in
 * slices and swapped in one turn.
 */
export class Process<T, Seen = T> {
  readonly #options: ProcessOptions<T, Seen>;
  readonly #poisoned: PoisonedKeys<T>;
  readonly #deleted: DeletedObjects<T>;
  #staleDropped = 0;
  #unknownDeletes = 0;
  #contradictions = 0;
  #outsideSelection = 0;

  constructor(options: ProcessOptions<T, Seen>) {
    this.#options = options;
    this.#poisoned = new PoisonedKeys(options.access, options.env);
    this.#deleted = new DeletedObjects(options.access);
  }

  /** Keys whose newest state could not be decoded, transformed or indexed. Their old state, if any, stays in the cache. */
  get poisoned(): ReadonlyMap<Key, PoisonedState> {
    return this.#poisoned.states;
  }

  /** States older than the cache that were not applied. */
  get staleDropped(): number {
    return this.#staleDropped;
  }

  /** Deletes of objects that were never announced. */
  get unknownDeletes(): number {
    return this.#unknownDeletes;
  }

  /** The objects that were deleted last. */
  get deleted(): DeletedObjects<T> {
    return this.#deleted;
  }

  /** Lists that were newer than the cache and contained older or deleted objects: the storage was replaced, and the cache followed. */
  get contradictions(): number {
    return this.#contradictions;
  }

  /** Changes that readers cannot see: applied, and not announced. */
  get outsideSelection(): number {
    return this.#outsideSelection;
  }

  readonly process = (deltas: Deltas<T>, initial: boolean): void | Promise<void> => {
    for (const delta of deltas) {
      if (delta.type === 'replacedAll') return this.#replaceAll(delta, initial);
      this.#applyOne(delta, initial);
    }
  };

  /** Like `process`, for many objects at once: one transaction, then the events in order. */
  readonly processBatch = (deltas: Deltas<T>, initial: boolean): void => {
    const plans: Plan<T, Seen>[] = [];
    for (const delta of deltas) {
      const plan = this.#planOrPoison(delta, initial);
      if (plan !== undefined) plans.push(plan);
    }
    const { failures } = this.#options.store.transaction(plans.map((plan) => plan.write));
    const failed = new Map(failures.map(({ at, error }) => [at, error]));
    plans.forEach((plan, at) => {
      if (failed.has(at))
        this.#poisoned.add(processedWriteKey(plan.write), { object: plan.write.object, error: failed.get(at) });
      else this.#announce(plan);
    });
  };

  #applyOne(delta: Exclude<Delta<T>, ReplacedAllDelta<T>>, initial: boolean): void {
    const plan = this.#planOrPoison(delta, initial);
    if (plan === undefined) return;
    const { store } = this.#options;
    const { write } = plan;
    try {
      if (write.type === 'set') store.set(write.key as Key, write.object);
      else {
        store.deleteKey(write.key);
        const version = write.object === undefined ? undefined : this.#options.access.resourceVersion(write.object);
        if (version) store.bookmark(version);
        if (write.object !== undefined) store.discard(write.object);
      }
    } catch (error) {
      return this.#poisoned.add(processedWriteKey(write), { object: write.object, error });
    }
    this.#announce(plan);
  }

  #announce(plan: Plan<T, Seen>): void {
    const { audience } = this.#options;
    this.#poisoned.cured(processedWriteKey(plan.write));
    if (plan.write.type === 'set' && audience.stored !== undefined) audience.stored(plan.write.object);
    for (const event of plan.events) audience.event(event, plan.sync);
  }

  /** Plans a delta. If `access` cannot read its object, the key is poisoned. */
  #planOrPoison(delta: Delta<T>, initial: boolean): Plan<T, Seen> | undefined {
    try {
      return this.#plan(delta, initial);
    } catch (error) {
      if (!('key' in delta)) throw error;
      this.#poisoned.add(delta.key, { object: delta.object, error });
      return undefined;
    }
  }

  #plan(delta: Delta<T>, initial: boolean): Plan<T, Seen> | undefined {
    switch (delta.type) {
      case 'added':
      case 'updated':
      case 'replaced':
        return this.#planSet(delta, initial);
      case 'sync':
        return this.#planSync(delta, initial);
      case 'deleted':
        return this.#planDelete(delta);
      case 'poisoned':
        this.#poisoned.add(delta.key, delta, delta.newEpoch);
        return undefined;
      case 'bookmark':
        this.#options.store.bookmark(delta.resourceVersion);
        return undefined;
      case 'syncAll':
        this.#options.audience.bulk(bulkOfResync(this.#options.events, this.#options.store), 0, true);
        return undefined;
      case 'replacedAll':
        return undefined; // handled in `process`
    }
  }

  #planSet({ type, key, object, newEpoch }: ObjectDelta<T>, initial: boolean): Plan<T, Seen> | undefined {
    const { store, parity, events } = this.#options;
    const cached = store.get(key);
    const write = { type: 'set', key, object: object as T & object } as const;
    if (cached === undefined) return { write, events: [events.add(key, object, initial)], sync: false };
    const verdict = this.#compare(key, cached, object, newEpoch === true, type === 'replaced');
    if (verdict === 'older') {
      this.#staleDropped += 1;
      store.discard(write.object);
      return undefined;
    }
    if (verdict === 'same') {
      this.#poisoned.cured(key);
      if (parity === undefined) {
        if (cached !== object) store.discard(write.object);
        return undefined;
      }
      return { write, events: [events.update(key, cached, object, false)], sync: true };
    }
    const isUnseen = verdict === 'changed' && this.#isUnseen(cached, object);
    return { write, events: isUnseen ? [] : this.#changeEvents(key, cached, object, verdict === 'replaced'), sync: false };
  } // prettier-ignore

  #isUnseen(cached: T, object: T): boolean {
    if (this.#options.parity !== undefined || this.#options.isUnseen?.(cached, object) !== true) return false;
    this.#outsideSelection += 1;
    return true;
  }

  /** Plans the resync of one object, for the queue `delta`; the cached state may have changed since it was queued. */
  #planSync(delta: ObjectDelta<T>, initial: boolean): Plan<T, Seen> | undefined {
    const { key, object, newEpoch } = delta;
    const { store, events, audience } = this.#options;
    const cached = store.get(key);
    if (cached === undefined || this.#compare(key, cached, object, newEpoch === true) !== 'same') {
      return this.#planSet(delta, initial);
    }
    audience.event(events.resync(key, cached), true);
    return undefined;
  }

  #planDelete({ key, object, finalStateUnknown, onlyIfHeld }: DeletedDelta<T>): Plan<T, Seen> | undefined {
    const { store, access, parity, events } = this.#options;
    const cached = store.get(key);
    if (onlyIfHeld === true) {
      if (cached !== undefined && object !== undefined && this.#compare(key, cached, object, false) === 'same') {
        // Without the object: its version is older than that of the cache.
        return { write: { type: 'delete', key }, events: [events.delete(key, object, false)], sync: false };
      }
      this.#staleDropped += 1;
      return undefined;
    }
    if (cached === undefined) {
      this.#unknownDeletes += 1;
      this.#poisoned.cured(key);
      const version = object === undefined ? undefined : access.resourceVersion(object);
      if (version && !finalStateUnknown && !isOlder(version, store.resourceVersion)) store.bookmark(version);
      if (parity === undefined || object === undefined) return undefined;
      return {
        write: { type: 'delete', key },
        events: [events.delete(key, object, finalStateUnknown)],
        sync: false,
      };
    }
    if (!finalStateUnknown && object !== undefined && this.#compare(key, cached, object, false) === 'older') {
      this.#staleDropped += 1; // a replayed delete of an older object with the same key
      return undefined;
    }
    // The last known state has no version of its delete, and may be from another epoch.
    if (!finalStateUnknown && object !== undefined) this.#deleted.add(key, cached, access.resourceVersion(object));
    const write: StoreWrite<T & object> =
      finalStateUnknown || object === undefined
        ? { type: 'delete', key }
        : { type: 'delete', key, object: object as T & object };
    return { write, events: [events.delete(key, object ?? cached, finalStateUnknown)], sync: false };
  }

  /**
   * Replaces the cache with a complete list. The new contents are built aside and become visible at once, when
   * they are complete. Nothing else is applied meanwhile, because there is one consumer.
   */
  async #replaceAll(delta: ReplacedAllDelta<T>, initial: boolean): Promise<void> {
    const { store, env, audience, parity, access, events } = this.#options;
    const slices = new Slices(env);
    const stage = store.stageReplace();
    const wasEmpty = store.size === 0;
    const changes: InformerEvent<Seen>[] = [];
    const unchanged: InformerEvent<Seen>[] = [];
    const failed = new Map<Key, PoisonedObject<T>>(delta.poisoned);
    let isConsistent = delta.newEpoch || !this.#isOrdered || isOlder(delta.resourceVersion, store.resourceVersion);
    for (let i = 0; i < delta.keys.length; i += 1) {
      const key = delta.keys[i] as Key;
      const object = delta.objects[i] as T & object;
      const cached = store.get(key);
      try {
        const verdict = cached === undefined ? 'new' : this.#compare(key, cached, object, delta.newEpoch, true);
        const isBack = cached === undefined && !isConsistent && this.#deleted.has(key, object);
        if (isBack || (verdict === 'older' && !isConsistent)) {
          const older = isBack ? key : findOlderInList(delta.keys, delta.objects, (one) => store.get(one), access);
          if (older !== undefined) {
            this.#contradictions += 1;
            const what = isBack ? 'objects that were deleted' : 'older objects';
            env.log('warn', `a newer list contains ${what}: the storage was replaced; the cache follows it`, { older });
            return this.#replaceAll({ ...delta, newEpoch: true }, initial);
          }
          isConsistent = true;
        }
        if (verdict === 'older') this.#staleDropped += 1;
        // An unchanged object is kept: half the memory during a relist, and nothing to announce.
        const isKept = verdict === 'older' || (verdict === 'same' && parity === undefined);
        stage.set(key, (isKept ? cached : object) as T & object);
        if (isKept && cached !== object) store.discard(object);
        if (cached === undefined) {
          if (!wasEmpty) changes.push(events.add(key, object, initial));
        } else if (verdict === 'replaced' || (verdict === 'changed' && !this.#isUnseen(cached, object))) {
          for (const event of this.#changeEvents(key, cached, object, verdict === 'replaced')) changes.push(event);
        } else if (verdict === 'same' && parity !== undefined) {
          unchanged.push(events.update(key, cached, object, false));
        }
      } catch (error) {
        failed.set(key, { object, error });
      }
      if (slices.due()) await slices.pause();
    }
    if (delta.newEpoch) this.#deleted.clear();
    const deletes: InformerEvent<Seen>[] = [];
    for (const [key, cached] of store.entries()) {
      if (stage.has(key)) continue;
      if (delta.unnamed !== undefined && !failed.has(key))
        failed.set(key, { object: cached, error: unreadableInTransform(key, delta.unnamed) });
      if (failed.has(key) && keepProcessedState(stage, key, cached)) continue;
      deletes.push(events.delete(key, cached, true));
      this.#deleted.add(key, cached, delta.resourceVersion);
    }
    stage.commit(delta.resourceVersion);
    this.#poisoned.replaced(failed, delta.newEpoch);
    this.#announceAll(delta, wasEmpty, failed, [...deletes, ...changes], initial);
    for (const event of unchanged) audience.event(event, true);
  }

  #announceAll(
    delta: ReplacedAllDelta<T>,
    wasEmpty: boolean,
    failed: ReadonlyMap<Key, unknown>,
    changes: InformerEvent<Seen>[],
    initial: boolean,
  ): void {
    const { audience, store, events } = this.#options;
    if (delta.newEpoch) audience.epochReset?.();
    if (audience.stored !== undefined) {
      // Only objects that the cache took from this list.
      for (const [i, object] of delta.objects.entries()) {
        if (store.get(delta.keys[i] as Key) === object) audience.stored(object);
      }
    }
    if (!wasEmpty) {
      const initialAdds = changes.filter((event) => event.type === 'add' && event.initial).length;
      return audience.bulk(bulkOf(changes), initialAdds, false);
    }
    const isStored = (_: unknown, i: number): boolean => !failed.has(delta.keys[i] as Key);
    const keys = failed.size === 0 ? delta.keys : delta.keys.filter(isStored);
    const objects = failed.size === 0 ? delta.objects : delta.objects.filter(isStored);
    audience.bulk(bulkOfAdds(events, keys, objects, initial), initial ? keys.length : 0, false);
  }

  #compare(key: Key, cached: T, object: T, newEpoch: boolean, isListed = false): StateVerdict {
    const acrossEpochs = newEpoch || this.#poisoned.isOutlived(key);
    return compareStates(this.#options.access, cached, object, { acrossEpochs, isListed, isOrdered: this.#isOrdered });
  }

  get #isOrdered(): boolean {
    return this.#options.versionsAreOrdered?.() !== false;
  }

  #changeEvents(key: Key, old: T, object: T, replaced: boolean): InformerEvent<Seen>[] {
    const { events, uidChange } = this.#options;
    if (!replaced || uidChange !== 'split') return [events.update(key, old, object, replaced)];
    return [events.delete(key, old, true), events.add(key, object, false)];
  }
}

/** Keeps the old state of a poisoned key. False when an index function throws on the old state too. */
function keepProcessedState<T>(stage: StagedReplace<T>, key: Key, cached: T): boolean {
  try {
    stage.set(key, cached);
    return true;
  } catch {
    return false; // the key is already poisoned, with the error of its newer state
  }
}

function processedWriteKey(write: { readonly key?: Key }): Key {
  return write.key as Key;
}
