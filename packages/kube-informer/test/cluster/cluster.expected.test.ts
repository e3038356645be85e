import { describe, expect, onTestFinished, test } from 'vitest';
import { Cluster } from '../../src/cluster/cluster.ts';
import type { KubeObject } from '../../src/core/object/object.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';
import { settle } from '../../src/testing/fake-clock.ts';
import { bytes } from '../client/rig/bodies.ts';
import { type Answer, clientRig } from '../client/rig/client-rig.ts';

const object = (apiVersion: string, kind: string, name: string, resourceVersion: string): object => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'web', resourceVersion, uid: `uid-${name}` },
  data: { password: 'x' },
});
const FOREIGN: [string, string][] = [
  ['v1', 'Secret'],
  ['v1', 'Node'],
  ['apps/v1', 'Deployment'],
];

/** A server that mixes objects of other types into a list and a watch. */
function mixed(apiVersion: string, kind: string): Answer[] {
  const strangers = (from: number): object[] =>
    FOREIGN.map(([version, other], i) => object(version, other, `${other.toLowerCase()}-${from + i}`, `${from + i}`));
  const items = [object(apiVersion, kind, 'listed', '10'), ...strangers(11)];
  const list = { apiVersion, kind: `${kind}List`, metadata: { resourceVersion: '20' }, items };
  const lines = [...strangers(21), object(apiVersion, kind, 'watched', '30'), object(apiVersion, kind, 'listed', '31')]
    .map((one) => `${JSON.stringify({ type: 'MODIFIED', object: one })}\n`)
    .join('');
  let isSent = false;
  const stream = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        if (isSent) return new Promise<never>(() => {});
        isSent = true;
        return Promise.resolve({ done: false as const, value: bytes(lines) });
      },
      return: () => Promise.resolve({ done: true as const, value: undefined }),
    }),
  };
  return [{ body: list }, { body: stream }];
}

async function until(isDone: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000 && !isDone(); turn += 1) await settle();
}

describe('REF-03: only objects of the resource are cached', () => {
  const cases: [string, string, string, string, boolean][] = [
    ['a built-in resource', 'v1/pods', 'v1', 'Pod', false],
    ['metadata only', 'v1/pods', 'meta.k8s.io/v1', 'PartialObjectMetadata', true],
    ['metadata only, from a server that sends whole objects', 'v1/pods', 'v1', 'Pod', true],
    ['a custom resource', 'example.com/v1/widgets', 'example.com/v1', 'Widget', false],
  ];
  test.each(cases)('REF-03: %s', async (_, resource, apiVersion, kind, metadataOnly) => {
    const { client, env } = clientRig(mixed(apiVersion, kind));
    const cluster = new Cluster({ client, env });
    onTestFinished(() => cluster.close());
    const options = { watchList: false, ...(metadataOnly ? { metadataOnly } : {}) };
    const informer = cluster.informer<KubeObject>(resource, options as object);
    await informer.synced();
    await until(
      () => informer.get('web/watched') !== undefined && informer.get('web/listed')?.metadata?.resourceVersion === '31',
    );
    expect(
      informer
        .list()
        .map(({ metadata }) => metadata?.name ?? '')
        .toSorted(),
    ).toEqual(['listed', 'watched']);
    expect(env.lines.filter(({ message }) => message.includes('of another type'))).not.toEqual([]);
    if (!metadataOnly) return;
    for (const cached of informer.list()) {
      expect(cached).toMatchObject({ apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' });
      if (kind === 'Pod') expect(cached).not.toHaveProperty('data');
    }
  });

  test('REF-03: also through SharedInformer and the client alone, and the option decides before the source', async () => {
    const { client, env } = clientRig(mixed('v1', 'Pod'));
    const source = client.resource('v1/pods').listWatch();
    const pods = new SharedInformer<KubeObject>(source, { env, watchList: false }).start();
    await pods.synced();
    expect(source.expected).toEqual({ apiVersion: 'v1', kind: 'Pod' });
    expect(pods.list().map(({ kind }) => kind)).toEqual(['Pod']);
    await pods.stop();
    const again = clientRig(mixed('v1', 'Pod'));
    const secrets = new SharedInformer<KubeObject>(again.client.resource('v1/pods').listWatch(), {
      env: again.env,
      watchList: false,
      expected: { kind: 'Secret' },
    }).start();
    await secrets.synced();
    expect(secrets.list().map(({ kind }) => kind)).toEqual(['Secret']);
    await secrets.stop();
  });
});
