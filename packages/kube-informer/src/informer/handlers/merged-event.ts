import type { Key } from '../../core/object/key.ts';
import type { InformerEvent } from './handlers.ts';

/** Merges two events of one key, of which `before` has not been delivered yet. */
export function mergeEvents<T>(
  before: InformerEvent<T>,
  after: InformerEvent<T>,
): InformerEvent<T> | 'both' | 'neither' {
  if (after.type === 'update' && after.resync && before.type !== 'delete') return before; // the waiting event delivers the same state
  switch (before.type) {
    case 'add':
      if (after.type === 'delete') return 'neither';
      return new MergedEvent('add', before, after, { initial: before.initial }) as unknown as InformerEvent<T>;
    case 'update':
      if (after.type === 'delete') return after;
      return new MergedEvent('update', before, after, {
        replaced: before.replaced || (after.type === 'update' && after.replaced),
        resync: before.resync && after.type === 'update' && after.resync,
      }) as unknown as InformerEvent<T>;
    case 'delete':
      return after.type === 'delete' ? before : 'both';
  }
}

/**
 * Two events delivered as one. `object` and `old` stay getters: they may decode on demand, and a handler that
 * reads only the key must not cause that.
 */
class MergedEvent<T> {
  readonly type: 'add' | 'update';
  readonly key: Key;
  /** The source of `old`. Never a merged event itself: a busy key would grow a chain of them. */
  readonly #first: InformerEvent<T>;
  readonly #last: InformerEvent<T>;

  constructor(type: 'add' | 'update', before: InformerEvent<T>, after: InformerEvent<T>, facts: object) {
    this.type = type;
    this.key = before.key;
    this.#first = before instanceof MergedEvent ? (before.#first as InformerEvent<T>) : before;
    this.#last = after;
    Object.assign(this, facts);
  }

  get object(): T {
    return this.#last.object;
  }

  get old(): T | undefined {
    return this.#first.type === 'update' ? this.#first.old : undefined;
  }
}
