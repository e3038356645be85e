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
 * It exists as long as the process, unless a data directory stores the result of `export`. A second authority
 * of the same name is a different one, as the rotation of authorities needs.
 */
export interface CertificateAuthority {
  /** The certificate that clients must trust, PEM. */
  readonly certificate: string;
  /** Issues a server certificate. `names`: DNS names and IP addresses. */
  issueServer(names: readonly string[], options?: IssueOptions): IssuedCertificate;
  /** Issues a client certificate for a user: the name is in CN, groups are in O. */
  issueClient(user: Subject, options?: IssueOptions): IssuedCertificate;
  /** The authority with its key, so that another process can create it again. A secret. */
  export(): IssuedCertificate;
}

/** Default validity: long enough for any test, even one whose clock is some years behind. */
const VALID_FOR_MS = 10 * 365 * 86_400_000;
/**
 * Time by which certificates are backdated, because the clocks of two machines, or of a machine and its
 * containers, differ.
 */
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
    // An expired certificate must still end after it begins, otherwise it is refused for the wrong reason.
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
