import { KubeError, type Status, type StatusCause } from '../../core/errors.ts';
import { ByteBuffer } from '../codec/byte-buffer.ts';
import { defined } from '../../core/defined.ts';
import { MAX_DEPTH, MAX_OBJECT_BYTES, parseJson } from '../codec/json-bytes.ts';
import { redact } from '../secrets/redact.ts';
import type { TransportResponse } from '../transport/transport.ts';

/** Of a failure's body; a Status is small, an HTML page of a proxy may be anything. */
const MOST_ERROR_BYTES = 64 * 1_024;
/** Of each text in an error. */
const MOST_TEXT = 2_048;
/** Of the reasons behind a Status. */
const MOST_CAUSES = 256;
/** Longest pause a server may ask for, unless configured. */
export const MOST_RETRY_AFTER_MS = 60_000;

/** What an answer is an answer to. */
export interface Question {
  /** For messages: "GET /api/v1/pods". */
  readonly what: string;
  /** The object may be a Secret: words that could quote it are left out of errors. */
  readonly isSecret: boolean;
}

/** Reads a whole body. Throws TRANSPORT when it has more than `most` bytes, and closes it. */
export async function readBytes(body: AsyncIterable<Uint8Array>, most: number, what: string): Promise<Uint8Array> {
  const buffer = new ByteBuffer();
  for await (const chunk of body) {
    if (buffer.length + chunk.length > most) {
      throw unusable(`${what}: the answer is larger than ${most} bytes`);
    }
    buffer.append(chunk);
  }
  return buffer.view();
}

/** Reads a body that is JSON. What goes wrong is told without a word of the content, which may be a Secret. */
export async function readJson<R>(
  answer: TransportResponse,
  what: string,
  most: number = MAX_OBJECT_BYTES,
): Promise<R> {
  const bytes = await readBytes(answer.body, most, what);
  return parseJson(bytes, MAX_DEPTH, ({ reason, cause }) => {
    const type =
      /^[\w.+-]{1,40}\/[\w.+-]{1,80}/.exec(answer.headers.get('content-type') ?? '')?.[0] ?? 'no content type';
    throw unusable(`${what}: the answer is ${reason} (${bytes.length} bytes, ${type}); a proxy in between?`, cause);
  }) as R;
}

/** The same for an answer that has to be an object, a Status included. */
export async function readObject<R>(answer: TransportResponse, what: string, most?: number): Promise<R> {
  const value = await readJson<R>(answer, what, most);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw unusable(`${what}: the answer is JSON, but no object; a proxy in between?`);
}

/** Throws, naming what came instead, unless the answer says that it is JSON, or nothing. A login page is none. */
export async function requireJson(answer: TransportResponse, what: string): Promise<void> {
  const type = answer.headers.get('content-type') ?? '';
  if (type === '' || /^[^;]*\bjson\b/i.test(type)) return;
  await discard(answer.body);
  const shown = /^[\w.+-]{1,40}\/[\w.+-]{1,80}/.exec(type)?.[0] ?? 'something unreadable';
  throw unusable(`${what}: the server answered with ${shown} instead of JSON; a proxy or a login page in between?`);
}

/** Closes a body nobody wants. */
export async function discard(body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await body[Symbol.asyncIterator]().return?.();
  } catch {
    // it is not wanted, whatever became of it
  }
}

/**
 * The error a failed answer stands for: the server's Status, or one made from what came instead. Closes the body.
 *
 * Promises: bounded, redacted, and nothing in it that could be the content of a Secret. `status.code` is the one of the
 * HTTP answer.
 */
export async function failureOf(
  answer: TransportResponse,
  question: Question,
  time: { readonly wallNow: number; readonly mostRetryAfterMs: number },
): Promise<KubeError> {
  const { status: code, headers } = answer;
  const { what } = question;
  if (code >= 300 && code < 400) {
    await discard(answer.body);
    const to = originOf(headers.get('location'));
    return new KubeError('TRANSPORT', `${what}: the server redirects${to}; redirects are never followed`, {
      cause: Object.assign(new Error(`HTTP ${code}`), { code: 'ERR_REDIRECT' }),
    });
  }
  const text = await readStart(answer.body);
  const status = statusFrom(text, code, question.isSecret) ?? made(text, code, question.isSecret);
  const { details, message = `HTTP ${code}` } = status;
  const retryAfterMs = headerMs(headers.get('retry-after'), time.wallNow) ?? secondsMs(details?.retryAfterSeconds);
  return new KubeError('API_STATUS', `${what}: ${message}`, {
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.min(retryAfterMs, time.mostRetryAfterMs) }),
  });
}

/** The text of a body's first bytes; the rest is not waited for. What broke off still says something. */
async function readStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const buffer = new ByteBuffer();
  try {
    for await (const chunk of body) {
      const room = MOST_ERROR_BYTES - buffer.length;
      buffer.append(chunk, 0, Math.min(room, chunk.length));
      if (chunk.length >= room) break;
    }
  } catch {
    // the status line has already told the failure
  }
  return new TextDecoder().decode(buffer.view());
}

