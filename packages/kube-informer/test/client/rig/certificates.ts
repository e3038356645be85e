import { type CertificateAuthority, createAuthority } from '../../../../apiserver/src/auth/certificates/authority.ts';
import { systemEnv } from '../../../src/core/env.ts';

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;

/** A certificate authority for tests: the embedded server's own, so that a machine needs no openssl. */
export class TestAuthority {
  readonly #authority: CertificateAuthority;

  constructor(name = 'test-ca') {
    this.#authority = createAuthority(systemEnv, { name });
  }

  get ca(): string {
    return this.#authority.certificate;
  }

  /** A negative number of days makes a certificate that has expired already. */
  server(names: readonly string[] = ['127.0.0.1', 'localhost'], days = 2): Pair {
    const { certificate, key } = this.#authority.issueServer(names, { validForMs: days * DAY_MS });
    return { cert: certificate, key };
  }

  client(name: string): Pair {
    const { certificate, key } = this.#authority.issueClient({ name });
    return { cert: certificate, key };
  }
}
