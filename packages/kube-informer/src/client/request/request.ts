import { defined } from '../../core/defined.ts';
import { linkedAbort, untilAborted } from '../../core/async/abort.ts';
import type { Env } from '../../core/env.ts';
import { abortError, hasCode, isKubeError, KubeError, errorMessageOf, requireOption } from '../../core/errors.ts';
import { isUnauthorized, MAX_RETRY_AFTER_MS, retryAfterOf, statusOf } from '../../core/status.ts';
import { discardResponseBody, errorFromResponse } from './response.ts';
import { type Connection, requireSecureConnection } from '../connect/connection.ts';
import { KnownSecrets } from '../../core/known-secrets.ts';
import { isSecretUrl } from './url.ts';
import type { Credentials } from '../auth/credentials.ts';
import type { Limiter } from '../../core/async/rate-limit.ts';
import { pathOfCheckedRequest } from '../transport/request-check.ts';
import { startTimeout } from '../transport/timeout.ts';
import { authorizationHeader, checkedHeaders, type Headers, impersonationHeaders } from './request-headers.ts';
import { atMinimumPace } from './minimum-pace.ts';
import { retryTableDelayMs } from './retry-table.ts';
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.ts';
import { parseWarnings, type WarningHandler, warningHandler, WarningLog, type WarningPolicy } from './warnings.ts';
import { trimEnd } from '../../core/trim-end.ts';

/** Options of every call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Maximum time of the whole call, including retries; waiting for the client's own rate limit does not count. @default none */
  readonly timeoutMs?: number;
  /** `once`: no retries, for a caller that retries by itself. @default as the retry table says */
  readonly attempts?: 'once';
  /** @default the client's */
  readonly onWarning?: WarningPolicy;
  /** @default the client's */
  readonly limiter?: Limiter | 'none';
}

/** One call of the API. `path` is built and checked by `url.ts`; the path prefix of the server is added here. */
export interface ApiRequest extends CallOptions {
  readonly method: TransportRequest['method'];
  readonly path: string;
  /** @default application/json */
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string | Uint8Array;
  /** Headers that override all others, including those of the credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it is a watch or a followed log, which is exempt from the rate limit. */
  readonly longLived?: boolean;
  /** Whether the body may have no bytes for a long time without counting as broken. */
  readonly mayBeSilent?: boolean;
}

export interface RequesterOptions {
  readonly connection: Connection;
  readonly transport: Transport;
  readonly env: Env;
  readonly userAgent: string;
  readonly onWarning: WarningPolicy;
  readonly limiter?: Limiter | undefined;
  /** Maximum Retry-After that is honoured. @default 60_000 */
  readonly maxRetryAfterMs?: number | undefined;
}

/**
 * Sends a call with the connection's credentials and returns a successful response, or throws the server's Status.
 *
 * Promises: retries as the retry table says, honours `signal` and `timeoutMs` at every point, renews credentials and
 * replays once on 401, passes warnings on, closes the body of every response it does not return. Never follows a
 * redirect. Refuses header values with line breaks.
 *
 * Room rule: knows HTTP and Status. Nothing of resources, lists or watches.
 */
export class Requester {
  readonly #options: RequesterOptions;
  readonly #prefix: string;
  readonly #headers: Headers;
  readonly #maxRetryAfterMs: number;
  readonly #warnings: WarningLog;
  readonly #warn: WarningHandler;
  readonly #closed = new AbortController();
  readonly #secrets: KnownSecrets;

  constructor(options: RequesterOptions) {
    const { connection, env, userAgent, onWarning, maxRetryAfterMs = MAX_RETRY_AFTER_MS } = options;
    requireOption(maxRetryAfterMs >= 0, 'maxRetryAfterMs', 'a number >= 0', maxRetryAfterMs);
    this.#options = options;
    // Query and fragment of the server's URL are ignored.
    this.#prefix = trimEnd(connection.server.pathname, '/');
    this.#headers = { 'user-agent': userAgent, ...impersonationHeaders(connection.impersonate) };
    this.#maxRetryAfterMs = maxRetryAfterMs;
    this.#secrets = connection.secrets ?? new KnownSecrets();
    this.#warnings = new WarningLog(env);
    this.#warn = warningHandler(onWarning, this.#warnings, env, { once: true });
  }

  /** Ends every pause before a retry; running requests end when the transport is closed. */
  close(): void {
    this.#closed.abort(new Error('the client was closed'));
  }

  /** Forgets the secrets of the connection. Only after the transport was closed: until then a response may echo them. */
  forgetSecrets(): void {
    this.#secrets.clear();
  }

