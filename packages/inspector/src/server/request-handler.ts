import type { IncomingMessage, ServerResponse } from 'node:http';
import { KubeError } from 'kube-informer';
import type { Access, Guard } from './access-guard.ts';

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

/**
 * The content security policy: nothing is loaded from other origins, the page cannot be framed, and text
 * cannot become code.
 */
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

/** Maximum size of the body of an action, which is a name and a key. */
const MAX_BODY_BYTES = 4_096;

export interface RequestHandlerOptions {
  /** Routes by exact path: there are no patterns and no files. */
  readonly routes: ReadonlyMap<string, Route>;
  readonly guard: Guard;
  /** The path that the routes are mounted under, without a slash at its end. @default '' */
  readonly prefix?: string;
}

/**
 * Handles requests, on its own server or on the user's. Refuses by default.
 *
 * Promises: every response has the same security headers; a request the guard refuses reaches no route.
 *
 * Room rule: knows HTTP, not clusters and not sockets.
 */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#handle(request, response);
    } catch (error) {
      // Details of an internal error do not leave the process.
      if (response.headersSent) response.destroy();
      else
        sendRequestHandlerJson(response, isRequestHandlerOptionError(error) ? 400 : 500, {
          error: isRequestHandlerOptionError(error) ? error.message : 'internal error',
        });
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const { routes, guard, prefix = '' } = this.#options;
    const { method = '', headers, headersDistinct, url = '' } = request;
    const [whole, query] = splitRequestHandlerText(url, '?');
    const path = prefix !== '' && whole.startsWith(prefix) ? whole.slice(prefix.length) : whole;
    const route = routes.get(path === '' ? '/' : path);
    // Unknown paths are guarded like data, so that responses do not reveal which paths exist.
    const access = route?.access ?? 'data';
    const refusal = guard.refuse({ method, headers, hosts: headersDistinct['host'] ?? [] }, access);
    if (refusal !== undefined) {
      request.resume();
      return sendRequestHandlerJson(response, refusal.status, { error: refusal.error });
    }
    if (route === undefined) return sendRequestHandlerJson(response, 404, { error: 'not found' });
    if (access === 'page' && (path === '' || path === '/')) {
      const address = requestHandlerPage(request);
      // Addresses in the page are relative to the folder.
      if (!address.endsWith('/')) return redirectInRequestHandler(response, address);
    }
    const body = access === 'action' ? await readRequestHandlerBody(request) : undefined;
    await route.handle({ path, parameters: new URLSearchParams(query), body, response });
  }
}

/** The path that the browser requested: Express keeps it in `originalUrl` and shortens `url`. */
function requestHandlerPage(request: IncomingMessage): string {
  const { originalUrl } = request as { originalUrl?: unknown };
  return splitRequestHandlerText(typeof originalUrl === 'string' ? originalUrl : (request.url ?? ''), '?')[0];
}

function redirectInRequestHandler(response: ServerResponse, address: string): void {
  // Only the last part, so that the server cannot be made to redirect elsewhere.
  response.writeHead(308, { location: `./${address.slice(address.lastIndexOf('/') + 1)}/`, 'content-length': 0 });
  response.end();
}

export function sendRequestHandlerJson(response: ServerResponse, status: number, value: unknown): void {
  sendRequestHandlerText(response, status, 'application/json', JSON.stringify(value));
}

export function sendRequestHandlerText(response: ServerResponse, status: number, type: string, text: string): void {
  const bytes = Buffer.from(text);
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'content-length': bytes.length });
  response.end(response.req.method === 'HEAD' ? undefined : bytes);
}

async function readRequestHandlerBody(request: IncomingMessage): Promise<unknown> {
  // A parser of the user's framework, such as express.json(), has read the stream and left its result here.
  const { body } = request as { body?: unknown };
  if (request.readableEnded && body !== undefined) return body;
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

const isRequestHandlerOptionError = (error: unknown): error is KubeError =>
  error instanceof Error && (error as { code?: unknown }).code === 'INVALID_OPTION';

function splitRequestHandlerText(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
