import { KubeError, type Status, type StatusCause } from '../../core/errors.ts';
import { ByteBuffer } from '../codec/byte-buffer.ts';
import { defined } from '../../core/defined.ts';
import { MAX_DEPTH, MAX_OBJECT_BYTES, parseJsonBytes } from '../codec/json-bytes.ts';
import { redact } from '../secrets/redact.ts';
import type { TransportResponse } from '../transport/transport.ts';

/** Maximum bytes read of an error's body. A Status is small; a proxy's HTML page may not be. */
const MAX_ERROR_BYTES = 64 * 1_024;
/** Maximum length of server text quoted in an error message. */
const MAX_QUOTED_TEXT = 2_048;
/** Maximum number of causes kept from a Status. */
const MAX_CAUSES = 256;
/** Default maximum of a Retry-After. */
export const MAX_RETRY_AFTER_MS = 60_000;

/** The request a response belongs to. */
export interface RequestInfo {
  /** For messages: "GET /api/v1/pods". */
  readonly what: string;
  /** The object may be a Secret: server text that could quote it is left out of errors. */
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
export async function readResponseObject<R>(response: TransportResponse, what: string, maxBytes?: number): Promise<R> {
  const value = await readResponseJson<R>(response, what, maxBytes);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw unusableResponse(`${what}: the response is JSON but not an object; is there a proxy in between?`);
}

/** Throws TRANSPORT with the content type unless it is JSON or absent. Recognises the login page of a proxy. */
export async function requireResponseJson(response: TransportResponse, what: string): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  if (type === '' || /^[^;]*\bjson\b/i.test(type)) return;
  await discardResponseBody(response.body);
  const shown = /^[\w.+-]{1,40}\/[\w.+-]{1,80}/.exec(type)?.[0] ?? 'an unknown content type';
  throw unusableResponse(
    `${what}: the server sent ${shown} instead of JSON; is there a proxy or a login page in between?`,
  );
}

/** Closes a body without reading it. */
export async function discardResponseBody(body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await body[Symbol.asyncIterator]().return?.();
  } catch {
    // the body is not used, so an error while closing it does not matter
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
    const to = responseRedirectTarget(headers.get('location'));
    return new KubeError('TRANSPORT', `${what}: the server redirects${to}; redirects are never followed`, {
      cause: Object.assign(new Error(`HTTP ${code}`), { code: 'ERR_REDIRECT' }),
    });
  }
  const text = await readErrorResponseText(response.body);
  const status = parseResponseStatus(text, code, isSecret) ?? responseStatusFromText(text, code, isSecret);
  const { details, message = `HTTP ${code}` } = status;
  const retryAfterMs =
    parseResponseRetryAfter(headers.get('retry-after'), time.wallNow) ??
    responseRetryAfterMs(details?.retryAfterSeconds);
  return new KubeError('API_STATUS', `${what}: ${message}`, {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.min(retryAfterMs, time.maxRetryAfterMs) }),
  });
}

/** The first bytes of an error's body as text. A body that breaks off is used as far as it came. */
async function readErrorResponseText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const buffer = new ByteBuffer();
  try {
    for await (const chunk of body) {
      const room = MAX_ERROR_BYTES - buffer.length;
      buffer.append(chunk, 0, Math.min(room, chunk.length));
      if (chunk.length >= room) break;
    }
  } catch {
    // the HTTP status already is the failure
  }
  return new TextDecoder().decode(buffer.view());
}

/** Copies only the known fields of a Status, each checked for its type: the sender may be anything. */
function parseResponseStatus(body: string, code: number, isSecret: boolean): Status | undefined {
  if (!body.trimStart().startsWith('{')) return undefined;
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(body) as Record<string, unknown>;
  } catch {
    return undefined; // truncated or not JSON: the HTTP status is used
  }
  if (parsed['kind'] !== 'Status') return undefined;
  const reason = boundedResponseText(parsed['reason']) ?? REASONS[code];
  const message = boundedResponseText(parsed['message']);
  const hide = isSecret && mayResponseQuoteSecret(reason, message);
  const given = typeof parsed['details'] === 'object' ? (parsed['details'] as Record<string, unknown> | null) : null;
  return {
    apiVersion: 'v1',
    kind: 'Status',
    code,
    ...defined({ reason, message: hide ? hiddenResponseMessage(code, reason) : message }),
    ...(given === null ? {} : { details: parseResponseStatusDetails(given, hide) }),
  };
}

