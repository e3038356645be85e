import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubeObject } from '../../src/core/object/object.ts';
import { Indexer } from '../../src/store/indexer.ts';
import { MutationCache, type MutationCacheOptions } from '../../src/store/mutation-cache.ts';
import { fakeEnv, type FakeEnv } from '../../src/testing/fake-clock.ts';
import { nameless, pod, versionOf } from './rig/objects.ts';

interface Rig {
  readonly store: Indexer;
  readonly cache: MutationCache;
  readonly env: FakeEnv;
  readonly read: () => string | undefined;
}

/** A cache that includes adds, so that `read` shows what is remembered. */
function rig(options: MutationCacheOptions<KubeObject> = {}): Rig {
  const env = fakeEnv();
  const store = new Indexer();
  const cache = new MutationCache(store, { env, includeAdds: true, ...options });
  return { store, cache, env, read: () => versionOf(cache.get('web/a')) };
}

const a = (version: string, uid = 'u1'): KubeObject => pod('web/a', version, { uid });

test('MUT-04, F88: a response that arrives late does not replace a newer one', () => {
  const { cache, read } = rig();
  cache.mutation(a('7'));
  cache.mutation(a('6'));
  expect(read()).toBe('7');
  cache.mutation(a('8'));
  expect(read()).toBe('8');
});

test('MUT-04, F88: a response that arrives late never hides what the store already has', () => {
  for (const late of ['6', '7']) {
    const { store, cache } = rig();
    const stored = a('7');
    store.add(stored);
    cache.mutation(a(late));
    expect(cache.get('web/a')).toBe(stored);
    expect(cache.byIndex('namespace', 'web')).toEqual([stored]);
  }
});

test('MUT-04, F88: a response that is older than the store’s object does not reappear when that object is deleted', () => {
  for (const late of ['6', '7']) {
    const { store, cache, read } = rig();
    store.add(a('7'));
    cache.mutation(a(late));
    store.deleteKey('web/a');
    expect(read()).toBeUndefined();
  }
});

test('MUT-04, F88: the store itself is never written', () => {
  const { store, cache } = rig();
  store.add(a('1'));
  cache.mutation(a('2'));
  cache.onAddOrUpdate(a('3'));
  cache.onDelete(a('4'));
  expect(store.list()).toEqual([a('1')]);
});

test.each([
  ['an object deleted in that very version stays deleted', a('9', 'u2')],
  ['a newer state of the deleted object is a mistake about time, by its UID it is gone', a('12', 'u1')],
  ['what is older than the deletion stays deleted, whatever its UID', a('8', 'u2')],
])('MUT-04: %s', (_title, late) => {
  const { cache } = rig();
  cache.onDelete(a('9', 'u1'));
  cache.mutation(late);
  expect(cache.get('web/a')).toBeUndefined();
});

test('MUT-04: an object created after the deletion is remembered', () => {
  const { cache, read } = rig();
  cache.onDelete(a('9', 'u1'));
  cache.mutation(a('12', 'u2'));
  expect(read()).toBe('12');
});

test('MUT-04, MUT-05, MUT-06: an object without a key is reported and ignored', () => {
  const { cache, env } = rig();
  cache.mutation(nameless);
  cache.onAddOrUpdate(nameless);
  cache.onDelete(nameless);
  expect(env.lines.map(({ level, fields }) => [level, fields['call']])).toEqual([
    ['error', 'mutation'],
    ['error', 'onAddOrUpdate'],
    ['error', 'onDelete'],
  ]);
  expect(env.lines[0]?.fields['error']).toMatchObject({ code: 'INVALID_KEY' });
});

test.each([
  ['newer', '8', undefined],
  ['the same', '7', undefined],
  ['older', '6', '7'],
])('MUT-05: when the store shows %s state, what is not newer is dropped', (_what, seen, left) => {
  const { cache, read } = rig();
  cache.mutation(a('7'));
  cache.onAddOrUpdate(a(seen));
  expect(read()).toBe(left);
});

test('MUT-05: an event about an object that was not written leaves nothing behind', () => {
  const { cache, read } = rig();
  cache.onAddOrUpdate(a('7'));
  expect(read()).toBeUndefined();
  cache.mutation(a('6'));
  expect(read()).toBe('6');
});

test('MUT-05, MUT-06: an event does not count as use, so it does not keep an entry', () => {
  for (const event of ['onAddOrUpdate', 'onDelete'] as const) {
    const { cache, read } = rig({ maxEntries: 2 });
    cache.mutation(a('7'));
    cache.mutation(pod('web/b', '1'));
    cache[event](a('6', 'u2'));
    cache.mutation(pod('web/c', '1'));
    expect(read()).toBeUndefined();
  }
});

