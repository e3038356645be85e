import { describe, expect, onTestFinished, test } from 'vitest';
import { conceal, concealInPrint } from '../../../src/client/secrets/conceal.ts';
import { objectRedactor } from '../../../src/client/secrets/redact-object.ts';
import { KnownSecrets, MAX_SECRETS } from '../../../src/core/known-secrets.ts';
import { redact, redactOpaque } from '../../../src/core/redact.ts';
import { redactForSafeError } from '../../../src/core/safe-error.ts';
import { KubeError } from '../../../src/core/errors.ts';
import { everyPrint } from '../rig/auth-rig.ts';

const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2lnbmF0dXJl';
const PEM = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----';

describe('S24: text from outside loses what looks like a credential', () => {
  test.each<[string, string, string]>([
    ['a bearer header', 'GET / authorization: Bearer abc.def-123 HTTP', 'abc.def-123'],
    ['a basic header', 'Basic dXNlcjpwYXNz failed', 'dXNlcjpwYXNz'],
    ['a JSON field', '{"token":"s3cr\\"et","x":1}', 's3cr'],
    ['a YAML field', 'client-key-data: TFMwdExTMUNS', 'TFMwdExTMUNS'],
    ['a form', 'grant_type=refresh_token&refresh_token=r3fr3sh&x=1', 'r3fr3sh'],
    ['a flag', 'plugin --client-secret=hunter2 --x', 'hunter2'],
    ['a variable', 'AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI', 'wJalrXUtnFEMI'],
    ['a JWT among words', `the token was ${JWT}.`, 'c2lnbmF0dXJl'],
    ['a JWT in a path', `/a/b=${JWT}/c`, 'eyJzdWIi'],
    ['a private key', `key:\n${PEM}\nrest`, 'hkiG9w0BAQEFAASC'],
    ['a private key cut off', PEM.slice(0, 50), 'MIIEvQIBADANBgkq'],
    ['a user in a URL', 'proxy http://me:hunter2@proxy:3128 refused', 'hunter2'],
  ])('%s', (_, text, secret) => {
    expect(redact(text)).not.toContain(secret);
    expect(redact(text)).toContain('[redacted]');
  });

  test('and stays as it is otherwise', () => {
    for (const text of [
      'pods "web-5d8f9c7b6d-x2x4z" is forbidden: User "jane" cannot get resource "pods" in API group ""',
      'Bearer token expired',
      'connect ECONNREFUSED 127.0.0.1:6443',
      'https://dev.example.com:6443/api/v1/namespaces/default/pods?watch=true',
    ])
      expect(redact(text)).toBe(text);
  });
});

test('S24: a secret that was made known is hidden whatever stands around it, in every spelling', () => {
  const secret = 'pa$$ "word"/1';
  const known = new KnownSecrets();
  known.remember(secret);
  const spellings = [secret, JSON.stringify(secret), encodeURIComponent(secret), btoa(secret)];
  for (const spelling of spellings)
    expect(redact(`server said ${spelling}!`)).toBe(
      redact('server said X!').replace('X', spelling === spellings[1] ? '"[redacted]"' : '[redacted]'),
    );
});

test('S24: a secret that contains another one is hidden whole', () => {
  const known = new KnownSecrets();
  known.remember('abcdefgh', 'abcdefgh-tail-of-it');
  expect(redact('x abcdefgh-tail-of-it y')).toBe('x [redacted] y');
  known.clear();
});

test('S24: the memory of secrets is bounded, the newest stay', () => {
  const known = new KnownSecrets();
  known.remember('first-secret-of-many');
  for (let i = 0; i < 600; i += 1) known.remember(`rotated-secret-${i}`);
  expect(redact('first-secret-of-many')).toBe('first-secret-of-many');
  expect(redact('rotated-secret-599')).toBe('[redacted]');
  expect(redact(`rotated-secret-${599 - MAX_SECRETS}`)).toContain('rotated');
});

test('S24: the output of a plugin also loses long opaque words', () => {
  expect(redactOpaque('got k8s-aws-v1xyz0123456789abcdef back from eks.us-east-1.amazonaws.com')).toBe(
    'got [redacted] back from eks.us-east-1.amazonaws.com',
  );
  expect(redactOpaque('unauthenticated-but-readable words')).toBe('unauthenticated-but-readable words');
});

test('S24: redaction takes time linear in the text', () => {
  // Each of these would take minutes with a pattern that goes back.
  for (const piece of ['eyJabc-', 'bearer ', 'token', '//a', '-----BEGIN X-----', '"token":"', 'a=', ' '])
    expect(redactOpaque(piece.repeat(200_000)).length).toBeGreaterThan(0);
});

