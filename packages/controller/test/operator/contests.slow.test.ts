import type { KubeObject } from 'kube-informer';
import { expect, onTestFinished, test } from 'vitest';
import { controller, type ControllerOptions, type Operator, watch } from '../../src/index.ts';
import { RewrittenFields } from '../../src/objects/rewritten-fields.ts';
import { otherFieldManager } from '../../src/objects/field-manager.ts';
import { type Lab, startLab } from '../../src/testing/lab.ts';
import { configMap, definition, rig, type Widget, widget, WIDGETS } from './rig.ts';

const KEY = 'web/a';

const warnings = (lab: Lab): unknown[] =>
  lab.env.lines.filter(({ message }) => message.includes('change the same field in turn')).map(({ fields }) => fields);

const runsOf = (operator: Operator): number[] => operator.inspect().controllers.map(({ runs }) => runs);

async function fight(reconcile: (name: string) => ControllerOptions<Widget>['reconcile']) {
  const lab = await startLab({ definitions: [definition()] });
  onTestFinished(() => lab[Symbol.asyncDispose]());
  const sides = ['left', 'right'].map((name) => controller<Widget>(lab.cluster, WIDGETS, { name, reconcile: reconcile(name) }));
  // Made by a client: the server keeps no managers for objects that were loaded.
  await lab.user.apply(widget('a', { size: 0 }));
  return { lab, operator: lab.run(sides) };
} // prettier-ignore

test('CTR-63: two controllers that undo each other in the spec, a new generation each time, are found, named and slowed', async () => {
  const { lab, operator } = await fight((name) => async ({ object, patch }) => {
    const size = name === 'left' ? 1 : 2;
    if (object.spec?.size !== size) await patch({ spec: { size } });
  });
  await lab.advance(120_000);
  for (const runs of runsOf(operator)) expect(runs).toBeLessThan(40);
  expect(warnings(lab)).toMatchObject([
    { controller: 'left', key: KEY, object: `${WIDGETS} web/a`, field: 'spec.size', manager: 'right' },
    { controller: 'right', key: KEY, object: `${WIDGETS} web/a`, field: 'spec.size', manager: 'left' },
  ]);
  const whys = ['left', 'right'].map((name) => operator.why(name, KEY));
  expect(whys.some(({ kind }) => kind === 'waiting')).toBe(true);
  const [waiting] = whys.filter(({ kind }) => kind === 'waiting');
  expect(waiting?.sentence).toMatch(/because of a fight over spec\.size of example\.com\/v1\/widgets web\/a, which (left|right) changes/);
  for (const { sentence } of whys) expect(sentence).toMatch(/; it has rewritten \d+ times: spec\.size of/);
}); // prettier-ignore

test('CTR-63: sides that write another value each time are found by how fast they take turns', async () => {
  let stamp = 0;
  const last = new Map<string, number>();
  const { lab, operator } = await fight((name) => async ({ object, patch }) => {
    if (object.spec?.size === last.get(name)) return;
    last.set(name, (stamp += 1));
    await patch({ spec: { size: stamp } });
  });
  await lab.advance(60_000);
  for (const runs of runsOf(operator)) expect(runs).toBeLessThan(60);
  expect(warnings(lab)).toHaveLength(2);
});

test('CTR-63: a client that slowly changes a child back is named from the managed fields; the fight ends, and is forgotten', async () => {
  const { lab, operator } = await rig({
    owns: ['v1/configmaps'],
    reconcile: async ({ apply }) => void (await apply('v1/configmaps', configMap('child', { mode: 'ours' }) as KubeObject)),
  }, { lab: { objects: [widget('a')] } }); // prettier-ignore
  const undo = async (ms: number): Promise<void> => {
    await lab.user.apply(configMap('child', { mode: 'theirs' }));
    await lab.advance(ms);
    expect(lab.get('v1/configmaps', 'web/child')).toMatchObject({ data: { mode: 'ours' } });
  };
  for (let n = 0; n < 5; n += 1) await undo(0);
  expect(warnings(lab)).toEqual([]);
  for (let n = 0; n < 3; n += 1) await undo(5_000);
  expect(warnings(lab)).toMatchObject([{ object: 'v1/configmaps web/child', field: 'data.mode', manager: 'user' }]);
  expect(operator.why('widgets', KEY).sentence).toMatch(/rewritten \d+ times: data\.mode of v1\/configmaps web\/child, which user changes$/);
  await lab.advance(601_000);
  expect(operator.why('widgets', KEY).sentence).not.toContain('rewritten');
  await lab.user.apply(configMap('child', { mode: 'theirs' }));
  await lab.settled(); // at once: no second has to pass
  expect(lab.get('v1/configmaps', 'web/child')).toMatchObject({ data: { mode: 'ours' } });
}); // prettier-ignore

test('CTR-63: a child that others delete again and again is contested; one that a new owner of the name makes is not', async () => {
  const { lab, operator } = await rig({
    owns: ['v1/configmaps'],
    reconcile: async ({ apply }) => void (await apply('v1/configmaps', configMap('child') as KubeObject)),
  }); // prettier-ignore
  for (let n = 0; n < 7; n += 1) {
    await lab.user.apply(widget('a'));
    await lab.settled();
    await lab.user.delete(WIDGETS, KEY);
    await lab.user.delete('v1/configmaps', 'web/child');
    await lab.settled();
  }
  expect(warnings(lab)).toEqual([]);
  await lab.user.apply(widget('a'));
  await lab.settled();
  for (let n = 0; n < 6; n += 1) {
    await lab.user.delete('v1/configmaps', 'web/child');
    await lab.advance(2_000);
  }
  expect(warnings(lab)).toMatchObject([{ field: 'the object itself: it is deleted', manager: 'unknown' }]);
  expect(operator.why('widgets', KEY).sentence).toContain('v1/configmaps web/child, which another client deletes');
});

