import { printAs } from '../secrets/conceal.ts';
import type { TlsSettings, TlsSource } from '../transport/tls-settings.ts';
import type { ClientCertificate } from '../transport/tls-settings.ts';
import type { CredentialSource } from './credentials.ts';

/** A credential source, and TLS settings that carry the certificate it gave last. */
export interface CertifiedConnection {
  readonly tls: TlsSource;
  readonly credentials: CredentialSource;
}

/**
 * Lets a certificate that comes with credentials (a plugin may print one) reach the handshake.
 *
 * A request asks for credentials before it is sent, so the settings are up to date when a connection is made; when the
 * certificate changes, `current()` gives another object and the next `refresh()` says so.
 */
export function withCertificateOf(credentials: CredentialSource, tls: TlsSource): CertifiedConnection {
  let certificate: ClientCertificate | undefined;
  let base = tls.current();
  let settings: TlsSettings = base;
  let announced = settings;

  const current = (): TlsSettings => {
    const now = tls.current();
    if (now === base && settings.certificate?.cert === (certificate ?? now.certificate)?.cert) return settings;
    base = now;
    settings = certificate === undefined ? now : { ...now, certificate };
    return settings;
  };
  const combined: TlsSource = {
    current,
    async refresh() {
      await tls.refresh();
      const isOther = current() !== announced;
      announced = settings;
      return isOther;
    },
  };
  printAs(combined, () => ({ settings: tls, clientCertificate: current().certificate !== undefined }));

  const { kind } = credentials;
  const source: CredentialSource = {
    kind,
    async current(signal) {
      const given = await credentials.current(signal);
      certificate = given.certificate;
      return given;
    },
    rejected: (refused) => credentials.rejected(refused),
    close: () => credentials.close?.(),
  };
  printAs(source, () => ({ kind }));
  return { tls: combined, credentials: source };
}
