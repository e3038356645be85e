import { defined } from '../../core/defined.ts';
import { linkedAbort, untilAborted } from '../../core/async/abort.ts';
import type { Env } from '../../core/env.ts';
import { abortError, hasCode, KubeError, messageOf, requireOption } from '../../core/errors.ts';
import { isUnauthorized, retryAfterOf, statusOf } from '../../core/status.ts';
import { discard, failureOf, MOST_RETRY_AFTER_MS } from './response.ts';
import type { Connection } from '../connect/connection.ts';
import type { Credentials } from '../auth/credentials.ts';
import type { Limiter } from '../../core/async/rate-limit.ts';
import { withoutQuery } from '../transport/request-check.ts';
import { authorizationHeader, checkedHeaders, type Headers, impersonationHeaders } from './request-headers.ts';
import { pauseBefore } from './retry-table.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.ts';
import { parseWarnings, type WarningHandler, warningHandler, WarningLog, type WarningPolicy } from './warnings.ts';
import { trimEnd } from '../../core/trim-end.ts';

/** Of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** For the whole call, retries included; waiting for the client's own rate limit comes before. @default none */
  readonly timeoutMs?: number;
  /** `once`: somebody above owns the retries and wants to hear of every failure. @default as the retry table says */
  readonly attempts?: 'once';
  /** @default the client's */
  readonly onWarning?: WarningPolicy;
  /** @default the client's */
  readonly limiter?: Limiter | 'none';
}

/** One call of the API. `path` is built and checked by `url.ts`; the server's own path prefix is added here. */
export interface ApiRequest extends CallOptions {
  readonly method: TransportRequest['method'];
  readonly path: string;
  /** @default application/json */
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string | Uint8Array;
  /** Win over all others, those of the credentials included. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A watch or a followed log: never limited. */
  readonly longLived?: boolean;
  /** Silence does not end it. */
  readonly mayBeSilent?: boolean;
}

export interface RequesterOptions {
  readonly connection: Connection;
  readonly transport: Transport;
  readonly env: Env;
  readonly userAgent: string;
  readonly onWarning: WarningPolicy;
  readonly limiter?: Limiter | undefined;
  /** Longest Retry-After that is honoured. @default 60_000 */
  readonly mostRetryAfterMs?: number | undefined;
}

/**
 * Sends one call as the connection's user and gives back a good answer, or throws what the server said.
 *
 * Promises: tries again as the retry table says, honours `signal` and `timeoutMs` at every point, renews credentials
 * once on 401 and replays once, hands warnings on, closes the body of every answer it does not give back. Never
 * follows a redirect. Refuses headers that would be two.
 *
 * Room rule: knows HTTP and Status. Nothing of resources, lists or watches.
 */
export class Requester {
  readonly #options: RequesterOptions;
  readonly #prefix: string;
  readonly #headers: Headers;
  readonly #mostRetryAfterMs: number;
  readonly #warnings: WarningLog;
  readonly #warn: WarningHandler;
  readonly #closed = new AbortController();

  constructor(options: RequesterOptions) {
    const { connection, env, userAgent, onWarning, mostRetryAfterMs = MOST_RETRY_AFTER_MS } = options;
    requireOption(mostRetryAfterMs >= 0, 'maxRetryAfterMs', 'a number >= 0', mostRetryAfterMs);
    this.#options = options;
    // Query and fragment of a server's address mean nothing.
    this.#prefix = trimEnd(connection.server.pathname, '/');
    this.#headers = { 'user-agent': userAgent, ...impersonationHeaders(connection.impersonate) };
    this.#mostRetryAfterMs = mostRetryAfterMs;
    this.#warnings = new WarningLog(env);
    this.#warn = warningHandler(onWarning, this.#warnings, env, { once: true });
  }

  /** Ends every wait for another attempt; calls that are under way end with the transport. */
  close(): void {
    this.#closed.abort(new Error('the client was closed'));
  }

  /** A long answer: the caller reads the body and ends it. Tried again only until the headers are here. */
  open(request: ApiRequest): Promise<TransportResponse> {
    const { signal = new AbortController().signal } = request;
    return this.#tried(request, signal, (answer) => Promise.resolve(answer));
  }

