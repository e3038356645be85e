import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** The way of one replica to a server. While it is cut nothing arrives, in either direction, and no connection ends. */
export class Gate implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Passes connections on to `target`, `host:port`. */
  static async before(target: string): Promise<Gate> {
    const server = createServer();
    const gate = new Gate(server);
    const [host = '', port = ''] = target.split(':');
    server.on('connection', (near) => {
      gate.#sockets.add(near);
      near.on('error', () => {});
      if (gate.#isCut) return void near.pause();
      const far = connect({ host, port: Number(port), noDelay: true });
      gate.#sockets.add(far);
      for (const [from, to] of [[near, far], [far, near]] as const) {
        from.pipe(to);
        from.on('error', () => to.resetAndDestroy());
        from.on('close', () => {
          gate.#sockets.delete(from);
          to.destroy();
        });
      } // prettier-ignore
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return gate;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** Opens the gate again. Bytes that were in transit are lost. */
  heal(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    this.#sockets.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.heal();
    this.#server.close();
    return Promise.resolve();
  }
}
