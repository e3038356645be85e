import { expect, test } from 'vitest';
import { expectFailure } from '../rig/failures.ts';
import { configMap, type Fixture, ok } from '../rig/fixture.ts';

const MISFIT = { message: 'the server rejected our request due to an error in our request', details: {} };

const deployment = (name: string): object => ({
  metadata: { name },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          { name: 'one', image: 'one:1' },
          { name: 'two', image: 'two:1' },
        ],
      },
    },
  },
});

/** `name image` of each container of a Deployment. */
function containers(object: { spec: unknown }): string[] {
  const { template } = object.spec as { template: { spec: { containers: { name: string; image: string }[] } } };
  return template.spec.containers.map(({ name, image }) => `${name} ${image}`);
}

/** Cases 52 to 57: JSON patch, merge patch and strategic merge patch. */
export function patchCases(fixture: () => Fixture): void {
  test('case 52: a merge patch sets and removes fields, and an empty one changes nothing', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    const created = await f.create(configMaps, configMap('a', { k: '1', gone: '1' }));
    const patched = await f.merge(`${configMaps}/a`, { data: { gone: null, more: '2' } });
    expect(patched.data).toEqual({ k: '1', more: '2' });
    expect(Number(patched.metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
    expect(await f.merge(`${configMaps}/a`, { data: { more: '2', gone: null } })).toEqual(patched);
    expect(await f.merge(`${configMaps}/a`, {})).toEqual(patched);
    expectFailure(await f.patch('merge', `${configMaps}/a`, '{'), 400, 'BadRequest');
    expectFailure(await f.patch('merge', `${configMaps}/a`, { data: { k: 1 } }), 422, 'Invalid', {
      causes: [{ reason: 'FieldValueInvalid', field: 'patch' }],
    });
    expectFailure(await f.patch('merge', `${configMaps}/a`, { metadata: { name: 'b' } }), 400, 'BadRequest', {
      message: 'the name of the object (b) does not match the name on the URL (a)',
    });
  });

  test('case 53: a JSON patch applies all of its operations, or none', async () => {
    const f = fixture();
    const { configMaps, widgets } = await f.space();
    await f.create(configMaps, configMap('a', { k: '1', gone: '1' }));
    const path = `${configMaps}/a`;
    const patched = ok(
      await f.patch('json', path, [
        { op: 'test', path: '/data/k', value: '1' },
        { op: 'replace', path: '/data/k', value: '2' },
        { op: 'add', path: '/data/a~1b~0c', value: '3' },
        { op: 'remove', path: '/data/gone' },
        { op: 'remove', path: '/data/a~1b~0c' },
        { op: 'copy', from: '/data/k', path: '/data/copy' },
        { op: 'move', from: '/data/k', path: '/data/moved' },
      ]),
    );
    expect(patched.data).toEqual({ copy: '2', moved: '2' });
    const failing = [
      { op: 'add', path: '/data/never', value: '1' },
      { op: 'test', path: '/data/copy', value: 'other' },
    ];
    expectFailure(await f.patch('json', path, failing), 422, 'Invalid', MISFIT);
    expectFailure(await f.patch('json', path, [{ op: 'remove', path: '/data/nope' }]), 422, 'Invalid', MISFIT);
    expectFailure(await f.patch('json', path, [{ op: 'add', path: '/no/parent', value: 1 }]), 422, 'Invalid', MISFIT);
    expectFailure(await f.patch('json', path, { op: 'add' }), 400, 'BadRequest', {
      message: /^error decoding patch: /,
    });
    expectFailure(await f.patch('json', path, '['), 400, 'BadRequest', { message: /^error decoding patch: / });
    expect(await f.get(path)).toEqual(patched);
    await f.create(widgets, f.widget('a'));
    expectFailure(
      await f.patch('json', `${widgets}/a`, [{ op: 'test', path: '/spec/size', value: 9 }]),
      422,
      'Invalid',
      MISFIT,
    );
    const tooMany = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/copy', value: '2' }));
    expectFailure(await f.patch('json', path, tooMany), 413, 'RequestEntityTooLarge');
  });

  test('case 54: a strategic merge patch merges the containers of a Deployment by name', async () => {
    const f = fixture();
    const { deployments, widgets } = await f.space();
    const created = await f.create(deployments, deployment('d'));
    expect(containers(created)).toEqual(['one one:1', 'two two:1']);
    const patch = async (items: object[]) =>
      ok(await f.patch('strategic', `${deployments}/d`, { spec: { template: { spec: { containers: items } } } }));
    const changed = await patch([{ name: 'two', image: 'two:2' }]);
    expect(containers(changed).sort()).toEqual(['one one:1', 'two two:2']);
    expect(changed.metadata.generation).toBe(2);
    const added = await patch([{ name: 'three', image: 'three:1' }]);
    expect(containers(added).sort()).toEqual(['one one:1', 'three three:1', 'two two:2']);
    expect(containers(await patch([{ name: 'one', $patch: 'delete' }])).sort()).toEqual(['three three:1', 'two two:2']);
    const replaced = await patch([{ $patch: 'replace' }, { name: 'four', image: 'four:1' }]);
    expect(containers(replaced)).toEqual(['four four:1']);
    await f.create(widgets, f.widget('a'));
    expectFailure(await f.patch('strategic', `${widgets}/a`, { spec: { size: 2 } }), 415, 'UnsupportedMediaType', {
      message:
        /accepted media types include: application\/json-patch\+json, application\/merge-patch\+json, application\/apply-patch\+yaml/,
    });
  });

  test('case 55: a resourceVersion in a patch is a precondition', async () => {
    const f = fixture();
    const { configMaps, widgets } = await f.space();
    const { metadata } = await f.create(configMaps, configMap('a'));
    const { resourceVersion } = metadata;
    await f.merge(`${configMaps}/a`, { metadata: { resourceVersion }, data: { k: '2' } });
    const stale = await f.patch('merge', `${configMaps}/a`, { metadata: { resourceVersion }, data: { k: '3' } });
    expectFailure(stale, 409, 'Conflict', {
      message: /^Operation cannot be fulfilled on configmaps "a": the object has been modified/,
    });
    await f.create(widgets, f.widget('a'));
    const old = await f.patch('merge', `${widgets}/a`, { metadata: { resourceVersion }, spec: { size: 2 } });
    expectFailure(old, 409, 'Conflict', { details: { name: 'a', group: f.group, kind: 'widgets' } });
  });

  test('case 56: a patch needs an existing object, a known content type and valid options', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    expectFailure(await f.patch('merge', `${configMaps}/nope`, {}), 404, 'NotFound', {
      details: { name: 'nope', kind: 'configmaps' },
    });
    await f.create(configMaps, configMap('a'));
    const headers = { 'content-type': 'text/plain' };
    const typed = await f.http.ask('PATCH', `${configMaps}/a`, { headers, body: {} });
    expectFailure(typed, 415, 'UnsupportedMediaType');
    expectFailure(await f.patch('merge', `${configMaps}/a`, {}, { force: true }), 422, 'Invalid', {
      message: 'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
      causes: [{ reason: 'FieldValueForbidden', field: 'force' }],
    });
  });

  test('case 57: concurrent patches of one object are all applied', async () => {
    const f = fixture();
    const { configMaps } = await f.space();
    await f.create(configMaps, configMap('a', {}));
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    const answers = await Promise.all(keys.map((key) => f.patch('merge', `${configMaps}/a`, { data: { [key]: key } })));
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 200));
    const versions = new Set(answers.map(({ body }) => body.metadata.resourceVersion));
    expect(versions.size).toBe(keys.length);
    const { data } = await f.get(`${configMaps}/a`);
    expect(data).toEqual(Object.fromEntries(keys.map((key) => [key, key])));
  });
}
