import type { KubeObject } from 'kube-informer';
import { fakeEnv } from 'kube-informer/testing';
import { expect, test } from 'vitest';
import type { Seen } from '../../src/history/inspector-history.ts';
import { objectVersions } from '../../src/summaries/object-versions.ts';
import { objectYaml } from '../../src/summaries/object-yaml.ts';

/** Versions of an object of some `bytes`, in which every line changes from one to the next. */
const versionsOf = (count: number, bytes: number): Seen[] =>
  Array.from({ length: count }, (_, version) => ({
    at: version,
    type: version === 0 ? 'before' : 'update',
    object: {
      kind: 'ConfigMap',
      metadata: { name: 'a', resourceVersion: String(version) },
      data: Object.fromEntries(Array.from({ length: bytes / 50 }, (__, at) => [`key-${at}`, `${version} `.repeat(12)])),
    } as unknown as KubeObject,
  }));

/** Counts what the versions of an object take. `slowMs`: time of masking one. `awayMs`: time of others in each yield. */
async function rig(seen: readonly Seen[], slowMs = 0, awayMs = 0) {
  const env = fakeEnv();
  const masked = new Map<KubeObject, number>();
  let [yields, run] = [0, 0];
  const counted = {
    now: () => env.now() + run * slowMs + yields * awayMs,
    yield: () => {
      yields += 1;
      return Promise.resolve();
    },
  };
  const versions = await objectVersions(
    seen,
    (object) => {
      masked.set(object, (masked.get(object) ?? 0) + 1);
      run += 1;
      return object;
    },
    counted,
  );
  return { versions, masked, yields };
}

test('S69: a large object that changed 20 times: each version is masked once, between yields, and the response is bounded', async () => {
  const { versions, masked, yields } = await rig(versionsOf(20, 200_000));
  expect(versions).toHaveLength(20);
  expect([...masked.values()].every((times) => times === 1)).toBe(true);
  expect(yields).toBeGreaterThanOrEqual(masked.size);
  expect(JSON.stringify(versions).length).toBeLessThan(2_000_000);
  expect(versions.map(({ changes }) => changes[0]?.kind).filter((kind) => kind === 'omitted').length).toBeGreaterThan(
    10,
  );
  // What changed is known all the same, of the oldest, too.
  for (const version of [0, 10, 18])
    expect(versions[version]).toMatchObject({
      type: 'update',
      resourceVersion: String(19 - version),
      paths: expect.arrayContaining(['data.key-0']),
    });
});

test('S69: the newest changes are the ones that are shown', async () => {
  const { versions } = await rig(versionsOf(20, 100_000));
  const shown = versions.map(({ changes }) => changes.length > 1);
  expect(shown.slice(0, 3)).toEqual([true, true, true]);
  expect(shown.lastIndexOf(true)).toBeLessThan(19);
});

test('S69: after a second no further version is compared', async () => {
  const { versions, masked } = await rig(versionsOf(20, 500), 400);
  expect(masked.size).toBeLessThan(6);
  expect(versions).toHaveLength(20);
  expect(versions.at(-2)?.changes[0]?.kind).toBe('omitted');
});

test('S69: ordinary objects are shown as before: differences, paths, and nothing for a delete', async () => {
  const seen = versionsOf(3, 100);
  const { versions } = await rig([...seen, { at: 9, type: 'delete', object: (seen[2] as Seen).object }]);
  expect(versions.map(({ type, added, removed, paths }) => [type, added, removed, paths])).toEqual([
    ['delete', 0, 0, []],
    ['update', 2, 2, ['data.key-0', 'data.key-1']],
    ['update', 2, 2, ['data.key-0', 'data.key-1']],
    ['before', 0, 0, []],
  ]);
});

test('S69: a large object is written as JSON, which is YAML, without the slow writer', () => {
  const [large] = versionsOf(1, 500_000);
  const text = objectYaml((large as Seen).object);
  expect(text.startsWith('{\n  "kind": "ConfigMap"')).toBe(true);
  expect(JSON.parse(text)).toMatchObject({ metadata: { name: 'a' } });
  expect(objectYaml((versionsOf(1, 100)[0] as Seen).object)).toContain('kind: ConfigMap\n');
});

test('S69: after 600 ms differences are omitted, and paths still named', async () => {
  const { versions } = await rig(versionsOf(6, 100), 150);
  expect(versions.map(({ changes, paths }) => [changes[0]?.kind === 'omitted', paths.length])).toEqual([
    [false, 2],
    [false, 2],
    [false, 2],
    [true, 2],
    [true, 2],
    [false, 0],
  ]);
});

test('the oldest version that is kept is one before, not a change; one that only touches managedFields says so', async () => {
  const at = (version: number, managedFields: unknown): Seen => ({
    at: version,
    type: 'update',
    object: { kind: 'ConfigMap', metadata: { name: 'a', resourceVersion: `${version}`, managedFields } } as KubeObject,
  });
  const { versions } = await rig([at(1, []), at(2, [{ manager: 'me' }]), at(3, [{ manager: 'me' }])]);
  expect(versions.map(({ type, paths }) => [type, paths])).toEqual([
    ['update', []],
    ['update', ['metadata.managedFields']],
    ['before', []],
  ]);
});

test('S69: a busy process omits nothing: only its own time counts', async () => {
  const { versions } = await rig(versionsOf(20, 100), 0, 5_000);
  expect(versions.slice(0, -1).every(({ added, paths }) => added === 2 && paths.length === 2)).toBe(true);
});
