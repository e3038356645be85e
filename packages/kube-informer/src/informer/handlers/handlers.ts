import type { Key } from '../../core/object/key.ts';

/**
 * An event for a handler. `object` and `old` may be getters that decode on demand,
 * so read only what you need. Reading `key` costs nothing.
 *
 * An event is frozen. Its objects are shared with the cache and with every other handler: never change them.
 */
export type InformerEvent<T> = AddEvent<T> | UpdateEvent<T> | DeleteEvent<T>;

export interface AddEvent<T> {
  readonly type: 'add';
  readonly key: Key;
  readonly object: T;
  /** Whether the object was in the first list, or already in the cache when the handler was added. */
  readonly initial: boolean;
}

export interface UpdateEvent<T> {
  readonly type: 'update';
  readonly key: Key;
  readonly object: T;
  /** The state this handler got last. States in between may have been skipped. */
  readonly old: T;
  /** Whether the object was deleted and recreated under the same name, and the delete event was missed. */
  readonly replaced: boolean;
  /** Whether nothing changed, and the event was sent because of `resyncMs`. */
  readonly resync: boolean;
}

export interface DeleteEvent<T> {
  readonly type: 'delete';
  readonly key: Key;
  /** The last state. Its resourceVersion is that of the delete, unless `finalStateUnknown`. */
  readonly object: T;
  /**
   * Whether the delete event was missed and the delete found by a list: then `object` is the last known state
   * and may be old.
   */
  readonly finalStateUnknown: boolean;
}

/**
 * Callbacks for events; each is optional. A returned promise is awaited before the next event; any other
 * result is ignored.
 */
export interface Handler<T> {
  add?(event: AddEvent<T>): unknown;
  update?(event: UpdateEvent<T>): unknown;
  delete?(event: DeleteEvent<T>): unknown;
  /** Policy `detach` only: events were dropped; discard your state, all objects follow as initial adds. */
  overflow?(): unknown;
}

/** Calls the handler's callback for the type of `event`. */
export function deliverToHandlers<T>(handler: Handler<T>, event: InformerEvent<T>): unknown {
  switch (event.type) {
    case 'add':
      return handler.add?.(event);
    case 'update':
      return handler.update?.(event);
    case 'delete':
      return handler.delete?.(event);
  }
}
