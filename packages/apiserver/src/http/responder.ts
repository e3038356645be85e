import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { Env } from 'kube-informer/core';
import type { Status } from '../core/status-error.ts';
import { httpServerTimestamp } from '../core/server-timestamp.ts';
import type { Exchange } from './http-exchange.ts';
import { type Accepted, type MediaType, negotiatePlainForm, negotiatePretty, PROTOBUF } from './message/negotiate.ts';
import { warningHeaders } from './message/warning-headers.ts';
import type { Faults } from './seams.ts';

/** Minimum size of responses that are compressed. */
const GZIP_FROM_BYTES = 128 * 1024;
/** Size of the slices in which big lists are sent; other requests run between them. */
const SLICE_BYTES = 256 * 1024;
/** Maximum size of responses that are sent in one piece. */
const ONE_PIECE_BYTES = 1024 * 1024;

const compress = promisify(gzip);

/** A body that is sent piece by piece. */
export interface Pieces {
  readonly type: MediaType;
  readonly pieces: Iterable<Buffer>;
  /** Approximate number of bytes. */
  readonly length: number;
}

export type Headers = Readonly<Record<string, string>>;

/** Headers that every response has. */
export function responderBaseHeaders(exchange: Exchange, env: Env, auditId: string): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {
    'audit-id': exchange.header('audit-id') ?? auditId,
    'cache-control': 'no-cache, private',
    date: httpServerTimestamp(env.wallNow()),
  };
  const warning = warningHeaders(exchange.warnings);
  if (warning.length > 0) headers['warning'] = warning;
  return headers;
}

/**
 * YAML options to write like Go: version 1.1 quotes texts that it would otherwise parse as other types, such
 * as times.
 */
const YAML = {
  version: '1.1',
  indentSeq: false,
  sortMapEntries: true,
  aliasDuplicateObjects: false,
  lineWidth: 0,
} as const;

/**
 * Encodes a value in the accepted form. The code for YAML and protobuf is loaded for the first client that
 * requests it.
 */
export async function encodeForResponder(
  value: object,
  { type, pretty }: Pick<Accepted, 'type' | 'pretty'>,
): Promise<Buffer> {
  if (type === PROTOBUF) return (await import('../api/protobuf/encode-protobuf.ts')).encodeProtobuf(value);
  if (type === 'application/yaml') return Buffer.from((await import('yaml')).stringify(value, YAML));
  // Indented text for people, one line for programs.
  return Buffer.from(pretty ? JSON.stringify(value, null, 2) : `${JSON.stringify(value)}\n`);
}

export interface ResponderOptions {
  readonly env: Env;
  readonly newId: () => string;
  readonly faults: () => Faults;
  /** Resolves when the server's state can no longer be lost; undefined if that is already so, or does not matter. */
  readonly settled?: (() => Promise<void> | undefined) | undefined;
}

/**
 * Writes responses. One per server.
 *
 * Every status line goes through `head`, so that a fault can replace any response in one place.
 */
export class Responder {
  readonly #env: Env;
  readonly #newId: () => string;
  readonly #faults: () => Faults;
  readonly #settled: (() => Promise<void> | undefined) | undefined;
  readonly #zipped = new WeakMap<Buffer, Promise<Buffer>>();

  constructor({ env, newId, faults, settled }: ResponderOptions) {
    this.#env = env;
    this.#settled = settled;
    this.#newId = newId;
    this.#faults = faults;
  }

  /** Sends status and headers; false if a fault has sent the response, or the client is gone. */
  async head(
    exchange: Exchange,
    status: number,
    headers: Readonly<Record<string, string | number | string[]>>,
  ): Promise<boolean> {
    const settled = this.#settled?.();
    if (settled !== undefined) await settled;
    const { beforeHead } = this.#faults();
    if (beforeHead !== undefined && (await beforeHead(exchange, status)) === 'answered') return false;
    if (exchange.gone.aborted || exchange.response.headersSent) return false;
    exchange.response.writeHead(status, { ...this.headers(exchange), ...headers });
    return true;
  }

