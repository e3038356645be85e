import { expect, test } from 'vitest';
import { isSensitiveName, isSensitiveVariable } from '../../src/core/sensitive-name.ts';

test.each([
  'token', 'tokens', 'accessToken', 'GITHUB_TOKEN', 'githubtoken', 'id-token', 'password', 'rootPassword', 'MYSQLPASSWORD',
  'passwd', 'passphrase', 'secret', 'clientSecret', 'secretAccessKey', 'AWS_SECRET_ACCESS_KEY', 'secret-access-key', 'secret_id',
  'apiKey', 'apikey', 'API_KEY', 'APIKey', 'x-api-key', 'PRIVATE_KEY', 'privateKey', 'tlsPrivateKeyPem', 'tlsKey', 'signingKey',
  'encryption_key', 'credentials', 'Authorization', 'bearer', 'DB_PASS', 'dbPwd', 'REDIS_AUTH', 'DSN', 'connectionString',
  'client-key-data', 'client-certificate-data', 'keyData', 'kubeconfig', 'jwt', 'sessionCookie',
])('S67: %s is the name of a credential', (name) => {
  expect(isSensitiveName(name)).toBe(true);
}); // prettier-ignore

test.each([
  'name', 'key', 'topologyKey', 'labelKey', 'secretName', 'secretRef', 'secretKeyRef', 'tokenExpirationSeconds', 'tokenUrl',
  'passwordPolicy', 'authorization-mode', 'tokenizer', 'secretNamespace', 'credentialName', 'author', 'passthrough', 'keys',
  'bypass', 'compass', 'secretary', 'monkey', 'data', 'certificate-authority', 'continue', '', '🔑', 'constructor', '__proto__',
])('S67: %s is not', (name) => {
  expect(isSensitiveName(name)).toBe(false);
}); // prettier-ignore

test('S67: of variables every key counts, but for a bare one', () => {
  expect(['STRIPE_LIVE_KEY', 'PRIVATE_PEM', 'MAPS.KEY'].map(isSensitiveVariable)).toEqual([true, true, true]);
  expect(['KEY', 'MONKEY', 'LOG_LEVEL', 'KEYBOARD_LAYOUT'].map(isSensitiveVariable)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
