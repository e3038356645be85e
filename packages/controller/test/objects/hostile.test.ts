import { fakeEnv } from 'kube-informer/testing';
import { expect, test } from 'vitest';
import { newEventObject } from '../../src/events/event-object.ts';
import { isControlledBy, ownedFields, ownerReferenceTo, setCondition } from './objects.ts';

const named = (namespace: string | undefined, more: object = {}): object => ({
  apiVersion: 'example.com/v1',
  kind: 'Backup',
  metadata: { name: 'a', uid: 'u1', ...(namespace === undefined ? {} : { namespace }), ...more },
});

test('S104: a reference from another namespace names no controller; a cluster-scoped owner has children everywhere', () => {
  const child = (namespace: string, owner: object): object =>
    named(namespace, { uid: 'c', ownerReferences: [ownerReferenceTo(owner)] });
  const owner = named('web');
  expect(isControlledBy(child('web', owner), owner)).toBe(true);
  expect(isControlledBy(child('evil', owner), owner)).toBe(false);
  expect(isControlledBy(child('evil', named(undefined)), named(undefined))).toBe(true);
});

/** An object whose list `spec.items` a manager owns by `set`. */
const managed = (items: readonly unknown[], set: object): object => ({
  metadata: {
    name: 'a',
    managedFields: [{ manager: 'm', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:items': set } } }],
  },
  spec: { items },
});

test('S105: each item of a list is looked up once, not compared with every name in managed fields', () => {
  let reads = 0;
  const count = 2_000;
  const items = Array.from({ length: count }, (_, at) => ({
    get name() {
      reads += 1;
      return `item-${at}`;
    },
    other: at,
  }));
  const set = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `k:{"name":"item-${count - at - 1}"}`,
      at % 2 === 0 ? { '.': {}, 'f:other': {} } : {},
    ]),
  );
  const owned = ownedFields(managed(items, set), 'm') as { spec: { items: object[] } };
  expect(owned.spec.items).toHaveLength(count);
  expect(owned.spec.items[1]).toEqual({ other: 1 });
  expect(reads).toBeLessThanOrEqual(count * 3);
});

test('S105: many different sets of keys are ignored, and the apply is sent', () => {
  const set = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k:{"key-${at}":1}`, {}]));
  const owned = ownedFields(managed([{ 'key-0': 1 }, { 'key-99': 1 }], set), 'm');
  expect(owned).toEqual({ spec: { items: [{ 'key-0': 1 }] } });
});

test('S107: half a character in a message is what a server stores, so the next run finds no difference', () => {
  const change = {
    type: 'Ready',
    status: true,
    reason: 'Ran',
    message: `${'x'.repeat(32_767)}😀 and \ud83d in the middle`,
  };
  const about = { wallNow: 0 };
  for (const message of [change.message, 'a \ud83d b']) {
    const first = setCondition([], { ...change, message }, about);
    const stored = JSON.parse(Buffer.from(JSON.stringify(first)).toString().replaceAll(String.raw`\ud83d`, '\ufffd')) as typeof first; // prettier-ignore
    expect(setCondition(stored, { ...change, message }, about)).toBe(stored);
  }
});

test('S125: a message that quotes an error of a request shows no credentials and no escape sequences', () => {
  const message = 'GET https://me:hunter2@idp: 401, sent Authorization: Bearer abc.def-123 \u{1b}[2J\u{202e}';
  const [condition] = setCondition([], { type: 'Ready', status: false, reason: 'Failed', message }, { wallNow: 0 });
  expect(condition?.message).toContain('401');
  expect(condition?.message).not.toMatch(/hunter2|abc\.def|[^\P{C}\n]/u);
  const about = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'web' } };
  const reporter = { controller: 'backups', instance: 'backups-1' };
  const event = newEventObject(fakeEnv(), reporter, about, { reason: 'Failed', note: message }, 1);
  expect(event.note).toContain('401');
  expect(JSON.stringify(event)).not.toMatch(/hunter2|abc\.def|[^\P{C}\n]/u);
});