  headers(exchange: Exchange): Record<string, string | string[]> {
    return responderBaseHeaders(exchange, this.#env, this.#newId());
  }

  async send(exchange: Exchange, status: number, body: Buffer, headers: Headers): Promise<void> {
    const isZipped = body.length > GZIP_FROM_BYTES && responderMayGzip(exchange);
    const bytes = isZipped ? await this.#gzipped(body) : body;
    const all = { ...(isZipped ? GZIP_HEADERS : {}), ...headers, 'content-length': bytes.length };
    if (!(await this.head(exchange, status, all))) return;
    exchange.bytes += bytes.length;
    exchange.response.end(exchange.request.method === 'HEAD' ? undefined : bytes);
  }

  /** Compresses a document once: its bytes are the same for every client. */
  #gzipped(body: Buffer): Promise<Buffer> {
    let known = this.#zipped.get(body);
    if (known === undefined) this.#zipped.set(body, (known = compress(body, { level: 1 })));
    return known;
  }

  async value(
    exchange: Exchange,
    status: number,
    value: object,
    accepted: Pick<Accepted, 'type' | 'pretty'>,
  ): Promise<void> {
    return this.send(exchange, status, await encodeForResponder(value, accepted), { 'content-type': accepted.type });
  }

  text(exchange: Exchange, status: number, text: string, headers: Headers = {}): Promise<void> {
    return this.send(exchange, status, Buffer.from(text), { 'content-type': 'text/plain; charset=utf-8', ...headers });
  }

  /** Sends 404 for an unknown path. */
  notFound(exchange: Exchange): Promise<void> {
    return this.text(exchange, 404, '404 page not found\n', { 'x-content-type-options': 'nosniff' });
  }

  /** Sends a failure, in the plain form of the accepted type. */
  async status(exchange: Exchange, status: Status): Promise<void> {
    const plain = negotiatePlainForm(exchange.header('accept'));
    const pretty = negotiatePretty(exchange.query, exchange.userAgent, plain.pretty);
    const retry = status.details?.retryAfterSeconds ?? 0;
    return this.send(exchange, status.code ?? 500, await encodeForResponder(status, { type: plain.type, pretty }), {
      'content-type': plain.type,
      ...(retry > 0 ? { 'retry-after': String(retry) } : {}),
      ...(exchange.isDenied ? { 'x-content-type-options': 'nosniff' } : {}),
      // The rest of a body that is too long is not read.
      ...(status.code === 413 && isRequestHalfRead(exchange) ? { connection: 'close' } : {}),
    });
  }

  /** Sends a list in pieces, without ever holding a big one as a whole. */
  async stream(exchange: Exchange, { type, pieces, length }: Pieces): Promise<void> {
    if (length <= ONE_PIECE_BYTES) {
      await this.send(exchange, 200, Buffer.concat([...pieces]), { 'content-type': type });
      return;
    }
    const { response } = exchange;
    const isZipped = responderMayGzip(exchange);
    const headers = { 'content-type': type, ...(isZipped ? GZIP_HEADERS : {}) };
    if (!(await this.head(exchange, 200, headers))) return;
    const zip = isZipped ? createGzip({ level: 1 }) : undefined;
    zip?.pipe(response);
    const target = zip ?? response;
    for (const slice of responderSlices(pieces)) {
      if (exchange.gone.aborted) return;
      exchange.bytes += slice.length;
      const hasRoom = target.write(slice);
      if (hasRoom) await this.#env.yield();
      else await waitForResponderRoom(target, exchange.gone);
    }
    target.end();
  }
}

const isRequestHalfRead = ({ request }: Exchange): boolean => request.httpVersionMajor === 1 && !request.complete;

export const GZIP_HEADERS: Headers = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' };

export function responderMayGzip(exchange: Exchange): boolean {
  return (exchange.header('accept-encoding') ?? '').split(',').some((part) => {
    const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    return coding === 'gzip' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

function* responderSlices(pieces: Iterable<Buffer>): Generator<Buffer> {
  let slice: Buffer[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    slice.push(piece);
    bytes += piece.length;
    if (bytes < SLICE_BYTES) continue;
    yield Buffer.concat(slice, bytes);
    slice = [];
    bytes = 0;
  }
  if (slice.length > 0) yield Buffer.concat(slice, bytes);
}

interface Emitter {
  once(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: () => void): unknown;
}

/** Resolves when the writer has room again, or the client is gone. */
export function waitForResponderRoom(writer: Emitter, gone: AbortSignal): Promise<void> {
  if (gone.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      writer.removeListener('drain', done);
      gone.removeEventListener('abort', done);
      resolve();
    };
    writer.once('drain', done);
    gone.addEventListener('abort', done, { once: true });
  });
}
