import { type Env, systemEnv } from '../../core/env.ts';
import { KubeError } from '../../core/errors.ts';
import { Slices } from '../../core/async/slices.ts';
import type { WatchEvent } from '../../core/object/watch-event.ts';
import {
  dueAfter, isBlank, isSpace, type JsonFailure, MAX_DEPTH, MAX_OBJECT_BYTES, parseJson, requireLimit,
} from './json-bytes.ts'; // prettier-ignore
import { JsonScanner } from './json-scan.ts';
import { LineCutter } from './line-cutter.ts';

export interface WatchStreamOptions {
  readonly env?: Env;
  /** Longest line. @default 33_554_432 (32 MB) */
  readonly maxFrameBytes?: number;
  /** Deepest nesting of an event's object. @default 512 */
  readonly maxDepth?: number;
}

/**
 * Turns the body of a watch into events: one line, one event. Can be iterated once.
 *
 * Promises:
 *  - only the byte LF ends a line; how the bytes are cut into chunks changes nothing
 *  - nothing unreadable is skipped: it ends the stream with WATCH_DECODE, after the events before it
 *  - a last line without its LF is no event: the stream ends with TRANSPORT ("truncated"), so that the reader resumes
 *  - the next line is decoded when the next event is asked for, and no chunk is read ahead
 *  - leaving early, or an error found here, closes the body, once; what the body throws is handed on as it is
 *  - an error says where, how long and what kind, never what: the line may be a Secret
 *  - however large a chunk is, the event loop gets its turn every few milliseconds
 *
 * Not promised: that `type` is a known one, or that the object has metadata. The reader of the events decides that.
 * Numbers and equal keys are as `parseJson` says.
 *
 * Room rule: knows UTF-8, lines and JSON. No retry, no resourceVersion, no sockets.
 */
export function decodeWatchStream<T>(
  body: AsyncIterable<Uint8Array>,
  options: WatchStreamOptions = {},
): AsyncIterableIterator<WatchEvent<T>, undefined> {
  return new WatchStream<T>(body, options);
}

type Result<T> = IteratorResult<WatchEvent<T>, undefined>;

const END: { readonly done: true; readonly value: undefined } = { done: true, value: undefined };

/** Written by hand: a generator takes three turns of the job queue per event, also when ten lie in one chunk. */
class WatchStream<T> implements AsyncIterableIterator<WatchEvent<T>, undefined> {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #lines: LineCutter;
  readonly #maxDepth: number;
  readonly #slices: Slices;
  /** The answer somebody waits for. */
  #pending: Promise<Result<T>> | undefined;
  #answer: (result: Result<T>) => void = ignore;
  #refuse: (error: unknown) => void = ignore;
  #isOver = false;
  #closing: Promise<void> | undefined;

  constructor(body: AsyncIterable<Uint8Array>, options: WatchStreamOptions) {
    const { env = systemEnv, maxFrameBytes = MAX_OBJECT_BYTES, maxDepth = MAX_DEPTH } = options;
    requireLimit('maxFrameBytes', maxFrameBytes);
    requireLimit('maxDepth', maxDepth);
    this.#lines = new LineCutter(maxFrameBytes);
    this.#maxDepth = maxDepth;
    this.#slices = new Slices(env);
    this.#chunks = body[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result<T>> {
    if (this.#pending !== undefined) {
      const again = (): Promise<Result<T>> => this.next();
      return this.#pending.then(again, again);
    }
    if (this.#isOver) return Promise.resolve(END);
    const pause = dueAfter(this.#slices, this.#lines.lastLength);
    if (!pause) {
      try {
        const value = this.#decodeNext();
        if (value !== undefined) return Promise.resolve({ done: false, value });
      } catch (error) {
        this.#abandon();
        return Promise.reject(error as Error);
      }
    }
    this.#pending = new Promise((resolve, reject) => {
      this.#answer = resolve;
      this.#refuse = reject;
    });
    if (pause) void this.#slices.pause().then(this.#goOn);
    else this.#read();
    return this.#pending;
  }

