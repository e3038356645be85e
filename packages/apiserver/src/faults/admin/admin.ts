import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Env, hasCode, KubeError } from 'kube-informer/core';
import { guardedListener } from '../../core/guarded-listener.ts';
import type { AdminCall, AdminRoutes } from './admin-routes.ts';

export interface AdminOptions {
  /** @default 0: any free port */
  readonly port?: number;
  /** @default a random one */
  readonly token?: string;
}

/** A second listener, to control the server from other processes. */
export interface Admin {
  readonly url: string;
  /** The token, which gives full control over the server: only for the tests that started it. */
  readonly token: string;
  close(): Promise<void>;
}

/** Maximum size of a body; bulk loads are the largest. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

const adminTokenDigest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Listens on the loopback only. A request must carry the token, and its `Host` must be this address: a page
 * in a browser can be made to send requests to the loopback under another name.
 */
export async function startAdmin(
  { port = 0, token = randomBytes(24).toString('hex') }: AdminOptions,
  routes: AdminRoutes,
  env: Pick<Env, 'log'>,
): Promise<Admin> {
  const wanted = adminTokenDigest(`Bearer ${token}`);
  let hosts: readonly string[] = [];
  const serve = (request: IncomingMessage, response: ServerResponse): void | Promise<void> => {
    response.on('error', () => {});
    request.on('error', () => {});
    if (!hosts.includes(request.headers.host ?? '')) return sendAdminResponse(response, 421, { error: 'wrong host' });
    // Digests always have the same length, so the time of the comparison reveals nothing.
    if (!timingSafeEqual(adminTokenDigest(request.headers.authorization ?? ''), wanted))
      return sendAdminResponse(response, 401, { error: 'wrong token' });
    return answerAdmin(request, response, routes);
  };
  const server = createServer(guardedListener(env, serve, (_, response) => response.destroy()));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new KubeError('INVALID_OPTION', `admin: cannot listen on 127.0.0.1:${port}: ${cause.message}`, { cause })),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  const own = (server.address() as AddressInfo).port;
  hosts = [`127.0.0.1:${own}`, `localhost:${own}`];
  return {
    url: `http://127.0.0.1:${own}`,
    token,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answerAdmin(request: IncomingMessage, response: ServerResponse, routes: AdminRoutes): Promise<void> {
  const [pathname = '', query = ''] = (request.url ?? '/').split('?', 2);
  const [name = '', id] = pathname.slice(1).split('/');
  // Names with two parts first: `history/compact` is a single route, `faults/3` one of many.
  const method = request.method ?? 'GET';
  const whole = routes.get(`${method} /${id === undefined ? name : `${name}/${id}`}`);
  const route = whole ?? (id === undefined ? undefined : routes.get(`${method} /${name}/*`));
  if (route === undefined)
    return sendAdminResponse(response, 404, { error: `no ${method} ${pathname}`, routes: [...routes.keys()] });
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const text = await readAdminBody(request);
    const call: AdminCall = { text, query: new URLSearchParams(query), id: id ?? '', signal: gone.signal };
    sendAdminResponse(response, 200, (await route(call)) ?? {});
  } catch (error) {
    const isMisuse = hasCode(error, 'INVALID_OPTION') || error instanceof SyntaxError;
    sendAdminResponse(response, isMisuse ? 400 : 500, {
      error: error instanceof Error ? error.message : String(error),
    });
  }
}

async function readAdminBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES)
      throw new KubeError('INVALID_OPTION', `the request body is longer than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function sendAdminResponse(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}
