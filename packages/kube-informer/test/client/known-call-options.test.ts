import { describe, expect, test } from 'vitest';
import { Client } from '../../src/client/client.ts';
import type { ResourceClient } from '../../src/client/resource-client.ts';
import { requireKnown } from '../../src/core/known-options.ts';
import type { KubeObject } from '../../src/core/object/object.ts';
import { failureOf } from './rig/bodies.ts';
import { type Answer, clientRig } from './rig/client-rig.ts';

/** Options as JavaScript passes them, without a type check. */
const anyOptions = (options: object): never => options as never;

const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'web' } };

function rig(...script: readonly Answer[]) {
  const { client, transport } = clientRig(script);
  return { client, transport, pods: client.resource('v1/pods') as ResourceClient };
}

describe('an unknown option is refused before anything is sent', () => {
  const calls: readonly (readonly [string, (pods: ResourceClient, options: never) => unknown])[] = [
    ['get', (pods, options) => pods.get('web/a', options)],
    ['list', (pods, options) => pods.list(options)],
    ['watch', async (pods, options) => pods.watch(options)],
    ['create', (pods, options) => pods.create(POD, options)],
    ['replace', (pods, options) => pods.replace(POD, options)],
    ['patch', (pods, options) => pods.patch('web/a', {}, options)],
    ['apply', (pods, options) => pods.apply(POD, options)],
    ['delete', (pods, options) => pods.delete('web/a', options)],
    ['deleteCollection', (pods, options) => pods.deleteCollection(options)],
    ['subresource', (pods, options) => pods.subresource('web/a', 'status', options)],
    ['getScale', (pods, options) => pods.getScale('web/a', options)],
    ['scale', (pods, options) => pods.scale('web/a', 1, options)],
    ['listWatch', async (pods, options) => pods.listWatch(options)],
  ];
  test.each(calls)('%s', async (verb, call) => {
    const { pods, transport } = rig();
    const failure = await failureOf(call(pods, anyOptions({ lables: 'a=b' })) as Promise<unknown>);
    const message = expect.stringMatching(new RegExp(`^${verb}: unknown option "lables": expected one of `)) as string;
    expect(failure).toMatchObject({ code: 'INVALID_OPTION', message });
    expect(transport.sent).toEqual([]);
  });

  test('raw requests, logs and the way to a cluster', async () => {
    const { client, transport } = rig();
    expect(await failureOf(client.request(anyOptions({ path: '/version', header: {} })))).toMatchObject({
      message: expect.stringMatching(/^request: unknown option "header"/) as string,
    });
    expect(() => client.logs('web/a', anyOptions({ tail: 5 }))).toThrow(/^logs: unknown option "tail"/);
    expect(await failureOf(Client.connect(anyOptions({ url: 'https://api.test', tokn: 'x' })))).toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(/^connect: unknown option "tokn": expected one of .*\btoken\b/) as string,
    });
    expect(transport.sent).toEqual([]);
  });

  test('undefined counts as absent, and names of Object.prototype are unknown options', () => {
    const known = { a: true } as const;
    requireKnown<{ a?: number }>('f', Object.assign({ a: 1 }, { b: undefined }), known);
    expect(() => requireKnown('f', anyOptions({ toString: 1 }), known)).toThrow(/unknown option "toString"/);
    for (const none of ['text', null, 5]) expect(() => requireKnown('f', none as never, known)).toThrow(/expected an object of options/);
  }); // prettier-ignore
});

describe('labels and fields', () => {
  test('selectors mean the same by our names and by the API\'s names', async () => {
    const { pods, transport } = rig({ body: { items: [] } }, { body: { items: [] } }, { body: {} });
    await pods.list({ labels: { app: 'shop' }, fields: 'spec.nodeName=n1' });
    await pods.list({ labelSelector: { app: 'shop' }, fieldSelector: 'spec.nodeName=n1' });
    const selected = '?labelSelector=app%3Dshop&fieldSelector=spec.nodeName%3Dn1';
    expect(transport.lines).toEqual([`GET /api/v1/pods${selected}`, `GET /api/v1/pods${selected}`]);
    await pods.deleteCollection({ namespace: 'web', labels: 'app=shop' });
    expect(transport.lines.at(-1)).toBe('DELETE /api/v1/namespaces/web/pods?labelSelector=app%3Dshop');
  }); // prettier-ignore

  test('both at once are refused: one of them would be ignored', async () => {
    const { pods, transport } = rig();
    for (const both of [
      { labels: 'a=b', labelSelector: 'c=d' },
      { fields: 'a=b', fieldSelector: 'c=d' },
    ])
      expect(await failureOf(pods.list(both))).toMatchObject({ code: 'INVALID_OPTION' });
    expect(transport.sent).toEqual([]);
  });
});

test('dryRun is true or false: the API\'s value "All" is refused instead of being ignored', async () => {
  const { pods, transport } = rig();
  for (const dryRun of ['All', ['All'], 1, null]) {
    const options = anyOptions({ dryRun });
    for (const call of [pods.create(POD, options), pods.delete('web/a', options), pods.deleteCollection(anyOptions({ namespace: 'web', dryRun }))])
      expect(await failureOf(call as Promise<unknown>)).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringMatching(/dryRun/) as string });
  }
  expect(transport.sent).toEqual([]);
}); // prettier-ignore

test('apply without options says what is missing', async () => {
  const { pods } = rig();
  const failure = await failureOf((pods.apply as (object: KubeObject) => Promise<unknown>).call(pods, POD));
  expect(failure).toMatchObject({
    code: 'INVALID_OPTION',
    message: 'option fieldManager: expected apply(object, { fieldManager: "name-of-your-program" }), got undefined',
  });
});

test.each(['[]', 'null', '"pod"', '5'])('a response that is JSON but not an object (%s) is refused', async (text) => {
  const { pods } = rig({ body: text });
  const failure = await failureOf(pods.get('web/a', { attempts: 'once' }));
  expect(failure).toMatchObject({
    code: 'TRANSPORT',
    message: expect.stringMatching(/JSON but not an object/) as string,
  });
});
