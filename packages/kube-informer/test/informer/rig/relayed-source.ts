import type { Env } from '../../../src/core/env.ts';
import { INITIAL_EVENTS_END, type WatchEvent } from '../../../src/core/object/watch-event.ts';
import type { WatchOptions } from '../../../src/core/object/list-options.ts';
import type { ListWatch, WatchStream } from '../../../src/informer/list-watch/list-watch.ts';
import { EventPipe } from '../../../src/testing/event-pipe.ts';
import type { FakeSource } from '../../../src/testing/fake-source.ts';
import type { Pod } from './informer-rig.ts';

/** How the way to the server treats streams. Can be changed while they are open. */
export interface Way {
  /** Holds everything back until the stream ends, as nginx does by default. */
  buffers: boolean;
  /** Cuts a stream on which nothing has moved for this long. */
  idleMs: number | undefined;
  /** Fails every watch, echoes included; lists work. */
  refuses: unknown;
  /** A selector of the watches: events about this object are not sent. */
  hides: string | undefined;
  /** Delivers nothing on long streams, without an error; short ones work. */
  isDeaf: boolean;
}

/** A request that reached the server. */
export interface RelayedCall {
  readonly verb: 'list' | 'watch' | 'echo';
  readonly at: number;
  readonly options: WatchOptions;
}

/**
 * The server of `source` as it answers over a network: watches end after `timeoutSeconds`, with a bookmark every minute
 * and before the end; echoes are answered; `way` lies between.
 */
export class RelayedSource implements ListWatch<Pod> {
  readonly way: Way = { buffers: false, idleMs: undefined, refuses: undefined, hides: undefined, isDeaf: false };
  readonly calls: RelayedCall[] = [];
  readonly #source: FakeSource<Pod>;
  readonly #env: Env;

  constructor(source: FakeSource<Pod>, env: Env) {
    this.#source = source;
    this.#env = env;
  }

  readonly list: ListWatch<Pod>['list'] = (options, signal) => {
    this.calls.push({ verb: 'list', at: this.#env.now(), options });
    return this.#source.list(options, signal);
  };

  readonly watch = (options: WatchOptions, signal: AbortSignal): WatchStream<Pod> => {
    this.calls.push({ verb: 'watch', at: this.#env.now(), options });
    return this.#stream(options, signal, (pipe, end) => {
      void this.#forward(this.#source.watch(options, end), pipe);
      void this.#bookmarks(options, pipe, end);
    });
  };

  readonly echo = ({ timeoutSeconds }: { readonly timeoutSeconds: number }, signal: AbortSignal): WatchStream<Pod> => {
    const options = { timeoutSeconds, sendInitialEvents: true };
    this.calls.push({ verb: 'echo', at: this.#env.now(), options });
    return this.#stream(options, signal, (pipe) => {
      const annotations = { [INITIAL_EVENTS_END]: 'true' };
      pipe.push({
        type: 'BOOKMARK',
        object: { metadata: { resourceVersion: this.#source.resourceVersion, annotations } },
      });
    });
  };

  #stream(
    options: WatchOptions,
    signal: AbortSignal,
    serve: (pipe: { push(event: WatchEvent<Pod>): void; end(error?: unknown): void }, end: AbortSignal) => void,
  ): WatchStream<Pod> {
    const { way } = this;
    const pipe = new EventPipe<WatchEvent<Pod>>(signal);
    const over = new AbortController();
    signal.addEventListener('abort', () => over.abort(), { once: true });
    const held: WatchEvent<Pod>[] = [];
    const isLong = (options.timeoutSeconds ?? 300) > 60;
    const buffers = way.buffers;
    let opened = !buffers && way.refuses === undefined;
    let movedAt = this.#env.now();
    const end = (error?: unknown): void => {
      opened = true;
      for (const event of held.splice(0)) pipe.push(event);
      pipe.end(error);
      over.abort();
    };
    const push = (event: WatchEvent<Pod>): void => {
      if (way.isDeaf && isLong) return;
      movedAt = this.#env.now();
      if (buffers) held.push(event);
      else pipe.push(event);
    };
    void this.#env
      .sleep((options.timeoutSeconds ?? 300) * 1_000, over.signal)
      .then(() => !over.signal.aborted && end());
    void this.#cutWhenIdle(over.signal, () => movedAt, end);
    if (way.refuses === undefined) serve({ push, end }, over.signal);
    else pipe.end(way.refuses);
    const progress = {
      get opened() {
        return opened;
      },
      unfinished: false,
    };
    return Object.assign(pipe, { progress });
  }

  async #forward(
    events: AsyncIterable<WatchEvent<Pod>>,
    pipe: { push(event: WatchEvent<Pod>): void; end(error?: unknown): void },
  ): Promise<void> {
    try {
      for await (const event of events) {
        if (this.way.hides === undefined || (event.object as Pod).metadata?.name !== this.way.hides) pipe.push(event);
      }
    } catch (error) {
      pipe.end(error);
    }
  }

  async #bookmarks(
    { timeoutSeconds = 300, resourceVersion = '' }: WatchOptions,
    pipe: { push(event: WatchEvent<Pod>): void },
    end: AbortSignal,
  ): Promise<void> {
    const endsAt = this.#env.now() + timeoutSeconds * 1_000;
    while (!end.aborted) {
      await this.#env.sleep(Math.max(1, Math.min(60_000, endsAt - 1_500 - this.#env.now())), end);
      if (end.aborted || this.#env.now() > endsAt - 1_000) return;
      const { resourceVersion: now } = this.#source;
      if (Number(now) > Number(resourceVersion))
        pipe.push({ type: 'BOOKMARK', object: { metadata: { resourceVersion: now } } });
      if (this.#env.now() >= endsAt - 1_500) return;
    }
  }

  async #cutWhenIdle(over: AbortSignal, movedAt: () => number, cut: (error: unknown) => void): Promise<void> {
    while (!over.aborted) {
      await this.#env.sleep(1_000, over);
      const { idleMs } = this.way;
      if (!over.aborted && idleMs !== undefined && this.#env.now() - movedAt() >= idleMs)
        cut(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    }
  }
}