  /** A whole call: the answer is read by `read`, and a read that breaks counts as a failed attempt. */
  async call<R>(request: ApiRequest, read: (answer: TransportResponse) => Promise<R>): Promise<R> {
    const { signal: outer, timeoutMs } = request;
    requireOption(timeoutMs === undefined || timeoutMs > 0, 'timeoutMs', 'a number > 0', timeoutMs);
    // A signal of its own, so that a hundred calls under one signal leave one listener each, and none behind.
    const end = linkedAbort(outer ?? new AbortController().signal);
    const inTime = new AbortController();
    let running: Call | undefined;
    const startTimer = (call: Call): void => {
      running = call;
      if (timeoutMs === undefined) return;
      void this.#options.env.sleep(timeoutMs, inTime.signal).then(() => {
        if (!inTime.signal.aborted) end.abort(LATE);
      });
    };
    try {
      return await this.#tried(request, end.signal, read, startTimer);
    } catch (error) {
      if (end.signal.reason !== LATE) throw error;
      // Not the abort itself: that was ours, and nobody must take it for the caller's.
      const cause = attemptsOf(error).at(-1) ?? LATE;
      const after = cause === LATE ? '' : `; the last attempt: ${messageOf(cause)}`;
      const late = `${describe(request)}: no answer within ${timeoutMs} ms${running?.waitsFor ?? ''}${after}`;
      throw new KubeError('TRANSPORT', late, { cause });
    } finally {
      inTime.abort();
      end[Symbol.dispose]();
    }
  }

  async #tried<R>(
    request: ApiRequest,
    signal: AbortSignal,
    read: (answer: TransportResponse) => Promise<R>,
    started: (call: Call) => void = () => {},
  ): Promise<R> {
    const { env, limiter: shared } = this.#options;
    const { method, longLived = false, limiter = shared } = request;
    const call = new Call(request, this.#headers, signal);
    const failures: unknown[] = [];
    for (;;) {
      if (signal.aborted) throw interrupted(call.what, signal, failures);
      if (limiter !== undefined && limiter !== 'none' && !longLived) await limiter.take(signal);
      if (failures.length === 0) started(call);
      try {
        return await untilAborted(this.#attempt(call).then(read), signal, call.what);
      } catch (error) {
        if (signal.aborted) throw interrupted(call.what, signal, failures);
        if (hasCode(error, 'ABORTED')) throw error;
        failures.push(error);
        const ms =
          request.attempts === 'once' ? undefined : pauseBefore(method, error, failures.length, () => env.random());
        if (ms === undefined) throw failures.length === 1 ? error : exhausted(call.what, failures);
        // The first failure may be a hiccup; from the second on somebody who waits wants to know why.
        const level = failures.length < 2 ? 'debug' : 'warn';
        env.log(level, 'a request is tried again', {
          method,
          path: call.path,
          ms: Math.round(ms),
          error: messageOf(error),
        });
        await this.#pause(ms, signal);
        if (this.#closed.signal.aborted) throw interrupted(call.what, this.#closed.signal, failures);
      }
    }
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    const closed = this.#closed.signal;
    const end = linkedAbort(signal);
    const stop = (): void => end.abort(closed.reason);
    if (closed.aborted) stop();
    closed.addEventListener('abort', stop, { once: true });
    await this.#options.env.sleep(ms, end.signal);
    closed.removeEventListener('abort', stop);
    end[Symbol.dispose]();
  }

  /** One attempt; with fresh credentials a second one, once in the life of a call, when the first was answered with 401. */
  async #attempt(call: Call): Promise<TransportResponse> {
    const { credentials: source } = this.#options.connection;
    for (;;) {
      call.waitsFor = ` while getting credentials (${source.kind})`;
      const credentials = await source.current(call.signal);
      call.waitsFor = '';
      const answer = await this.#send(call, credentials);
      if (call.signal.aborted) {
        // It came too late: whoever asked has gone.
        await discard(answer.body);
        throw abortError(call.signal, call.what);
      }
      if (answer.status === 200 || (answer.status < 300 && !call.isLongLived)) return answer;
      const failure = await failureOf(answer, call, {
        wallNow: this.#options.env.wallNow(),
        mostRetryAfterMs: this.#mostRetryAfterMs,
      });
      const isRefused = isUnauthorized(failure) && !call.isReplayed && !call.hasOwnAuthorization;
      if (!isRefused || !source.rejected(credentials)) throw failure;
      call.isReplayed = true;
    }
  }

  async #send(call: Call, credentials: Credentials): Promise<TransportResponse> {
    const { transport, env } = this.#options;
    const { method, body, onWarning, mayBeSilent = false } = call.request;
    const answer = await transport.send({
      method,
      path: this.#prefix + call.request.path,
      headers: call.headersWith(credentials),
      signal: call.signal,
      ...defined({ body }),
      ...(call.isLongLived ? { longLived: true } : {}),
      ...(mayBeSilent ? { mayBeSilent } : {}),
    });
    const header = answer.headers.get('warning');
    if (header === undefined) return answer;
    const tell = onWarning === undefined ? this.#warn : warningHandler(onWarning, this.#warnings, env);
    try {
      for (const one of parseWarnings(header)) tell({ ...one, method, path: call.path });
      return answer;
    } catch (error) {
      await discard(answer.body);
      throw error;
    }
  }
}

