import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { Env } from 'kube-informer/core';
import { signX509Certificate, type Subject } from './x509.ts';

/** A certificate and its private key, both PEM. */
export interface IssuedCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface IssueOptions {
  /** Validity of the certificate; zero or less makes one that has already expired. @default ten years */
  readonly validForMs?: number;
}

/**
 * The server's own certificate authority.
 *
 * It exists as long as the process does, unless a data directory keeps what `export` gives. A second authority of the same name is another one, which is
 * what a rotation of authorities needs.
 */
export interface CertificateAuthority {
  /** The certificate that clients must trust, PEM. */
  readonly certificate: string;
  /** `names`: DNS names and IP addresses. */
  issueServer(names: readonly string[], options?: IssueOptions): IssuedCertificate;
  /** A user as the server will see it: name from CN, groups from O. */
  issueClient(user: Subject, options?: IssueOptions): IssuedCertificate;
  /** Itself with its key, to be made again by another process. A secret. */
  export(): IssuedCertificate;
}

/** Long enough for any test, also one whose clock stands some years back. */
const VALID_FOR_MS = 10 * 365 * 86_400_000;
/** Clocks of two machines, or of a machine and its containers, are never quite the same. */
const BACKDATED_MS = 3_600_000;

export interface AuthorityOptions {
  readonly name?: string;
  /** Result of `export` of an earlier authority. @default a new authority */
  readonly existing?: IssuedCertificate | undefined;
}

export function createAuthority(
  env: Pick<Env, 'wallNow'>,
  { name = 'kube-informer-ca', existing }: AuthorityOptions = {},
): CertificateAuthority {
  const subject: Subject = { name };
  const { privateKey, publicKey } = existing === undefined ? newAuthorityKey() : parseAuthorityKey(existing.key);
  const issuer = { subject, key: privateKey };
  const validity = (validForMs: number): { notBefore: number; notAfter: number } => {
    const now = env.wallNow();
    // An expired certificate must still end after it begins, or it is refused for the wrong reason.
    return { notBefore: Math.max(0, Math.min(now, now + validForMs) - BACKDATED_MS), notAfter: now + validForMs };
  };

  function issue(use: 'server' | 'client', of: Subject, names: readonly string[], options: IssueOptions) {
    const { validForMs = VALID_FOR_MS } = options;
    const own = newAuthorityKey();
    return {
      certificate: signX509Certificate({
        subject: of,
        publicKey: own.publicKey,
        issuer,
        ...validity(validForMs),
        use,
        names,
      }),
      key: authorityKeyPem(own.privateKey),
    };
  }

  const certificate =
    existing?.certificate ??
    signX509Certificate({ subject, publicKey, issuer, ...validity(VALID_FOR_MS), use: 'authority' });
  return {
    certificate,
    issueServer: (names, options = {}) => issue('server', { name: 'kube-apiserver' }, names, options),
    issueClient: (user, options = {}) => issue('client', user, [], options),
    export: () => ({ certificate, key: authorityKeyPem(privateKey) }),
  };
}

function newAuthorityKey(): { privateKey: KeyObject; publicKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function parseAuthorityKey(text: string): { privateKey: KeyObject; publicKey: KeyObject } {
  const privateKey = createPrivateKey(text);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

const authorityKeyPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
