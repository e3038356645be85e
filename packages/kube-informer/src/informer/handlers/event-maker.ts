import type { Key } from '../../core/object/key.ts';
import type { AddEvent, DeleteEvent, UpdateEvent } from './handlers.ts';

/** Makes events about stored objects, which show them as readers see them. */
export interface EventMaker<Stored, Seen> {
  add(key: Key, object: Stored, initial: boolean): AddEvent<Seen>;
  update(key: Key, old: Stored, object: Stored, replaced: boolean): UpdateEvent<Seen>;
  /** An update without a change, sent because of `resyncMs`. */
  resync(key: Key, object: Stored): UpdateEvent<Seen>;
  delete(key: Key, object: Stored, finalStateUnknown: boolean): DeleteEvent<Seen>;
}

const PLAIN: EventMaker<unknown, unknown> = {
  add: (key, object, initial) => ({ type: 'add', key, object, initial }),
  update: (key, old, object, replaced) => ({ type: 'update', key, object, old, replaced, resync: false }),
  resync: (key, object) => ({ type: 'update', key, object, old: object, replaced: false, resync: true }),
  delete: (key, object, finalStateUnknown) => ({ type: 'delete', key, object, finalStateUnknown }),
};

/** Makes events for objects that readers see as they are stored. */
export function plainEventMaker<T>(): EventMaker<T, T> {
  return PLAIN as EventMaker<T, T>;
}

/** Makes events for objects that `see` has to make: a handler that reads only the key causes none to be made. */
export function lazyEventMaker<Stored, Seen>(see: (stored: Stored) => Seen): EventMaker<Stored, Seen> {
  return {
    add: (key, object, initial) => new LazyAdd(see, key, object, initial),
    update: (key, old, object, replaced) => new LazyUpdate(see, key, old, object, replaced, false),
    resync: (key, object) => new LazyUpdate(see, key, object, object, false, true),
    delete: (key, object, finalStateUnknown) => new LazyDelete(see, key, object, finalStateUnknown),
  };
}

/** An event whose `object` is a getter of the prototype: a property on each event would cost more than the event. */
class LazyEvent<Stored, Seen> {
  readonly key: Key;
  readonly #see: (stored: Stored) => Seen;
  readonly #object: Stored;

  constructor(see: (stored: Stored) => Seen, key: Key, object: Stored) {
    this.key = key;
    this.#see = see;
    this.#object = object;
  }

  get object(): Seen {
    return this.#see(this.#object);
  }
}

class LazyAdd<Stored, Seen> extends LazyEvent<Stored, Seen> implements AddEvent<Seen> {
  readonly type = 'add';
  readonly initial: boolean;

  constructor(see: (stored: Stored) => Seen, key: Key, object: Stored, initial: boolean) {
    super(see, key, object);
    this.initial = initial;
  }
}

class LazyUpdate<Stored, Seen> extends LazyEvent<Stored, Seen> implements UpdateEvent<Seen> {
  readonly type = 'update';
  readonly replaced: boolean;
  readonly resync: boolean;
  readonly #seeOld: (stored: Stored) => Seen;
  readonly #old: Stored;

  constructor(
    see: (stored: Stored) => Seen,
    key: Key,
    old: Stored,
    object: Stored,
    replaced: boolean,
    resync: boolean,
  ) {
    super(see, key, object);
    this.replaced = replaced;
    this.resync = resync;
    this.#seeOld = see;
    this.#old = old;
  }

  get old(): Seen {
    return this.#seeOld(this.#old);
  }
}

class LazyDelete<Stored, Seen> extends LazyEvent<Stored, Seen> implements DeleteEvent<Seen> {
  readonly type = 'delete';
  readonly finalStateUnknown: boolean;

  constructor(see: (stored: Stored) => Seen, key: Key, object: Stored, finalStateUnknown: boolean) {
    super(see, key, object);
    this.finalStateUnknown = finalStateUnknown;
  }
}
