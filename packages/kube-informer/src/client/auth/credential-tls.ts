import { concealInPrint } from '../secrets/conceal.ts';
import type { TlsSettings, TlsSource } from '../transport/tls-settings.ts';
import type { ClientCertificate } from '../transport/tls-settings.ts';
import type { CredentialSource } from './credentials.ts';

/** A credential source, and TLS settings with its last certificate. */
export interface CredentialTls {
  readonly tls: TlsSource;
  readonly credentials: CredentialSource;
}

/**
 * Passes a client certificate that comes with credentials (a plugin may print one) to the TLS handshake.
 *
 * A request gets its credentials before it is sent, so the settings are up to date when a connection is made. When the
 * certificate changes, `current()` returns another object and the next `refresh()` resolves true.
 */
export function credentialTls(credentials: CredentialSource, tls: TlsSource): CredentialTls {
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
      const isChanged = current() !== announced;
      announced = settings;
      return isChanged;
    },
  };
  concealInPrint(combined, () => ({ settings: tls, clientCertificate: current().certificate !== undefined }));

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
  concealInPrint(source, () => ({ kind }));
  return { tls: combined, credentials: source };
}
