import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { configMap, finished, serverRig } from '../rigs/child.ts';
import { ran } from '../rigs/in-process.ts';

// Two tests start the program once (`finished`), for what the process adds: streams and the exit code.

const HOSTILE = '\u001b]0;owned\u0007\u202e\u009b2J';
// oxlint-disable-next-line no-control-regex
const HIDDEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

test('get prints a table, names, JSON and YAML', async () => {
  const { server, to } = await serverRig();
  server.local.create('', 'configmaps', configMap('b', { x: '1', y: '2' }));
  server.local.create('', 'configmaps', configMap('a'));
  const table = await finished(['get', 'cm', ...to]);
  expect(table.out).toMatch(/^ NAME {3}DATA {3}AGE\n a {6}0 {6}\d+s\n b {6}2 {6}\d+s\n$/);
  expect((await ran(['get', 'configmaps', '-o', 'name', ...to])).out).toBe('configmap/a\nconfigmap/b\n');
  const list = JSON.parse((await ran(['get', 'v1/configmaps', '-o', 'json', ...to])).out) as { kind: string; items: object[] };
  expect(list).toMatchObject({ kind: 'List', items: [{ kind: 'ConfigMap', metadata: { name: 'a' } }, { data: { x: '1' } }] });
  const one = parse((await ran(['get', 'cm/b', '-o', 'yaml', ...to])).out) as object;
  expect(one).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: { x: '1', y: '2' } });
  expect(one).not.toHaveProperty('metadata.managedFields');
}); // prettier-ignore

test('get reports a missing object, an unknown resource, and an empty list', async () => {
  const { to } = await serverRig();
  expect(await ran(['get', 'cm/nope', ...to])).toMatchObject({ code: 1, error: expect.stringContaining('"nope" not found') });
  expect(await ran(['get', 'pods', ...to])).toEqual({ code: 0, out: '', error: 'no pods in default found\n' });
  const unknown = await ran(['get', 'widgets', ...to]);
  expect(unknown).toMatchObject({ code: 1, error: expect.stringContaining('the server does not serve "widgets"') });
}); // prettier-ignore

test('get with several names prints those found, reports each that is missing, and exits with 1', async () => {
  const { server, to } = await serverRig();
  server.local.create('', 'configmaps', configMap('c'));
  const { code, out, error } = await finished(['get', 'cm', 'c', 'zz', 'yy', '-o', 'name', ...to]);
  expect(out).toBe('configmap/c\n');
  expect(error.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^kube-informer: .*configmaps "zz" not found$/),
    expect.stringMatching(/^kube-informer: .*configmaps "yy" not found$/),
  ]);
  expect(code).toBe(1);
  const nothing = await ran(['get', 'cm', 'zz', 'yy', '-o', 'json', ...to]);
  expect(nothing).toMatchObject({ code: 1, out: '', error: expect.stringContaining('"yy" not found') });
});

test.each([
  [['verify', 'cm,secrets'], 'got "cm,secrets": get, watch and top take several, other commands one'],
  [['verify', 'cm/c'], 'expected a resource, got the object "cm/c": use get or diff for a single object'],
  [['watch', 'pod/web'], 'expected a resource, got the object "pod/web": use get or diff for a single object'],
])('%j is rejected: it is not a resource', async (args, sentence) => {
  const { to } = await serverRig();
  const { code, out, error } = await ran([...args, ...to]);
  expect(error).toContain(sentence);
  expect([code, out]).toEqual([2, '']);
});

test('get finds a custom resource by its short name and shows the columns of its definition', async () => {
  const { server, to } = await serverRig();
  server.local.create('apiextensions.k8s.io', 'customresourcedefinitions', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList', shortNames: ['wd'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        },
      ],
    },
  });
  server.local.create('example.com', 'widgets', {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { namespace: 'default', name: 'w' },
    spec: { size: 7 },
  });
  const { code, out } = await ran(['get', 'wd', '-A', ...to]);
  expect(out).toMatch(/^ NAMESPACE {3}NAME {3}SIZE {3}AGE\n default {5}w {6}7 {6}\d+s\n$/);
  expect(code).toBe(0);
});

