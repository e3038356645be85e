import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A CONNECT proxy that records its requests. */
export class ConnectProxy implements AsyncDisposable {
  /** The host and port, and the user. */
  readonly asked: { readonly target: string; readonly authorization: string | undefined }[] = [];
  readonly #server: Server = createServer();
  readonly #sockets = new Set<Socket>();

  /** `reach`: the address to connect to instead of the requested one. */
  static async start(reach?: { readonly host: string; readonly port: number }): Promise<ConnectProxy> {
    const proxy = new ConnectProxy();
    proxy.#server.on('connect', ({ url = '', headers }, near: Socket) => {
      proxy.asked.push({ target: url, authorization: headers['proxy-authorization'] });
      const { hostname, port } = new URL(`http://${url}`);
      const far = connect(reach?.port ?? Number(port), reach?.host ?? hostname, () =>
        near.write('HTTP/1.1 200 Connection established\r\n\r\n'),
      );
      for (const socket of [near, far]) {
        proxy.#sockets.add(socket);
        for (const event of ['error', 'close']) socket.on(event, () => void [near, far].map((each) => each.destroy()));
        socket.once('close', () => proxy.#sockets.delete(socket));
      }
      near.pipe(far).pipe(near);
    });
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
