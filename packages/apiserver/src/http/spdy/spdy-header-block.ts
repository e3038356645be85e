import { constants, createInflate, type Inflate } from 'node:zlib';
import { SPDY_HEADER_DICTIONARY } from './spdy-header-dictionary.ts';

/** Maximum size of the headers of one frame, decompressed. Clients send some 100 bytes. */
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 64;

/** The start of a zlib stream with the dictionary of SPDY/3; its last four bytes are the dictionary's checksum. */
const ZLIB_START = Buffer.of(0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2);
/**
 * An uncompressed block without headers (the number 0 in four bytes), followed by an empty block, at which
 * readers flush their data.
 */
const NO_HEADERS = Buffer.of(0, 4, 0, 0xfb, 0xff, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);

/** Writes the headers of responses, which are empty. All headers of a connection form one zlib stream. */
export class SpdyHeaderWriter {
  #hasBegun = false;

  noHeaders(): Buffer {
    const block = this.#hasBegun ? NO_HEADERS : Buffer.concat([ZLIB_START, NO_HEADERS]);
    this.#hasBegun = true;
    return block;
  }
}

/** Reads the headers of a client's frames, one block at a time, within limits. A failed read ends it. */
export class SpdyHeaderReader {
  readonly #inflate: Inflate;
  #parts: Buffer[] = [];
  #length = 0;
  #fail: (error: Error) => void = () => {};

  constructor() {
    this.#inflate = createInflate({ dictionary: SPDY_HEADER_DICTIONARY, flush: constants.Z_SYNC_FLUSH });
    this.#inflate.on('data', (part: Buffer) => {
      this.#length += part.length;
      if (this.#length > MAX_HEADER_BYTES) this.#inflate.destroy(new Error('the headers are too long'));
      else this.#parts.push(part);
    });
    this.#inflate.on('error', (error) => this.#fail(error));
    // A zlib stream that has ended takes no more blocks and calls no callback.
    for (const end of ['end', 'close'])
      this.#inflate.on(end, () => this.#fail(new Error('the stream of headers has ended')));
  }

  async read(block: Buffer): Promise<ReadonlyMap<string, string>> {
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      this.#fail = reject;
      this.#inflate.write(block, (error) => {
        // Node reports success for a stream that was destroyed by its own data.
        if (this.#inflate.destroyed) reject(error ?? new Error('the stream of headers has failed'));
        else resolve(Buffer.concat(this.#parts));
      });
    });
    this.#parts = [];
    this.#length = 0;
    return parseSpdyHeaders(bytes);
  }

  close(): void {
    this.#inflate.destroy();
  }
}

/** Parses headers: names in lower case with their values. Throws if lengths and bytes do not match. */
function parseSpdyHeaders(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  let at = 0;
  const number = (): number => {
    const value = bytes.readUInt32BE(at);
    at += 4;
    return value;
  };
  const text = (): string => {
    const length = number();
    if (length > bytes.length - at) throw new Error('a header is longer than its block');
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  const count = number();
  if (count > MAX_HEADERS) throw new Error(`more than ${MAX_HEADERS} headers`);
  for (let i = 0; i < count; i += 1) headers.set(text().toLowerCase(), text());
  return headers;
}
