import {
  SPDY_GO_AWAY,
  SPDY_RESET,
  SPDY_TYPE,
  spdyControlFrame,
  spdyDataFrame,
  type SpdyFrame,
  SpdyFrameReader,
  spdyNumbersFrame,
  spdyStreamId,
} from './spdy-frames.ts';
import { SpdyHeaderReader, SpdyHeaderWriter } from './spdy-header-block.ts';
import { SpdyStream } from './spdy-stream.ts';

/** Maximum number of open streams of a client. A forwarded connection takes two. */
const MAX_OPEN_STREAMS = 1_000;

/**
 * Maximum bytes that the client has not read. Above it the server stops reading; otherwise ping responses
 * would fill the memory. It is more than streams may have in flight, so that a slow reader of one stream can
 * still write to another.
 */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** Maximum size of sent data frames, so that streams take turns. */
const MAX_SENT_BYTES = 64 * 1024;

/** Number of bytes of a SYN_STREAM before its headers: its id, an associated one, a priority, an unused slot. */
const SYN_STREAM_BYTES = 10;

/** Connection to which frames are written. */
export interface SpdyTransport {
  /** Returns false if there is no room for more; `drained` resolves when there is, or the client is gone. */
  write(frame: Buffer): boolean;
  drained(): Promise<void>;
  /** Bytes that the client has not read yet. */
  readonly unread: number;
  end(): void;
}

/**
 * The server's side of a SPDY connection.
 *
 * Chunks are read one after the other, and the next one only when the data of the last has been consumed:
 * that is the flow control. A malformed frame ends the connection.
 *
 * Room rule: only the client opens streams; this side responds.
 */
export class SpdyConnection {
  readonly #transport: SpdyTransport;
  readonly #accept: (stream: SpdyStream) => void;
  readonly #frames = new SpdyFrameReader();
  readonly #headers = new SpdyHeaderReader();
  readonly #replies = new SpdyHeaderWriter();
  readonly #streams = new Map<number, SpdyStream>();
  #lastStream = 0;
  #isOver = false;
  #reading: Promise<void> = Promise.resolve();

  constructor(transport: SpdyTransport, accept: (stream: SpdyStream) => void) {
    this.#transport = transport;
    this.#accept = accept;
  }

  /** Processes bytes of the client. Resolves when they are consumed; never rejects. */
  read(chunk: Buffer): Promise<void> {
    return (this.#reading = this.#reading.then(() => this.#readChunk(chunk)));
  }

  /** Sends GOAWAY and closes the connection. Streams should have ended before. */
  close(reason: number = SPDY_GO_AWAY.ok): void {
    if (this.#isOver) return;
    this.#send(spdyNumbersFrame(SPDY_TYPE.goAway, this.#lastStream, reason));
    this.cut();
    this.#transport.end();
  }

  /** Ends all streams, because the client is gone. */
  cut(): void {
    this.#isOver = true;
    this.#headers.close();
    for (const stream of this.#streams.values()) stream.cut();
    this.#streams.clear();
  }

  async #readChunk(chunk: Buffer): Promise<void> {
    if (this.#isOver) return;
    try {
      for (const frame of this.#frames.read(chunk)) {
        if (frame.kind === 'data') await this.#takeData(frame.stream, frame.payload, frame.isLast);
        else await this.#takeControl(frame);
        if (this.#transport.unread > MAX_UNREAD_BYTES) await this.#transport.drained();
        if (this.#isOver) return;
      }
    } catch {
      // The error text is not sent, because GOAWAY cannot carry one.
      this.close(SPDY_GO_AWAY.protocolError);
    }
  }

  async #takeData(id: number, data: Buffer, isLast: boolean): Promise<void> {
    const stream = this.#streams.get(id);
    if (stream === undefined) {
      // Data may still arrive when a stream has ended here: only unknown streams are an error.
      if (id > this.#lastStream) this.#reset(id, SPDY_RESET.invalidStream);
      return;
    }
    await stream.receive(data);
    if (data.length > 0) {
      this.#send(spdyNumbersFrame(SPDY_TYPE.windowUpdate, id, data.length));
      this.#send(spdyNumbersFrame(SPDY_TYPE.windowUpdate, 0, data.length));
    }
    if (isLast) stream.receiveEnd();
  }

  async #takeControl({ type, payload, isLast }: SpdyFrame & { kind: 'control' }): Promise<void> {
    switch (type) {
      case SPDY_TYPE.synStream:
        return this.#open(spdyStreamId(payload), await this.#headers.read(payload.subarray(SYN_STREAM_BYTES)), isLast);
      case SPDY_TYPE.synReply:
      case SPDY_TYPE.headers:
        // Nothing here needs them, but all headers of a connection are compressed together.
        await this.#headers.read(payload.subarray(4));
        return;
      case SPDY_TYPE.rstStream:
        this.#streams.get(spdyStreamId(payload))?.cut();
        this.#streams.delete(spdyStreamId(payload));
        return;
      case SPDY_TYPE.ping:
        this.#send(spdyNumbersFrame(SPDY_TYPE.ping, payload.readUInt32BE(0)));
        return;
      default:
      // GOAWAY: the client closes the connection when its streams have ended. Settings and window updates are not used.
    }
  }

  #open(id: number, headers: ReadonlyMap<string, string>, isLast: boolean): void {
    if (id % 2 === 0 || this.#streams.has(id)) return this.#reset(id, SPDY_RESET.protocolError);
    this.#lastStream = Math.max(this.#lastStream, id);
    if (this.#streams.size >= MAX_OPEN_STREAMS) return this.#reset(id, SPDY_RESET.refusedStream);
    const stream = new SpdyStream(headers, {
      send: (data) => this.#sendData(id, data),
      finish: () => this.#send(spdyDataFrame(id, Buffer.alloc(0), true)),
      reset: () => this.#reset(id, SPDY_RESET.cancel),
      forget: () => void (this.#streams.get(id) === stream && this.#streams.delete(id)),
    });
    this.#streams.set(id, stream);
    const number = Buffer.alloc(4);
    number.writeUInt32BE(id);
    this.#send(spdyControlFrame(SPDY_TYPE.synReply, Buffer.concat([number, this.#replies.noHeaders()])));
    if (isLast) stream.receiveEnd();
    this.#accept(stream);
  }

  #reset(id: number, reason: number): void {
    this.#send(spdyNumbersFrame(SPDY_TYPE.rstStream, id, reason));
  }

  async #sendData(id: number, data: Uint8Array): Promise<void> {
    for (let at = 0; at < data.length; at += MAX_SENT_BYTES) {
      const part = data.subarray(at, at + MAX_SENT_BYTES);
      if (!this.#send(spdyDataFrame(id, part, false))) await this.#transport.drained();
    }
  }

  #send(frame: Buffer): boolean {
    return this.#isOver || this.#transport.write(frame);
  }
}
