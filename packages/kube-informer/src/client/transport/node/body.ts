import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Env } from '../../../core/env.ts';
import { abortError, type KubeError } from '../../../core/errors.ts';
import { SilenceWatch } from '../silence.ts';
import { transportFailureCause, transportFailure } from '../transport-failure.ts';

/** The stream behind a body. */
export interface BodySource {
  readonly stream: Readable;
  /** Whether pings find dead connections, so that silence need not be watched. */
  readonly pinged: boolean;
  /** Whether the peer declared the end. A stream that ends without it was cut. */
  complete(): boolean;
  /** The reason the connection broke, if known. */
  failure(): unknown;
  /** Ends the stream now and frees its resources. */
  cancel(): void;
  /** Ends the stream early. Keeps the connection if no bytes are outstanding; resolves when the next request may use it. */
  leave(): Promise<void>;
}

export interface BodyOptions {
  /** For messages: "GET /api/v1/pods". */
  readonly what: string;
  readonly env: Env;
  readonly signal: AbortSignal;
  /** Whether no bytes will follow, so that the connection is free without a read. */
  readonly empty: boolean;
  readonly gzip: boolean;
  /** Maximum size after decompression; 0: no limit. */
  readonly maxBytes: number;
  /** Maximum time without a byte while the reader waits; 0: no limit. */
  readonly silenceMs: number;
  /** Called once, when the body has ended or failed. */
  readonly onDone: () => void;
}

/**
 * The stream is paused while this many bytes wait for the reader: two reads of a socket, one of which the
 * reader is about to take.
 */
const MAX_WAITING_BYTES = 131_072;
/** Size of decompressed chunks. */
const GUNZIP_CHUNK = 65_536;
/** Maximum ratio of decompressed to compressed bytes. Lists have 10 to 50, and equal objects in a row at most 150. */
const MAX_RATIO = 250;
/** Decompressed bytes up to which any ratio is accepted: a small body may be all spaces. */
const MIN_JUDGED_BYTES = 8_388_608;

/**
 * The bytes of one response, read only as fast as the consumer asks for them.
 *
 * Ends cleanly only if the peer declared the end; otherwise throws TRANSPORT. An abort, a limit or silence ends it at
 * once, also between reads, and frees the stream. A second iteration continues where the first one stopped.
 *
 * Room rule: bytes. Knows neither HTTP version nor lines.
 */
export class Body implements AsyncIterableIterator<Uint8Array> {
  readonly #source: BodySource;
  readonly #options: BodyOptions;
  readonly #output: Readable;
  readonly #silence: SilenceWatch | undefined;
  #bytes = 0;
  /** Compressed bytes that have arrived. */
  #zipped = 0;
  #state: 'open' | 'ended' | 'failed' = 'open';
  #failure: KubeError | undefined;
  /** Chunks that were not read yet, and their bytes. */
  readonly #arrived: Uint8Array[] = [];
  #waiting = 0;
  #wake = (): void => {};

  constructor(source: BodySource, options: BodyOptions) {
    this.#source = source;
    this.#options = options;
    const { stream } = source;
    const { env, silenceMs, signal, gzip, empty } = options;
    stream.on('error', () => this.#cut());
    stream.on('end', () => source.complete() || this.#cut());
    // Emitted after `end` on success.
    stream.on('close', () => source.complete() || this.#cut());
    if (silenceMs > 0) {
      this.#silence = new SilenceWatch(env, silenceMs, () =>
        this.#fail(transportFailureCause('ERR_SILENT', `silent: no byte for ${silenceMs} ms`)),
      );
    }
    this.#output = gzip ? this.#unzipped(stream) : stream;
    if (empty) stream.resume();
    else {
      this.#output.on('data', this.#take);
      this.#output.pause();
    }
    this.#output.on('end', () => this.#settle('ended'));
    if (signal.aborted) this.#aborted();
    else signal.addEventListener('abort', this.#aborted, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#silence?.waiting();
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      const chunk = this.#arrived.shift();
      if (chunk !== undefined) {
        this.#waiting -= chunk.length;
        this.#silence?.satisfied();
        this.#count(chunk.length);
        return { value: chunk, done: false };
      }
      if (this.#state !== 'open') return { value: undefined, done: true };
      if (this.#output.isPaused()) this.#output.resume();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /**
   * Takes a chunk as it arrives; `read` would copy chunks that arrived together into one. The stream flows
   * while a reader waits, and a little longer.
   */
  readonly #take = (chunk: Uint8Array): void => {
    if (this.#state !== 'open') return;
    this.#arrived.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting >= MAX_WAITING_BYTES) this.#output.pause();
    this.#wake();
  };

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#settle('ended')) {
      this.#arrived.length = 0;
      if (this.#output !== this.#source.stream) this.#source.stream.unpipe();
      await this.#source.leave();
    }
    return { value: undefined, done: true };
  }

  #unzipped(stream: Readable): Readable {
    // Handles a body of several gzip members.
    const unzip = createGunzip({ chunkSize: GUNZIP_CHUNK });
    unzip.on('error', (error) => this.#fail(error));
    stream.on('data', (chunk: Uint8Array) => {
      this.#zipped += chunk.length;
      this.#silence?.heard();
    });
    return stream.pipe(unzip);
  }

  #count(length: number): void {
    const { maxBytes, gzip } = this.#options;
    this.#bytes += length;
    if (maxBytes !== 0 && this.#bytes > maxBytes)
      this.#fail(
        transportFailureCause('ERR_BODY_TOO_LARGE', `the body is larger than maxResponseBytes (${maxBytes} bytes)`),
      );
    else if (gzip && this.#bytes > MIN_JUDGED_BYTES && this.#bytes > this.#zipped * MAX_RATIO) {
      const what = `${this.#zipped} compressed bytes became more than ${this.#bytes}: no list compresses like that (at most ${MAX_RATIO} to 1)`;
      this.#fail(transportFailureCause('ERR_COMPRESSION_RATIO', what));
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  #cut(): void {
    const cause = transportFailureCause(
      'ERR_STREAM_PREMATURE_CLOSE',
      'the connection ended before the end of the body',
    );
    this.#fail(this.#source.failure() ?? cause);
  }

  #fail(cause: unknown): void {
    this.#end(() => transportFailure(this.#options.what, cause));
  }

  readonly #aborted = (): void => this.#end(() => abortError(this.#options.signal, this.#options.what));

  #end(error: () => KubeError): void {
    if (this.#state !== 'open') return;
    this.#failure = error();
    this.#settle('failed');
    this.#source.cancel();
  }

  #settle(state: 'ended' | 'failed'): boolean {
    if (this.#state !== 'open') return false;
    this.#state = state;
    this.#silence?.stop();
    this.#options.signal.removeEventListener('abort', this.#aborted);
    if (this.#output !== this.#source.stream) this.#output.destroy();
    this.#options.onDone();
    this.#wake();
    return true;
  }
}
