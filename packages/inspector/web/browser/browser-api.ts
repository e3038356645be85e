import type { ErrorResponse } from '../../src/protocol/messages.ts';
import { browserPlatformRequest, browserPlatformSleep } from './browser-platform.ts';

const TOKEN_HEADER = 'x-inspector-token';
const STORED = 'inspector-token';
const RETRY_MS = 1_000;

/** An error response of the inspector. */
export class RefusedError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Moves the token from the address, with which it would be copied, to this tab's session storage. */
export function takeBrowserApiToken(): string {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given !== null) {
    sessionStorage.setItem(STORED, given);
    history.replaceState(null, '', '#/');
  }
  return sessionStorage.getItem(STORED) ?? '';
}

/** Client of the process that serves this page. Addresses are relative: the page may be mounted under a path. */
export class Api {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  async get<T>(path: string, parameters: Readonly<Record<string, string>> = {}, signal?: AbortSignal): Promise<T> {
    const query = new URLSearchParams(parameters).toString();
    const init = { signal: signal ?? null };
    const response = await this.#request(`api/${path}${query === '' ? '' : `?${query}`}`, init);
    return (await response.json()) as T;
  }

  async post<T>(path: string, body: object): Promise<T> {
    const response = await this.#request(`api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as T;
  }

  /**
   * Delivers live messages until `signal` aborts; reconnects when the stream ends. `state` is called on success and
   * failure.
   */
  async follow(
    parameters: Readonly<Record<string, string>>,
    {
      message,
      state,
      signal,
    }: { message: (event: string, data: unknown) => void; state: (error: unknown) => void; signal: AbortSignal },
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        const query = new URLSearchParams(parameters).toString();
        const response = await this.#request(`api/stream?${query}`, { signal });
        state(undefined);
        await readBrowserApiEvents(response, message);
        throw new Error('the connection ended');
      } catch (error) {
        if (signal.aborted) return;
        state(error);
        await browserPlatformSleep(RETRY_MS);
      }
    }
  }

  async #request(path: string, init: RequestInit): Promise<Response> {
    const response = await browserPlatformRequest(path, {
      ...init,
      headers: { ...(init.headers as Record<string, string> | undefined), [TOKEN_HEADER]: this.#token },
      cache: 'no-store',
      credentials: 'omit',
    });
    if (response.ok) return response;
    const body = (await response.json().catch(() => undefined)) as ErrorResponse | undefined;
    throw new RefusedError(response.status, body?.error ?? `status ${response.status}`);
  }
}

/** Reads server-sent events. EventSource cannot send a header, and the token must not be in the URL. */
async function readBrowserApiEvents(
  response: Response,
  message: (event: string, data: unknown) => void,
): Promise<void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done = true, value = '' } = (await reader?.read()) ?? {};
    if (done) return;
    const parts = (rest + value).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const [, event = '', data = 'null'] = /^event: (\w+)\ndata: (.*)$/s.exec(part) ?? [];
      message(event, JSON.parse(data) as unknown);
    }
  }
}