function parseResponseStatusDetails(given: Record<string, unknown>, hide: boolean): NonNullable<Status['details']> {
  const { retryAfterSeconds, causes } = given;
  return {
    ...defined({
      name: boundedResponseText(given['name']),
      group: boundedResponseText(given['group']),
      kind: boundedResponseText(given['kind']),
    }),
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
    ...(Array.isArray(causes)
      ? { causes: causes.slice(0, MAX_CAUSES).map((cause) => parseResponseStatusCause(cause, hide)) }
      : {}),
  };
}

function parseResponseStatusCause(cause: unknown, hide: boolean): StatusCause {
  const { reason, message, field } = (cause ?? {}) as Record<string, unknown>;
  return defined({
    reason: boundedResponseText(reason),
    message: hide ? undefined : boundedResponseText(message),
    field: boundedResponseText(field),
  });
}

function responseStatusFromText(body: string, code: number, isSecret: boolean): Status {
  const reason = REASONS[code];
  const said = boundedResponseText(body.replaceAll(/\s+/g, ' ').trim()) ?? 'no text';
  const hide = isSecret || /\bkind["']?\s*:\s*["']?Secret/.test(body);
  const message = hide ? hiddenResponseMessage(code, reason) : `the server answered ${code}: ${said}`;
  return { apiVersion: 'v1', kind: 'Status', code, ...defined({ reason, message }) };
}

/** Reasons whose messages the server builds from names only. Webhooks may use any of them with their own text. */
const FROM_NAMES: ReadonlySet<string> = new Set([
  'NotFound', 'AlreadyExists', 'Conflict', 'Forbidden', 'Unauthorized', 'Expired', 'Gone', 'TooManyRequests',
  'MethodNotAllowed', 'NotAcceptable', 'UnsupportedMediaType', 'Timeout', 'ServerTimeout', 'ServiceUnavailable',
]); // prettier-ignore

function mayResponseQuoteSecret(reason = '', message = ''): boolean {
  return !FROM_NAMES.has(reason) || message.includes('denied the request');
}

function hiddenResponseMessage(code: number, reason = 'no reason'): string {
  return `the server answered ${code} (${reason}); its message is left out because it may quote the Secret`;
}

/** The reason the API uses for each code, for responses without one. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest', 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound', 405: 'MethodNotAllowed', 406: 'NotAcceptable', 409: 'Conflict',
  410: 'Gone', 413: 'RequestEntityTooLarge', 415: 'UnsupportedMediaType', 422: 'Invalid', 429: 'TooManyRequests', 500: 'InternalError',
  503: 'ServiceUnavailable', 504: 'Timeout',
}; // prettier-ignore

/** Redacts before cutting: half a token would not be recognised. */
function boundedResponseText(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const safe = redact(value);
  return safe.length > MAX_QUOTED_TEXT ? `${safe.slice(0, MAX_QUOTED_TEXT)}…` : safe;
}

/** Parses seconds or an HTTP date. */
function parseResponseRetryAfter(header: string | undefined, wallNow: number): number | undefined {
  const text = header?.trim() ?? '';
  // 0 or a past date counts as absent: with a pause of 0 a write would be repeated in a hot loop.
  if (/^\d{1,9}$/.test(text)) return Number(text) === 0 ? undefined : Number(text) * 1_000;
  // `Sun, 06 Nov 1994 08:49:37 GMT`, the one form servers send.
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  // oxlint-disable-next-line no-restricted-globals -- reads a text, not the clock
  const at = Date.parse(text);
  return Number.isNaN(at) || at <= wallNow ? undefined : at - wallNow;
}

/** In a Status, 0 means absent. */
function responseRetryAfterMs(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds > 0 ? seconds * 1_000 : undefined;
}

/** The origin of a redirect, for a message. Path, query and user are left out: they may hold secrets. */
function responseRedirectTarget(location: string | undefined): string {
  const base = 'http://itself.invalid';
  if (location === undefined || !URL.canParse(location, base)) return '';
  const { origin } = new URL(location, base);
  return origin === base ? ' to itself' : ` to ${origin}`;
}

function unusableResponse(message: string, cause?: unknown): KubeError {
  const code = 'ERR_UNUSABLE_RESPONSE';
  return new KubeError('TRANSPORT', message, { cause: Object.assign(new Error(code, { cause }), { code }) });
}
