import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { type ApiServer, startApiServer, type WatchInfo } from '@kube-informer/apiserver';
import { seededRandom } from 'kube-informer/testing';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { builtinResources } from '../../../packages/apiserver/src/api/kinds/builtin-resources.ts';
import { manifests } from '../../../packages/apiserver/test/rig/kinds/manifests.ts';
import { whatIsMissing } from '../harness/binaries.ts';
import { ControlPlane } from '../harness/control-plane.ts';
import { Cutter } from '../harness/cutter.ts';
import { built, type GoModule, whatBuildingLacks } from '../harness/go-program.ts';
import { within } from '../harness/until.ts';
import { normalised } from '../kubectl/normalise.ts';

const run = promisify(execFile);
const CLIENT_GO: GoModule = {
  name: 'client-go',
  source: join(import.meta.dirname, '../client-go'),
  packages: { 'client-go': '.' },
};
const lacking = await whatBuildingLacks(CLIENT_GO);
if (lacking !== undefined) console.warn(`\nSKIPPED: Go's client on the embedded server: ${lacking}\n`);
const missing = await whatIsMissing();
if (missing !== undefined) console.warn(`\nSKIPPED: Go's client next to a real kube-apiserver: ${missing}\n`);

const WRITES = 1_000;
const CUTS = 20;

