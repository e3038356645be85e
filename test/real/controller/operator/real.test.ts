import { Client } from 'kube-informer/client';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findOldApiserver, whatIsMissing } from '../../harness/binaries.ts';
import { ControlPlane } from '../../harness/control-plane.ts';
import { until } from '../../harness/until.ts';
import { goProgram, whatGoLacks } from '../program.ts';
import { type StartOperator, startOurs, startTheirs } from './operators.ts';
import { NAMESPACE, type Site, site, siteDefinition, SITES } from './sites.ts';
import { canonical } from './world.ts';

const lacking = (await whatGoLacks()) ?? (await whatIsMissing());
if (lacking !== undefined) console.warn(`\nSKIPPED: two operators on a real kube-apiserver: ${lacking}\n`);

const noOld = await whatIsMissing('kube-apiserver 1.26');
if (noOld !== undefined) console.warn(`\nSKIPPED: two operators on kube-apiserver 1.26: ${noOld}\n`);

describe.skipIf(lacking !== undefined)(
  'one operator here and with controller-runtime, on a real kube-apiserver',
  () => {
    let program: string;
    beforeAll(async () => {
      program = await goProgram();
    }, 1_800_000);

    const isTheSame = async (apiserver?: string): Promise<void> => {
      const ours = await onRealServer(startOurs, apiserver);
      const theirs = await onRealServer(startTheirs(program), apiserver);
      console.log(
        `writes of objects on a real kube-apiserver: ${ours.versions} here, ${theirs.versions} with controller-runtime`,
      );
      expect(ours.objects).toEqual(theirs.objects);
      expect(ours.objects).toHaveLength(10);
    };

    test('X01 V03 without faults: the same objects at the end', () => isTheSame());

    test.skipIf(noOld !== undefined)(
      'X01 V03 without faults, on kube-apiserver 1.26: the same objects at the end',
      async () => isTheSame(await findOldApiserver((text) => console.log(text))),
    );
  },
);

/** Objects at the end, and by how much the version of the server has grown. */
async function onRealServer(
  start: StartOperator,
  apiserver?: string,
): Promise<{ objects: string[]; versions: number }> {
  const log = (text: string): void => console.log(text);
  await using plane = await ControlPlane.start({ log, ...(apiserver === undefined ? {} : { apiserver }) });
  const client = await Client.connect({ kubeconfigFile: plane.kubeconfig });
  onTestFinished(() => client.close());
  const [sites, maps] = [client.resource<Site>(SITES), client.resource('v1/configmaps')];
  const definitions = client.resource('apiextensions.k8s.io/v1/customresourcedefinitions');
  await definitions.create(siteDefinition as never);
  await client.resource('v1/namespaces').create({ metadata: { name: NAMESPACE } });
  const isServed = (): Promise<boolean> =>
    sites.list({ namespace: NAMESPACE }).then(
      () => true,
      () => false,
    );
  await until('sites are served', isServed);
  const children = async (): Promise<string[]> =>
    (await maps.list({ namespace: NAMESPACE })).items
      .map(({ metadata }) => metadata?.name ?? '')
      .filter((name) => name !== 'kube-root-ca.crt');
  for (const one of [site('a', 'one', 2), site('b', 'one', 1), site('c', 'one', 1)]) await sites.create(one);
  const before = await version(client);
  const operator = await start(plane.kubeconfig);
  try {
    await until('the sites have their copies', async () => (await children()).length === 7);
    await sites.patch(`${NAMESPACE}/a`, { spec: { copies: 1 } });
    await sites.patch(`${NAMESPACE}/b`, { spec: { message: 'two' } });
    await maps.delete(`${NAMESPACE}/b-0`);
    await maps.patch(`${NAMESPACE}/a-0`, { data: { message: 'meddled with' } });
    await sites.create(site('d', 'one', 2));
    await sites.delete(`${NAMESPACE}/c`);
    const objects = async (): Promise<string[]> => {
      const all = [
        ...(await sites.list({ namespace: NAMESPACE })).items,
        ...(await maps.list({ namespace: NAMESPACE })).items,
      ];
      // A list does not repeat the kind, and there is no garbage collector here.
      const own = all.filter(({ metadata }) => !/^(c-0|kube-root-ca.crt)$/.test(metadata?.name ?? ''));
      return own.map(({ apiVersion: _apiVersion, kind: _kind, ...rest }) => canonical(rest)).toSorted();
    };
    await until('all is as wanted', async () => isDone(await objects()), {
      inTheWay: () => operator.name,
    });
    return { objects: await objects(), versions: (await version(client)) - before };
  } finally {
    await operator.stop();
  }
}

const version = async (client: Client): Promise<number> =>
  Number((await client.resource('v1/configmaps').list({ namespace: NAMESPACE })).metadata?.resourceVersion);

/** Three sites that report their generation, and seven config maps with the right text. */
function isDone(objects: readonly string[]): boolean {
  const reported = objects.filter((text) => text.includes('"observedGeneration"'));
  const isReported = reported.every((text) => {
    const { metadata, status } = JSON.parse(text) as Site;
    return status?.conditions?.[0]?.observedGeneration === metadata?.generation;
  });
  const messages = objects.filter((text) => text.includes('"message":"two"')).length;
  return (
    objects.length === 10 &&
    reported.length === 3 &&
    isReported &&
    messages === 3 &&
    !objects.join().includes('meddled')
  );
}
