import { type Env, KubeError } from 'kube-informer/core';
import { type CertificateAuthority, createAuthority, type IssuedCertificate } from '../auth/certificates/authority.ts';
import type { RotateOptions } from '../faults/fault-host.ts';
import { type Door, type Handler, listen, type Listener, type TlsOptions } from '../http/listener/listen.ts';

export interface FrontOptions {
  readonly env: Env;
  readonly host: string;
  readonly tls: boolean;
  /** Certificate authority of an earlier run of the server. @default a new one */
  readonly authority?: IssuedCertificate | undefined;
}

/**
 * The server's address and certificates.
 *
 * It can be closed and opened again at the same address.
 */
export class Front {
  readonly #env: Env;
  readonly #host: string;
  readonly #clientAuthorities: string[] = [];
  #authority: CertificateAuthority | undefined;
  #serverCertificate: IssuedCertificate | undefined;
  #listener: Listener | undefined;
  #port: number | undefined;

  constructor({ env, host, tls, authority }: FrontOptions) {
    this.#env = env;
    this.#host = host;
    if (tls) this.#certify(createAuthority(env, { existing: authority }), {});
  }

  /** Certificate authority that clients must trust, PEM; undefined without TLS. */
  get ca(): string | undefined {
    return this.#authority?.certificate;
  }

  /** Returns the certificate authority, so that another process can serve the same clients. */
  exportAuthority(): IssuedCertificate | undefined {
    return this.#authority?.export();
  }

  /** Address of the server, also while it is temporarily closed. */
  get url(): string {
    if (this.#port === undefined) throw new KubeError('ILLEGAL_STATE', 'the server is closed');
    return this.urlOf(this.#port);
  }

  urlOf(port: number): string {
    const host = this.#host.includes(':') ? `[${this.#host}]` : this.#host;
    return `${this.#authority === undefined ? 'http' : 'https'}://${host}:${port}`;
  }

  async open(handler: Handler, port: number = this.#port ?? 0): Promise<void> {
    this.#listener = await this.listen(handler, port);
    this.#port = this.#listener.port;
  }

  /** Opens another listener with the same certificates. */
  listen(handler: Handler, port = 0): Promise<Listener> {
    const tls = this.#tls();
    return listen({ host: this.#host, port, tls, handler });
  }

  /** Cuts every connection. */
  async close(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    await listener?.close();
  }

  /** Gives up the address as well. */
  leave(): void {
    this.#port = undefined;
  }

  get hasLeft(): boolean {
    return this.#port === undefined;
  }

  async setDoor(door: Door): Promise<void> {
    await this.#listener?.setDoor(door);
  }

  sayGoodbye(): void {
    this.#listener?.sayGoodbye();
  }

  issueClient(user: { readonly name: string; readonly groups?: readonly string[] }): IssuedCertificate {
    const { name, groups = [] } = user;
    return this.#required('client certificates need TLS').issueClient({ name, groups });
  }

  /** Uses another certificate for new handshakes. */
  rotate(options: RotateOptions): void {
    const authority = this.#required('there are no certificates to rotate');
    this.#certify(options.newAuthority === true ? createAuthority(this.#env) : authority, options);
    const tls = this.#tls();
    if (tls !== undefined) this.#listener?.setTls(tls);
  }

  /** Switches to this authority; user certificates of older ones stay valid. */
  #certify(authority: CertificateAuthority, { expired = false }: RotateOptions): void {
    const names = [...new Set(['localhost', '127.0.0.1', '::1', 'kubernetes.default.svc', this.#host])];
    if (!this.#clientAuthorities.includes(authority.certificate)) this.#clientAuthorities.push(authority.certificate);
    this.#authority = authority;
    this.#serverCertificate = authority.issueServer(names, expired ? { validForMs: -60_000 } : {});
  }

  #tls(): TlsOptions | undefined {
    return (
      this.#serverCertificate && {
        serverCertificate: this.#serverCertificate,
        clientAuthorities: this.#clientAuthorities,
      }
    );
  }

  #required(what: string): CertificateAuthority {
    if (this.#authority === undefined)
      throw new KubeError('INVALID_OPTION', `${what}: the server was started with tls: false`);
    return this.#authority;
  }
}