/** Only the fields of a Status, each of its type: the rest of the code may rely on it, whoever answered. */
function statusFrom(body: string, code: number, isSecret: boolean): Status | undefined {
  if (!body.trimStart().startsWith('{')) return undefined;
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(body) as Record<string, unknown>;
  } catch {
    return undefined; // cut off, or not JSON after all: the code says enough
  }
  if (parsed['kind'] !== 'Status') return undefined;
  const reason = textOf(parsed['reason']) ?? REASONS[code];
  const message = textOf(parsed['message']);
  const hide = isSecret && mayQuote(reason, message);
  const given = typeof parsed['details'] === 'object' ? (parsed['details'] as Record<string, unknown> | null) : null;
  return {
    apiVersion: 'v1',
    kind: 'Status',
    code,
    ...defined({ reason, message: hide ? hiddenWords(code, reason) : message }),
    ...(given === null ? {} : { details: detailsFrom(given, hide) }),
  };
}

function detailsFrom(given: Record<string, unknown>, hide: boolean): NonNullable<Status['details']> {
  const { retryAfterSeconds, causes } = given;
  return {
    ...defined({ name: textOf(given['name']), group: textOf(given['group']), kind: textOf(given['kind']) }),
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
    ...(Array.isArray(causes) ? { causes: causes.slice(0, MOST_CAUSES).map((cause) => causeFrom(cause, hide)) } : {}),
  };
}

function causeFrom(cause: unknown, hide: boolean): StatusCause {
  const { reason, message, field } = (cause ?? {}) as Record<string, unknown>;
  return defined({ reason: textOf(reason), message: hide ? undefined : textOf(message), field: textOf(field) });
}

function made(body: string, code: number, isSecret: boolean): Status {
  const reason = REASONS[code];
  const said = textOf(body.replaceAll(/\s+/g, ' ').trim()) ?? 'nothing more';
  const hide = isSecret || /\bkind["']?\s*:\s*["']?Secret/.test(body);
  const message = hide ? hiddenWords(code, reason) : `the server answered ${code}: ${said}`;
  return { apiVersion: 'v1', kind: 'Status', code, ...defined({ reason, message }) };
}

/** Reasons for which the server writes its message from names alone. Webhooks may give any of them, in their own words. */
const FROM_NAMES: ReadonlySet<string> = new Set([
  'NotFound', 'AlreadyExists', 'Conflict', 'Forbidden', 'Unauthorized', 'Expired', 'Gone', 'TooManyRequests',
  'MethodNotAllowed', 'NotAcceptable', 'UnsupportedMediaType', 'Timeout', 'ServerTimeout', 'ServiceUnavailable',
]); // prettier-ignore

function mayQuote(reason = '', message = ''): boolean {
  return !FROM_NAMES.has(reason) || message.includes('denied the request');
}

function hiddenWords(code: number, reason = 'no reason'): string {
  return `the server answered ${code} (${reason}); its words are left out, they may quote the Secret`;
}

/** Reasons the API uses for codes, for answers that carry none. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest', 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound', 405: 'MethodNotAllowed', 406: 'NotAcceptable', 409: 'Conflict',
  410: 'Gone', 413: 'RequestEntityTooLarge', 415: 'UnsupportedMediaType', 422: 'Invalid', 429: 'TooManyRequests', 500: 'InternalError',
  503: 'ServiceUnavailable', 504: 'Timeout',
}; // prettier-ignore

/** Redacted first, cut afterwards: half a token is not recognised. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const safe = redact(value);
  return safe.length > MOST_TEXT ? `${safe.slice(0, MOST_TEXT)}…` : safe;
}

/** Seconds or an HTTP date; undefined when nothing is asked for. */
function headerMs(header: string | undefined, wallNow: number): number | undefined {
  const text = header?.trim() ?? '';
  // 0, or a time that is over, asks for nothing: without a pause of our own a write would be repeated in a hot loop.
  if (/^\d{1,9}$/.test(text)) return Number(text) === 0 ? undefined : Number(text) * 1_000;
  // `Sun, 06 Nov 1994 08:49:37 GMT`, the one form servers send.
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  // oxlint-disable-next-line no-restricted-globals -- reads a text, not the clock
  const at = Date.parse(text);
  return Number.isNaN(at) || at <= wallNow ? undefined : at - wallNow;
}

/** In a Status 0 means that nothing was said. */
function secondsMs(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds > 0 ? seconds * 1_000 : undefined;
}

/** The target of a redirect without path, query and user: they may hold what was meant for the server alone. */
function originOf(location: string | undefined): string {
  const base = 'http://itself.invalid';
  if (location === undefined || !URL.canParse(location, base)) return '';
  const { origin } = new URL(location, base);
  return origin === base ? ' to itself' : ` to ${origin}`;
}

function unusable(message: string, cause?: unknown): KubeError {
  const code = 'ERR_UNUSABLE_ANSWER';
  return new KubeError('TRANSPORT', message, { cause: Object.assign(new Error(code, { cause }), { code }) });
}
