import { Duplex } from 'node:stream';

/** The part of the connection that a stream uses. */
export interface SpdyStreamPort {
  /** Resolves when there is room for more. */
  send(data: Uint8Array): Promise<void>;
  finish(): void;
  reset(): void;
  /** The stream is closed in both directions. */
  forget(): void;
}

/**
 * One stream that a client has opened, as a stream of Node: reading gives its data until it sends the last, `end` sends
 * ours. Destroying it before both are done resets it.
 */
export class SpdyStream extends Duplex {
  readonly headers: ReadonlyMap<string, string>;
  readonly #port: SpdyStreamPort;
  #wake: () => void = () => {};
  #isCut = false;

  constructor(headers: ReadonlyMap<string, string>, port: SpdyStreamPort) {
    super({ allowHalfOpen: true });
    this.headers = headers;
    this.#port = port;
    // The user of the stream sees its end; a reset must not become an uncaught error.
    this.on('error', () => {});
  }

  /** Gives data of the client to the reader. Resolves when the reader wants more, or no more. */
  async receive(data: Buffer): Promise<void> {
    if (data.length === 0 || this.destroyed || this.readableEnded || this.push(data)) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** The client sends no more. */
  receiveEnd(): void {
    if (!this.destroyed) this.push(null);
  }

  /** The client has reset the stream, or is gone: reading ends, what is written is dropped. */
  cut(): void {
    this.#isCut = true;
    this.receiveEnd();
    this.#wake();
    if (!this.writableEnded) this.end();
  }

  override _read(): void {
    this.#wake();
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.#isCut) done();
    else void this.#port.send(chunk).then(() => done());
  }

  override _final(done: () => void): void {
    if (!this.#isCut) this.#port.finish();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#wake();
    const isOver = this.readableEnded && this.writableFinished;
    if (!isOver && !this.#isCut) this.#port.reset();
    this.#port.forget();
    done(error);
  }
}
