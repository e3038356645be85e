import type { Handler } from './handlers.ts';

/** The handler behind each filter, so that messages can name it. */
const filteredHandlers = new WeakMap<object, Handler<never>>();

/**
 * A handler that gets only the events of objects that `accepts` returns true for: an
 * object that starts to match is an add, one that stops matching is a delete.
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

/** The handler behind a filter; undefined for a handler without one. */
export function handlerBehindFilter(handler: Handler<never>): Handler<never> | undefined {
  return filteredHandlers.get(handler);
}
