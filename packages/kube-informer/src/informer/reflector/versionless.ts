import type { Key, KeyFn } from '../../core/object/key.ts';
import { KubeError, errorMessageOf } from '../../core/errors.ts';
import { isVersionPlaceInHistory } from '../../core/object/resource-version.ts';
import { DEFAULT_PAGE_SIZE, listPages } from '../list-watch/pager.ts';
import type { ReflectorContext } from './reflector-context.ts';
import type { WatchSession } from './watch-session.ts';

/** Delay before the first list, and the time a DELETED event gets to arrive after a list. */
const FIRST_PAUSE_MS = 1_000;

/**
 * The keys in the sink, for a server whose lists have no version.
 *
 * A watch of such a server begins with an event for every existing object and never
 * reports what was deleted before. So every key in the sink is in doubt when such a
 * watch is opened, until an event for it arrives.
 *
 * Room rule: bookkeeping of keys. Sends no requests.
 */
export class Versionless<T> {
  readonly #keyOf: KeyFn<T>;
  readonly #known: Set<Key>;
  readonly #doubted: Set<Key>;

  constructor(items: Iterable<T>, keyOf: KeyFn<T>) {
    this.#keyOf = keyOf;
    this.#known = new Set(this.#keysOf(items));
    this.#doubted = new Set(this.#known);
  }

  get inDoubt(): number {
    return this.#doubted.size;
  }

  /** Records that a watch was opened that does not report earlier deletes: all keys are in doubt. */
  watchOpened(): void {
    for (const key of this.#known) this.#doubted.add(key);
  }

  eventReceived(type: string, object: T): void {
    if (type === 'BOOKMARK') return;
    const key = this.#keyOf(object);
    this.#doubted.delete(key);
    if (type === 'DELETED') this.#known.delete(key);
    else this.#known.add(key);
  }

  /** The keys that are in doubt and not in `items`. */
  missingFrom(items: Iterable<T>): Key[] {
    const there = new Set(this.#keysOf(items));
    return [...this.#doubted].filter((key) => !there.has(key));
  }

  isDoubted(key: Key): boolean {
    return this.#doubted.has(key);
  }

  settle(): void {
    this.#doubted.clear();
  }

  *#keysOf(items: Iterable<T>): Iterable<Key> {
    for (const item of items) {
      try {
        yield this.#keyOf(item);
      } catch {
        // An object without a key was logged and is not in the sink.
      }
    }
  }
}

/**
 * Finds objects that were deleted between a list without a version and its watch: they are missing from a second list,
 * taken while the watch is open. A relist then repairs the sink. No list is needed when the watch has sent an event for
 * every key, as kube-apiserver does. While no event arrives, the list is repeated, each time after twice the pause: the
 * watch may not have been open yet.
 */
export async function probeVersionlessWatch<T>(
  context: ReflectorContext<T>,
  session: WatchSession<T>,
  book: Versionless<T>,
): Promise<void> {
  const { env, source } = context.options;
  const { signal } = session;
  const hasPlace = isVersionPlaceInHistory(session.openedWith.resourceVersion ?? '');
  if (!hasPlace) book.watchOpened();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    await env.sleep(pauseMs, signal);
    if (signal.aborted) return;
    if (book.inDoubt === 0) break;
    const isOpen = hasPlace || session.accepted > 0;
    try {
      const { items } = await listPages(source, {}, { pageSize: DEFAULT_PAGE_SIZE, signal });
      const missing = book.missingFrom(items);
      // The DELETED event may still be on its way.
      if (missing.length > 0) await env.sleep(FIRST_PAUSE_MS, signal);
      if (signal.aborted) return;
      const gone = missing.filter((key) => book.isDoubted(key));
      if (gone.length > 0) {
        context.options.metrics.missedEvents.inc(gone.length);
        const what = gone.length === 1 ? `${gone[0]} is gone` : `${gone.length} objects are gone`;
        const message = `${what} without a DELETED event: the lists of this server have no version to watch from`;
        return session.interrupt(new KubeError('CONTINUITY_LOST', message));
      }
      if (isOpen) {
        book.settle();
        break;
      }
    } catch (error) {
      if (signal.aborted) return;
      context.log('debug', 'the check of a watch without a version failed; it is retried', {
        error: errorMessageOf(error),
      });
    }
  }
  // From here on every change has an event, also after a reconnect.
  if (hasPlace) context.setVersionless(undefined);
}
