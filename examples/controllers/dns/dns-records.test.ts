// Tests of the operator on the embedded server, with a provider that fails on request.

import { startLab } from '@kube-informer/controller/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type DnsRecord, dnsRecords } from './dns-records.ts';
import { startProvider } from './provider.ts';
import { httpZones } from './zones.ts';

const RECORDS = 'example.com/v1/dnsrecords';
const record = (spec: DnsRecord['spec'], name = 'shop') => ({
  apiVersion: 'example.com/v1',
  kind: 'DnsRecord',
  metadata: { name, namespace: 'web' },
  spec,
});

async function rig(lookEveryMs?: number) {
  const lab = await startLab({ definitions: ['examples/controllers/dns/crd.yaml'] });
  const provider = await startProvider();
  onTestFinished(async () => {
    await lab[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });
  const operator = lab.run([dnsRecords(lab.cluster, httpZones(provider.url), lookEveryMs)], { election: 'ops/dns' });
  const stored = (name = 'shop'): DnsRecord | undefined => lab.get<DnsRecord>(RECORDS, `web/${name}`);
  const published = (): unknown =>
    Object.fromEntries([...provider.records].map(([name, { addresses }]) => [name, addresses]));
  await lab.settled();
  return { lab, provider, operator, stored, published };
}

test('a record is published, changed, renamed and removed; nothing else is touched', async () => {
  const { lab, provider, stored, published } = await rig();
  const theirs = { owner: 'a person', addresses: ['192.0.2.9'], ttl: 60 };
  provider.records.set('mail.example.org', theirs);
  await lab.user.apply(record({ hostname: 'shop.example.org', addresses: ['192.0.2.1'] }));
  await lab.settled();
  expect(published()).toEqual({ 'mail.example.org': ['192.0.2.9'], 'shop.example.org': ['192.0.2.1'] });
  expect(stored()?.status).toMatchObject({ addresses: ['192.0.2.1'], conditions: [{ type: 'Ready', status: 'True' }] });

  await lab.user.apply(record({ hostname: 'store.example.org', addresses: ['192.0.2.1', '192.0.2.2'] }));
  await lab.settled();
  expect(published()).toEqual({ 'mail.example.org': ['192.0.2.9'], 'store.example.org': ['192.0.2.1', '192.0.2.2'] });

  await lab.user.delete(RECORDS, 'web/shop');
  await lab.settled();
  expect(published()).toEqual({ 'mail.example.org': ['192.0.2.9'] });
  expect(stored()).toBeUndefined();
});

test('the addresses of a service are followed', async () => {
  const { lab, stored, published } = await rig();
  await lab.user.apply(record({ hostname: 'shop.example.org', service: 'shop' }));
  await lab.settled();
  expect(stored()?.status?.conditions).toMatchObject([{ status: 'False', reason: 'NoAddress' }]);
  await lab.user.apply({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'shop', namespace: 'web' },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
  } as object);
  const services = lab.cluster.resource('v1/services');
  const address = (ip: string) => ({ status: { loadBalancer: { ingress: [{ ip }] } } });
  await services.patch('web/shop', address('192.0.2.7'), { subresource: 'status' });
  await lab.settled();
  expect(published()).toEqual({ 'shop.example.org': ['192.0.2.7'] });
  await services.patch('web/shop', address('192.0.2.8'), { subresource: 'status' });
  await lab.settled();
  expect(published()).toEqual({ 'shop.example.org': ['192.0.2.8'] });
  await lab.user.delete('v1/services', 'web/shop');
  await lab.settled();
  expect(published()).toEqual({});
});

test('a hostname that is taken is said, and published when it is free', async () => {
  const { lab, stored, provider, published } = await rig();
  await lab.user.apply(record({ hostname: 'shop.example.org', addresses: ['192.0.2.1'] }));
  await lab.settled();
  await lab.user.apply(record({ hostname: 'shop.example.org', addresses: ['192.0.2.2'] }, 'copy'));
  await lab.settled();
  expect(stored('copy')?.status?.conditions).toMatchObject([{ status: 'False', reason: 'Taken' }]);
  expect(published()).toEqual({ 'shop.example.org': ['192.0.2.1'] });
  await lab.user.delete(RECORDS, 'web/copy'); // does not take the record of the other with it
  await lab.settled();
  expect(provider.records.size).toBe(1);
  await lab.user.apply(record({ hostname: 'shop.example.org', addresses: ['192.0.2.2'] }, 'copy'));
  await lab.user.delete(RECORDS, 'web/shop');
  await lab.advance(61_000);
  expect(published()).toEqual({ 'shop.example.org': ['192.0.2.2'] });
});

test('a provider that fails is tried again, one that is busy after the time it asks for, one that refuses not at all', async () => {
  const { lab, operator, provider, published } = await rig();
  const outcomes = (): readonly string[] => operator.runs('dns-records', 'web/shop').map(({ outcome }) => outcome);
  provider.failNext(500, 2);
  await lab.user.apply(record({ hostname: 'shop.example.org', addresses: ['192.0.2.1'] }));
  await lab.advance(1_000);
  expect(outcomes()).toEqual(['error', 'error', 'success']);

  provider.failNext(429);
  await lab.user.apply(record({ hostname: 'shop.example.org', addresses: ['192.0.2.2'] }));
  await lab.advance(6_000);
  expect(published()).toEqual({ 'shop.example.org': ['192.0.2.1'] });
  await lab.advance(2_000);
  expect(published()).toEqual({ 'shop.example.org': ['192.0.2.2'] });

  await lab.user.apply(record({ hostname: 'not a hostname', addresses: ['192.0.2.2'] }));
  await lab.advance(60_000);
  expect(operator.why('dns-records', 'web/shop')).toMatchObject({ kind: 'terminal' });
  expect(published()).toEqual({});
});

test('a change made at the provider is repaired', async () => {
  const { lab, provider, published } = await rig(10_000);
  await lab.user.apply(record({ hostname: 'shop.example.org', addresses: ['192.0.2.1'] }));
  await lab.settled();
  provider.records.clear();
  await lab.advance(11_000);
  expect(published()).toEqual({ 'shop.example.org': ['192.0.2.1'] });
});

test('an object goes only after its record is gone', async () => {
  const { lab, stored, provider } = await rig();
  await lab.user.apply(record({ hostname: 'shop.example.org', addresses: ['192.0.2.1'] }));
  await lab.settled();
  provider.failNext(503, 3);
  await lab.user.delete(RECORDS, 'web/shop');
  await lab.settled();
  expect(stored()?.metadata?.finalizers).toEqual(['example.com/dns-records']);
  await lab.advance(5_000);
  expect(stored()).toBeUndefined();
  expect(provider.records.size).toBe(0);
});

test('a leader that was replaced does not change records: the provider compares the fence', async () => {
  const { lab, provider } = await rig();
  const zones = httpZones(provider.url);
  const { signal } = new AbortController();
  await lab.user.apply(record({ hostname: 'shop.example.org', addresses: ['192.0.2.1'] }));
  await lab.settled();
  const late = { owner: 'x', addresses: ['192.0.2.66'], ttl: 1 };
  await zones.put('next.example.org', late, { fence: 5, signal });
  await expect(zones.put('old.example.org', late, { fence: 4, signal })).rejects.toThrow('answered 412');
});
