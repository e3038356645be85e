import type { UserCode } from '../../core/guarded.ts';
import { type Env, guardedEnv, systemEnv } from '../../core/env.ts';
import { IteratorSource, type PullReceiver, type PullSource, PullStream } from '../../core/async/pull-stream.ts';
import { Slices } from '../../core/async/slices.ts';
import type { WatchEvent } from '../../core/object/watch-event.ts';
import { MAX_DEPTH } from '../../core/object/json-check.ts';
import { MAX_OBJECT_BYTES, pauseDueAfterBytes, limitOfJsonBytes } from './json-bytes.ts';
import { jsonFormat } from './json-format.ts';
import type { InnerStreamOptions } from './list-stream.ts';
import type { FrameFeed, WireFormat } from './wire-format.ts';

export interface WatchStreamOptions {
  readonly env?: UserCode<Env>;
  /** Maximum length of a line. @default 33_554_432 (32 MB) */
  readonly maxFrameBytes?: number;
  /** Maximum nesting depth of an event's object. @default 1_000 */
  readonly maxDepth?: number;
  /**
   * An event whose object cannot be decoded: `throw` WATCH_DECODE, or `mark` the object with `unreadableObject` and
   * continue, as informers do. @default 'throw'
   */
  readonly unreadable?: 'throw' | 'mark';
  /** Whether the watch is of Secrets, which an ERROR event may quote. @default false */
  readonly isSecret?: boolean;
}

/**
 * Turns the body of a watch into events: one line, one event. Can be iterated once.
 *
 * Promises:
 *  - only the byte LF ends a line; how the bytes are cut into chunks changes nothing
 *  - nothing unreadable is skipped: it ends the stream with WATCH_DECODE, after the events before it; with `mark`, an
 *    event whose type, name and version can be read is yielded with a marked object instead
 *  - a last line without its LF is not an event: the stream ends with TRANSPORT ("truncated"), so that the consumer resumes
 *  - the next line is decoded when the next event is asked for, and no chunk is read ahead
 *  - leaving early, or an error found here, closes the body, once; an error of the body is passed on unchanged
 *  - an error names the line, its length and what is wrong, never its content: it may be a Secret
 *  - the Status of an ERROR event is redacted and bounded, as that of a failed response
 *  - decoding a large chunk yields to the event loop every few milliseconds
 *
 * Not promised: that `type` is a known one, or that the object has metadata. The consumer checks both.
 * Numbers and duplicate keys follow the rules of `parseJsonBytes`.
 *
 * Room rule: knows UTF-8, lines and JSON. No retry, no resourceVersion, no sockets.
 */
export function decodeWatchStream<T>(
  body: AsyncIterable<Uint8Array>,
  options: WatchStreamOptions = {},
): WatchEvents<T> {
  return decodeWatchStreamOf(jsonFormat, body, options);
}

/** Decodes a watch in any format, as `decodeWatchStream` does for JSON. */
export function decodeWatchStreamOf<T>(
  format: WireFormat,
  body: AsyncIterable<Uint8Array>,
  options: WatchStreamOptions & InnerStreamOptions<T>,
): WatchEvents<T> {
  const decoder = new WatchDecoder<T>(format, body, options);
  return Object.defineProperty(decoder.events as PullStream<WatchEvent<T>> & WatchEvents<T>, 'isUnfinished', {
    get: () => decoder.isUnfinished,
  });
}

/** The events of a watch, and whether the last one has begun to arrive and has not ended. */
export interface WatchEvents<T> extends AsyncIterableIterator<WatchEvent<T>, undefined> {
  readonly isUnfinished: boolean;
}

/** Takes chunks from the body when an event is wanted. */
class WatchDecoder<T> implements PullSource<WatchEvent<T>>, PullReceiver<Uint8Array> {
  readonly events: PullStream<WatchEvent<T>> = new PullStream(this);
  readonly #chunks: PullSource<Uint8Array>;
  readonly #frames: FrameFeed<T>;
  readonly #slices: Slices;

  constructor(
    format: WireFormat,
    body: AsyncIterable<Uint8Array>,
    options: WatchStreamOptions & InnerStreamOptions<T>,
  ) {
    const { maxFrameBytes = MAX_OBJECT_BYTES, maxDepth = MAX_DEPTH, unreadable = 'throw', isSecret = false } = options;
    const { builder, metadataOnly, onUnknown } = options;
    limitOfJsonBytes('maxFrameBytes', maxFrameBytes);
    limitOfJsonBytes('maxDepth', maxDepth);
    const inner = { builder, metadataOnly, onUnknown };
    this.#frames = format.frames<T>({ maxFrameBytes, maxDepth, unreadable, isSecret, ...inner });
    this.#slices = new Slices(guardedEnv(options.env ?? systemEnv));
    // Never settles at once: a line of many small chunks must not cause a deep recursion.
    this.#chunks = new IteratorSource(body[Symbol.asyncIterator]());
  }

  get isUnfinished(): boolean {
    return this.#frames.isUnfinished;
  }

  // — the source of events —

  pull(): void {
    if (pauseDueAfterBytes(this.#slices, this.#frames.lastLength)) void this.#slices.pause().then(this.#supplyEvent);
    else this.#supplyEvent();
  }

  close(): unknown {
    return this.#chunks.close();
  }

  /** Supplies the next event of the bytes at hand, or reads more bytes. */
  readonly #supplyEvent = (): void => {
    if (this.events.isOver) return;
    let event: WatchEvent<T> | undefined;
    try {
      event = this.#frames.next();
    } catch (error) {
      return this.events.abandon(error);
    }
    if (event === undefined) this.#chunks.pull(this);
    else this.events.push(event);
  };

  // — the receiver of chunks —

  push(chunk: Uint8Array): void {
    this.#frames.push(chunk);
    this.#supplyEvent();
  }

  end(): void {
    const truncation = this.#frames.truncation();
    if (truncation === undefined) this.events.end(undefined);
    else this.events.fail(truncation);
  }

  fail(error: unknown): void {
    this.events.fail(error);
  }
}
