import { INITIAL_EVENTS_END, type WatchEvent } from '../../../src/core/object/watch-event.ts';
import type { ListWatch } from '../../../src/informer/list-watch/list-watch.ts';
import { EventPipe } from '../../../src/testing/event-pipe.ts';
import type { FakeEnv } from '../../../src/testing/fake-clock.ts';
import { type Pod, pod } from './informer-rig.ts';

const BOOKMARK_EVERY_MS = 60_000;
/** One comes shortly before the end of a watch, too. */
const LAST_BOOKMARK_MS = 2_000;

export interface TimedWorld {
  /** The version of the server. */
  readonly versionAt: (now: number) => number;
  /** The version of the bookmarks of long watches. @default that of the server */
  readonly bookmarkAt?: (now: number) => number;
  /** Whether it answers what needs its storage. @default always */
  readonly answersAt?: (now: number) => boolean;
}

/** A server with one object that never changes, whose version the time decides. */
export class TimedServer implements ListWatch<Pod> {
  readonly #env: FakeEnv;
  readonly #world: Required<TimedWorld>;
  /** Everything that passes between server and client, with its time: all that a client can judge by. */
  readonly transcript: { readonly at: number; readonly what: string }[] = [];

  constructor(env: FakeEnv, world: TimedWorld) {
    this.#env = env;
    this.#world = { bookmarkAt: world.versionAt, answersAt: () => true, ...world };
  }

  /** When each of these requests came. */
  requests(kind = ''): number[] {
    return this.transcript.filter(({ what }) => what.startsWith(`→ ${kind}`)).map(({ at }) => at);
  }

  #note(what: string): void {
    this.transcript.push({ at: this.#env.now(), what });
  }

  #bookmark(version: number, isMarker: boolean): WatchEvent<Pod> {
    const annotations = isMarker ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {};
    this.#note(`← bookmark ${version}`);
    return { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version), ...annotations } } as Pod };
  }

  async list(): ReturnType<ListWatch<Pod>['list']> {
    this.#note('→ list');
    const resourceVersion = String(this.#world.versionAt(this.#env.now()));
    return { metadata: { resourceVersion }, items: [pod('web/a', {}, { resourceVersion: '1' })] };
  }

  watch(options: Parameters<ListWatch<Pod>['watch']>[0], signal: AbortSignal): AsyncIterable<WatchEvent<Pod>> {
    const { timeoutSeconds = 600, resourceVersion } = options;
    const isShort = timeoutSeconds * 1_000 < BOOKMARK_EVERY_MS;
    this.#note(`→ ${isShort ? 'short' : 'long'} watch ${resourceVersion}`);
    const pipe = new EventPipe<WatchEvent<Pod>>(signal);
    const endsAt = this.#env.now() + timeoutSeconds * 1_000;
    const { versionAt, bookmarkAt } = this.#world;
    const mark = async (ms: number): Promise<void> => {
      await this.#env.sleep(ms, signal);
      const now = this.#env.now();
      if (!pipe.isEnded) pipe.push(this.#bookmark(isShort ? versionAt(now) : bookmarkAt(now), false));
    };
    void (async () => {
      while (!pipe.isEnded && this.#env.now() + BOOKMARK_EVERY_MS < endsAt) await mark(BOOKMARK_EVERY_MS);
      await mark(endsAt - LAST_BOOKMARK_MS - this.#env.now());
      await this.#env.sleep(LAST_BOOKMARK_MS, signal);
      pipe.end();
    })();
    return pipe;
  }

  echo(_options: unknown, signal: AbortSignal): AsyncIterable<WatchEvent<Pod>> {
    this.#note('→ echo');
    const pipe = new EventPipe<WatchEvent<Pod>>(signal);
    const now = this.#env.now();
    // What needs the storage is not answered by a server that has lost it.
    if (this.#world.answersAt(now)) pipe.push(this.#bookmark(this.#world.versionAt(now), true));
    return pipe;
  }
}
