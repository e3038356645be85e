import { stringify } from 'yaml';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from 'kube-informer';
import { Mask, withMaskedKind } from '../../src/mask/mask.ts';
import { objectStatus } from '../../src/objects/object-status.ts';
import type { ObjectDetail } from '../../src/protocol/messages.ts';
import { follow, rig } from '../rigs/inspector.ts';

/** A secret value: it must not occur in any response. */
const CANARY = 'c4n4ry-hunter2-of-the-test';
const encoded = Buffer.from(CANARY).toString('base64');
const isLeaked = (text: string): boolean => text.includes(CANARY) || text.includes(encoded);

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

const secret = (value: string): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'kubernetes.io/service-account-token',
  metadata: {
    namespace: 'default',
    name: 'login',
    labels: { app: 'web' },
    annotations: {
      'kubernetes.io/service-account.name': 'default',
      [LAST_APPLIED]: JSON.stringify({ stringData: { password: value } }),
    },
  },
  data: { password: Buffer.from(value).toString('base64'), token: Buffer.from(value).toString('base64') },
});

const pod = (value: string): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: 'web', annotations: { [LAST_APPLIED]: JSON.stringify({ env: value }) } },
  spec: {
    containers: [
      {
        name: 'web',
        image: 'web:1',
        args: [`--password=${value}`, `--db=postgres://app:${value}@db/shop`],
        env: [
          { name: 'DB_PASSWORD', value },
          { name: 'API_KEY', value },
          { name: 'SESSION_SECRET', value },
          { name: 'GITHUB_TOKEN', value },
          { name: 'LOG_LEVEL', value: 'debug-is-shown' },
        ],
      },
    ],
  },
});

