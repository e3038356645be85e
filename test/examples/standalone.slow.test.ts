import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ApiObject } from '@kube-informer/apiserver';
import type { Route } from '../../examples/controllers/routes/routes.ts';
import { documentsOf } from './operators.ts';
import { podsOfACluster } from './pods.ts';
import { example, examples, rig, run } from './rig.ts';

example('informers/first-informer.ts', 'needs nothing at all', async () => {
  expect(await run('examples/informers/first-informer.ts').ended()).toMatch(/web\/shop-0/);
});

example('testing/test-with-embedded-server.ts', 'needs nothing at all', async () => {
  const printed = await run('examples/testing/test-with-embedded-server.ts').ended();
  expect(printed).toMatch(/cut 1 watch; in the cache: one, two, three/);
});

example('testing/test-with-fake-clock.ts', 'needs nothing at all', async () => {
  const printed = await run('examples/testing/test-with-fake-clock.ts').ended();
  expect(printed).toBe('events: add web/shop-0@2 initial, delete web/shop-0 unknown, add web/shop-1@4\n');
});

example('controllers/controller.ts', 'labels every namespace', async () => {
  const { server, env } = await rig();
  const running = run('examples/controllers/controller.ts', { env });
  const labels = (): unknown[] => server.local.list('', 'namespaces').map(({ metadata }) => metadata?.labels?.['team']);
  await expect.poll(() => labels().every((team) => team === 'nobody'), { timeout: 90_000 }).toBe(true);
  await running.interrupt('SIGTERM');
});

example('controllers/routes/main.ts', 'says whether the services of a route exist', async () => {
  const { server, env } = await rig();
  server.load((await documentsOf('examples/controllers/routes/crd.yaml')) as ApiObject[]);
  const running = run('examples/controllers/routes/main.ts', { env });
  const spec = { class: 'public', services: ['shop'] };
  const metadata = { name: 'shop', namespace: 'default' };
  server.load([{ apiVersion: 'example.com/v1', kind: 'Route', metadata, spec }]);
  const reason = (): unknown =>
    (server.local.get('example.com', 'routes', 'default', 'shop') as Route | undefined)?.status?.conditions?.[0]
      ?.reason;
  await expect.poll(reason, { timeout: 90_000 }).toBe('Missing');
  server.load([{ apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 80 }] } }]);
  await expect.poll(reason, { timeout: 90_000 }).toBe('Found');
  await running.interrupt('SIGTERM');
});

example('controllers/copies/main.ts', 'copies a config map into another namespace', async () => {
  const { server, env } = await rig();
  const running = run('examples/controllers/copies/main.ts', { env });
  const labels = { 'example.com/copied': 'true' };
  const metadata = { name: 'ca', namespace: 'default', labels, annotations: { 'example.com/copy-to': 'kube-public' } };
  server.load([{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'one' } }]);
  const copy = (): unknown => server.local.get('', 'configmaps', 'kube-public', 'ca')?.['data'];
  await expect.poll(copy, { timeout: 90_000 }).toEqual({ text: 'one' });
  await running.interrupt('SIGTERM');
});

example('informers/inside.ts', 'shows an event, a relist and a resync from part to part', async () => {
  expect(await run('examples/informers/inside.ts').ended()).toBe(
    [
      'the first list:',
      '  delta: replaced default/a',
      '  handler: add default/a x=1, initial',
      '  delta: replaced default/b',
      '  handler: add default/b x=1, initial',
      '  synced: true',
      'one event:',
      '  delta: updated default/a',
      '  handler: update default/a x=1→2',
      '  found by index: default/a; the reflector is watching',
      'a relist:',
      '  delta: replaced default/a',
      '  handler: update default/a x=2→2',
      '  delta: deleted default/b, final state unknown',
      '  handler: delete default/b',
      'a resync:',
      '  delta: sync default/a',
      '  handler: update default/a x=2→2',
      '  requests for it: 0',
      '',
    ].join('\n'),
  );
});

example('testing/embedded-server.ts', 'keeps its data where it is started', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'examples-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  expect(await run('examples/testing/embedded-server.ts', { cwd }).ended()).toBe(
    'after a restart: kept\nlast request: list by admin; watched: pods\nin the cache: kept, one, two\n',
  );
  expect(await readdir(join(cwd, '.cluster'))).not.toEqual([]);
});

example('informers/big-cluster.ts', 'keeps less and less', async () => {
  // With EXAMPLE_PODS=10000 it prints the figures of docs/guides/big-clusters.md.
  const { env } = await rig(...podsOfACluster(Number(process.env['EXAMPLE_PODS'] ?? 1_000)));
  const found: Record<string, { readonly count: number; readonly megabytes: number }> = {};
  for (const way of ['everything', 'withoutManagedFields', 'metadataOnly', 'leanMetadata', 'ofOneNode']) {
    const options = { env: { ...env, NODE_OPTIONS: '--expose-gc' }, args: [way] };
    const printed = await run('examples/informers/big-cluster.ts', options).ended();
    if (process.env['EXAMPLE_PODS'] !== undefined) console.log(printed);
    const [, count, megabytes] = /: (\d+) pods, (-?[\d.]+) MB$/m.exec(printed) ?? [];
    found[way] = { count: Number(count), megabytes: Number(megabytes) };
  }
  const { everything, withoutManagedFields, metadataOnly, leanMetadata, ofOneNode } = found;
  expect(withoutManagedFields?.count).toBe(everything?.count);
  expect(metadataOnly?.count).toBe(everything?.count);
  expect(leanMetadata?.count).toBe(everything?.count);
  expect(ofOneNode?.count).toBe((everything?.count ?? 0) / 20);
  for (const less of [withoutManagedFields, metadataOnly, leanMetadata, ofOneNode])
    expect(less?.megabytes).toBeLessThan(everything?.megabytes ?? 0);
});

test('no example is forgotten', async () => {
  const files = (await readdir(import.meta.dirname)).filter((file) => file.endsWith('.test.ts'));
  const texts = await Promise.all(files.map((file) => readFile(join(import.meta.dirname, file), 'utf8')));
  const covered = new Set([...texts.join('\n').matchAll(/^example\(\s*'([^']+)/gm)].map(([, file]) => file));
  expect([...covered].toSorted()).toEqual((await examples()).toSorted());
});

test('the README of the examples links every program, and nothing else', async () => {
  const linked = [...(await readFile('examples/README.md', 'utf8')).matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path);
  const files = (await readdir('examples', { recursive: true })).map((file) => file.replaceAll('\\', '/'));
  const programs = files.filter((file) => /^\w+\/(?:[\w-]+|[\w-]+\/main)\.m?[jt]s$/.test(file));
  expect(programs.filter((file) => !file.endsWith('-teardown.ts') && !linked.includes(file))).toEqual([]);
  expect(linked.filter((path) => path === undefined || !files.includes(path))).toEqual([]);
});
