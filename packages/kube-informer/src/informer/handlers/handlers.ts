import { hasCode } from '../../core/errors.ts';
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
export function deliver<T>(handler: Handler<T>, event: InformerEvent<T>): void | Promise<void> {
  switch (event.type) {
    case 'add':
      return handler.add?.(event);
    case 'update':
      return handler.update?.(event);
    case 'delete':
      return handler.delete?.(event);
  }
}

/**
 * A handler that sees only what `accepts` lets through: an object that starts to
 * match is an add, one that stops matching is a delete.
 */
export function filtered<T>(accepts: (object: T) => boolean, handler: Handler<T>): Handler<T> {
  const outer: Handler<T> = {
    add: (event) => (accepts(event.object) ? handler.add?.(event) : undefined),
    update(event) {
      const { key, object, old } = event;
      const now = accepts(object);
      const before = accepts(old);
      if (now && before) return handler.update?.(event);
      if (now) return handler.add?.({ type: 'add', key, object, initial: false });
      if (before) return handler.delete?.({ type: 'delete', key, object: old, finalStateUnknown: false });
    },
    delete: (event) => (accepts(event.object) ? handler.delete?.(event) : undefined),
    overflow: () => handler.overflow?.(),
  };
  filteredHandlers.set(outer, handler);
  return outer;
}

/** What a filter is in front of: messages should name the handler behind it. */
const filteredHandlers = new WeakMap<object, Handler<never>>();

/** What messages call a handler: its class, or its callbacks' common name. */
export function handlerName(handler: Handler<never>): string {
  const behind = filteredHandlers.get(handler);
  if (behind !== undefined) return `filtered ${handlerName(behind)}`;
  const className = (Object.getPrototypeOf(handler) as object | null)?.constructor?.name;
  if (className !== undefined && className !== '' && className !== 'Object') return className;
  const names = (['add', 'update', 'delete'] as const)
    .map((on) => handler[on]?.name ?? '')
    .filter((name) => name !== '');
  const own = names.filter((name) => name !== 'add' && name !== 'update' && name !== 'delete');
  if (own.length === 0) return 'handler';
  return [...new Set(own)].join('+');
}

/** Whether a handler failed because the cache's objects are frozen. */
export function isMutationAttempt(error: unknown): boolean {
  return (
    hasCode(error, 'CACHE_MUTATED') ||
    (error instanceof TypeError && /read only|not extensible|Cannot (assign|add|delete|define)/.test(error.message))
  );
}
