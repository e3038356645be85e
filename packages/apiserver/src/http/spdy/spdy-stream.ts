import { Duplex } from 'node:stream';

/** The part of the connection that a stream uses. */
export interface SpdyStreamPort {
  /** Sends data. Resolves when there is room for more. */
  send(data: Uint8Array): Promise<void>;
  finish(): void;
  reset(): void;
  /** Called when the stream is closed in both directions. */
  forget(): void;
}

/**
 * One stream that a client has opened, as a Node stream: reading returns the client's data, `end` sends the
 * end of ours. Destroying it before both sides have ended resets it.
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

  /** Passes data of the client to the reader. Resolves when the reader is ready for more, or has stopped. */
  async receive(data: Buffer): Promise<void> {
    if (data.length === 0 || this.destroyed || this.readableEnded || this.push(data)) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** Ends the client's data. */
  receiveEnd(): void {
    if (!this.destroyed) this.push(null);
  }

  /** Ends the stream after the client has reset it, or is gone: reading ends, and written data is dropped. */
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
