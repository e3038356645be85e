import { KubeError, type Status } from '../../core/errors.ts';
import { ByteBuffer } from '../codec/byte-buffer.ts';
import { defined } from '../../core/defined.ts';
import type { Env } from '../../core/env.ts';
import { MAX_DEPTH } from '../../core/object/json-check.ts';
import { MAX_OBJECT_BYTES, parseJsonBytes } from '../codec/json-bytes.ts';
import { jsonFormat } from '../codec/json-format.ts';
import type { ProtobufFormat } from '../codec/protobuf/protobuf-format.ts';
import type { WireFormat } from '../codec/wire-format.ts';
import { cutBeforeRedaction, redactedQuote } from '../../core/redact.ts';
import { hiddenInSafeStatus, MAX_STATUS_TEXT, quotesSecretInSafeStatus, safeStatus } from '../../core/safe-status.ts';
import { retryAfterMsOf } from '../../core/status.ts';
import type { TransportResponse } from '../transport/transport.ts';

/** Maximum bytes kept of an error's body. A Status is small; a proxy's HTML page may not be. */
const MAX_ERROR_BYTES = 64 * 1_024;

/** The request a response belongs to. */
export interface RequestInfo {
  /** For messages: "GET /api/v1/pods". */
  readonly what: string;
  /** Whether the object may be a Secret: then server text that could quote it is left out of errors. */
  readonly isSecret: boolean;
}

/** Reads a whole body. Throws TRANSPORT when it has more than `maxBytes`, and closes it. */
export async function readResponseBytes(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  what: string,
): Promise<Uint8Array> {
  const buffer = new ByteBuffer();
  for await (const chunk of body) {
    if (buffer.length + chunk.length > maxBytes) {
      throw unusableResponse(`${what}: the response is larger than ${maxBytes} bytes`);
    }
    buffer.append(chunk);
  }
  return buffer.view();
}

/** Reads a JSON body. Errors quote nothing of the content, which may be a Secret. */
export async function readResponseJson<R>(
  response: TransportResponse,
  what: string,
  maxBytes: number = MAX_OBJECT_BYTES,
): Promise<R> {
  const bytes = await readResponseBytes(response.body, maxBytes, what);
  return parseJsonBytes(bytes, MAX_DEPTH, ({ reason, cause }) => {
    const type =
      /^[\w.+-]{1,40}\/[\w.+-]{1,80}/.exec(response.headers.get('content-type') ?? '')?.[0] ?? 'no content type';
    throw unusableResponse(
      `${what}: the response is ${reason} (${bytes.length} bytes, ${type}); is there a proxy in between?`,
      cause,
    );
  }) as R;
}

/** Reads a body that must be a JSON object; a Status is one. */
export async function objectOfResponse<R>(response: TransportResponse, what: string, maxBytes?: number): Promise<R> {
  const value = await readResponseJson<R>(response, what, maxBytes);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw unusableResponse(`${what}: the response is JSON but not an object; is there a proxy in between?`);
}

/**
 * The format of a response's body, by its Content-Type; without one it is JSON. Throws TRANSPORT for any
 * other type, such as the login page of a proxy.
 */
export async function formOfResponse(response: TransportResponse, what: string, env: Env): Promise<WireFormat> {
  const type = response.headers.get('content-type') ?? '';
  if (type === '' || /^[^;]*\bjson\b/i.test(type)) return jsonFormat;
  if (isProtobufResponse(response)) {
    const startedAt = env.now();
    const format = await protobufFormOfResponse();
    // It was loaded: what is decoded first takes as long again, and gets another turn of the event loop.
    if (env.now() - startedAt >= 1) await env.yield();
    return format;
  }
  await discardResponseBody(response.body);
  const shown = /^[\w.+-]{1,40}\/[\w.+-]{1,80}/.exec(type)?.[0] ?? 'an unknown content type';
  throw unusableResponse(
    `${what}: the server sent ${shown} instead of JSON; is there a proxy or a login page in between?`,
  );
}

/** Loaded for the first response that needs it, because code takes time to load. */
async function protobufFormOfResponse(): Promise<ProtobufFormat> {
  const { loadProtobufFormat } = await import('../codec/protobuf/protobuf-format.ts');
  return loadProtobufFormat();
}

function isProtobufResponse({ headers }: TransportResponse): boolean {
  return /^application\/vnd\.kubernetes\.protobuf\s*(?:;|$)/i.test(headers.get('content-type') ?? '');
}

/** Closes a body without reading it. */
export async function discardResponseBody(body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await body[Symbol.asyncIterator]().return?.();
  } catch {
    // The body is not used, so an error while closing it does not matter.
  }
}

/**
 * The error for a failed response: the server's Status, or one made from the body if it is not a Status. Closes the body.
 *
 * Promises: bounded, redacted, and without text that could be the content of a Secret. `status.code` is the HTTP status.
 */
