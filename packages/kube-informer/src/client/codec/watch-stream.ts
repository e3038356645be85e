import { type Env, systemEnv } from '../../core/env.ts';
import { KubeError } from '../../core/errors.ts';
import { IteratorSource, type PullReceiver, type PullSource, PullStream } from '../../core/async/pull-stream.ts';
import { Slices } from '../../core/async/slices.ts';
import type { WatchEvent } from '../../core/object/watch-event.ts';
import {
  pauseDueAfterBytes, isBlankBytes, isSpaceByte, type JsonFailure, MAX_DEPTH, MAX_OBJECT_BYTES, parseJsonBytes, requireByteLimit,
} from './json-bytes.ts'; // prettier-ignore
import { JsonScanner } from './json-scan.ts';
import { LineCutter } from './line-cutter.ts';

export interface WatchStreamOptions {
  readonly env?: Env;
  /** Maximum length of a line. @default 33_554_432 (32 MB) */
  readonly maxFrameBytes?: number;
  /** Maximum nesting depth of an event's object. @default 512 */
  readonly maxDepth?: number;
}

/**
 * Turns the body of a watch into events: one line, one event. Can be iterated once.
 *
 * Promises:
 *  - only the byte LF ends a line; how the bytes are cut into chunks changes nothing
 *  - nothing unreadable is skipped: it ends the stream with WATCH_DECODE, after the events before it
 *  - a last line without its LF is no event: the stream ends with TRANSPORT ("truncated"), so that the consumer resumes
 *  - the next line is decoded when the next event is asked for, and no chunk is read ahead
 *  - leaving early, or an error found here, closes the body, once; an error of the body is passed on unchanged
 *  - an error names the line, its length and what is wrong, never its content: it may be a Secret
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
): AsyncIterableIterator<WatchEvent<T>, undefined> {
  return new WatchDecoder<T>(body, options).events;
}

/** Takes chunks from the body when an event is wanted. */
class WatchDecoder<T> implements PullSource<WatchEvent<T>>, PullReceiver<Uint8Array> {
  readonly events: PullStream<WatchEvent<T>> = new PullStream(this);
  readonly #chunks: PullSource<Uint8Array>;
  readonly #lines: LineCutter;
  readonly #maxDepth: number;
  readonly #slices: Slices;

  constructor(body: AsyncIterable<Uint8Array>, options: WatchStreamOptions) {
    const { env = systemEnv, maxFrameBytes = MAX_OBJECT_BYTES, maxDepth = MAX_DEPTH } = options;
    requireByteLimit('maxFrameBytes', maxFrameBytes);
    requireByteLimit('maxDepth', maxDepth);
    this.#lines = new LineCutter(maxFrameBytes);
    this.#maxDepth = maxDepth;
    this.#slices = new Slices(env);
    // Never answers at once: a line of many small chunks must not become a deep recursion.
    this.#chunks = new IteratorSource(body[Symbol.asyncIterator]());
  }

  // — the source of events —

  pull(): void {
    if (pauseDueAfterBytes(this.#slices, this.#lines.lastLength)) void this.#slices.pause().then(this.#supplyEvent);
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
      event = this.#decodeNext();
    } catch (error) {
      return this.events.abandon(error);
    }
    if (event === undefined) this.#chunks.pull(this);
    else this.events.push(event);
  };

  // — the receiver of chunks —

  push(chunk: Uint8Array): void {
    this.#lines.push(chunk);
    this.#supplyEvent();
  }

  end(): void {
    const { rest } = this.#lines;
    if (isBlankBytes(rest)) return this.events.end(undefined);
    this.events.fail(
      new KubeError('TRANSPORT', `the watch was truncated: it ended ${rest.length} bytes into a line`, {
        cause: new Error('unexpected EOF'),
      }),
    );
  }

  fail(error: unknown): void {
    this.events.fail(error);
  }

  /** The next event of the bytes at hand. */
  #decodeNext(): WatchEvent<T> | undefined {
    for (;;) {
      const line = this.#lines.next();
      if (line === undefined) return undefined;
      if (line[0] !== 0x7b && isBlankBytes(line)) continue;
      const event = parseJsonBytes(line, this.#maxDepth + 1, this.#unreadable);
      if (isWatchStreamEvent<T>(event)) return event;
      throw undecodableWatchStream(`${this.#lines.place} is not an event: it needs a type and an object`);
    }
  }

  // Made once: a watch delivers hundreds of thousands of events.
  readonly #unreadable = ({ reason, cause, bytes }: JsonFailure): never => {
    const { place } = this.#lines;
    if (reason === 'nested too deep') {
      throw undecodableWatchStream(`the object of ${place} nests deeper than ${this.#maxDepth} (option maxDepth)`);
    }
    if (reason === 'not valid JSON' && watchStreamEndsInside(bytes)) {
      throw undecodableWatchStream(
        `multi-line frame: ${place} ends inside an unclosed value; a server must write each event on one line`,
        cause,
      );
    }
    throw undecodableWatchStream(`${place} is ${reason}`, cause);
  };
}

/** Accepts any `type`; the consumer rejects unknown ones. */
function isWatchStreamEvent<T>(value: unknown): value is WatchEvent<T> {
  if (typeof value !== 'object' || value === null) return false;
  const { type, object } = value as { type?: unknown; object?: unknown };
  return typeof type === 'string' && typeof object === 'object' && object !== null && !Array.isArray(object);
}

function watchStreamEndsInside(line: Uint8Array): boolean {
  const first = line.find((byte) => !isSpaceByte(byte));
  if (first !== 0x7b && first !== 0x5b) return false;
  const scanner = new JsonScanner(Number.MAX_SAFE_INTEGER);
  scanner.scan(line);
  return scanner.isOpen;
}

function undecodableWatchStream(what: string, cause?: unknown): KubeError {
  return new KubeError('WATCH_DECODE', `the watch cannot be read: ${what}`, cause === undefined ? {} : { cause });
}
