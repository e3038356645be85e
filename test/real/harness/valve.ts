import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Stands between a kube-apiserver and its etcd. When shut, bytes are held and none is lost: the server responds with older and
 * older states, like one whose etcd member lags.
 */
export class Valve implements AsyncDisposable {
  readonly #server: Server;
  readonly #target: string;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  /** Connections that were opened while it was shut. */
  readonly #waiting = new Set<Socket>();
  #isShut = false;

  private constructor(server: Server, target: string) {
    this.#server = server;
    this.#target = target;
  }

  static async before(target: string): Promise<Valve> {
    const server = createServer();
    const valve = new Valve(server, target);
    server.on('connection', (near) => {
      near.on('error', () => {});
      if (!valve.#isShut) return valve.#join(near);
      valve.#waiting.add(near.pause());
      near.once('close', () => valve.#waiting.delete(near));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return valve;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  shut(): void {
    this.#isShut = true;
    for (const pair of this.#pairs) for (const socket of pair) socket.unpipe().pause();
  }

  open(): void {
    this.#isShut = false;
    for (const [near, far] of this.#pairs) near.pipe(far).pipe(near);
    for (const near of this.#waiting) this.#join(near);
    this.#waiting.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const socket of [...[...this.#pairs].flat(), ...this.#waiting]) socket.destroy();
    this.#server.close();
    return Promise.resolve();
  }

  #join(near: Socket): void {
    const [host = '', port = ''] = this.#target.split(':');
    const far = connect({ host, port: Number(port), noDelay: true });
    near.setNoDelay(true);
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    for (const [one, other] of [[near, far], [far, near]] as const) {
      one.on('error', () => other.destroy());
      one.once('close', () => {
        this.#pairs.delete(pair);
        other.destroy();
      });
    } // prettier-ignore
    near.pipe(far).pipe(near);
  }
}