async function written(text: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'client-go-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, 'kubeconfig');
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

describe.skipIf(lacking !== undefined)("Go's client on the embedded server", () => {
  let path: string;
  beforeAll(async () => {
    path = join(await built(CLIENT_GO, (line) => console.log(line)), 'client-go');
  }, 1_800_000);

  test.each([
    { lists: 'streamed', watchList: 'true' },
    { lists: 'streamed and compressed', watchList: 'true', options: { gzipWatches: true }, step: 100 },
    { lists: 'plain', watchList: 'false' },
  ])(
    'informers of all clients equal a list after 1,000 writes and 20 cut watches; lists are $lists',
    async ({ watchList, options = {}, step = 700 }) => {
      await using server = await startApiServer(options);
      await using cutter = await Cutter.before(Number(new URL(server.url).port));
      const kubeconfig = await written(server.kubeconfig().replace(server.url, `https://127.0.0.1:${cutter.port}`));
      const random = seededRandom(7);
      change(server, random, 100);
      const env = { ...process.env, KUBECONFIG: kubeconfig, KUBE_FEATURE_WatchListClient: watchList };
      const informers = new Conversation(
        spawn(path, ['informers', 'default'], { env, stdio: ['pipe', 'pipe', 'ignore'] }),
      );
      expect(await within('the informers are synced', informers.next())).toBe('synced');

      const inTheWay = (): string => JSON.stringify({ watches: server.watchers(), connections: cutter.ports });
      for (let cuts = 0; cuts < CUTS; cuts += 1) {
        const four = server.waitFor({ watches: 4, resource: 'configmaps' });
        await within('four watches are open', four, { inTheWay });
        // Between events or within one; half of the writes find the watch gone.
        const watches = server.watchers();
        const { id, port } = watches[Math.floor(random() * watches.length)] as WatchInfo;
        const gone = cutter.cut(port, Math.floor(random() * 4) * step);
        change(server, random, WRITES / CUTS / 2);
        await within(`the connection of watch ${id} is cut`, gone, { inTheWay });
        change(server, random, WRITES / CUTS / 2);
        const hasEnded = server.waitFor(() => server.requests.some((request) => request.id === id));
        await within(`the server knows that watch ${id} has ended`, hasEnded, { inTheWay });
      }

      const listed = Object.fromEntries(
        server.local
          .list('', 'configmaps', 'default')
          .map(({ metadata = {} }) => [metadata.name, metadata.resourceVersion]),
      );
      expect(Object.keys(listed).length).toBeGreaterThan(20);
      await expect
        .poll(() => within('the informers answer', informers.ask('dump')), { timeout: 60_000, interval: 200 })
        .toEqual({ 'typed protobuf': listed, 'typed json': listed, metadata: listed, dynamic: listed });
      const lists = server.requests.filter(({ verb, path: at }) => verb === 'list' && at.endsWith('/configmaps'));
      // With streaming lists there is no list; otherwise one, and another after a watch that was cut before its first event.
      if (watchList === 'true') expect(lists).toHaveLength(0);
      else expect(lists.length).toBeGreaterThanOrEqual(4);
    },
  );

  test('typed informers that accept only protobuf hold the same objects as those that accept only JSON', async () => {
    await using server = await startApiServer({ auth: 'rbac' });
    const env = { ...process.env, KUBECONFIG: await written(server.kubeconfig()) };
    const [half, rest] = [manifests.slice(0, manifests.length >> 1), manifests.slice(manifests.length >> 1)];
    // One half is listed, the other comes as events.
    create(server, half);
    const [json, protobuf] = ['json', 'protobuf'].map(
      (encoding) => new Conversation(spawn(path, [encoding, 'default'], { env, stdio: ['pipe', 'pipe', 'ignore'] })),
    ) as [Conversation, Conversation];
    for (const informers of [json, protobuf])
      expect(await within('the informers are synced', informers.next())).toBe('synced');
    create(server, rest);
    const newest = server.local.create('', 'configmaps', {
      metadata: { name: 'newest', namespace: 'default' },
      data: { a: 'ä' },
    });
    server.local.update('', 'configmaps', { ...newest, data: { a: '😀' } });
    const ask = async (informers: Conversation): Promise<Held> =>
      (await within('the informers answer', informers.ask('dump'))) as Held;
    const names = Object.fromEntries(Object.keys(await ask(protobuf)).map((name) => [name, namesOf(server, name)]));
    expect(Object.values(names).flat().length).toBeGreaterThan(40);
    const patience = { timeout: 60_000, interval: 200 };
    await expect
      .poll(async () => {
        const held = Object.entries(await ask(protobuf));
        return Object.fromEntries(held.map(([name, objects]) => [name, Object.keys(objects).toSorted()]));
      }, patience)
      .toEqual(names);
    await expect
      .poll(async () => (await ask(protobuf))['configmaps']?.['newest'], patience)
      .toMatchObject({ data: { a: '😀' } });
    const read = await ask(protobuf);
    await expect.poll(async () => withoutNestedTypes(await ask(json)), patience).toEqual(read);
  });

  test.skipIf(missing !== undefined)(
    'writes of all common kinds with protobuf bodies have the same result as on a real server',
    async () => {
      await using plane = await ControlPlane.start({ log: (line) => console.log(line) });
      await using server = await startApiServer({ auth: 'rbac' });
      const made = async (kubeconfig: string): Promise<string> => {
        const { stdout } = await run(path, ['writes', 'writes'], {
          env: { ...process.env, KUBECONFIG: kubeconfig },
          maxBuffer: 64 << 20,
        });
        return normalised(stdout.split('\n').filter(Boolean).map(pretty).join('\n'));
      };
      const namespace = { metadata: { name: 'writes' } };
      await plane.ask('POST', '/api/v1/namespaces', namespace);
      server.local.create('', 'namespaces', namespace);
      const real = await made(plane.kubeconfig);
      expect(real).not.toBe('');
      expect(await made(await written(server.kubeconfig()))).toBe(real);
    },
  );
});

/** Objects by resource and name. */
type Held = Record<string, Record<string, object>>;

/** Claims inside a StatefulSet have a kind in JSON; protobuf has no field for it, on a real server neither. */
function withoutNestedTypes(held: Held): Held {
  for (const set of Object.values(held['statefulsets'] ?? {}) as { spec: { volumeClaimTemplates?: object[] } }[])
    for (const claim of set.spec.volumeClaimTemplates ?? []) {
      Reflect.deleteProperty(claim, 'kind');
      Reflect.deleteProperty(claim, 'apiVersion');
    }
  return held;
}

/** The names that the server has of a resource of the default namespace. */
function namesOf(server: ApiServer, resource: string): string[] {
  const { group = '' } = builtinResources().find((one) => one.resource === resource && one.version !== 'v1beta1') ?? {};
  return server.local
    .list(group, resource, 'default')
    .map(({ metadata }) => metadata?.name ?? '')
    .toSorted();
}

/** Creates the objects of manifests that are in a namespace. */
function create(server: ApiServer, objects: readonly (typeof manifests)[number][]): void {
  for (const object of objects) {
    const [version = '', group = ''] = (object.apiVersion ?? '').split('/').toReversed();
    const found = builtinResources().find(
      (one) => one.group === group && one.version === version && one.kind === object.kind,
    );
    // One service asks for an address that this server does not have.
    if (found?.namespaced !== true || object.metadata?.name === 'wanted') continue;
    const metadata = { ...object.metadata, namespace: 'default' };
    server.local.create(group, found.resource, { ...object, metadata });
  }
}

const pretty = (line: string): string => JSON.stringify(JSON.parse(line), null, 1);

/** Writes to sixty config maps: creates, updates and deletes. */
function change(server: ApiServer, random: () => number, count: number): void {
  for (let at = 0; at < count; at += 1) {
    const name = `c-${Math.floor(random() * 60)}`;
    const old = server.local.get('', 'configmaps', 'default', name);
    const data = { value: String(random()), padding: 'ä'.repeat(Math.floor(random() * 100)) };
    if (old === undefined) server.local.create('', 'configmaps', { metadata: { name, namespace: 'default' }, data });
    else if (random() < 0.3) server.local.remove('', 'configmaps', 'default', name);
    else server.local.update('', 'configmaps', { ...old, data });
  }
}

/** Starts a program that responds to each line with one line of JSON. It ends with the test. */
class Conversation {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(child: ChildProcess) {
    this.#child = child;
    if (child.stdout === null) throw new Error('the program has no output');
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    onTestFinished(() => void child.kill('SIGKILL'));
  }

  async next(): Promise<unknown> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('the program ended');
    return JSON.parse(value as string);
  }

  ask(line: string): Promise<unknown> {
    this.#child.stdin?.write(`${line}\n`);
    return this.next();
  }
}
