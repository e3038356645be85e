import { defined } from '../../../core/defined.ts';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Env } from '../../../core/env.ts';
import { messageOf } from '../../../core/errors.ts';
import type { TlsSettings, TlsSource } from '../tls-settings.ts';

/** `trust`: what the server must show has changed. `identity`: what we show has. */
export type TlsChange = 'none' | 'trust' | 'identity';

/** What one handshake needs. */
export interface TlsView {
  readonly context: SecureContext;
  /** The name the certificate must be valid for: a host name or an address. */
  readonly verifyName: string;
  readonly insecure: boolean;
}

/** At a handshake the files are read again, but not for each of many at once. */
const FRESH_MS = 1_000;

/**
 * The TLS settings in use, and what became of them since the last look.
 *
 * Reads the source's files again when asked; keeps the parsed form until something changes. The oldest version is TLS
 * 1.2; whether certificates are verified is decided here and by no variable of the process.
 */
export class TlsState {
  readonly #source: TlsSource;
  readonly #env: Env;
  readonly #host: string;
  #settings: TlsSettings;
  #view: TlsView | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<unknown> | undefined;

  constructor(source: TlsSource, host: string, env: Env) {
    this.#source = source;
    this.#host = host;
    this.#env = env;
    this.#settings = source.current();
  }

  /** Reads the files again, once for all who ask at the same time. */
  async refresh(): Promise<void> {
    this.#reading ??= this.#source.refresh().finally(() => {
      this.#reading = undefined;
      this.#readAt = this.#env.now();
    });
    await this.#reading;
  }

  /** Before a handshake: fresh files, but a failure to read them is no reason not to try with what is known. */
  async refreshForHandshake(): Promise<void> {
    if (this.#env.now() - this.#readAt < FRESH_MS) return;
    await this.refresh().catch((error: unknown) => {
      this.#env.log('warn', 'certificate files could not be read again', { error: messageOf(error) });
    });
  }

  /** Takes over the source's settings and says how they differ from those of the last look. */
  look(): TlsChange {
    const old = this.#settings;
    const now = this.#source.current();
    this.#settings = now;
    const identity = old.certificate?.cert !== now.certificate?.cert || old.certificate?.key !== now.certificate?.key;
    const trust =
      old.ca !== now.ca || old.serverName !== now.serverName || old.insecureSkipVerify !== now.insecureSkipVerify;
    if (!identity && !trust) return 'none';
    this.#view = undefined;
    return identity ? 'identity' : 'trust';
  }

  /** Throws what OpenSSL says when a certificate or key cannot be read. */
  view(): TlsView {
    if (this.#view !== undefined) return this.#view;
    const { ca, certificate, serverName = this.#host, insecureSkipVerify = false } = this.#settings;
    const context = createSecureContext({
      minVersion: 'TLSv1.2',
      ...defined({ ca }),
      ...(certificate === undefined ? {} : { cert: certificate.cert, key: certificate.key }),
    });
    this.#view = { context, verifyName: serverName, insecure: insecureSkipVerify };
    return this.#view;
  }
}

/** A name for SNI; addresses are not allowed there. */
export function sniOf(verifyName: string): string {
  return isIP(verifyName) === 0 ? verifyName : '';
}
