import { Cluster, type KubeObject, systemEnv } from 'kube-informer';
import { Client } from 'kube-informer/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { asked, CONFIG_MAPS } from '../harness/kinds.ts';
import { Observed } from '../harness/observed.ts';

const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: the engine over ten thousand objects: ${missing}\n`);

const OBJECTS = 10_000;
const AT_A_TIME = 48;
const NAMESPACE = 'many';
const env = { ...systemEnv, log: () => {} };

describe.skipIf(missing !== undefined)('the engine over ten thousand objects of a real kube-apiserver', () => {
  let plane: ControlPlane;
  let writer: Client;
  beforeAll(async () => {
    plane = await ControlPlane.start({ log: (line) => console.log(line) });
    await asked(plane, 'POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    const { ca, token } = plane.credentials;
    writer = await Client.connect({ url: plane.url, ca, token, env, proxy: false });
    await each(OBJECTS, (at) =>
      maps()
        .create(configMap(at, '0'))
        .then(() => {}),
    );
  }, 1_800_000);
  afterAll(async () => {
    await writer?.close();
    await plane?.[Symbol.asyncDispose]();
  });

  const maps = () => writer.resource('v1/configmaps');
  const nameOf = (at: number): string => `m${String(at).padStart(5, '0')}`;
  const configMap = (at: number, value: string) => ({
    metadata: { name: nameOf(at), namespace: NAMESPACE },
    data: { value, filler: 'x'.repeat(200) },
  });

  async function rig(informers: { readonly watchList?: boolean; readonly pageSize?: number }, metadataOnly: boolean) {
    const { ca, token } = plane.credentials;
    const cluster = await Cluster.connect({ url: plane.url, ca, token, proxy: false, env, informers });
    onTestFinished(() => cluster.close());
    const options = { namespace: NAMESPACE, ...(metadataOnly ? { metadataOnly } : {}) };
    const informer = cluster.informer<KubeObject>('v1/configmaps', options);
    return new Observed(plane, informer, { paths: [CONFIG_MAPS.path(NAMESPACE)], metadataOnly });
  }

  test.each([
    { title: 'by a streaming list', informers: {}, metadataOnly: false },
    { title: 'by a plain list', informers: { watchList: false }, metadataOnly: false },
    { title: 'by pages of five hundred', informers: { watchList: false, pageSize: 500 }, metadataOnly: false },
    { title: 'metadata only', informers: {}, metadataOnly: true },
  ])('G4, G15: $title, while a thousand of them change', async ({ title, informers, metadataOnly }) => {
    const began = Date.now();
    const observed = await rig(informers, metadataOnly);
    // While the first list is under way, and after it.
    const changed = each(1_000, async (at) => {
      if (at % 10 === 0) await maps().delete(`${NAMESPACE}/${nameOf(at)}`);
      else await maps().patch(`${NAMESPACE}/${nameOf(at)}`, { data: { value: title } });
      if (at % 10 === 0) await maps().create(configMap(at, title));
    });
    await observed.informer.synced({ timeoutMs: 120_000 });
    const ms = Date.now() - began;
    expect(observed.informer.list().length).toBeGreaterThan(OBJECTS - 150);
    observed.join();
    await changed;
    await observed.agrees(120_000);
    expect(observed.informer.list()).toHaveLength(OBJECTS);
    console.log(`${OBJECTS} objects ${title}: complete after ${ms} ms`);
  });
});

/** Calls a function for each number in order, a few at a time. */
async function each(count: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) await work(at);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}
