import type { ClusterInformer, KubeObject } from 'kube-informer';
import { compareVersions } from 'kube-informer/core';
import { fakeEnv, type FakeEnv, settle } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import type { DeclaredCache } from '../../src/freshness/declared-cache.ts';
import { FreshnessGate } from '../../src/freshness/freshness-gate.ts';
import type { LiveObjects } from '../../src/freshness/live-objects.ts';
import { Overlay } from '../../src/freshness/overlay.ts';
import { type SentWrite, WriteLedger } from '../../src/freshness/write-ledger.ts';

const PRIMARY = { namespace: 'web', name: 'a', uid: 'u1' };
const KEY = 'web/a';
const MAPS = 'v1/configmaps';

/** A cache whose content and versions a test sets. */
class FakeCache {
  readonly objects = new Map<string, KubeObject>();
  readonly #versions = new Map<string, string>();
  #waiters: { version: string; namespace: string; done: () => void }[] = [];

  reach(version: string, namespace = ''): void {
    this.#versions.set(namespace, version);
    const due = this.#waiters.filter((one) => this.hasReached(one.version, one.namespace));
    this.#waiters = this.#waiters.filter((one) => !due.includes(one));
    for (const { done } of due) done();
  }

  readonly hasReached = (version: string, namespace = ''): boolean =>
    (compareVersions(this.#versions.get(namespace) ?? '0', version) ?? -1) >= 0;

  readonly get = (key: string): KubeObject | undefined => this.objects.get(key);

  readonly waitForVersion = (version: string, { namespace = '' }: { namespace?: string } = {}): Promise<void> =>
    this.hasReached(version, namespace)
      ? Promise.resolve()
      : new Promise((done) => void this.#waiters.push({ version, namespace, done }));
}

interface Rig {
  readonly env: FakeEnv;
  readonly cache: FakeCache;
  readonly declared: DeclaredCache;
  readonly ledger: WriteLedger;
  readonly gate: FreshnessGate;
  readonly released: string[];
  readonly send: (key?: string) => SentWrite;
}

function rig(
  declared: Partial<DeclaredCache> = {},
  readLive: (resource: string, key: string) => Promise<KubeObject | undefined> = () => Promise.resolve(undefined),
): Rig {
  const env = fakeEnv();
  const cache = new FakeCache();
  const informer = cache as unknown as ClusterInformer<KubeObject, string>;
  const one: DeclaredCache = {
    resource: MAPS,
    informer,
    namespaces: [],
    hasFields: false,
    isElsewhere: false,
    isPartial: false,
    ...declared,
  };
  const ledger = new WriteLedger(
    () => [one],
    () => env.now(),
  );
  const released: string[] = [];
  const gate = new FreshnessGate({ env, ledger, readLive, release: (key) => void released.push(key) });
  return {
    env,
    cache,
    declared: one,
    ledger,
    gate,
    released,
    send: (key = 'web/map') => ledger.sending(PRIMARY, MAPS, key),
  };
}

const object = (resourceVersion: string, metadata: object = {}): KubeObject => ({
  metadata: { name: 'map', namespace: 'web', uid: 'm1', resourceVersion, ...metadata },
});

test('CTR-61: after a restore a held key reads the server, and waits for the current state', async () => {
  const { declared, cache, ledger, gate, released, send } = rig({}, () => Promise.resolve(object('7')));
  send().answered(object('1200'));
  expect(gate.admit(KEY)).toBe('held');
  cache.reach('5');
  ledger.restored(declared);
  gate.restart();
  expect(released).toEqual([KEY]);
  expect(gate.admit(KEY)).toBe('held');
  await settle();
  expect(ledger.pending(KEY)).toMatchObject([{ waitsFor: 'version', version: '7' }]);
  cache.reach('7');
  await settle();
  expect(released).toEqual([KEY, KEY]);
  expect(gate.admit(KEY)).toBe('fresh');
});

test('CTR-61: after a restore a delete that is lost is not waited for', async () => {
  const { declared, cache, ledger, gate, released, send } = rig({}, () => Promise.resolve(object('7')));
  cache.objects.set('web/map', object('5'));
  send().gone('m1');
  cache.reach('9');
  expect(gate.admit(KEY)).toBe('held');
  ledger.restored(declared);
  gate.restart();
  expect(gate.admit(KEY)).toBe('held');
  await settle();
  expect(released).toEqual([KEY, KEY]);
  expect(gate.admit(KEY)).toBe('fresh');
});

describe('versions', () => {
  test('CTR-31: F01 the answer first: the key is held until the cache has the version, then released once', async () => {
    const { cache, gate, released, send } = rig();
    send().answered(object('12'));
    expect(gate.admit(KEY)).toBe('held');
    cache.reach('11');
    await settle();
    expect(released).toEqual([]);
    cache.reach('12');
    await settle();
    expect(released).toEqual([KEY]);
    expect(gate.admit(KEY)).toBe('fresh');
  });

  test('CTR-30: F01 the event first: a key whose cache has the version already is not held', () => {
    const { cache, gate, send } = rig();
    const sent = send();
    cache.reach('12');
    sent.answered(object('12'));
    expect(gate.admit(KEY)).toBe('fresh');
  });

  test('CTR-30: the highest version of several writes counts', async () => {
    const { cache, gate, released, send } = rig();
    send().answered(object('12'));
    send().answered(object('15'));
    send().answered(object('13'));
    expect(gate.admit(KEY)).toBe('held');
    cache.reach('14');
    await settle();
    expect(released).toEqual([]);
    cache.reach('15');
    await settle();
    expect(released).toEqual([KEY]);
  });

  test('CTR-31: F04 with several namespaces the cache of the written one decides', async () => {
    const { cache, gate, released, send } = rig({ namespaces: ['web', 'shop'] });
    send().answered(object('12'));
    expect(gate.admit(KEY)).toBe('held');
    cache.reach('99', 'shop');
    await settle();
    expect(released).toEqual([]);
    cache.reach('12', 'web');
    await settle();
    expect(released).toEqual([KEY]);
  });

  test('CTR-34: F04 F05 an object outside the namespaces or the label selector is not waited for', () => {
    const outside = rig({ namespaces: ['shop'] });
    outside.send().answered(object('12'));
    expect(outside.gate.admit(KEY)).toBe('fresh');
    const unselected = rig({ labels: 'app=shop' });
    unselected.send().answered(object('12', { labels: { app: 'other' } }));
    expect(unselected.gate.admit(KEY)).toBe('fresh');
    const selected = rig({ labels: 'app=shop' });
    selected.send().answered(object('12', { labels: { app: 'shop' } }));
    expect(selected.gate.admit(KEY)).toBe('held');
  });

  test('CTR-34: F05 in a cache with a field selector a write is given up after 5 s', async () => {
    const { env, gate, released, send } = rig({ hasFields: true }, () => Promise.reject(new Error('down')));
    send().answered(object('12'));
    expect(gate.admit(KEY)).toBe('held');
    await env.clock.advance(4_000);
    expect(released).toEqual([]);
    await env.clock.advance(2_000);
    expect(released).toEqual([KEY]);
    expect(gate.admit(KEY)).toBe('fresh');
  });

  test('CTR-34: F06 the version of a no-op is waited for like any other: it may be that of a change by others', async () => {
    const { cache, gate, released, send } = rig();
    cache.reach('12');
    send().answered(object('12'));
    expect(gate.admit(KEY)).toBe('fresh');
    send().answered(object('13')); // nothing changed, but the cache has yet to see who made it 13
    expect(gate.admit(KEY)).toBe('held');
    cache.reach('13');
    await settle();
    expect(released).toEqual([KEY]);
  });

  test('CTR-32: F09 versions without an order are not waited for', () => {
    const { gate, send } = rig();
    send().answered(object('opaque-x'));
    expect(gate.admit(KEY)).toBe('fresh');
  });

  test('CTR-34: a resource without a declared cache is not waited for', () => {
    const { gate, ledger } = rig();
    ledger.sending(PRIMARY, 'v1/secrets', 'web/s').answered(object('12'));
    expect(gate.admit(KEY)).toBe('fresh');
  });
});

describe('deletes', () => {
  test('CTR-35: F02 a delete that the server answers with the object waits for its version', async () => {
    const { cache, gate, released, send } = rig();
    cache.objects.set('web/map', object('10'));
    send().answered(object('12', { deletionTimestamp: '2024-01-01T00:00:00Z' }));
    expect(gate.admit(KEY)).toBe('held');
    cache.reach('12');
    await settle();
    expect(released).toEqual([KEY]);
  });

  test('CTR-31: F03 a deleted uid is waited for; an object of another uid under the name is not', async () => {
    const { cache, gate, released, send } = rig();
    cache.objects.set('web/map', object('10'));
    send().gone('m1');
    expect(gate.admit(KEY)).toBe('held');
    cache.objects.set('web/map', object('14', { uid: 'm2' }));
    gate.changed();
    expect(released).toEqual([KEY]);
    expect(gate.admit(KEY)).toBe('fresh');
  });

  test('CTR-35: F03 everything is dropped when the primary has another uid', () => {
    const { gate, ledger, send } = rig();
    send().answered(object('12'));
    ledger.requireUid(KEY, 'u2');
    expect(gate.admit(KEY)).toBe('fresh');
  });
});

describe('a cache that stays behind', () => {
  const overlayed = (live: unknown, cached?: KubeObject): KubeObject | undefined => {
    const overlay = new Overlay();
    (live as LiveObjects).layOver(overlay);
    return overlay.get(MAPS, 'web/map', cached);
  };

  test('CTR-32: F07 after 2 s the key reads what it wrote from the server, and runs with it', async () => {
    const { env, cache, gate, released, send } = rig({}, () => Promise.resolve(object('13')));
    send().answered(object('12'));
    expect(gate.admit(KEY)).toBe('held');
    await env.clock.advance(1_999);
    expect(released).toEqual([]);
    await env.clock.advance(1);
    expect(released).toEqual([KEY]);
    const live = gate.admit(KEY);
    expect(overlayed(live, object('10'))).toEqual(object('13'));
    // What the cache has reached since is not laid over it: it may have been deleted.
    cache.reach('14');
    expect(overlayed(live)).toBeUndefined();
  });

  test('CTR-32: F07 all written objects are read, also deleted ones; the next run is held again', async () => {
    const reads: string[] = [];
    const { env, cache, gate, send } = rig({}, (_, key) => {
      reads.push(key);
      return Promise.resolve(key === 'web/map' ? undefined : object('13', { name: 'other' }));
    });
    cache.objects.set('web/map', object('9'));
    send().gone('m1');
    send('web/other').answered(object('12', { name: 'other' }));
    send('web/third').answered(object('11', { name: 'third' }));
    gate.admit(KEY);
    await env.clock.advance(2_000);
    expect(reads.toSorted()).toEqual(['web/map', 'web/other', 'web/third']);
    const live = gate.admit(KEY);
    expect(overlayed(live, object('9'))).toBeUndefined();
    // Another object of the name, which the read could not know, is seen.
    expect(overlayed(live, object('15', { uid: 'm2' }))).toEqual(object('15', { uid: 'm2' }));
    expect(gate.admit(KEY)).toBe('held');
  });

  test('CTR-32: a key that wrote more than 20 objects waits for the cache, and four keys read at a time', async () => {
    let reading = 0;
    let most = 0;
    const open: (() => void)[] = [];
    const { env, gate, ledger, released, send } = rig({}, async (_, key) => {
      most = Math.max(most, (reading += 1));
      await new Promise<void>((resolve) => void open.push(resolve));
      reading -= 1;
      return object('13', { name: key.slice(4) });
    });
    for (let n = 0; n < 21; n += 1) send(`web/map-${n}`).answered(object('12', { name: `map-${n}` }));
    gate.admit(KEY);
    for (let n = 0; n < 9; n += 1) {
      ledger.sending({ namespace: 'web', name: `p${n}`, uid: 'u' }, MAPS, 'web/map').answered(object('12'));
      gate.admit(`web/p${n}`);
    }
    for (let second = 0; second < 9; second += 1) {
      await env.clock.advance(1_000);
      for (const done of open.splice(0)) done();
      await settle();
    }
    expect([most, released.length, released.includes(KEY)]).toEqual([4, 9, false]);
  });
});

describe('time', () => {
  test('CTR-32: F08 after 10 s it is counted and logged, after 75 s the key runs without proof, once', async () => {
    const { env, gate, released, send } = rig({}, () => Promise.reject(new Error('down')));
    send().answered(object('12'));
    expect(gate.admit(KEY)).toBe('held');
    await env.clock.advance(9_999);
    expect(gate.slow).toBe(0);
    await env.clock.advance(1);
    expect(gate.slow).toBe(1);
    expect(env.lines.findLast(({ level }) => level === 'warn')?.fields).toMatchObject({
      key: KEY,
      resource: MAPS,
      version: '12',
    });
    await env.clock.advance(64_999);
    expect(released).toEqual([]);
    await env.clock.advance(1);
    expect(released).toEqual([KEY]);
    expect(gate.admit(KEY)).toBe('unproven');
    expect(gate.admit(KEY)).toBe('fresh');
  });

  test('CTR-31: closing the gate leaves no timer', async () => {
    const { env, gate, send } = rig();
    send().answered(object('12'));
    gate.admit(KEY);
    gate.close();
    await settle();
    expect(env.clock.sleeping).toBe(0);
  });
});

describe('writes without an answer', () => {
  test('CTR-35: F12 one live read decides which version is waited for', async () => {
    const reads: string[] = [];
    const { cache, gate, released, send } = rig({}, (_, key) => {
      reads.push(key);
      return Promise.resolve(object('20'));
    });
    send();
    expect(gate.admit(KEY)).toBe('held');
    await settle();
    expect([reads, released]).toEqual([['web/map'], []]);
    cache.reach('20');
    await settle();
    expect(released).toEqual([KEY]);
    expect(reads).toHaveLength(1);
  });

  test('CTR-35: F12 an object that does not exist needs no wait, unless the cache still has it', async () => {
    const created = rig();
    created.send();
    expect(created.gate.admit(KEY)).toBe('held');
    await settle();
    expect(created.released).toEqual([KEY]);
    const deleted = rig();
    deleted.cache.objects.set('web/map', object('10'));
    deleted.send();
    deleted.gate.admit(KEY);
    await settle();
    expect(deleted.released).toEqual([]);
    deleted.cache.objects.delete('web/map');
    deleted.gate.changed();
    expect(deleted.released).toEqual([KEY]);
  });

  test('CTR-35: F12 a read that fails is repeated', async () => {
    let tries = 0;
    const { env, gate, released, send } = rig({}, () => {
      tries += 1;
      return tries < 3 ? Promise.reject(new Error('down')) : Promise.resolve(undefined);
    });
    send();
    gate.admit(KEY);
    await env.clock.advance(3_000);
    expect([tries, released]).toEqual([3, [KEY]]);
  });

  test('CTR-35: a refused write leaves nothing', () => {
    const { gate, send } = rig();
    send().refused();
    expect(gate.admit(KEY)).toBe('fresh');
  });
});
