import { defined } from '../../../core/defined.ts';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Env } from '../../../core/env.ts';
import { errorMessageOf } from '../../../core/errors.ts';
import type { TlsSettings, TlsSource } from '../tls-settings.ts';

/** `trust`: how the server is verified has changed. `certificate`: the client certificate has changed. */
export type TlsChange = 'none' | 'trust' | 'certificate';

/** The inputs of a handshake. */
export interface TlsView {
  readonly context: SecureContext;
  /** The name the certificate must be valid for: a host name or an address. */
  readonly verifyName: string;
  readonly insecure: boolean;
}

/** Minimum interval between two reads of the files before handshakes. */
const FRESH_MS = 1_000;

/**
 * The TLS settings in use, and how they change.
 *
 * Reads the source's files on request; keeps the parsed form until they change. The minimum version is TLS 1.2. Only the
 * settings decide whether certificates are verified; environment variables do not.
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

  /** Reads the files again; concurrent calls share one read. */
  async refresh(): Promise<void> {
    this.#reading ??= this.#source.refresh().finally(() => {
      this.#reading = undefined;
      this.#readAt = this.#env.now();
    });
    await this.#reading;
  }

  /** Reads the files before a handshake. If that fails, logs it and keeps the settings in use. */
  async refreshForHandshake(): Promise<void> {
    if (this.#env.now() - this.#readAt < FRESH_MS) return;
    await this.refresh().catch((error: unknown) => {
      this.#env.log('warn', 'certificate files could not be read again', { error: errorMessageOf(error) });
    });
  }

  /** Adopts the source's current settings. Returns how they differ from those in use before. */
  adopt(): TlsChange {
    const old = this.#settings;
    const now = this.#source.current();
    this.#settings = now;
    const certificate =
      old.certificate?.cert !== now.certificate?.cert || old.certificate?.key !== now.certificate?.key;
    const trust =
      old.ca !== now.ca || old.serverName !== now.serverName || old.insecureSkipVerify !== now.insecureSkipVerify;
    if (!certificate && !trust) return 'none';
    this.#view = undefined;
    return certificate ? 'certificate' : 'trust';
  }

  /** Throws OpenSSL's error when a certificate or key cannot be parsed. */
  view(): TlsView {
    if (this.#view !== undefined) return this.#view;
    const { ca, certificate, serverName = this.#host, insecureSkipVerify = false } = this.#settings;
    const context = createSecureContext({
      minVersion: 'TLSv1.2',
      ...defined({ ca }),
      ...defined({ cert: certificate?.cert, key: certificate?.key }),
    });
    this.#view = { context, verifyName: serverName, insecure: insecureSkipVerify };
    return this.#view;
  }
}

/** The name sent in SNI; empty for an address, which SNI does not allow. */
export function tlsServerName(verifyName: string): string {
  return isIP(verifyName) === 0 ? verifyName : '';
}
