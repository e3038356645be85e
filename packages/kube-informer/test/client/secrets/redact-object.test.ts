import { describe, expect, test } from 'vitest';
import { objectRedactor } from '../../../src/client/secrets/redact-object.ts';

const CANARY = 'c4n4ry-of-the-test';
const encoded = Buffer.from(CANARY).toString('base64');
const redact = objectRedactor({ random: () => 0.5 });
const shown = (value: unknown): string => JSON.stringify(redact(value));
const isLeaked = (text: string): boolean => text.includes(CANARY) || text.includes(encoded);
const MARK = /^\[\d+ characters, #[0-9a-f]{8}\]$/;

const METADATA = { name: 'login', namespace: 'default', uid: 'u', resourceVersion: '7', labels: { app: 'web' } };
const secret = (more: object, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'Opaque',
  metadata: { ...METADATA, ...metadata },
  ...more,
});

describe('Secrets', () => {
  test('S67: they show their type, allow-listed metadata and marks, and nothing else', () => {
    expect(redact(secret({ data: { password: encoded }, immutable: true }, { annotations: { note: CANARY } }))).toEqual(
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'Opaque',
        immutable: true,
        metadata: { ...METADATA, annotations: { note: expect.stringMatching(MARK) } },
        data: { password: expect.stringMatching(MARK) },
      },
    );
  });

  test.each<[string, object]>([
    ['kapp', secret({}, { annotations: { 'kapp.k14s.io/original': `{"data":{"a":"${encoded}"}}` } })],
    ['kopf', secret({}, { annotations: { 'kopf.zalando.org/last-handled-configuration': `{"data":{"a":"${encoded}"}}\n` } })],
    ['Rancher', secret({}, { annotations: { 'objectset.rio.cattle.io/applied': encoded } })],
    ['kubectl', secret({}, { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': CANARY } })],
    ['a field of a transform', secret({ decoded: { password: CANARY }, first: CANARY, list: [CANARY] })],
    ['a name of a field of a transform', secret({ decoded: { [CANARY]: true } })],
    ['metadata of a transform', secret({}, { copy: CANARY, managedFields: [{ fieldsV1: { [`f:${CANARY}`]: {} } }] })],
    ['data that is no map', secret({ data: CANARY, stringData: [CANARY] })],
    ['data that is nested', secret({ data: { a: { b: CANARY } } })],
    ['an item of a list', { kind: 'SecretList', items: [{ metadata: { name: 'a' }, data: { a: encoded } }] }],
    ['an item with a kind', { kind: 'List', items: [secret({ data: { a: encoded } })] }],
    ['a watch event', { type: 'ADDED', object: secret({ data: { a: encoded } }) }],
    ['a template', { kind: 'X', spec: { template: secret({ stringData: { a: CANARY } }) } }],
    ['an annotation of another object', { kind: 'Pod', metadata: { annotations: { x: JSON.stringify(secret({ stringData: { a: CANARY } })) } } }],
  ])('S67: %s shows no data', (_, object) => {
    expect(isLeaked(shown(object))).toBe(false);
  }); // prettier-ignore

  test('S67: a reference to a Secret is shown', () => {
    const references = {
      kind: 'Pod',
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 'a', uid: 'b', controller: true }] },
      spec: {
        imagePullSecrets: [{ name: 'pull' }],
        volumes: [{ name: 'v', secret: { secretName: 'login', items: [{ key: 'a', path: 'b' }], defaultMode: 420 } }],
        containers: [
          { env: [{ name: 'DB_PASSWORD', valueFrom: { secretKeyRef: { name: 'login', key: 'password' } } }] },
        ],
        automountServiceAccountToken: true,
        sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 3607, audience: 'api' } }],
      },
    };
    expect(redact(references)).toEqual(references);
  });
});

describe('everything else', () => {
  test.each<[string, object]>([
    ['a field', { spec: { secretAccessKey: CANARY } }],
    ['an upper-case field', { spec: { PRIVATE_KEY: CANARY } }],
    ['a list', { spec: { token: [CANARY, CANARY] } }],
    ['a list of lists', { spec: { tokens: [[CANARY]] } }],
    ['an object', { spec: { apiKey: { value: CANARY, inline: { text: CANARY } } } }],
    ['a number', { spec: { password: 314159265358 } }],
    ['a deep field', { a: [{ b: { c: [{ apiKey: CANARY }] } }] }],
    ['a variable', { env: [{ name: 'STRIPE_LIVE_KEY', value: CANARY }] }],
    ['a variable with a list', { env: [{ name: 'TOKENS', value: [CANARY] }] }],
    ['a parameter', { parameters: [{ key: 'db-password', value: CANARY }] }],
    ['an annotation', { metadata: { annotations: { 'example.com/api-key': CANARY } } }],
    ['JSON in an annotation', { metadata: { annotations: { 'example.com/config': `{"auth":{"apiKey":"${CANARY}"}}` } } }],
    ['broken JSON in an annotation', { metadata: { annotations: { 'example.com/config': `{"apiKey":"${CANARY}"` } } }],
    ['a ConfigMap', { kind: 'ConfigMap', data: { DB_PASSWORD: CANARY } }],
  ])('S67: the credential in %s is masked', (_, object) => {
    const text = shown(object);
    expect(isLeaked(text)).toBe(false);
    expect(text).not.toContain('314159265358');
  }); // prettier-ignore

  test('S67: other fields are copied unchanged, whatever their names are', () => {
    const object = JSON.parse(
      '{"__proto__":{"a":1},"constructor":"x","kind":"Pod","spec":{"nodeName":"n","on":[1,null,true]}}',
    ) as object;
    expect(redact(object)).toEqual(object);
    expect(Object.prototype).not.toHaveProperty('a');
  });

  test('S67: equal values have equal marks, different values have different ones', () => {
    const { a, b, c } = redact({ a: { password: 'x' }, b: { password: 'x' }, c: { password: 'y' } }) as Record<
      string,
      { password: string }
    >;
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
  });

  test('S67: a cycle and a deep object end', () => {
    const loop: Record<string, unknown> = { kind: 'X' };
    loop['self'] = loop;
    loop['secret'] = { inner: loop };
    const token: Record<string, unknown> = {};
    Object.assign(token, { a: token, b: token });
    loop['token'] = token;
    expect(shown(loop).length).toBeLessThan(1_000_000);
    expect(isLeaked(shown({ kind: 'Secret', metadata: {}, extra: loop }))).toBe(false);
  });
});
