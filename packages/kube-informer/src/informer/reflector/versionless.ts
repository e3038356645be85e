import type { Key, KeyFn } from '../../core/object/key.ts';
import { KubeError, messageOf } from '../../core/errors.ts';
import { isPlaceInHistory } from '../../core/object/resource-version.ts';
import { DEFAULT_PAGE_SIZE, listPages } from '../list-watch/pager.ts';
import type { ReflectorContext } from './reflector-context.ts';
import type { WatchSession } from './watch-session.ts';

/** The first question, and the time an event gets to come before its absence counts. */
const FIRST_PAUSE_MS = 1_000;

/**
 * What has been handed on from a server whose lists have no version.
 *
 * Its watches begin with everything there is and never say what is not there any
 * more. So whatever the cache holds when such a stream is opened is in doubt until
 * the stream has spoken of it.
 *
 * Room rule: a book of keys. Asks nobody.
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

  /** A stream begins that cannot say what happened before it. */
  opened(): void {
    for (const key of this.#known) this.#doubted.add(key);
  }

  heard(type: string, object: T): void {
    if (type === 'BOOKMARK') return;
    const key = this.#keyOf(object);
    this.#doubted.delete(key);
    if (type === 'DELETED') this.#known.delete(key);
    else this.#known.add(key);
  }

  /** What is in doubt and not among `items`. */
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
        // Without a key it is not in the cache, and was reported.
      }
    }
  }
}

/**
 * Finds what was deleted between a list without a version and its watch: a second list, taken while the stream is open,
 * does not have it. Then a whole new list heals it. A server that speaks of everything, as kube-apiserver does, is not
 * asked. One that says nothing is asked again, each time after twice the pause: maybe the stream was not yet open.
 */
export async function probeVersionlessWatch<T>(
  context: ReflectorContext<T>,
  session: WatchSession<T>,
  book: Versionless<T>,
): Promise<void> {
  const { env, source } = context.options;
  const { signal } = session;
  const hasPlace = isPlaceInHistory(session.openedWith.resourceVersion ?? '');
  if (!hasPlace) book.opened();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    await env.sleep(pauseMs, signal);
    if (signal.aborted) return;
    if (book.inDoubt === 0) break;
    const isOpen = hasPlace || session.accepted > 0;
    try {
      const { items } = await listPages(source, {}, { pageSize: DEFAULT_PAGE_SIZE, signal });
      const missing = book.missingFrom(items);
      // Its event may be on the way.
      if (missing.length > 0) await env.sleep(FIRST_PAUSE_MS, signal);
      if (signal.aborted) return;
      const gone = missing.filter((key) => book.isDoubted(key));
      if (gone.length > 0) {
        context.options.metrics.missedEvents.inc(gone.length);
        const what = gone.length === 1 ? `${gone[0]} is gone` : `${gone.length} objects are gone`;
        const message = `${what}, and no event said so: the lists of this server have no version to watch from`;
        return session.interrupt(new KubeError('CONTINUITY_LOST', message));
      }
      if (isOpen) {
        book.settle();
        break;
      }
    } catch (error) {
      if (signal.aborted) return;
      context.log('debug', 'the watch of a list without a version could not be checked; it will be tried again', {
        error: messageOf(error),
      });
    }
  }
  // From here on every change has an event, also after a break.
  if (hasPlace) context.versionless = undefined;
}