  /** Idempotent. Answers a `next` that is still waiting at once, whatever the body does. */
  async return(): Promise<IteratorReturnResult<undefined>> {
    if (!this.#isOver) {
      this.#close();
      this.#settle()(END);
    }
    await this.#closing;
    return END;
  }

  #read(): void {
    // The wrapping function turns a body that throws at once into one that rejects.
    void (async () => this.#chunks.next())().then(this.#arrived, this.#failed);
  }

  readonly #arrived = (chunk: IteratorResult<Uint8Array>): void => {
    if (this.#isOver) return;
    if (chunk.done !== true) {
      this.#lines.push(chunk.value);
      return this.#goOn();
    }
    this.#isOver = true;
    const { rest } = this.#lines;
    if (isBlank(rest)) return this.#settle()(END);
    this.#failed(
      new KubeError('TRANSPORT', `the watch was truncated: it ended ${rest.length} bytes into a line`, {
        cause: new Error('unexpected EOF'),
      }),
    );
  };

  /** After a chunk or a pause: the next event, or more bytes. */
  readonly #goOn = (): void => {
    if (this.#isOver) return;
    let value: WatchEvent<T> | undefined;
    try {
      value = this.#decodeNext();
    } catch (error) {
      this.#abandon();
      return this.#failed(error);
    }
    if (value === undefined) this.#read();
    else this.#settle()({ done: false, value });
  };

  readonly #failed = (error: unknown): void => {
    this.#isOver = true;
    const refuse = this.#refuse;
    this.#settle();
    refuse(error);
  };

  /** Whoever waited is about to be answered. */
  #settle(): (result: Result<T>) => void {
    const answer = this.#answer;
    this.#pending = undefined;
    this.#answer = ignore;
    this.#refuse = ignore;
    return answer;
  }

  #close(): void {
    this.#isOver = true;
    this.#closing = (async () => void (await this.#chunks.return?.()))();
  }

  #abandon(): void {
    this.#close();
    // What was found in the bytes is the error to report, not that closing failed as well.
    this.#closing = this.#closing?.catch(ignore);
  }

  /** The next event of the bytes at hand. */
  #decodeNext(): WatchEvent<T> | undefined {
    for (;;) {
      const line = this.#lines.next();
      if (line === undefined) return undefined;
      if (line[0] !== 0x7b && isBlank(line)) continue;
      const event = parseJson(line, this.#maxDepth + 1, this.#unreadable);
      if (isEvent<T>(event)) return event;
      throw undecodable(`${this.#lines.place} is not an event: it needs a type and an object`);
    }
  }

  // Made once: a watch delivers hundreds of thousands of events.
  readonly #unreadable = ({ reason, cause, bytes }: JsonFailure): never => {
    const { place } = this.#lines;
    if (reason === 'nested too deep') {
      throw undecodable(`the object of ${place} nests deeper than ${this.#maxDepth} (option maxDepth)`);
    }
    if (reason === 'not valid JSON' && endsInsideValue(bytes)) {
      throw undecodable(
        `multi-line frame: ${place} ends inside an unclosed value; a server must write each event on one line`,
        cause,
      );
    }
    throw undecodable(`${place} is ${reason}`, cause);
  };
}

/** Whatever `type` says: an unknown one is for the reader to refuse. */
function isEvent<T>(value: unknown): value is WatchEvent<T> {
  if (typeof value !== 'object' || value === null) return false;
  const { type, object } = value as { type?: unknown; object?: unknown };
  return typeof type === 'string' && typeof object === 'object' && object !== null && !Array.isArray(object);
}

function endsInsideValue(line: Uint8Array): boolean {
  const first = line.find((byte) => !isSpace(byte));
  if (first !== 0x7b && first !== 0x5b) return false;
  const scanner = new JsonScanner(Number.MAX_SAFE_INTEGER);
  scanner.scan(line);
  return scanner.isOpen;
}

function undecodable(what: string, cause?: unknown): KubeError {
  return new KubeError('WATCH_DECODE', `the watch cannot be read: ${what}`, cause === undefined ? {} : { cause });
}

function ignore(): void {}