describe('secrets', () => {
  test('S46: values of Secrets, variables and last-applied annotations are in no response, diff or message', async () => {
    const { server, cluster, ask, json, ...rest } = await rig();
    server.local.create('', 'serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'default', name: 'default' } });
    const made = server.local.create('', 'secrets', secret(CANARY));
    const webPod = server.local.create('', 'pods', pod(CANARY));
    const byPassword = (object: KubeObject): string[] => [String((object as { data?: { password?: string } }).data?.password)];
    const secrets = cluster.informer('v1/secrets', { indexers: { byPassword } });
    const pods = cluster.informer('v1/pods');
    await Promise.all([secrets.synced({ timeoutMs: 30_000 }), pods.synced({ timeoutMs: 30_000 })]);
    const listening = await follow({ server, cluster, ask, json, ...rest }, 'cache=v1/secrets');
    const narrow = await follow({ server, cluster, ask, json, ...rest }, 'cache=v1/pods');
    await listening.until('rows');
    // A change from one secret to another, and back.
    const changed = server.local.update('', 'secrets', { ...made, data: { password: encoded.slice(0, 8), token: encoded } });
    server.local.update('', 'secrets', { ...changed, data: { password: encoded } });
    server.local.update('', 'pods', { ...webPod, metadata: { ...webPod.metadata, labels: { changed: 'yes' } } });
    await listening.until('changes');
    await narrow.until('changes');
    const paths = [
      '/api/overview', '/api/timeline', '/api/handlers', '/api/filters?cache=v1/secrets', '/api/filters?cache=v1/pods',
      '/api/object?cache=v1/secrets&key=default/login', '/api/object?cache=v1/pods&key=default/web',
    ]; // prettier-ignore
    for (const path of paths) {
      const { status, text } = await ask(path);
      expect([path, status, isLeaked(text)]).toEqual([path, 200, false]);
    }
    expect(isLeaked(JSON.stringify([listening.messages, narrow.messages]))).toBe(false);
    const detail = await json<ObjectDetail>('/api/object?cache=v1/secrets&key=default/login');
    expect(detail).toMatchObject({ isMasked: true, kind: 'Secret', status: '1 key' });
    // The change is visible; the values are not.
    expect(detail.versions.map(({ type }) => type)).toEqual(['update', 'update', 'before']);
    expect(detail.versions[0]?.changes.filter(({ kind }) => kind === 'added')).toHaveLength(1);
    expect(detail.yaml).toMatch(/password: "?\[\d+ characters, #[0-9a-f]{8}\]/);
    expect(detail.yaml).not.toContain('managedFields');
    const shown = await json<ObjectDetail>('/api/object?cache=v1/pods&key=default/web');
    expect(shown.yaml).toContain('debug-is-shown');
    expect(shown.isMasked).toBe(true);
    expect(server.local.get('', 'secrets', 'default', 'login')?.metadata?.managedFields).toBeDefined();
  }); // prettier-ignore

  test('S46: searching and filtering cannot be used to guess masked values', async () => {
    const whole = await rig();
    const { server, cluster } = whole;
    server.local.create('', 'secrets', secret(CANARY));
    const byPassword = (object: KubeObject): string[] => [String((object as { data?: { password?: string } }).data?.password)];
    await cluster.informer('v1/secrets', { indexers: { byPassword } }).synced({ timeoutMs: 30_000 });
    const matching = async (query: string): Promise<number> => {
      const page = await follow(whole, `cache=v1/secrets&${query}`);
      const { matching: count } = await page.until<{ matching: number }>('rows');
      page.close();
      return count;
    };
    expect(await matching('text=login')).toBe(1);
    expect(await matching(`text=${CANARY}`)).toBe(0);
    expect(await matching(`text=${encoded}`)).toBe(0);
    // The index is not used: right and wrong guesses give the same result.
    expect(await matching(`index=byPassword&value=${encoded}`)).toBe(await matching('index=byPassword&value=wrong'));
    expect(await whole.json('/api/filters?cache=v1/secrets')).toEqual({ namespaces: ['default'], indexes: [] });
  }); // prettier-ignore

  test('S46: revealing must be enabled at the start and requested, and is logged', async () => {
    const closed = await rig();
    const open = await rig({ reveal: true });
    const sent = ({ authority }: { authority: string }) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: `http://${authority}` },
      body: JSON.stringify({ cache: 'v1/secrets', key: 'default/login' }),
    });
    for (const { server, cluster } of [closed, open]) {
      server.local.create('', 'secrets', secret(CANARY));
      await cluster.informer('v1/secrets').synced({ timeoutMs: 30_000 });
    }
    expect((await closed.ask('/api/reveal', sent(closed))).status).toBe(405);
    expect(isLeaked((await open.ask('/api/object?cache=v1/secrets&key=default/login')).text)).toBe(false);
    expect(open.lines).toEqual([]);
    const { status, text } = await open.ask('/api/reveal', sent(open));
    expect([status, isLeaked(text)]).toEqual([200, true]);
    expect(open.lines).toEqual([
      'warn the inspector showed an object unmasked {"cache":"v1/secrets","key":"default/login"}',
    ]);
  });

  test('S46: list items without a kind are masked too; cached objects are not changed', () => {
    const mask = new Mask();
    const { kind: _, ...bare } = secret(CANARY);
    const object = Object.freeze(bare) as KubeObject;
    expect(isLeaked(stringify(mask.object('v1/secrets', object)))).toBe(false);
    expect(isLeaked(stringify(object))).toBe(true);
  });

  test.each([
    ['TOKEN', true], ['GITHUB_TOKEN', true], ['db.password', true], ['PGPASSWORD', true], ['AWS_SECRET_ACCESS_KEY', true],
    ['apiKey', true], ['PRIVATE_PEM', true], ['SIGNING_KEY', true], ['DATABASE_DSN', true], ['BASIC_AUTH', true],
    ['LOG_LEVEL', false], ['KEYBOARD', false], ['PORT', false], ['POD_NAME', false],
  ] as const)('S46: the value of a variable named %s is masked: %s', (name, isHidden) => {
    const shown = new Mask().object('v1/pods', { kind: 'Pod', spec: { containers: [{ env: [{ name, value: 'plain-value' }] }] } } as KubeObject);
    expect(JSON.stringify(shown).includes('plain-value')).toBe(!isHidden);
  }); // prettier-ignore

  test('S46: equal values have equal marks within a process, and different ones in another process', () => {
    const [mask, other] = [new Mask(), new Mask()];
    const marked = (one: Mask, value: string): string => JSON.stringify(one.object('v1/secrets', { data: { a: value } } as KubeObject));
    expect(marked(mask, 'aaaa')).toBe(marked(mask, 'aaaa'));
    expect(marked(mask, 'aaaa')).not.toBe(marked(mask, 'bbbb'));
    expect(marked(mask, 'aaaa')).not.toBe(marked(other, 'aaaa'));
  }); // prettier-ignore

  test('S46: names such as __proto__ are ordinary names, and prototypes are not polluted', () => {
    const hostile = JSON.parse(
      '{"kind":"Thing","spec":{"__proto__":{"polluted":true},"constructor":"x"}}',
    ) as KubeObject;
    expect(JSON.stringify(new Mask().object('v1/things', hostile))).toBe(JSON.stringify(hostile));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

test('S67: an object of the cache of Secrets shows no field of a transform, also without its kind', () => {
  const object = {
    metadata: { name: 'a', annotations: { 'kapp.k14s.io/original': CANARY } },
    decoded: { password: CANARY },
    status: { phase: CANARY },
  } as unknown as KubeObject;
  const shown = new Mask().object('v1/secrets', object);
  expect(isLeaked(JSON.stringify(shown))).toBe(false);
  expect(shown.metadata?.name).toBe('a');
  expect(objectStatus(withMaskedKind('v1/secrets', object)).status).toBe('0 keys');
});
