import { expect, test } from 'vitest';
import { plainJsonCodec } from '../../../src/core/object/json-codec.ts';
import { DecodedBudget } from '../../../src/store/packed/decoded-budget.ts';
import { PackedObjects } from '../../../src/store/packed/packed-objects.ts';
import { fakeEnv } from '../../../src/testing/fake-clock.ts';

const objects = (): PackedObjects<object> =>
  new PackedObjects({ env: fakeEnv(), budget: new DecodedBudget(), freeze: true });

/** Caches an object and returns it as readers see it. */
function cached(into: PackedObjects<object>, object: object): object {
  const bytes = new TextEncoder().encode(JSON.stringify(object));
  const state = into.build(plainJsonCodec(), bytes, 0, bytes.length);
  into.keep(state);
  return into.see(state);
}

const widget = (name: string, more: object): object => ({
  apiVersion: 'v1',
  kind: 'Widget',
  metadata: { name },
  ...more,
});

test.each(['\n', '\0', ',', '","', '\u{1f}'])(
  'S103: a name of a field with %j in it takes no fields from other objects',
  (separator) => {
    const all = objects();
    cached(all, widget('evil', { [`spec${separator}status`]: 1 }));
    const victim = widget('victim', { spec: { replicas: 3 }, status: { ready: true } });
    expect(cached(all, victim)).toEqual(victim);
  },
);

test('S103: an object with many fields is read as a whole, once', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`field-${i}`, i]));
  const given = widget('many', { ...many, __proto__x: 1 });
  const codec = plainJsonCodec();
  let fields = 0;
  const counting = {
    ...codec,
    decodeField: (...call: Parameters<typeof codec.decodeField>) => ((fields += 1), codec.decodeField(...call)),
  };
  const bytes = new TextEncoder().encode(JSON.stringify(given));
  const all = objects();
  const state = all.build(counting, bytes, 0, bytes.length);
  const seen = all.see(state);
  expect(JSON.stringify(seen)).toBe(JSON.stringify(given));
  expect(Object.isFrozen(seen)).toBe(true);
  expect(all.see(state)).toBe(seen);
  expect(all.type(state)).toEqual({ apiVersion: 'v1', kind: 'Widget' });
  expect(fields).toBe(0);
});

test('S103: objects that change the names of their fields again and again leave nothing behind', () => {
  const all = objects();
  const shapes = new Set<unknown>();
  const build = (name: string): unknown => {
    const bytes = new TextEncoder().encode(JSON.stringify(widget('a', { [name]: 1 })));
    return all.build(plainJsonCodec(), bytes, 0, bytes.length).shape;
  };
  const first = build('first');
  expect(build('first')).toBe(first);
  for (let i = 0; i < 300; i += 1) shapes.add(build(`field-${i}`));
  expect(shapes.size).toBe(300);
  expect(build('first')).not.toBe(first); // it was forgotten
});