export async function errorFromResponse(
  response: TransportResponse,
  request: RequestInfo,
  time: { readonly wallNow: number; readonly maxRetryAfterMs: number },
): Promise<KubeError> {
  const { status: code, headers } = response;
  const { what, isSecret } = request;
  if (code >= 300 && code < 400) {
    await discardResponseBody(response.body);
    const to = redirectInResponse(headers.get('location'));
    return new KubeError('TRANSPORT', `${what}: the server redirects${to}; redirects are never followed`, {
      cause: Object.assign(new Error(`HTTP ${code}`), { code: 'ERR_REDIRECT' }),
    });
  }
  const bytes = await readErrorResponseBytes(response.body);
  const isProtobuf = isProtobufResponse(response);
  // A protobuf body that is not a Status is not quoted: it is not text.
  const text = isProtobuf ? '' : textOfFailedResponse(bytes);
  const sent = isProtobuf ? (await protobufFormOfResponse()).status(bytes) : parseResponseObject(text);
  const status = responseStatusOf(sent, code, isSecret) ?? responseStatusFromText(text, code, isSecret);
  const { details, message = `HTTP ${code}` } = status;
  const seconds = delayInResponse(headers.get('retry-after'), time.wallNow) ?? details?.retryAfterSeconds;
  const retryAfterMs = retryAfterMsOf(seconds, time.maxRetryAfterMs);
  return new KubeError('API_STATUS', `${what}: ${message}`, {
    status,
    ...defined({ retryAfterMs }),
  });
}

/** The first bytes of an error's body. A body that breaks off is used as far as it came. */
async function readErrorResponseBytes(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const buffer = new ByteBuffer();
  try {
    for await (const chunk of body) {
      // One byte more, to see whether there is more.
      const room = MAX_ERROR_BYTES + 1 - buffer.length;
      buffer.append(chunk, 0, Math.min(room, chunk.length));
      if (chunk.length >= room) break;
    }
  } catch {
    // The HTTP status already is the failure.
  }
  return buffer.view();
}

function textOfFailedResponse(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  return bytes.length > MAX_ERROR_BYTES ? cutBeforeRedaction(text, text.length - 1) : text;
}

function parseResponseObject(body: string): object | undefined {
  if (!body.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(body) as object;
  } catch {
    return undefined; // truncated or not JSON: the HTTP status is used
  }
}

function responseStatusOf(sent: object | undefined, code: number, isSecret: boolean): Status | undefined {
  const { kind, reason: given } = (sent ?? {}) as { readonly kind?: unknown; readonly reason?: unknown };
  if (kind !== 'Status') return undefined;
  const reason = typeof given === 'string' && given !== '' ? given : REASONS[code];
  return safeStatus({ ...sent, apiVersion: 'v1', code, reason }, { isSecret });
}

function responseStatusFromText(body: string, code: number, isSecret: boolean): Status {
  const reason = REASONS[code];
  const said = redactedQuote(body.replaceAll(/\s+/g, ' ').trim(), MAX_STATUS_TEXT) || 'no text';
  const hides = isSecret || quotesSecretInSafeStatus(body);
  const message = hides ? hiddenInSafeStatus(code, reason) : `the server answered ${code}: ${said}`;
  return { apiVersion: 'v1', kind: 'Status', code, ...defined({ reason, message }) };
}

/** The reason the API uses for each code, for responses without one. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest', 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound', 405: 'MethodNotAllowed', 406: 'NotAcceptable', 409: 'Conflict',
  410: 'Gone', 413: 'RequestEntityTooLarge', 415: 'UnsupportedMediaType', 422: 'Invalid', 429: 'TooManyRequests', 500: 'InternalError',
  503: 'ServiceUnavailable', 504: 'Timeout',
}; // prettier-ignore

/** The seconds of a header, which may be an HTTP date. */
function delayInResponse(header: string | undefined, wallNow: number): number | undefined {
  const text = header?.trim() ?? '';
  // 0 or a past date counts as absent.
  if (/^\d{1,9}$/.test(text)) return Number(text) === 0 ? undefined : Number(text);
  // `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that servers send.
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  // oxlint-disable-next-line no-restricted-globals -- reads a text, not the clock
  const at = Date.parse(text);
  return Number.isNaN(at) || at <= wallNow ? undefined : (at - wallNow) / 1_000;
}

/** The origin of a redirect, for a message. Path, query and user are left out: they may hold secrets. */
function redirectInResponse(location: string | undefined): string {
  const base = 'http://itself.invalid';
  if (location === undefined || !URL.canParse(location, base)) return '';
  const { origin } = new URL(location, base);
  return origin === base ? ' to itself' : ` to ${origin}`;
}

function unusableResponse(message: string, cause?: unknown): KubeError {
  const code = 'ERR_UNUSABLE_RESPONSE';
  return new KubeError('TRANSPORT', message, { cause: Object.assign(new Error(code, { cause }), { code }) });
}
