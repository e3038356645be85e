import type { ClientCertificate } from '../transport/tls-settings.ts';

/** What one request carries to prove who sends it. */
export interface Credentials {
  /** The value of the Authorization header. Never logged, never printed. */
  readonly authorization?: string;
  readonly certificate?: ClientCertificate;
}

/**
 * Where credentials come from: a fixed token, a file that is rotated, a program, an identity provider.
 *
 * Promises: `current` is single flight; a credential that is about to expire is renewed before it is given out;
 * printing a source (`util.inspect`, JSON) shows its kind and nothing secret.
 */
export interface CredentialSource {
  /** For people: "token file", "exec aws". */
  readonly kind: string;
  current(signal: AbortSignal): Promise<Credentials>;
  /**
   * The server answered 401 to these. Returns whether asking again may give others: the caller then replays the request
   * once. Concurrent rejections of the same credentials cause one renewal.
   */
  rejected(credentials: Credentials): boolean;
  /** Ends timers and running programs. */
  close?(): void;
}
