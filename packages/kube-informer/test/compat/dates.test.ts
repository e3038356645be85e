import { expect, onTestFinished, test } from 'vitest';
import { CallbackInformer } from '../../src/compat/callback-informer.ts';
import { loadDates } from '../../src/compat/dates.ts';
import type { KubeObject } from '../../src/core/object/object.ts';
import { fakeEnv, settle } from '../../src/testing/fake-clock.ts';
import { FakeSource } from '../../src/testing/fake-source.ts';

const T = '2026-01-02T03:04:05Z';
const AT = new Date(T);

test('a built-in kind has a Date in every time, as client-node’s types say; everything else is as it was', async () => {
  const put = await loadDates();
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', creationTimestamp: T, annotations: { at: T }, managedFields: [{ manager: 'x', time: T }] },
    spec: { containers: [{ name: 'c', args: [T] }] },
    status: {
      startTime: T,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: T, lastProbeTime: null }],
      containerStatuses: [{ name: 'c', state: { running: { startedAt: T } }, lastState: {} }],
    },
  };
  expect(put(structuredClone(pod))).toEqual({
    ...pod,
    metadata: { ...pod.metadata, creationTimestamp: AT, managedFields: [{ manager: 'x', time: AT }] },
    status: {
      startTime: AT,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: AT, lastProbeTime: null }],
      containerStatuses: [{ name: 'c', state: { running: { startedAt: AT } }, lastState: {} }],
    },
  });
});

test('microseconds are kept when the object is written; a custom resource has Dates in its metadata only', async () => {
  const put = await loadDates();
  const renewTime = '2026-01-02T03:04:05.678901Z';
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: {}, spec: { renewTime } };
  const { spec } = put(structuredClone(lease)) as unknown as { spec: { renewTime: Date } };
  expect(spec.renewTime).toBeInstanceOf(Date);
  expect([spec.renewTime.getTime(), spec.renewTime.toISOString()]).toEqual([Date.parse(renewTime), renewTime]);
  expect(JSON.stringify(spec)).toBe(JSON.stringify({ renewTime }));
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { deletionTimestamp: T }, spec: { at: T } };
  expect(put(structuredClone(widget))).toEqual({ ...widget, metadata: { deletionTimestamp: AT } });
  const odd = { apiVersion: 'v1', kind: 'Pod', metadata: { creationTimestamp: 'yesterday' } };
  expect(put(structuredClone(odd))).toEqual(odd);
});

test('managedFields that are decoded on demand are not read before the program reads them', async () => {
  const put = await loadDates();
  let reads = 0;
  const metadata = Object.defineProperty({ name: 'a' }, 'managedFields', {
    get: () => ((reads += 1), [{ time: T }]),
    enumerable: true,
    configurable: true,
  });
  const pod = put({ apiVersion: 'v1', kind: 'Pod', metadata }) as { metadata: { managedFields?: unknown } };
  expect(reads).toBe(0);
  expect(pod.metadata.managedFields).toEqual([{ time: AT }]);
  expect([pod.metadata.managedFields, reads]).toEqual([[{ time: AT }], 1]);
  pod.metadata.managedFields = undefined; // programs may change objects
  expect(pod.metadata.managedFields).toBeUndefined();
});

test('objects of a list and of an event have the same shape, and a restart reports no false changes', async () => {
  const source = new FakeSource();
  const transform = await loadDates();
  const open = async () => ({ source, transform, close: async () => {} });
  const informer = new CallbackInformer<KubeObject>({ name: 'pods', env: fakeEnv(), open });
  onTestFinished(() => informer.stop());
  const heard: unknown[] = [];
  for (const verb of ['add', 'update'] as const)
    informer.on(verb, ({ metadata }) => heard.push([verb, metadata?.name, metadata?.creationTimestamp]));
  const pod = (name: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, creationTimestamp: T },
  });
  source.create(pod('listed'));
  await informer.start();
  source.create(pod('watched'));
  await settle();
  await informer.stop();
  await informer.start();
  expect(heard).toEqual([['add', 'listed', AT], ['add', 'watched', AT]]); // prettier-ignore
});