  /**
   * Resolves when the headers have arrived; the caller reads and closes the body. Retries only until the
   * headers have arrived.
   */
  open(request: ApiRequest): Promise<TransportResponse> {
    const { signal = new AbortController().signal } = request;
    return this.#withRetries(request, signal, (response) => Promise.resolve(response));
  }

  /** Resolves with the result of `read`. A body that breaks or trickles during `read` counts as a failed attempt. */
  async call<R>(request: ApiRequest, read: (response: TransportResponse) => Promise<R>): Promise<R> {
    const { signal: outer, timeoutMs } = request;
    requireOption(timeoutMs === undefined || timeoutMs > 0, 'timeoutMs', 'a number > 0', timeoutMs);
    // A signal per call, so that calls under one long-lived signal leave no listeners behind.
    const end = linkedAbort(outer ?? new AbortController().signal);
    let cancelTimeout = (): void => {};
    let running: Call | undefined;
    const onStarted = (call: Call): void => {
      running = call;
      if (timeoutMs === undefined) return;
      cancelTimeout = startTimeout(this.#options.env, timeoutMs, () => end.abort(TIMED_OUT));
    };
    try {
      const { env } = this.#options;
      const readAtPace = ({ status, headers, body }: TransportResponse): Promise<R> =>
        read({ status, headers, body: atMinimumPace(body, env, requestText(request)) });
      return await this.#withRetries(request, end.signal, readAtPace, onStarted);
    } catch (error) {
      if (end.signal.reason !== TIMED_OUT) throw error;
      // Not ABORTED: the caller did not abort.
      const cause = attemptsOf(error).at(-1) ?? TIMED_OUT;
      const after = cause === TIMED_OUT ? '' : `; the last attempt: ${errorMessageOf(cause)}`;
      const why = `no response within ${timeoutMs} ms${running?.waitsFor ?? ''}${after}`;
      throw new KubeError('TRANSPORT', `${requestText(request)}: ${why}`, { cause });
    } finally {
      cancelTimeout();
      end[Symbol.dispose]();
    }
  }

  async #withRetries<R>(
    request: ApiRequest,
    signal: AbortSignal,
    read: (response: TransportResponse) => Promise<R>,
    onStarted: (call: Call) => void = () => {},
  ): Promise<R> {
    const { env, limiter: shared } = this.#options;
    const { method, longLived = false, limiter = shared } = request;
    const call = new Call(request, this.#headers, this.#secrets, signal);
    const failures: unknown[] = [];
    for (;;) {
      if (signal.aborted) throw requestInterrupted(call.what, signal, failures);
      if (limiter !== undefined && limiter !== 'none' && !longLived) await limiter.take(signal);
      if (failures.length === 0) onStarted(call);
      try {
        return await untilAborted(this.#attempt(call).then(read), signal, call.what);
      } catch (error) {
        if (signal.aborted) throw requestInterrupted(call.what, signal, failures);
        if (hasCode(error, 'ABORTED')) throw error;
        failures.push(error);
        const ms =
          request.attempts === 'once'
            ? undefined
            : retryTableDelayMs(method, error, failures.length, () => env.random());
        if (ms === undefined) throw failures.length === 1 ? error : requestExhausted(call.what, failures);
        // A single failure is often harmless; from the second on the log explains why the call takes long.
        const level = failures.length < 2 ? 'debug' : 'warn';
        env.log(level, 'a request failed and is retried', {
          method,
          path: call.path,
          ms: Math.round(ms),
          error: errorMessageOf(error),
        });
        await this.#pause(ms, signal);
        if (this.#closed.signal.aborted) throw requestInterrupted(call.what, this.#closed.signal, failures);
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

  /** Sends the request; on 401 once more with renewed credentials, at most once per call. */
  async #attempt(call: Call): Promise<TransportResponse> {
    const { credentials: source } = this.#options.connection;
    for (;;) {
      call.waitsFor = ` while getting credentials (${source.kind})`;
      const credentials = await source.current(call.signal);
      call.waitsFor = '';
      const response = await this.#send(call, credentials);
      if (call.signal.aborted) {
        // The response arrived after the abort.
        await discardResponseBody(response.body);
        throw abortError(call.signal, call.what);
      }
      if (response.status === 200 || (response.status < 300 && !call.isLongLived)) return response;
      const failure = await errorFromResponse(response, call, {
        wallNow: this.#options.env.wallNow(),
        maxRetryAfterMs: this.#maxRetryAfterMs,
      });
      const isRefused = isUnauthorized(failure) && !call.isReplayed && !call.hasOwnAuthorization;
      if (!isRefused || !source.rejected(credentials)) throw failure;
      call.isReplayed = true;
    }
  }

  /** The only place that writes credentials into a request, and so the only one that has to check where they go. */
  #headersOf(call: Call, credentials: Credentials): Headers {
    const headers = call.headersWith(credentials);
    if (headers['authorization'] !== undefined) requireSecureConnection(this.#options.connection);
    return headers;
  }

  async #send(call: Call, credentials: Credentials): Promise<TransportResponse> {
    const { transport, env } = this.#options;
    const { method, body, onWarning, mayBeSilent = false } = call.request;
    const response = await transport.send({
      method,
      path: this.#prefix + call.request.path,
      headers: this.#headersOf(call, credentials),
      signal: call.signal,
      ...defined({ body }),
      ...(call.isLongLived ? { longLived: true } : {}),
      ...(mayBeSilent ? { mayBeSilent } : {}),
    });
    const header = response.headers.get('warning');
    if (header === undefined) return response;
    const tell = onWarning === undefined ? this.#warn : warningHandler(onWarning, this.#warnings, env);
    try {
      for (const one of parseWarnings(header, call.isSecret && method !== 'GET'))
        tell({ ...one, method, path: call.path });
      return response;
    } catch (error) {
      await discardResponseBody(response.body);
      throw error;
    }
  }
}

/** One call, from its first attempt to its last. */
class Call {
  readonly request: ApiRequest;
  readonly signal: AbortSignal;
  /** Path of the request, without the query. */
  readonly path: string;
  readonly what: string;
  readonly isSecret: boolean;
  readonly isLongLived: boolean;
  readonly #secrets: KnownSecrets;
  readonly #before: Headers;
  readonly #after: Headers;
  isReplayed = false;
  /** For the timeout message: what the call waits for, unless it is the server. */
  waitsFor = '';

  constructor(request: ApiRequest, shared: Headers, secrets: KnownSecrets, signal: AbortSignal) {
    const { accept = 'application/json', contentType, headers = {}, longLived = false } = request;
    this.request = request;
    this.signal = signal;
    this.path = pathOfCheckedRequest(request.path);
    this.what = requestText(request);
    this.isSecret = isSecretUrl(this.path);
    this.isLongLived = longLived;
    this.#before = { accept, ...shared, ...defined({ 'content-type': contentType }) };
    this.#secrets = secrets;
    this.#after = checkedHeaders(headers, secrets);
  }

  /** Whether the caller set the header itself: then renewing the credentials would not change it. */
  get hasOwnAuthorization(): boolean {
    return this.#after['authorization'] !== undefined;
  }

  headersWith(credentials: Credentials): Headers {
    return { ...this.#before, ...authorizationHeader(credentials, this.#secrets), ...this.#after };
  }
}

/** Abort reason of a call that exceeded its `timeoutMs`. */
const TIMED_OUT = new Error('the call took longer than its timeoutMs');
/** Maximum length of a path in a message. */
const MAX_QUOTED_PATH = 1_000;

function requestText({ method, path }: ApiRequest): string {
  return `${method} ${pathOfCheckedRequest(path).slice(0, MAX_QUOTED_PATH)}`;
}

/** The errors of all attempts, oldest first, from the error of a call that was retried. */
export function attemptsOf(error: unknown): readonly unknown[] {
  const { attempts } = (error ?? {}) as { attempts?: unknown };
  return Array.isArray(attempts) ? (attempts as unknown[]) : [];
}

function requestExhausted(what: string, failures: readonly unknown[]): KubeError {
  const last = failures.at(-1);
  const [status, retryAfterMs] = [statusOf(last), retryAfterOf(last)];
  const reasons = failures.map(errorMessageOf);
  const reason = reasons.at(-1);
  const other = reasons.findLast((one) => one !== reason);
  const why = other === undefined ? `each time: ${reason}` : `last: ${reason}; before: ${other}`;
  const error = new KubeError(
    isKubeError(last) ? last.code : 'TRANSPORT',
    `${what} failed ${failures.length} times; ${why}`,
    {
      cause: last,
      ...defined({ status, retryAfterMs }),
    },
  );
  return Object.defineProperty(error, 'attempts', { value: failures });
}

/** An abort error that includes the last failure before the abort. */
function requestInterrupted(what: string, signal: AbortSignal, failures: readonly unknown[]): KubeError {
  if (failures.length === 0) return abortError(signal, what);
  const error = abortError(signal, `${what}, which had failed before (${errorMessageOf(failures.at(-1))}),`);
  return Object.defineProperty(error, 'attempts', { value: failures });
}
