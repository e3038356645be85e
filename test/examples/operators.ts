import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Cluster, KubeObject } from 'kube-informer';
import { expect, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Backup } from '../../examples/controllers/backups/backups.ts';
import type { DnsRecord } from '../../examples/controllers/dns/dns-records.ts';
import { startProvider } from '../../examples/controllers/dns/provider.ts';
import type { Running } from './run-example.ts';

/** A server with RBAC, and a way to start the program of an operator in a process of its own. */
export interface Site {
  readonly admin: Cluster;
  /** Writes a kubeconfig for a token, and returns its path. */
  kubeconfig(token: string): Promise<string>;
  start(program: string, env: Readonly<Record<string, string>>, args?: readonly string[]): Running;
}

const TIMEOUT = { timeout: 120_000 };

/** The documents of a YAML file. */
export async function documentsOf(file: string): Promise<KubeObject[]> {
  return parseAllDocuments(await readFile(file, 'utf8')).map((document) => document.toJS() as KubeObject);
}

export interface Installed {
  /** Variables for the program: it signs in as its service account. */
  readonly env: Readonly<Record<string, string>>;
}

/** Installs an operator as its README says, leaving out some kinds, and signs in as its service account. */
export async function install(site: Site, folder: string, without: readonly string[] = []): Promise<Installed> {
  const { admin } = site;
  const objects = [
    ...(await documentsOf(`examples/controllers/${folder}/crd.yaml`)),
    ...(await documentsOf(`examples/controllers/${folder}/manifests.yaml`)),
  ];
  for (const object of objects) {
    if (without.includes(object.kind ?? '')) continue;
    const { group, version, resource } = await admin.client.discovery.find(`${object.apiVersion}/${object.kind}`);
    const name = group === '' ? `${version}/${resource}` : `${group}/${version}/${resource}`;
    await admin.resource<KubeObject>(name).apply(object, { fieldManager: 'kubectl', force: true });
    if (object.kind === 'CustomResourceDefinition') await served(admin, object);
  }
  const account = objects.find(({ kind }) => kind === 'ServiceAccount')?.metadata;
  const { status } = await admin
    .resource('v1/serviceaccounts')
    .subresource<{ status: { token: string } }>(`${account?.namespace}/${account?.name}`, 'token', {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    });
  const KUBECONFIG = await site.kubeconfig(status.token);
  return { env: { KUBECONFIG, PORT: '0', NAMESPACE: account?.namespace ?? '' } };
}

/** Waits until a new resource can be listed: kube-apiserver refuses that for a moment after it has accepted the definition. */
async function served(admin: Cluster, definition: KubeObject): Promise<void> {
  const { group, names } = (definition as KubeObject & { spec: { group: string; names: { plural: string } } }).spec;
  const list = async (): Promise<boolean> => {
    await admin.resource<KubeObject>(`${group}/v1/${names.plural}`).list();
    return true;
  };
  await expect.poll(() => list().catch(() => false), TIMEOUT).toBe(true);
}

