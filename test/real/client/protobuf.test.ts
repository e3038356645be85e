import { isDeepStrictEqual } from 'node:util';
import { kinds } from '@kube-informer/kubernetes/kinds';
import type { KubeObject } from 'kube-informer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manifests } from '../../../packages/apiserver/test/rig/kinds/manifests.ts';
import type { Client } from '../../../packages/kube-informer/src/client/client.ts';
import type { WatchEvent } from '../../../packages/kube-informer/src/core/object/watch-event.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { asked, defineWidgets, WIDGETS } from '../harness/kinds.ts';
import { rig } from './rig.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: protobuf of a real kube-apiserver: ${missing}\n`);

const nameOf = ({ group, version, resource }: (typeof kinds)[number]): string =>
  [group, version, resource].filter(Boolean).join('/');

/** The events of a streaming list, up to its end. */
async function initialEvents(client: Client, resource: string, wire: 'auto' | 'json'): Promise<WatchEvent<object>[]> {
  const options = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true } as const;
  const events: WatchEvent<object>[] = [];
  for await (const event of client.resource<KubeObject>(resource).watch({ ...options, wire })) {
    events.push(event);
    if (event.type === 'BOOKMARK') break;
  }
  return events;
}

describe.skipIf(missing !== undefined)('protobuf of a real kube-apiserver', () => {
  let plane: ControlPlane;
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
    await defineWidgets(plane);
    await asked(plane, 'POST', WIDGETS.path('default'), WIDGETS.object('a', '1'));
    for (const sent of manifests) {
      const row = kinds.find(
        ({ group, version, kind }) => kind === sent.kind && [group, version].filter(Boolean).join('/') === sent.apiVersion,
      );
      if (row === undefined) continue;
      const prefix = row.group === '' ? `/api/${row.version}` : `/apis/${row.group}/${row.version}`;
      const namespace = row.namespaced ? `/namespaces/${sent.metadata?.namespace ?? 'default'}` : '';
      await plane.ask('POST', `${prefix}${namespace}/${row.resource}`, sent); // some depend on what this server lacks
    }
  }, 1_800_000); // prettier-ignore
  afterAll(() => plane?.[Symbol.asyncDispose]());

  test('PKD-01, PKA-11: lists and events of every kind are what their JSON is', async () => {
    const lines: string[] = [];
    const env = { log: (_: unknown, message: string, fields: unknown) => void lines.push(`${message} ${JSON.stringify(fields)}`) };
    const { client } = await rig(plane, { client: { env: { ...(await import('kube-informer')).systemEnv, ...env } } });
    let [objects, kindsWithObjects] = [0, 0];
    const different: string[] = [];
    for (const row of kinds.filter(({ verbs, version }) => verbs.includes('list') && verbs.includes('watch') && /^v\d+$/.test(version))) {
      const resource = nameOf(row);
      const [first, json, last] = [
        await client.resource<KubeObject>(resource).list(),
        await client.resource<KubeObject>(resource).list({ wire: 'json' }),
        await client.resource<KubeObject>(resource).list(),
      ];
      const versions = new Map(last.items.map((item) => [item.metadata?.uid, item]));
      objects += json.items.length;
      if (json.items.length > 0) kindsWithObjects += 1;
      for (const [at, item] of json.items.entries()) {
        // The server itself renews leases and the like between two lists.
        const same = [first.items[at], versions.get(item.metadata?.uid)].find((other) => other?.metadata?.resourceVersion === item.metadata?.resourceVersion);
        if (same !== undefined && !isDeepStrictEqual(same, item)) different.push(`${resource} ${item.metadata?.name}`);
      }
      expect({ ...first, items: [], metadata: {} }, resource).toEqual({ ...json, items: [], metadata: {} });
      const [binary, text] = [await initialEvents(client, resource, 'auto'), await initialEvents(client, resource, 'json')];
      const bookmark = (events: readonly WatchEvent<object>[]): unknown => {
        const { metadata, ...rest } = (events.at(-1)?.object ?? {}) as KubeObject;
        return { ...rest, annotations: metadata?.annotations };
      };
      expect(bookmark(binary), resource).toEqual(bookmark(text));
    }
    console.log(`protobuf: ${objects} objects of ${kindsWithObjects} kinds, ${different.length} different`);
    expect(different).toEqual([]);
    expect(lines).toEqual([]);
    expect(kindsWithObjects).toBeGreaterThan(20);
  }, 300_000); // prettier-ignore

  test('PKD-26: metadata of custom and of built-in resources is the same in both formats', async () => {
    const { client } = await rig(plane);
    for (const resource of ['example.com/v1/widgets', 'v1/namespaces']) {
      const bare = client.resource<KubeObject>(resource).metadataOnly();
      const json = await bare.list({ wire: 'json' });
      expect(json.items.length).toBeGreaterThan(0);
      expect((await bare.list()).items).toStrictEqual(json.items);
    }
  });

  test('PKD-05: custom resources come as JSON, failures as a Status', async () => {
    const { client } = await rig(plane);
    expect((await client.resource<KubeObject>('example.com/v1/widgets').list()).items).toHaveLength(1);
    const old = client.resource('v1/pods').watch({ resourceVersion: 'nonsense' });
    await expect(old.next()).rejects.toMatchObject({ code: 'API_STATUS', status: { kind: 'Status' } });
    const broken = client.resource('v1/pods').list({ fieldSelector: 'spec.nonsense=1' });
    await expect(broken).rejects.toMatchObject({ code: 'API_STATUS', status: { code: 400, reason: 'BadRequest' } });
  });
});
