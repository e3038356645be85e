import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A TCP proxy in front of servers: one address whose connections can be moved to another server, held, or refused. It does not
 * interpret the bytes.
 */
export class Front implements AsyncDisposable {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #clients = new Set<Socket>();
  #target: URL;
  #door: 'open' | 'stalled' | 'refused' = 'open';
  #attempts = 0;

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((client) => this.#join(client));
  }

  static async start(target: string): Promise<Front> {
    const front = new Front(target);
    front.#server.listen(0, '127.0.0.1');
    await once(front.#server, 'listening');
    return front;
  }

  get url(): string {
    return `${this.#target.protocol}//127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  /** Sends new connections to another server, and cuts open ones unless told otherwise. */
  leadTo(target: string, { cut = true }: { readonly cut?: boolean } = {}): void {
    this.#target = new URL(target);
    if (cut) this.cut();
  }

  /** Resets every connection. */
  cut(): void {
    for (const [client, upstream] of this.#pairs) {
      client.resetAndDestroy();
      upstream.destroy();
    }
    this.#pairs.clear();
  }

  /** Drops the bytes of open connections silently, in both directions or only to the client. */
  hold(which: 'both' | 'from-the-server' = 'both'): void {
    for (const [client, upstream] of this.#pairs) {
      if (which === 'both') client.unpipe().pause();
      upstream.unpipe().pause();
    }
  }

  /** Delivers the bytes that were held back from clients. */
  release(): void {
    for (const [client, upstream] of this.#pairs) upstream.pipe(client);
  }

  /** Accepts new connections without a server behind them, or resets them at once. */
  turn(door: 'open' | 'stalled' | 'refused'): void {
    this.#door = door;
  }

  /** The number of connections so far. */
  get attempts(): number {
    return this.#attempts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    for (const client of this.#clients) client.destroy();
    await closed;
  }

  #join(client: Socket): void {
    client.on('error', () => {});
    this.#clients.add(client);
    client.once('close', () => this.#clients.delete(client));
    this.#attempts += 1;
    if (this.#door === 'stalled') return void client.pause();
    if (this.#door === 'refused') return void client.resetAndDestroy();
    const upstream = connect(Number(this.#target.port), this.#target.hostname);
    const pair = [client, upstream] as const;
    this.#pairs.add(pair);
    upstream.on('error', () => client.destroy());
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => {
      client.destroy();
      this.#pairs.delete(pair);
    });
    client.setNoDelay(true);
    upstream.setNoDelay(true);
    client.pipe(upstream).pipe(client);
  }
}