test.each([
  ['the same object, even in an older state, is dropped', a('5', 'u1'), undefined],
  ['an older object under another UID is dropped', a('9', 'u2'), undefined],
  ['a newer object under another UID stays', a('6', 'u2'), '7'],
])('MUT-06: when the store deletes, %s', (_what, deleted, left) => {
  const { cache, read } = rig();
  cache.mutation(a('7', 'u1'));
  cache.onDelete(deleted);
  expect(read()).toBe(left);
});

test('MUT-06: a deletion that does not concern the entry leaves no tombstone either', () => {
  const { cache, read } = rig();
  cache.mutation(a('7', 'u1'));
  cache.onDelete(a('6', 'u2'));
  cache.mutation(a('8', 'u2'));
  expect(read()).toBe('8');
});

test('MUT-04, MUT-06: the response to an update before a delete is refused', () => {
  const { store, cache } = rig();
  store.add(a('1'));
  store.deleteKey('web/a');
  cache.onDelete(a('3'));
  cache.mutation(a('2'));
  expect(cache.get('web/a')).toBeUndefined();
  expect(cache.byIndex('namespace', 'web')).toEqual([]);
});

test('MUT-02, MUT-04: the response to an update does not replace an object that was created again', () => {
  const { store, cache } = rig();
  cache.onDelete(a('3', 'u1'));
  const anew = a('4', 'u2');
  store.add(anew);
  cache.onAddOrUpdate(anew);
  cache.mutation(a('2', 'u1'));
  expect(cache.get('web/a')).toBe(anew);
  expect(cache.byIndex('namespace', 'web')).toEqual([anew]);
});

test('MUT-03, MUT-06: after the delete event a created object is no longer found by index', () => {
  const { cache } = rig();
  cache.mutation(a('2'));
  expect(cache.byIndex('namespace', 'web')).toHaveLength(1);
  cache.onDelete(a('3'));
  expect(cache.byIndex('namespace', 'web')).toEqual([]);
});

test('MUT-06: a deletion is remembered as long as an object would be', () => {
  const { cache, env, read } = rig();
  cache.onDelete(a('9'));
  env.clock.freeze(300_000);
  cache.mutation(a('8'));
  expect(read()).toBeUndefined();
  env.clock.freeze(1);
  cache.mutation(a('8'));
  expect(read()).toBe('8');
});

test('MUT-02, MUT-04, MUT-05, MUT-06, F88: in any order of answers and events, the newest known state is read', () => {
  // One key's history on the server: each step changes the object, or deletes or recreates it.
  const history = fc.array(fc.constantFrom('change' as const, 'delete' as const), { minLength: 1, maxLength: 12 });
  const op = fc.oneof(
    fc.record({ type: fc.constant('watch' as const), at: fc.constant(0) }),
    fc.record({ type: fc.constant('answer' as const), at: fc.nat() }),
    fc.record({ type: fc.constant('read' as const), at: fc.constant(0) }),
  );
  fc.assert(
    fc.property(history, fc.array(op, { maxLength: 40 }), fc.boolean(), (steps, ops, includeAdds) => {
      const server = serverHistory(steps);
      const answers = server.filter(({ deleted }) => !deleted);
      const { store, cache, read } = rig({ includeAdds });
      let seen = 0; // how much of the history the watch has brought
      let newest = -1; // the newest state received, as an index in the history
      // Reading drops entries, so sequences with few reads matter as much as those with many.
      for (const { type, at } of [...ops, { type: 'read' as const, at: 0 }]) {
        const next = server[seen];
        const answer = answers[at % Math.max(1, answers.length)];
        if (type === 'watch' && next !== undefined) {
          if (next.deleted) {
            store.deleteKey('web/a');
            cache.onDelete(next.object);
          } else {
            store.update(next.object);
            cache.onAddOrUpdate(next.object);
          }
          newest = Math.max(newest, seen);
          seen += 1;
        } else if (type === 'answer' && answer !== undefined) {
          cache.mutation(answer.object);
          // Without `includeAdds` too it is kept; it only shows once the store has the object.
          newest = Math.max(newest, server.indexOf(answer));
        }
        if (type !== 'read') continue;
        const known = server[newest];
        const shown = known === undefined || known.deleted || (!includeAdds && store.size === 0) ? undefined : known;
        expect(read()).toBe(versionOf(shown?.object));
        expect(cache.byIndex('namespace', 'web').map(versionOf)).toEqual(
          shown === undefined ? [] : [versionOf(shown.object)],
        );
      }
    }),
    { numRuns: 500 },
  );
});

/** States of one key in order; every deletion is followed by a new UID. */
function serverHistory(steps: readonly ('change' | 'delete')[]): { deleted: boolean; object: KubeObject }[] {
  let life = 1;
  let alive = false;
  return steps.map((step, at) => {
    const deleted = step === 'delete' && alive;
    // Versions of different length, so that text order alone would be wrong.
    const object = a(String(5 + at * 3), `u${life}`);
    if (deleted) life += 1;
    alive = !deleted;
    return { deleted, object };
  });
}