test('get: wide, labels, order, several resources, jsonpath and custom columns, as kubectl', async () => {
  const { server, to } = await serverRig();
  const pod = (name: string, podIP: string) => ({
    apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'default', name, labels: { app: name } }, status: { phase: 'Running', podIP },
  });
  server.load([pod('a', '10.0.0.9'), pod('b', '10.0.0.1'), configMap('c', { x: '1' })]);
  const get = async (...args: string[]) => (await ran(['get', ...args, ...to])).out;
  expect(await get('pods')).not.toContain('10.0.0.9');
  expect(await get('pods', '-o', 'wide')).toContain('10.0.0.9');
  expect(await get('pods', '--show-labels')).toMatch(/LABELS\n.*app=a\n/);
  expect(await get('pods', '-o', 'name', '--sort-by', '.status.podIP')).toBe('pod/b\npod/a\n');
  const unknown = await ran(['get', 'pods,cm', '-o', 'name', '--sort-by', '.status.podIp', ...to]);
  expect(unknown).toMatchObject({ code: 0, error: '--sort-by: no object has .status.podIp (pods in default)\n--sort-by: no object has .status.podIp (configmaps in default)\n' });
  expect(await get('pods,cm', '-o', 'name')).toBe('pod/a\npod/b\nconfigmap/c\n');
  expect(await get('pods,cm')).toMatch(/^ NAME +READY[^]*\n\n NAME +DATA/);
  const template = 'jsonpath={range .items[*]}{.metadata.name}={.status.podIP}{"\\n"}{end}';
  expect(await get('pods', '-o', template)).toBe('a=10.0.0.9\nb=10.0.0.1\n\n');
  expect(await get('pod/a', '-o', 'jsonpath={.metadata.labels.app}')).toBe('a\n');
  expect(await get('pods', '-o', 'custom-columns=WHO:.metadata.name,NODE:.spec.nodeName')).toBe(' WHO   NODE\n a     <none>\n b     <none>\n');
  expect(await ran(['get', 'pods', '-o', 'custom-columns=', ...to])).toMatchObject({ code: 2 });
  expect(await ran(['get', 'pod/a', '-w', ...to])).toMatchObject({ code: 2, error: expect.stringContaining('--field-selector') });
}); // prettier-ignore

test('--as and --as-group act as another user, who may not do this', async () => {
  const { to } = await serverRig({ auth: 'rbac' });
  const { code, error } = await ran(['get', 'pods', '--as', 'jane', '--as-group', 'guests', ...to]);
  expect([code, error]).toEqual([1, expect.stringContaining('User "jane" cannot list resource "pods"')]);
  expect(await ran(['get', 'pods', '--as-group', 'guests', ...to])).toMatchObject({ code: 2 });
});

test('values of Secrets are masked without --show-secrets', async () => {
  const { server, to } = await serverRig();
  const data = { password: Buffer.from('hunter2').toString('base64') };
  server.local.create('', 'secrets', { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'default', name: 's' }, data });
  for (const form of ['json', 'yaml']) {
    const masked = await ran(['get', 'secret/s', '-o', form, ...to]);
    expect(masked.out).not.toContain(data.password);
    expect(masked.error).toContain('--show-secrets');
  }
  expect((await ran(['get', 'secret/s', '-o', 'json', '--show-secrets', ...to])).out).toContain(data.password);
}); // prettier-ignore

test.each(['table', 'json', 'yaml', 'name'])('S36: get -o %s escapes escape sequences in objects', async (form) => {
  const { server, to } = await serverRig();
  server.load([configMap('evil', { [`key${HOSTILE}`]: HOSTILE }, { annotations: { note: HOSTILE } })]);
  server.load([{ apiVersion: 'v1', kind: 'Event', metadata: { namespace: 'default', name: 'e' }, message: HOSTILE, reason: HOSTILE, type: HOSTILE }]);
  for (const resource of ['cm', 'events']) {
    const { code, out } = await ran(['get', resource, '-o', form, ...to]);
    expect(code).toBe(0);
    expect(out).not.toMatch(HIDDEN);
  }
}); // prettier-ignore

test('verify compares a cache with the server', async () => {
  const { server, to } = await serverRig();
  for (let i = 0; i < 25; i += 1) server.local.create('', 'configmaps', configMap(`cm-${i}`));
  const { code, out } = await ran(['verify', 'cm', ...to]);
  expect(out).toMatch(/^equal {2}configmaps in default: 25 objects compared at version \d+, no difference\n$/);
  expect(code).toBe(0);
});

