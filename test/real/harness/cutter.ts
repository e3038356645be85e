import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

/** A loopback port in front of a server, whose connections can be cut as bad networks cut them: anywhere. */
export class Cutter implements AsyncDisposable {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async before(port: number): Promise<Cutter> {
    const server = createServer();
    const cutter = new Cutter(server);
    server.on('connection', (near) => cutter.#join(near, connect(port, '127.0.0.1')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return cutter;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ports at the server of the open connections. */
  get ports(): number[] {
    return [...this.#pairs].map(({ far }) => far.localPort ?? 0);
  }

  /** Cuts the connection of this port at the server after so many more bytes from there; resolves when it is gone. */
  async cut(port: number, bytes: number): Promise<void> {
    const pair = [...this.#pairs].find(({ far }) => far.localPort === port);
    if (pair === undefined) throw new Error(`there is no connection of port ${port} to cut`);
    const gone = once(pair.near, 'close');
    pair.left = bytes;
    if (bytes === 0) end(pair);
    await gone;
  }

  /** Cuts every connection, and resolves when they are gone. */
  async cutAll(): Promise<void> {
    const pairs = [...this.#pairs];
    const gone = pairs.map(({ near }) => once(near, 'close'));
    for (const pair of pairs) end(pair);
    await Promise.all(gone);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pair of this.#pairs) end(pair);
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(near: Socket, far: Socket): void {
    const pair: Pair = { near, far, left: undefined };
    this.#pairs.add(pair);
    near.pipe(far);
    far.on('data', (chunk: Buffer) => {
      if (pair.left === undefined) return void near.write(chunk);
      near.write(chunk.subarray(0, pair.left));
      pair.left -= chunk.length;
      if (pair.left <= 0) end(pair);
    });
    for (const socket of [near, far]) {
      socket.on('error', () => end(pair));
      socket.on('close', () => {
        this.#pairs.delete(pair);
        end(pair);
      });
    }
  }
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  /** Bytes until the cut; undefined: none is coming. */
  left: number | undefined;
}

function end({ near, far }: Pair): void {
  // What was written may still be on its way; a reset would take it back.
  near.destroySoon();
  far.destroy();
}
