import { guardedAnswer, type UserCode } from '../../core/guarded.ts';
import type { Key } from '../../core/object/key.ts';
import type { Handler } from './handlers.ts';

interface Filter {
  readonly accepts: (object: never) => boolean;
  readonly handler: Handler<never>;
}

/** The parts of each filter. */
const filters = new WeakMap<object, Filter>();

/**
 * A handler that gets only the events of objects that `filter` returns true for: an
 * object that starts to match is an add, one that stops matching is a delete.
 *
 * It remembers for each existing object whether the handler has it, so the delete of an object is not lost
 * when its last state no longer matches, and no delete is sent of an object that never matched.
 */
export function filtered<T>(filter: UserCode<(object: T) => boolean>, handler: Handler<T>): Handler<T> {
  // An error of the filter is a failure of the handler: the event is skipped and reported.
  const accepts = guardedAnswer('the filter', filter);
  /** Whether the handler has the object. Without an entry, no event of the object has come yet. */
  const passed = new Map<Key, boolean>();
  const outer: Handler<T> = {
    add(event) {
      const now = accepts(event.object);
      passed.set(event.key, now);
      return now ? handler.add?.(event) : undefined;
    },
    update(event) {
      const { key, object, old } = event;
      const now = accepts(object);
      // Without initial adds, the first event of an object may be an update or a delete.
      const before = passed.get(key) ?? accepts(old);
      passed.set(key, now);
      if (now && before) return handler.update?.(event);
      if (now) return handler.add?.({ type: 'add', key, object, initial: false });
      if (before) return handler.delete?.({ type: 'delete', key, object: old, finalStateUnknown: false });
    },
    delete(event) {
      const before = passed.get(event.key) ?? accepts(event.object);
      passed.delete(event.key);
      return before ? handler.delete?.(event) : undefined;
    },
    overflow() {
      passed.clear();
      return handler.overflow?.();
    },
  };
  filters.set(outer, { accepts, handler });
  return outer;
}

/**
 * The handler for one registration. A filter gets a memory of its own: the same handler may be registered with informers
 * of several clusters, which have different objects under the same keys.
 */
export function filteredForRegistration<T>(handler: Handler<T>): Handler<T> {
  const filter = filters.get(handler);
  if (filter === undefined) return handler;
  const accepts = filter.accepts as (object: T) => boolean;
  return filtered(accepts, filteredForRegistration(filter.handler as Handler<T>));
}

/** The handler behind a filter; undefined for a handler without one. */
export function behindFiltered(handler: Handler<never>): Handler<never> | undefined {
  return filters.get(handler)?.handler;
}
