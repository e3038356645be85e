import { createSign, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Pair } from '../../packages/kube-informer/test/client/rig/certificates.ts';

export interface IdentityProvider {
  readonly issuer: string;
  /** An ID token that is valid for this long; a negative time makes one that has expired. */
  idToken(seconds: number): string;
  /** Refresh tokens that were used. Each is valid once. */
  readonly shown: readonly string[];
  stop(): Promise<void>;
}

/** The part of OpenID Connect that kube-apiserver and a client need: discovery, keys, and a token for a refresh token. */
export async function startIdentityProvider(pair: Pair, clientId: string): Promise<IdentityProvider> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const shown: string[] = [];
  const server = createServer(pair, (request, answer) => {
    const reply = (status: number, body: object): void =>
      void answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/.well-known/openid-configuration')
      return reply(200, {
        issuer,
        jwks_uri: `${issuer}/keys`,
        token_endpoint: `${issuer}/token`,
        id_token_signing_alg_values_supported: ['RS256'],
      });
    if (request.url === '/keys')
      return reply(200, { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] });
    let form = '';
    request.on('data', (chunk: Buffer) => (form += chunk.toString()));
    request.on('end', () => {
      const token = new URLSearchParams(form).get('refresh_token') ?? '';
      if (token !== `refresh-${shown.length}`) return reply(400, { error: 'invalid_grant' });
      shown.push(token);
      return reply(200, { id_token: idToken(3_600), refresh_token: `refresh-${shown.length}` });
    });
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function idToken(seconds: number): string {
    const now = Math.floor(Date.now() / 1_000);
    const header = { alg: 'RS256', kid: 'one', typ: 'JWT' };
    const claims = {
      iss: issuer,
      aud: clientId,
      sub: 'jane',
      groups: ['developers'],
      iat: now - 60,
      exp: now + seconds,
    };
    const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
  }
  const stop = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => void server.close(() => resolve()));
  };
  return { issuer, idToken, shown, stop };
}
