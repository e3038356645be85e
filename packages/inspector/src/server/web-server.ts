import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeError } from 'kube-informer';
import type { Access, Guard } from './guard.ts';

/** A request that passed the guard. */
export interface RouteRequest {
  readonly path: string;
  readonly parameters: URLSearchParams;
  /** Parsed JSON body of an action. */
  readonly body: unknown;
  readonly response: ServerResponse;
}

export type RouteHandler = (request: RouteRequest) => void | Promise<void>;

export interface Route {
  readonly access: Access;
  readonly handle: RouteHandler;
}

/** Nothing is loaded from other origins, the page cannot be framed, and text cannot become code. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** The body of an action is a name and a key. */
const MAX_BODY_BYTES = 4_096;
const MAX_CONNECTIONS = 128;
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;

export interface WebServerOptions {
  readonly host: string;
  readonly port: number;
  /** By exact path: there are no patterns and no files. */
  readonly routes: ReadonlyMap<string, Route>;
  /** Called when the port is known. */
  readonly guard: (address: AddressInfo) => Guard;
}

/**
 * A small HTTP server that refuses by default.
 *
 * Promises: every response has the same security headers; a request the guard refuses reaches no route; no protocol
 * upgrades; `close` leaves no socket open.
 *
 * Room rule: knows HTTP, not clusters.
 */
export class WebServer {
  readonly #server: Server;
  readonly #routes: ReadonlyMap<string, Route>;
  #guard: Guard | undefined;

  private constructor(routes: ReadonlyMap<string, Route>) {
    this.#routes = routes;
    // The guard refuses a missing Host header, like a wrong one.
    this.#server = createServer({ requireHostHeader: false, headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.on('request', (request, response) => void this.#serve(request, response));
    this.#server.on('upgrade', (_, socket) => socket.destroy());
    this.#server.on('connect', (_, socket) => socket.destroy());
    this.#server.on('clientError', (_, socket) => socket.destroy());
  }

  static async listen({ host, port, routes, guard }: WebServerOptions): Promise<WebServer> {
    const web = new WebServer(routes);
    await new Promise<void>((resolve, reject) => {
      const fail = (cause: Error): void =>
        reject(
          new KubeError('ILLEGAL_STATE', `the inspector cannot listen on ${host}:${port}: ${cause.message}`, { cause }),
        );
      web.#server.once('error', fail);
      web.#server.listen(port, host, () => {
        web.#server.off('error', fail);
        resolve();
      });
    });
    web.#guard = guard(web.address);
    return web;
  }

  get address(): AddressInfo {
    return this.#server.address() as AddressInfo;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#handle(request, response);
    } catch (error) {
      // Details of an internal error do not leave the process.
      if (response.headersSent) response.destroy();
      else
        sendWebServerJson(response, isWebServerOptionError(error) ? 400 : 500, {
          error: isWebServerOptionError(error) ? error.message : 'internal error',
        });
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const { method = '', headers, headersDistinct, url = '' } = request;
    const [path, query] = splitWebServerText(url, '?');
    const route = this.#routes.get(path);
    // Unknown paths are guarded like data, so that responses do not reveal which paths exist.
    const access = route?.access ?? 'data';
    const refusal = this.#guard?.refuse({ method, headers, hosts: headersDistinct['host'] ?? [] }, access);
    if (refusal !== undefined || this.#guard === undefined) {
      request.resume();
      return sendWebServerJson(response, refusal?.status ?? 403, { error: refusal?.error ?? 'the server is starting' });
    }
    if (route === undefined) return sendWebServerJson(response, 404, { error: 'not found' });
    const body = access === 'action' ? await readWebServerBody(request) : undefined;
    await route.handle({ path, parameters: new URLSearchParams(query), body, response });
  }
}

export function sendWebServerJson(response: ServerResponse, status: number, value: unknown): void {
  sendWebServerText(response, status, 'application/json', JSON.stringify(value));
}

export function sendWebServerText(response: ServerResponse, status: number, type: string, text: string): void {
  const bytes = Buffer.from(text);
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'content-length': bytes.length });
  response.end(response.req.method === 'HEAD' ? undefined : bytes);
}

async function readWebServerBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new KubeError('INVALID_OPTION', 'the request body is too long');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch (cause) {
    throw new KubeError('INVALID_OPTION', 'the request body is not valid JSON', { cause });
  }
}

const isWebServerOptionError = (error: unknown): error is KubeError =>
  error instanceof Error && (error as { code?: unknown }).code === 'INVALID_OPTION';

function splitWebServerText(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
