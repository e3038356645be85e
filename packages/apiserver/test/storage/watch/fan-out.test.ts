import fc from 'fast-check';
import { fakeEnv, settle } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import { fieldLookup } from '../../../src/api/meta/field-lookup.ts';
import { parseFieldSelector } from '../../../src/api/meta/field-selector.ts';
import { parseLabelSelector } from '../../../src/api/meta/label-selector.ts';
import { Bookmarks } from '../../../src/storage/watch/bookmarks.ts';
import { Selection } from '../../../src/storage/watch/selection.ts';
import { storedWatchForm, type WatchForm } from '../../../src/storage/watch/watch-form.ts';
import { WatchHub } from '../../../src/storage/watch/watch-hub.ts';
import type { WatchSink } from '../../../src/storage/watch/watch-sink.ts';
import { Watcher, type WatcherOptions } from '../../../src/storage/watch/watcher.ts';
import { configMap, play, shown, steps, storeRig } from '../../rig/workload.ts';

interface Frame {
  readonly type: string;
  readonly object: {
    metadata: { name: string; namespace: string; resourceVersion: string; labels: object; annotations?: object };
  };
}

/** A reader that reads everything, or nothing until `unblock`. */
class Reader implements WatchSink {
  readonly chunks: Buffer[] = [];
  isEnded = false;
  isBlocked = false;
  queued = 0;
  #waiting: (() => void)[] = [];

  write(bytes: Buffer): void {
    this.chunks.push(bytes);
    if (this.isBlocked) this.queued += bytes.length;
  }
  drained(): Promise<void> {
    return this.isBlocked ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve();
  }
  end(): void {
    this.isEnded = true;
  }
  unblock(): void {
    this.isBlocked = false;
    this.queued = 0;
    for (const go of this.#waiting.splice(0)) go();
  }
  get frames(): Frame[] {
    const lines = Buffer.concat(this.chunks).toString().split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Frame);
  }
  get events(): string[] {
    return this.frames.map(({ type, object: { metadata } }) => `${type} ${metadata.name}@${metadata.resourceVersion}`);
  }
}

