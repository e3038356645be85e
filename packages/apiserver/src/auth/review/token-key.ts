import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { JsonObject } from '../../core/json.ts';
import { signingKeys } from '../user/signing-keys.ts';
import { API_AUDIENCE, type UserTable } from '../user/user-table.ts';

const ALGORITHM = 'ES256';

/** The key that signs tokens of service accounts, and its public half, by which others can verify them. */
export class TokenKey {
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;
  /** The id of the key in the header of a token, computed like a real server's. */
  readonly #id: string;

  /** Uses the key of these users, or creates one and keeps it for them. */
  constructor(users: UserTable) {
    const signingKey = signingKeys.get(users);
    this.#key =
      signingKey === undefined
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
        : createPrivateKey(signingKey);
    if (signingKey === undefined) {
      signingKeys.set(users, String(this.#key.export({ type: 'pkcs8', format: 'pem' })));
      users.onChange();
    }
    this.#publicKey = createPublicKey(this.#key);
    const der = this.#publicKey.export({ type: 'spki', format: 'der' });
    this.#id = createHash('sha256').update(der).digest('base64url');
  }

  /** The signed token. */
  sign(claims: JsonObject): string {
    const content = `${tokenPart({ alg: ALGORITHM, kid: this.#id })}.${tokenPart(claims)}`;
    const signature = sign('sha256', Buffer.from(content), { key: this.#key, dsaEncoding: 'ieee-p1363' });
    return `${content}.${signature.toString('base64url')}`;
  }

  /** The document at `/openid/v1/jwks`. */
  keySet(): JsonObject {
    const { kty = '', crv = '', x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    return { keys: [{ use: 'sig', kty, kid: this.#id, crv, alg: ALGORITHM, x, y }] };
  }
}

/** The document at `/.well-known/openid-configuration`. */
export const tokenDiscovery = (url: string): JsonObject => ({
  issuer: API_AUDIENCE,
  jwks_uri: `${url}/openid/v1/jwks`,
  response_types_supported: ['id_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [ALGORITHM],
});

const tokenPart = (json: JsonObject): string => Buffer.from(JSON.stringify(json)).toString('base64url');