test('a user who may not list gets an error with advice', async () => {
  const { server, to } = await serverRig({ auth: 'rbac' });
  const token = server.users.add({ name: 'guest', groups: [] });
  const { code, error } = await ran(['get', 'pods', '--token', token, ...to]);
  expect(code).toBe(1);
  expect(error).toContain('User "guest" cannot list resource "pods"');
  expect(error).toContain('ask for a role');
  const watched = await ran(['watch', 'pods', '--token', token, ...to]);
  expect(watched.code).toBe(1);
  expect(watched.error).toContain('guest');
});

test('generate-types writes the types of one group and prints the number of files', async () => {
  const { to, folder } = await serverRig();
  const out = join(folder, 'types');
  const { code, out: said } = await ran(['generate-types', '--out', out, '--group-version', 'apps/v1', ...to]);
  expect(said).toMatch(/^\d+ files for 1 group-version in /);
  expect(code).toBe(0);
  expect(await readdir(out)).toContain('resources.ts');
  expect(await readFile(join(out, 'apps/v1.ts'), 'utf8')).toContain('export interface Deployment ');
  const missing = await ran(['generate-types', '--out', out, '--group-version', 'nope/v1', ...to]);
  expect(missing).toMatchObject({ code: 1, error: expect.stringContaining('no schemas for nope/v1') });
});

test('generate-types --crd needs no cluster: comments of the definition, names for informer(), nothing of meta.k8s.io', async () => {
  const out = await mkdtemp(join(tmpdir(), 'types-'));
  onTestFinished(() => rm(out, { recursive: true }));
  const crd = fileURLToPath(new URL('../../../../examples/controllers/backups/crd.yaml', import.meta.url));
  const { code, out: said, error } = await ran(['generate-types', '--out', out, '--crd', crd]);
  expect([code, said]).toEqual([0, `4 files for 1 group-version in ${out}\n`]);
  expect(error).toContain('informer()');
  expect(await readdir(out)).toEqual(['example.com', 'index.ts', 'kinds.ts', 'resources.ts']);
  const types = await readFile(join(out, 'example.com/v1.ts'), 'utf8');
  expect(types).toContain('  /** When to run, in the format of a CronJob. */\n  readonly schedule: string;');
  expect(types).toContain("from '@kube-informer/kubernetes/meta.k8s.io/v1'");
  expect(await readFile(join(out, 'resources.ts'), 'utf8')).toContain(
    "declare module '@kube-informer/kubernetes' {\n  interface Resources {\n    readonly 'example.com/v1/backups': example_com_v1.Backup;",
  );
  expect((await ran(['generate-types', '--out', out, '--crd', join(out, 'kinds.ts')])).code).toBe(1);
  expect((await ran(['generate-types', '--out', out, '--crd', crd, '--builtins'])).code).toBe(2);
});

test('generate-types --builtins says which line makes them take the place of the shipped types', async () => {
  const { to } = await serverRig();
  const out = await mkdtemp(join(tmpdir(), 'types-'));
  onTestFinished(() => rm(out, { recursive: true }));
  const none = await ran(['generate-types', '--out', out, ...to]);
  expect([none.code, none.error]).toEqual([1, expect.stringContaining('has no custom resources')]);
  const { code, error } = await ran(['generate-types', '--out', out, '--builtins', ...to]);
  expect([code, error]).toEqual([0, expect.stringContaining('"paths": { "@kube-informer/kubernetes"')]);
  expect(await readdir(out)).toEqual(expect.arrayContaining(['v1.ts', 'meta.k8s.io', 'apps']));
});

// /proc exists on Linux only.
test.runIf(process.platform === 'linux')('generate-types fails if the folder cannot be created', async () => {
  const { to } = await serverRig();
  const { code, error } = await ran([
    'generate-types',
    '--out',
    '/proc/nope/types',
    '--group-version',
    'apps/v1',
    ...to,
  ]);
  expect(error).toMatch(/mkdir '\/proc\/nope'/);
  expect(code).toBe(1);
});

test('top --once prints one complete table of the common resources', async () => {
  const { to } = await serverRig();
  const { code, out } = await ran(['top', '--once', ...to]);
  const rows = out.split('\n').filter((line) => / synced /.test(line));
  expect(rows).toHaveLength(11);
  expect(out).toMatch(/11 informers · \d+ objects · .* memory [\d.]+ MB/);
  expect(code).toBe(0);
});