function rig(options: Parameters<typeof storeRig>[0] = {}) {
  const store = storeRig(options);
  const env = fakeEnv();
  const { collection } = store;
  const hub = new WatchHub(env, collection);
  const fields = fieldLookup({ group: '', resource: 'configmaps', namespaced: true, custom: false });
  let encoded = 0;
  const plain = storedWatchForm('{"kind":"ConfigMap",', ({ revision, endsInitialEvents }) => ({
    metadata: {
      resourceVersion: `${revision}`,
      ...(endsInitialEvents ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
    },
  }));
  const form: WatchForm = {
    ...plain,
    event: (...event) => {
      encoded += 1;
      return plain.event(...event);
    },
  };
  const select = ({ namespace = '', labels = '', field = '', after = 0 } = {}): Selection =>
    new Selection({
      namespace,
      labels: parseLabelSelector(labels),
      fields: parseFieldSelector(field, fields),
      object: (record) => collection.object(record),
      after,
    });
  const watch = (part: Partial<WatcherOptions> & { reader?: Reader } = {}) => {
    const { reader = new Reader(), ...rest } = part;
    const selection = part.selection ?? select();
    const base = { env, collection, hub, sink: reader, selection, form, from: store.store.revision };
    const watcher = new Watcher({ ...base, ...rest });
    const running = watcher.run();
    return { reader, watcher, running };
  };
  return { ...store, env, hub, form, select, watch, encoded: () => encoded };
}

/** The state of a client after it applied the frames to a list. */
function fold(state: readonly string[], frames: readonly Frame[]): string[] {
  const held = new Map(state.map((entry) => entry.split('@') as [string, string]));
  for (const { type, object } of frames) {
    const { namespace, name, resourceVersion } = object.metadata;
    if (type === 'DELETED') held.delete(`${namespace}/${name}`);
    else held.set(`${namespace}/${name}`, resourceVersion);
  }
  return [...held].map(([key, revision]) => `${key}@${revision}`).sort();
}

describe('a watch', () => {
  test('from any revision, begun at any moment, with any selector: list plus events is the newest list', async () => {
    const cases = fc.record({
      before: steps,
      after: steps,
      startAt: fc.nat(),
      selector: fc.constantFrom(
        {},
        { namespace: 'a' },
        { labels: 'colour=red' },
        { namespace: 'a-b', labels: 'colour!=red' },
        { field: 'metadata.name=n1' },
      ),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ before, after, startAt, selector }) => {
        const { collection, store, select, watch, ...rest } = rig();
        const target = { store, collection, other: rest.other };
        const states = [...play(target, before).keys()];
        const from = states[startAt % states.length] as number;
        const selection = select(selector);
        const list = shown(collection.at(from).filter((record) => selection.matches(record)));
        const { reader } = watch({ from, selection });
        play(target, after);
        await settle();
        const expected = shown(collection.current().filter((record) => selection.matches(record)));
        expect(fold(list, reader.frames)).toEqual(expected.sort());
        const versions = reader.frames.map(({ object }) => Number(object.metadata.resourceVersion));
        expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
        expect(versions.every((version) => version > from)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('an object that starts or stops matching is added or deleted, in its last matching state', async () => {
    const { collection, select, watch } = rig();
    const { reader } = watch({ selection: select({ labels: 'colour=red' }) });
    for (const label of ['green', 'red', 'red', 'green', 'green']) collection.put(configMap('a', 'n1', label));
    collection.remove('a', 'n1');
    await settle();
    expect(reader.events).toEqual(['ADDED n1@3', 'MODIFIED n1@4', 'DELETED n1@5']);
    expect(reader.frames[2]?.object.metadata.labels).toEqual({ colour: 'red' });
  });

  test('a delete shows the last state under the version of the delete', async () => {
    const { collection, watch } = rig();
    const { reader } = watch();
    collection.put(configMap('a', 'n1', 'red', 'last'));
    collection.remove('a', 'n1');
    await settle();
    expect(reader.events).toEqual(['ADDED n1@2', 'DELETED n1@3']);
    expect(reader.frames[1]?.object).toMatchObject({ data: { text: expect.stringContaining('last') as string } });
  });

  test('fifty watchers of one selection get the same bytes, encoded once and written once per turn', async () => {
    const { collection, watch, encoded } = rig();
    const readers = Array.from({ length: 50 }, () => watch().reader);
    collection.put(configMap('a', 'n1', 'red'));
    collection.put(configMap('a', 'n2', 'red'));
    expect(readers[0]?.chunks).toHaveLength(0);
    await settle();
    expect(encoded()).toBe(2);
    expect(readers[0]?.chunks).toHaveLength(1);
    expect(readers.every(({ chunks }) => chunks[0] === readers[0]?.chunks[0])).toBe(true);
  });

  test('a watcher that joins in the middle of a turn gets no earlier events', async () => {
    const { collection, watch } = rig();
    const first = watch();
    collection.put(configMap('a', 'n1', 'red'));
    const second = watch();
    collection.put(configMap('a', 'n2', 'red'));
    await settle();
    expect(first.reader.events).toEqual(['ADDED n1@2', 'ADDED n2@3']);
    expect(second.reader.events).toEqual(['ADDED n2@3']);
  });

  test('from a future revision: nothing up to that revision, everything above', async () => {
    const { collection, select, watch } = rig();
    const { reader } = watch({ from: 3, selection: select({ after: 3 }) });
    for (const name of ['n1', 'n2', 'n3']) collection.put(configMap('a', name, 'red'));
    await settle();
    expect(reader.events).toEqual(['ADDED n3@4']);
  });

  test('the state is sent first, in key order, then the end marker, then changes', async () => {
    const { collection, watch } = rig();
    for (const name of ['n2', 'n1']) collection.put(configMap('a', name, 'red'));
    const { reader } = watch({ initial: collection.current(), marksInitialEnd: true });
    collection.put(configMap('a', 'n3', 'red'));
    await settle();
    expect(reader.events).toEqual(['ADDED n1@3', 'ADDED n2@2', 'BOOKMARK undefined@3', 'ADDED n3@4']);
    expect(reader.frames[2]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  });

  test('the server waits for a slow reader of a big state, which misses nothing meanwhile', async () => {
    const { collection, watch } = rig();
    const big = 'x'.repeat(100_000);
    for (let i = 0; i < 40; i += 1) collection.put(configMap('a', `n${i}`, 'red', big));
    const reader = new Reader();
    reader.isBlocked = true;
    const { running } = watch({ initial: collection.current(), reader });
    await settle();
    expect(reader.frames.length).toBeLessThan(40);
    collection.put(configMap('a', 'late', 'red'));
    reader.unblock();
    await running;
    expect(reader.frames).toHaveLength(41);
    expect(reader.events.at(-1)).toBe('ADDED late@42');
  });

  test('a reader that does not keep up is cut off, and others are not affected', async () => {
    const { collection, watch } = rig();
    const slow = watch({ maxQueuedBytes: 1000 });
    const quick = watch();
    slow.reader.isBlocked = true;
    for (let i = 0; i < 20; i += 1) collection.put(configMap('a', 'n1', 'red', 'x'.repeat(100)));
    await settle();
    collection.put(configMap('a', 'after', 'red'));
    await settle();
    expect([slow.watcher.endReason, slow.reader.isEnded]).toEqual(['too-slow', true]);
    expect(slow.reader.events).not.toContain('ADDED after@22');
    expect([quick.watcher.state, quick.reader.frames.length]).toEqual(['live', 21]);
  });

  test('a reader that falls behind the history is cut off instead of missing events', async () => {
    const { collection, watch } = rig({ history: { events: 5 } });
    for (let i = 0; i < 30; i += 1) collection.put(configMap('a', `n${i}`, 'red', 'x'.repeat(100_000)));
    const reader = new Reader();
    reader.isBlocked = true;
    const { running, watcher } = watch({ initial: collection.current(), reader });
    await settle();
    for (let i = 0; i < 10; i += 1) collection.put(configMap('a', 'busy', 'red'));
    reader.unblock();
    await running;
    expect([watcher.endReason, reader.isEnded]).toEqual(['too-slow', true]);
  });

  test('ends at its timeout on the server’s clock, after everything before was delivered', async () => {
    const { env, collection, watch } = rig();
    const { reader, watcher } = watch();
    watcher.endAfter(5_000);
    await env.clock.advance(4_999);
    collection.put(configMap('a', 'n1', 'red'));
    expect(reader.isEnded).toBe(false);
    await env.clock.advance(1);
    expect([reader.isEnded, watcher.endReason]).toEqual([true, 'timeout']);
    expect(reader.events).toEqual(['ADDED n1@2']);
    expect(env.clock.sleeping).toBe(0);
  });

  test('a clean end delivers what waits for the end of the turn', () => {
    const { collection, watch } = rig();
    const { reader, watcher } = watch();
    collection.put(configMap('a', 'n1', 'red'));
    watcher.end('timeout');
    expect([reader.events, reader.isEnded]).toEqual([['ADDED n1@2'], true]);
  });

  test('nothing is written after the end', async () => {
    const { collection, watch } = rig();
    const { reader, watcher } = watch();
    watcher.end('closed');
    collection.put(configMap('a', 'n1', 'red'));
    await settle();
    watcher.bookmark(9);
    expect(reader.chunks).toEqual([]);
  });
});

describe('bookmarks', () => {
  function bookmarked(lifetimeMs = Number.POSITIVE_INFINITY) {
    const base = rig();
    const bookmarks = new Bookmarks(base.env, () => base.store.revision);
    const watched = base.watch();
    bookmarks.add(watched.watcher, base.store.revision, lifetimeMs);
    return { ...base, ...watched, bookmarks };
  }

  test('are sent every minute, with the newest revision of the whole store', async () => {
    const { env, other, reader } = bookmarked();
    other.put(configMap('a', 'n1', 'red'));
    await env.clock.advance(59_999);
    expect(reader.events).toEqual([]);
    await env.clock.advance(1);
    expect(reader.events).toEqual(['BOOKMARK undefined@2']);
    await env.clock.advance(60_000);
    expect(reader.events).toHaveLength(2);
  });

  test('are not sent while nothing is newer than the start', async () => {
    const { env, reader } = bookmarked();
    await env.clock.advance(180_000);
    expect(reader.events).toEqual([]);
  });

  test('are sent once more shortly before the watch ends', async () => {
    const { env, other, reader } = bookmarked(10_000);
    other.put(configMap('a', 'n1', 'red'));
    await env.clock.advance(7_999);
    expect(reader.events).toEqual([]);
    await env.clock.advance(1);
    expect(reader.events).toEqual(['BOOKMARK undefined@2']);
  });

  test('never overtake an event', async () => {
    const { collection, reader, watcher } = bookmarked();
    collection.put(configMap('a', 'n1', 'red'));
    watcher.bookmark(2);
    expect(reader.events).toEqual(['ADDED n1@2', 'BOOKMARK undefined@2']);
    await settle();
    expect(reader.events).toHaveLength(2);
  });

  test('need no timer if no watch allows them', async () => {
    const { env, watcher } = bookmarked();
    expect(env.clock.sleeping).toBe(1);
    watcher.end('closed');
    expect(env.clock.sleeping).toBe(0);
  });
});