/** One call, from its first attempt to its last. */
class Call {
  readonly request: ApiRequest;
  readonly signal: AbortSignal;
  /** Without the query. */
  readonly path: string;
  readonly what: string;
  readonly isSecret: boolean;
  readonly isLongLived: boolean;
  readonly #before: Headers;
  readonly #after: Headers;
  isReplayed = false;
  /** For the message when time is over: what it was spent on, unless that was the server. */
  waitsFor = '';

  constructor(request: ApiRequest, shared: Headers, signal: AbortSignal) {
    const { accept = 'application/json', contentType, headers = {}, longLived = false } = request;
    this.request = request;
    this.signal = signal;
    this.path = withoutQuery(request.path);
    this.what = describe(request);
    this.isSecret = SECRETS.test(this.path);
    this.isLongLived = longLived;
    this.#before = { accept, ...shared, ...(contentType === undefined ? {} : { 'content-type': contentType }) };
    this.#after = checkedHeaders(headers);
  }

  /** The caller's: renewing ours would change nothing. */
  get hasOwnAuthorization(): boolean {
    return this.#after['authorization'] !== undefined;
  }

  headersWith(credentials: Credentials): Headers {
    return { ...this.#before, ...authorizationHeader(credentials), ...this.#after };
  }
}

/** Why a call was aborted by its own clock. */
const LATE = new Error('the call took longer than its timeoutMs');
const SECRETS = /^\/api\/v1\/(?:watch\/)?(?:namespaces\/[^/]+\/)?secrets(?:\/|$)/;
/** Of a path in a message. */
const MOST_PATH = 1_000;

function describe({ method, path }: ApiRequest): string {
  return `${method} ${withoutQuery(path).slice(0, MOST_PATH)}`;
}

/** Errors of the attempts that were made, oldest first, on an error of a call that was tried more than once. */
export function attemptsOf(error: unknown): readonly unknown[] {
  const { attempts } = (error ?? {}) as { attempts?: unknown };
  return Array.isArray(attempts) ? (attempts as unknown[]) : [];
}

function exhausted(what: string, failures: readonly unknown[]): KubeError {
  const last = failures.at(-1);
  const [status, retryAfterMs] = [statusOf(last), retryAfterOf(last)];
  const reasons = failures.map(messageOf);
  const reason = reasons.at(-1);
  const other = reasons.findLast((one) => one !== reason);
  const why = other === undefined ? `each time: ${reason}` : `at last: ${reason}; before: ${other}`;
  const error = new KubeError(
    last instanceof KubeError ? last.code : 'TRANSPORT',
    `${what} failed ${failures.length} times; ${why}`,
    {
      cause: last,
      ...defined({ status, retryAfterMs }),
    },
  );
  return Object.defineProperty(error, 'attempts', { value: failures });
}

/** Who stops waiting still wants to know what went wrong until then. */
function interrupted(what: string, signal: AbortSignal, failures: readonly unknown[]): KubeError {
  if (failures.length === 0) return abortError(signal, what);
  const error = abortError(signal, `${what}, which had failed before (${messageOf(failures.at(-1))}),`);
  return Object.defineProperty(error, 'attempts', { value: failures });
}
