import type { ErrorResponse } from '../../src/protocol/messages.ts';
import { request, sleep } from './platform.ts';

const TOKEN_HEADER = 'x-inspector-token';
const STORED = 'inspector-token';
const RETRY_MS = 1_000;

/** A request that was answered with something else than what was asked for. */
export class RefusedError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Takes the token out of the address, where it would be copied along, and keeps it for this tab only. */
export function takeToken(): string {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given !== null) {
    sessionStorage.setItem(STORED, given);
    history.replaceState(null, '', '#/');
  }
  return sessionStorage.getItem(STORED) ?? '';
}

/** Asks the process that serves this page. */
export class Api {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  async ask<T>(path: string, parameters: Readonly<Record<string, string>> = {}, signal?: AbortSignal): Promise<T> {
    const query = new URLSearchParams(parameters).toString();
    const init = signal === undefined ? {} : { signal };
    const answer = await this.#request(`/api/${path}${query === '' ? '' : `?${query}`}`, init);
    return (await answer.json()) as T;
  }

  async act<T>(path: string, body: object): Promise<T> {
    const answer = await this.#request(`/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as T;
  }

  /** Live messages until `signal` aborts; opened again whenever it ends. `state` is told how that goes. */
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
        const answer = await this.#request(`/api/stream?${query}`, { signal });
        state(undefined);
        await readEvents(answer, message);
        throw new Error('the connection ended');
      } catch (error) {
        if (signal.aborted) return;
        state(error);
        await sleep(RETRY_MS);
      }
    }
  }

  async #request(path: string, init: RequestInit): Promise<Response> {
    const answer = await request(path, {
      ...init,
      headers: { ...(init.headers as Record<string, string> | undefined), [TOKEN_HEADER]: this.#token },
      cache: 'no-store',
      credentials: 'omit',
    });
    if (answer.ok) return answer;
    const said = (await answer.json().catch(() => undefined)) as ErrorResponse | undefined;
    throw new RefusedError(answer.status, said?.error ?? `status ${answer.status}`);
  }
}

/** Server-sent events by hand: the browser's own reader cannot send a header, and a token must not be in an address. */
async function readEvents(answer: Response, message: (event: string, data: unknown) => void): Promise<void> {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
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
