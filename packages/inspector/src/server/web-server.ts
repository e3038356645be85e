import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeError } from 'kube-informer';
import type { RequestHandler } from './request-handler.ts';

const MAX_CONNECTIONS = 128;
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;

export interface WebServerOptions {
  readonly host: string;
  readonly port: number;
  /** Returns the handler; called when the port is known. */
  readonly handler: (address: AddressInfo) => RequestHandler;
}

/**
 * The inspector's own HTTP server.
 *
 * Promises: no protocol upgrades; `close` leaves no socket open.
 *
 * Room rule: knows sockets; the handler knows requests.
 */
export class WebServer {
  readonly #server: Server;

  private constructor() {
    // The guard refuses a missing Host header, like a wrong one.
    this.#server = createServer({ requireHostHeader: false, headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.on('upgrade', (_, socket) => socket.destroy());
    this.#server.on('connect', (_, socket) => socket.destroy());
    this.#server.on('clientError', (_, socket) => socket.destroy());
  }

  static async listen({ host, port, handler }: WebServerOptions): Promise<WebServer> {
    const web = new WebServer();
    await new Promise<void>((resolve, reject) => {
      const fail = (cause: Error): void =>
        reject(
          new KubeError('ILLEGAL_STATE', `the inspector cannot listen on ${host}:${port}: ${webServerProblem(cause)}`, {
            cause,
          }),
        );
      web.#server.once('error', fail);
      web.#server.listen(port, host, () => {
        web.#server.off('error', fail);
        // Before the first connection is read, because the guard must know its address.
        const answers = handler(web.address);
        web.#server.on('request', (request, response) => void answers.serve(request, response));
        resolve();
      });
    });
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
}

function webServerProblem(cause: NodeJS.ErrnoException): string {
  if (cause.code === 'EADDRINUSE') return 'the port is in use by another program; without a port, a free one is chosen';
  return cause.message;
}