test('CTR-63: changes of the spec by a user, and of the children that follow it, are not a conflict of writers', async () => {
  const { lab } = await rig({
    owns: ['v1/configmaps'],
    prune: true,
    async reconcile({ object, apply, patch }) {
      const { size = 0 } = object.spec ?? {};
      if (size > 100) await patch({ spec: { size: 100 } }); // a limit that the user keeps running into
      if (size % 2 === 0) await apply('v1/configmaps', configMap('child', { size: String(size) }) as KubeObject);
    },
  });
  for (let n = 1; n < 12; n += 1) {
    await lab.user.apply(widget('a', { size: n }));
    await lab.settled();
  }
  for (let n = 0; n < 5; n += 1) {
    await lab.user.apply(widget('a', { size: 200 + n }));
    await lab.settled();
  }
  expect(warnings(lab)).toEqual([]);
});

test('CTR-63: a child that the cache does not select is not a conflict of writers, however often it changes', async () => {
  const { lab } = await rig({
    watches: [watch('v1/configmaps', { labels: 'other=yes', keys: () => [] })],
    reconcile: async ({ object, apply }) => void (await apply('v1/configmaps', configMap('child', { size: String(object.spec?.size) }) as KubeObject)),
  }); // prettier-ignore
  for (let n = 0; n < 8; n += 1) {
    await lab.user.apply(widget('a', { size: n }));
    await lab.settled();
  }
  expect([lab.get('v1/configmaps', 'web/child'), warnings(lab)]).toMatchObject([{ data: { size: '7' } }, []]);
});

test('CTR-23: a loop over a child is named by the field of the child', async () => {
  let at = 0;
  const { lab } = await rig({
    owns: ['v1/configmaps'],
    reconcile: async ({ apply }) => void (await apply('v1/configmaps', configMap('child', { at: String((at += 1)) }) as KubeObject)),
  }, { lab: { objects: [widget('a')] } }); // prettier-ignore
  await lab.advance(30_000);
  const named = lab.env.lines.filter(({ message }) => message.includes('cause each other'));
  expect(named.map(({ fields }) => fields)).toMatchObject([{ changing: 'data.at of v1/configmaps web/child' }]);
});

test('CTR-63: the manager of a field is read from the managed fields, also where names have dots', () => {
  const entry = (manager: string, time: string, fieldsV1: object) => ({ manager, operation: 'Update', time, fieldsV1 });
  const object = {
    metadata: {
      managedFields: [
        entry('ours', '2026-01-03T00:00:00Z', { 'f:data': { 'f:a': {} } }),
        entry('early', '2026-01-01T00:00:00Z', { 'f:data': { 'f:a': {}, 'f:b': {} } }),
        entry('late', '2026-01-02T00:00:00Z', { 'f:data': { 'f:a': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:app.kubernetes.io/name': {} } } }),
        { manager: 'odd', operation: 'Update', fieldsV1: undefined },
      ],
    },
  } as KubeObject; // prettier-ignore
  const paths = ['data.a', 'data.b', 'metadata.labels.app.kubernetes.io/name', 'metadata.labels.app', 'spec'];
  expect(paths.map((path) => otherFieldManager(object, path, 'ours'))).toEqual(['late', 'early', 'late', undefined, undefined]);
}); // prettier-ignore

test('CTR-63: what is remembered of writes is bounded', () => {
  const rewritten = new RewrittenFields();
  const write = (key: string, was: string, is: string) => {
    const about = { primaryUid: 'u', resource: 'v1/configmaps', key, fieldManager: 'ours' };
    const object = (data: string) => ({ metadata: { uid: key }, data: { x: data } }) as KubeObject;
    const changed = () => [{ path: 'data.x', was, is }];
    return rewritten.wrote(0, { ...about, before: object(was), answer: object(is), changed });
  };
  const fights = (key: string): boolean => {
    for (let n = 0; n < 5; n += 1) write(key, 'theirs', 'ours');
    return write(key, 'theirs', 'ours') !== undefined;
  };
  expect(fights('a')).toBe(true);
  for (let n = 0; n < 10_000; n += 1) write(`other-${n}`, '1', '2');
  expect(write('a', 'theirs', 'ours')).toBeUndefined();
});

test('CTR-63: a value that only this controller changes is not contested; a contested one stays so when a writer changes its value', () => {
  const rewritten = new RewrittenFields();
  const write = (now: number, key: string, was: string, is: string) => {
    const about = { primaryUid: 'u', resource: 'v1/configmaps', key, fieldManager: 'ours' };
    const object = (data: string) => ({ metadata: { uid: key }, data: { x: data } }) as KubeObject;
    const changed = () => [{ path: 'data.x', was, is }];
    return rewritten.wrote(now, { ...about, before: object(was), answer: object(is), changed });
  };
  for (let n = 0; n < 50; n += 1) expect(write(n * 1_000, 'alone', String(n), String(n + 1))).toBeUndefined();
  for (let n = 0; n < 6; n += 1) write(n * 60_000, 'fight', 'theirs', 'ours');
  expect(write(400_000, 'fight', 'theirs', 'another')).toMatchObject({ path: 'data.x' });
  expect(write(1_100_000, 'fight', 'theirs', 'another')).toBeUndefined();
});
