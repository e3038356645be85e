import type { ClientCertificate } from '../transport/tls-settings.ts';

/** The credentials of one request. */
export interface Credentials {
  /** Value of the Authorization header. Never logged, never printed. */
  readonly authorization?: string;
  readonly certificate?: ClientCertificate;
}

/**
 * A source of credentials: a fixed token, a rotated file, a program, an identity provider.
 *
 * Promises: concurrent calls of `current` share one renewal; credentials that are about to expire are renewed before
 * they are returned; printing a source (`util.inspect`, JSON) shows its kind and nothing secret.
 */
export interface CredentialSource {
  /** For messages: "token file", "exec aws". */
  readonly kind: string;
  current(signal: AbortSignal): Promise<Credentials>;
  /**
   * Reports a 401 response to a request with these credentials. Returns whether `current` may now give others: the
   * caller then sends the request once more. Concurrent rejections of the same credentials cause one renewal.
   */
  rejected(credentials: Credentials): boolean;
  /** Stops timers and running programs. */
  close?(): void;
}
