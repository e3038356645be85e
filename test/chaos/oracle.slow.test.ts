import { startApiServer } from '@kube-informer/apiserver';
import type { KubeObject } from 'kube-informer';
import type { WatchEvent } from 'kube-informer/core';
import { expect, onTestFinished, test } from 'vitest';
import { settle } from './settle.ts';
import { Watched } from './watched.ts';
import { NAMESPACE, type State, stateOf } from './state.ts';

/** An informer that chaos observes, on the embedded server, and three objects that change. */
async function rig(loses: (event: WatchEvent<KubeObject>) => boolean) {
  const server = await startApiServer();
  onTestFinished(() => server.close());
  const maps = (name: string, value: string) =>
    ({ metadata: { name, namespace: NAMESPACE }, data: { value } }) as never;
  server.local.create('', 'namespaces', { metadata: { name: NAMESPACE } } as never);
  for (const name of ['a', 'b']) server.local.create('', 'configmaps', maps(name, '1'));
  const { url, ca = '', token } = server;
  const one = await Watched.start({ name: 'it', connect: { url, ca, token }, resource: 'v1/configmaps', loses });
  onTestFinished(() => one[Symbol.asyncDispose]());
  await one.informer.synced({ timeoutMs: 60_000 });
  const update = (name: string, value: string): void => {
    const held = server.local.get('', 'configmaps', NAMESPACE, name) as object;
    server.local.update('', 'configmaps', { ...held, data: { value } } as never);
  };
  update('a', '2');
  server.local.remove('', 'configmaps', NAMESPACE, 'b');
  server.local.create('', 'configmaps', maps('c', '1'));
  update('c', '2');
  server.local.create('', 'configmaps', maps('last', '1'));
  const found = await settle(one, 'last');
  return { one, found, server };
}

/** The first event of a type for an object, and no other. */
function first(type: string, name: string): (event: WatchEvent<KubeObject>) => boolean {
  let isGone = false;
  return (event) => {
    if (isGone || event.type !== type || (event.object as KubeObject).metadata?.name !== name) return false;
    return (isGone = true);
  };
}

test('G4: an informer that receives every event has no errors', async () => {
  const { one, found, server } = await rig(() => false);
  expect(found).toEqual([]);
  const list = server.local.list('', 'configmaps', NAMESPACE) as readonly KubeObject[];
  const truth = new Map(list.map((object) => [`${NAMESPACE}/${object.metadata?.name}`, stateOf(object)]));
  expect(one.disagreements(truth)).toEqual([]);
  const more = { version: '1', content: 'null' };
  expect(one.disagreements(new Map([...truth, [`${NAMESPACE}/more`, more]]))).toEqual([
    `it: lacks ${NAMESPACE}/more@1`,
  ]);
  const { version } = truth.get(`${NAMESPACE}/a`) as State;
  expect(one.disagreements(new Map([...truth, [`${NAMESPACE}/a`, { version, content: '{}' }]]))).toEqual([
    `it: has another ${NAMESPACE}/a@${version}`,
  ]);
  truth.delete(`${NAMESPACE}/a`);
  expect(one.disagreements(truth)).toEqual([`it: still has ${NAMESPACE}/a`]);
});

test.each([
  ['a delete', first('DELETED', 'b'), /"extra":\["chaos\/b"\]/],
  ['an update', first('MODIFIED', 'a'), /"different":\["chaos\/a"\]/],
] as const)('F32: one event that is lost is found at the end: %s', async (_, loses, words) => {
  const { found } = await rig(loses);
  expect(found.join('\n')).toMatch(words);
});

test('G1, F27: a state that goes back is found, even if it is corrected later', async () => {
  const { one } = await rig(() => false);
  const look = (one.informer.get(`${NAMESPACE}/a`) as KubeObject).metadata;
  one.look(`${NAMESPACE}/a`, { metadata: { ...look, resourceVersion: '1' } } as KubeObject);
  expect(one.disagreements()).toEqual([expect.stringContaining('went back from')]);
});

test('G1, F27: a name that was free before a restore may be used again with a lower version, once and not in the same epoch', async () => {
  const { one } = await rig(() => false);
  const at = (resourceVersion: string): KubeObject => ({
    metadata: { name: 'c', namespace: NAMESPACE, resourceVersion },
  });
  one.look('c', at('900'));
  one.look('c', at('901'), true);
  one.setBack.surely = 1;
  one.figures.epochs = 1;
  one.look('c', at('500'));
  expect(one.disagreements()).toEqual([]);
  one.look('c', at('501'), true);
  one.look('c', at('400'));
  expect(one.disagreements()).toEqual(['it: c went back from 501 to 400']);
});

test('G3: a new epoch that is not announced, and one announced without a reason, are found', async () => {
  const { one } = await rig(() => false);
  one.setBack.surely = 1;
  expect(one.disagreements()).toEqual(['it: announced 0 new epochs, and there were 1']);
  one.figures.epochs = 1;
  expect(one.violations).toEqual([]);
  one.setBack.surely = 0;
  expect(one.violations).toEqual(['it: announced 1 new epochs, and there cannot be more than 0']);
});

test.each([
  [0, 1],
  [1, 0],
])(
  'G1, G3: an object that comes back after its delete is announced as a restore, which is an error after %i restores: %i',
  async (perhaps, errors) => {
    const { one, server } = await rig(() => false);
    one.setBack.perhaps = perhaps;
    const key = `${NAMESPACE}/a`;
    const snapshot = server.snapshot();
    server.local.remove('', 'configmaps', NAMESPACE, 'a');
    await expect.poll(() => one.informer.get(key)).toBeUndefined();
    server.restore(snapshot, { revisions: 'bump' });
    await expect.poll(() => one.informer.get(key), { timeout: 30_000 }).toBeDefined();
    await expect.poll(() => one.recorder.view.has(key)).toBe(true);
    expect([one.figures.epochs, one.violations.length]).toEqual([1, errors]);
  },
  60_000,
);
