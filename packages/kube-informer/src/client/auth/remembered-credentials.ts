import type { KnownSecrets } from '../../core/known-secrets.ts';
import { concealInPrint } from '../secrets/conceal.ts';
import type { CredentialSource } from './credentials.ts';

/** Wraps a source so that its credentials are registered for redaction before they are used. */
export function rememberedCredentials(source: CredentialSource, secrets: KnownSecrets): CredentialSource {
  const { kind } = source;
  const remembered: CredentialSource = {
    kind,
    async current(signal) {
      const credentials = await source.current(signal);
      const { authorization, certificate } = credentials;
      rememberCredentialHeaders(authorization, secrets);
      secrets.remember(certificate?.key);
      return credentials;
    },
    rejected: (credentials) => source.rejected(credentials),
    close: () => source.close?.(),
  };
  concealInPrint(remembered, () => ({ kind }));
  return remembered;
}

/** Remembers the secrets in the value of a header: what follows a scheme or a name, as in `Bearer x`, `session=x; theme=y`. */
export function rememberCredentialHeaders(value: string | undefined, secrets: KnownSecrets): void {
  for (const part of (value ?? '').split(/;\s*/)) {
    const secret = part.replace(/^(?:[\w-]+ +|[^\s=]+=(?=.))/, '');
    secrets.remember(secret);
    if (/^basic /i.test(part)) secrets.remember(rememberedBasicCredentials(secret));
  }
}

function rememberedBasicCredentials(packed: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(packed), (char) => char.charCodeAt(0))).replace(/^[^:]*:/, '');
  } catch {
    return undefined; // not base64, so there is no password
  }
}