/** A storage that keeps the names of its buckets. */
export async function startBuckets(): Promise<{ readonly url: string; readonly names: Set<string> }> {
  const names = new Set<string>();
  const server = createServer(({ method, url = '/' }, response) => {
    if (method === 'PUT') names.add(url.slice(1));
    else names.delete(url.slice(1));
    response.writeHead(204).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, names };
}

/** Reads the holder of the lease of an operator. */
async function holderOf(site: Site, lease: string): Promise<string | undefined> {
  const found = await site.admin
    .resource('coordination.k8s.io/v1/leases')
    .get(lease)
    .catch(() => undefined);
  return found?.spec?.holderIdentity;
}

/** Two replicas of the backups operator, from installation to removal. */
export async function backupsWork(site: Site, namespace: string): Promise<void> {
  const { admin } = site;
  const { env } = await install(site, 'backups');
  const buckets = await startBuckets();
  const variables = { ...env, BUCKETS_URL: buckets.url };
  const first = site.start('examples/controllers/backups/main.ts', variables);
  await expect.poll(() => holderOf(site, 'backups/backups'), TIMEOUT).toBeTruthy();
  const second = site.start('examples/controllers/backups/main.ts', variables);

  const backups = admin.resource<Backup>('example.com/v1/backups');
  const jobs = admin.resource('batch/v1/cronjobs');
  const key = `${namespace}/shop`;
  const apply = (schedule: string): Promise<unknown> =>
    backups.apply(
      {
        apiVersion: 'example.com/v1',
        kind: 'Backup',
        metadata: { name: 'shop', namespace },
        spec: { schedule, bucket: 'shop' },
      },
      { fieldManager: 'user' },
    );
  const condition = async (): Promise<unknown> => (await backups.get(key)).status?.conditions?.[0];
  const schedules = async (): Promise<unknown> =>
    (await jobs.list({ namespace })).items.map(({ metadata, spec }) => `${metadata?.name} ${spec?.schedule}`);

  await apply('@daily');
  await expect.poll(schedules, TIMEOUT).toEqual(['shop-backup @daily']);
  await expect.poll(condition, TIMEOUT).toMatchObject({ type: 'Ready', status: 'False', reason: 'NeverRan' });
  expect([...buckets.names]).toEqual(['shop']);
  const [made] = (await jobs.list({ namespace })).items;
  expect(made?.metadata?.ownerReferences).toMatchObject([{ kind: 'Backup', name: 'shop', controller: true }]);

  await apply('@hourly');
  await expect.poll(schedules, TIMEOUT).toEqual(['shop-backup @hourly']);
  const lastSuccessfulTime = '2026-01-02T03:04:05Z';
  await jobs.patch(`${namespace}/shop-backup`, { status: { lastSuccessfulTime } }, { subresource: 'status' });
  await expect.poll(condition, TIMEOUT).toMatchObject({ type: 'Ready', status: 'True', reason: 'Ran' });

  // The leader is stopped; the other one takes over, and finds the job that is deleted now.
  const before = await holderOf(site, 'backups/backups');
  await first.interrupt('SIGTERM');
  await expect
    .poll(async () => [before, '', undefined].includes(await holderOf(site, 'backups/backups')), TIMEOUT)
    .toBe(false);
  await jobs.delete(`${namespace}/shop-backup`);
  await expect.poll(schedules, TIMEOUT).toEqual(['shop-backup @hourly']);

  await backups.delete(key);
  await expect.poll(async () => (await backups.list({ namespace })).items.length, TIMEOUT).toBe(0);
  expect(buckets.names.size).toBe(0);
  await second.interrupt('SIGTERM');
  expect(await holderOf(site, 'backups/backups')).toBe('');
}

/** The DNS operator and its provider, from installation to removal. */
export async function dnsWorks(site: Site, namespace: string): Promise<void> {
  const { admin } = site;
  const { env } = await install(site, 'dns');
  const provider = await startProvider();
  onTestFinished(() => provider[Symbol.asyncDispose]());
  const running = site.start('examples/controllers/dns/main.ts', { ...env, PROVIDER_URL: provider.url });
  const records = admin.resource<DnsRecord>('example.com/v1/dnsrecords');
  const services = admin.resource('v1/services');
  const published = (): unknown =>
    Object.fromEntries([...provider.records].map(([name, one]) => [name, one.addresses]));

  await services.create({
    metadata: { name: 'shop', namespace },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
  });
  await records.create({
    apiVersion: 'example.com/v1',
    kind: 'DnsRecord',
    metadata: { name: 'shop', namespace },
    spec: { hostname: 'shop.example.org', service: 'shop' },
  });
  const reason = async (): Promise<unknown> => (await records.get(`${namespace}/shop`)).status?.conditions?.[0]?.reason;
  await expect.poll(reason, TIMEOUT).toBe('NoAddress');
  const ingress = [{ ip: '192.0.2.7' }];
  await services.patch(`${namespace}/shop`, { status: { loadBalancer: { ingress } } }, { subresource: 'status' });
  await expect.poll(published, TIMEOUT).toEqual({ 'shop.example.org': ['192.0.2.7'] });
  await expect.poll(reason, TIMEOUT).toBe('Published');
  provider.failNext(503, 2);
  await records.patch(`${namespace}/shop`, { spec: { hostname: 'store.example.org' } });
  await expect.poll(published, TIMEOUT).toEqual({ 'store.example.org': ['192.0.2.7'] });
  await records.delete(`${namespace}/shop`);
  await expect.poll(async () => (await records.list({ namespace })).items.length, TIMEOUT).toBe(0);
  expect(published()).toEqual({});
  // A run that the provider failed is a warning in the log; nothing else is.
  await expect
    .poll(() => running.complaints().every((line) => line.includes('a run failed and is retried')))
    .toBe(true);
  running.child.kill('SIGTERM');
  await expect.poll(() => running.child.exitCode, TIMEOUT).toBe(0);
}
