import type { Key } from '../../core/object/key.ts';

/**
 * What a handler is told. One object per event; `object` and `old` may be
 * getters that decode on demand, so take only what you need. `key` costs nothing.
 *
 * The objects are shared with the cache and with every other handler: read them, never change them.
 */
export type InformerEvent<T> = AddEvent<T> | UpdateEvent<T> | DeleteEvent<T>;

export interface AddEvent<T> {
  readonly type: 'add';
  readonly key: Key;
  readonly object: T;
  /** Part of the first list, or of what was already there when the handler joined. */
  readonly initial: boolean;
}

export interface UpdateEvent<T> {
  readonly type: 'update';
  readonly key: Key;
  readonly object: T;
  /** The state this handler was told last. States in between may have been skipped. */
  readonly old: T;
  /** Another object under the same name: the old one was deleted and its delete was not seen. */
  readonly replaced: boolean;
  /** Nothing changed; the handler asked to be told again from time to time. */
  readonly resync: boolean;
}

export interface DeleteEvent<T> {
  readonly type: 'delete';
  readonly key: Key;
  /** The last state; its resourceVersion is one at which the object was already gone. */
  readonly object: T;
  /** The delete was found by a list: `object` is the last state seen, maybe not the last there was. */
  readonly finalStateUnknown: boolean;
}

/** Every callback is optional. A returned promise is awaited before the next event. */
export interface Handler<T> {
  add?(event: AddEvent<T>): void | Promise<void>;
  update?(event: UpdateEvent<T>): void | Promise<void>;
  delete?(event: DeleteEvent<T>): void | Promise<void>;
  /** Policy `detach`: events were dropped; forget what you know, everything follows as initial adds. */
  overflow?(): void | Promise<void>;
}

/** Calls the callback that fits. */
export function deliverEvent<T>(handler: Handler<T>, event: InformerEvent<T>): void | Promise<void> {
  switch (event.type) {
    case 'add':
      return handler.add?.(event);
    case 'update':
      return handler.update?.(event);
    case 'delete':
      return handler.delete?.(event);
  }
}