test('S24: a cause keeps name, code and redacted message, and drops what it carries', () => {
  const original = Object.assign(new TypeError('spawn failed: Bearer CANARY-1234'), {
    code: 'ENOENT',
    spawnargs: ['--token', 'CANARY-1234'],
    cause: new Error('CANARY-1234'),
  });
  const safe = redactForSafeError(original);
  expect(everyPrint(safe)).not.toContain('CANARY-1234');
  expect(safe).toMatchObject({ name: 'TypeError', code: 'ENOENT' });
  const ours = new KubeError('CREDENTIALS', 'ours');
  expect(redactForSafeError(ours)).toBe(ours);
  for (const odd of [undefined, null, 'CANARY-1234', 7])
    expect(redactForSafeError(odd).message).not.toContain('CANARY-1234');
});

test('S25: concealed fields are read by name and never printed', () => {
  const concealed = conceal({ token: 'CANARY', name: 'me' }, { name: 'me' });
  expect(concealed.token).toBe('CANARY');
  expect(everyPrint(concealed)).not.toContain('CANARY');
  expect(everyPrint({ nested: [concealed] })).not.toContain('CANARY');
  expect(JSON.stringify(concealed)).toBe('{"name":"me"}');
  expect({ ...concealed }).toEqual({});
});

test('S25: a class prints what it chooses', () => {
  class Source {
    readonly #token = 'CANARY';
    constructor() {
      concealInPrint(this, () => ({ length: this.#token.length }));
    }
  }
  expect(everyPrint(new Source())).not.toContain('CANARY');
  expect(JSON.stringify(new Source())).toBe('{"length":6}');
});

describe('S27: a copy for traces and bug reports', () => {
  const copy = (value: unknown): string => JSON.stringify(objectRedactor({ random: () => 0.5 })(value));
  const secret = { kind: 'Secret', metadata: { name: 's' }, data: { password: 'CANARY' }, stringData: { x: 'CANARY' } };

  test.each<[string, unknown]>([
    ['a Secret', secret],
    ['a Secret in a watch event', { type: 'ADDED', object: secret }],
    ['a SecretList, whose items carry no kind', { kind: 'SecretList', items: [{ ...secret, kind: undefined }] }],
    [
      'the last applied configuration',
      { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(secret) } } },
    ],
    ['a token request', { status: { token: 'CANARY' } }],
    ['a kubeconfig user', { user: { 'client-key-data': 'CANARY', password: 'CANARY' } }],
    ['a certificate', { ca: `-----BEGIN CERTIFICATE-----CANARY-----END CERTIFICATE-----` }],
    ['text with a header', { message: 'authorization: Bearer CANARY' }],
  ])('S27: has no secret of %s', (_, value) => {
    expect(copy(value)).not.toContain('CANARY');
  });

  test('S27: a redacted copy keeps everything else, and shows whether two secrets are equal', () => {
    const pod = {
      kind: 'Pod',
      metadata: { name: 'web', labels: { app: 'x' } },
      data: { kept: 'yes' },
      spec: { automountServiceAccountToken: false },
    };
    expect(JSON.parse(copy(pod))).toEqual(pod);
    const { data } = JSON.parse(copy({ kind: 'Secret', data: { a: 'one', b: 'one', c: 'two' } })) as {
      data: Record<string, string>;
    };
    expect(data['a']).toMatch(/^\[3 characters, #[0-9a-f]{8}\]$/);
    expect(data['a']).toBe(data['b']);
    expect(data['a']).not.toBe(data['c']);
  });

  test('marks are keyed: another recorder marks the same secret otherwise', () => {
    const one = objectRedactor({ random: () => 0.25 })(secret);
    const two = objectRedactor({ random: () => 0.75 })(secret);
    expect(one).not.toEqual(two);
  });

  test('ends on a cycle', () => {
    const cycle: Record<string, unknown> = { kind: 'Secret', data: { x: 'CANARY' } };
    cycle['self'] = cycle;
    expect(copy(cycle)).not.toContain('CANARY');
  });
});

test('S129: of a secret that is longer than what is remembered nothing is shown, in any spelling and wherever a text is cut', () => {
  const secrets = new KnownSecrets();
  onTestFinished(() => secrets.clear());
  const words = Array.from({ length: 9_000 }, (_, at) => `${(at * 7_919).toString(36)}-`).join('');
  for (const length of [16_382, 16_383, 16_384, 16_385, 20_000, 40_000]) {
    const secret = words.slice(0, length);
    const pieces = (text: string): string[] => text.match(/.{1,24}/g) ?? [];
    secrets.remember(secret);
    for (const spelling of [secret, btoa(secret), encodeURIComponent(secret)])
      for (const before of ['', 'x '.repeat(100), 'x '.repeat(20_000), 'x '.repeat(30_000)]) {
        const { message } = new KubeError('TRANSPORT', `${before}the server said "${spelling}" and ended`);
        expect(pieces(spelling).filter((piece) => piece.length === 24 && message.includes(piece)), `${length}`).toEqual([]);
      }
    expect(redact(`a ${secret} b`)).toBe('a [redacted] b');
    secrets.clear();
  }
}); // prettier-ignore
