import { fakeEnv } from 'kube-informer/testing';
import { describe, expect, test } from 'vitest';
import type { ApiObject } from '../../src/core/kube-object.ts';
import type { ApiServerOptions } from '../../src/options.ts';
import { ApiServer } from '../../src/server.ts';

/** A server that does not listen: the verbs need no socket. */
function rig(options: ApiServerOptions = {}) {
  const env = fakeEnv({ random: Math.random });
  const server = new ApiServer({ tls: false, env, ...options });
  const events: string[] = [];
  const follow = (group: string, resource: string): void => {
    server.local.watch(group, resource, (type, { metadata = {} }) => events.push(`${type} ${metadata.name}`));
  };
  return { env, server, local: server.local, events, follow };
}

const inDefault = (name: string, rest: object = {}): ApiObject => ({
  metadata: { name, namespace: 'default' },
  ...rest,
});

const gadgets: ApiObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: 1 } } } },
        },
      },
    })),
  },
};

const APIEXTENSIONS = ['apiextensions.k8s.io', 'customresourcedefinitions'] as const;

describe('the verbs without HTTP', () => {
  test('a write that changes nothing takes no revision and makes no event', () => {
    const { server, local, events, follow } = rig();
    const created = local.create('', 'configmaps', inDefault('a', { data: { k: '1' } }));
    follow('', 'configmaps');
    const { revision } = server.store;
    local.update('', 'configmaps', created);
    expect([server.store.revision, events]).toEqual([revision, []]);
  });

  test('an update with an old version is refused and changes nothing', () => {
    const { local } = rig();
    const first = local.create('', 'configmaps', inDefault('a', { data: { k: '1' } }));
    local.update('', 'configmaps', { ...first, data: { k: '2' } });
    expect(() => local.update('', 'configmaps', { ...first, data: { k: '3' } })).toThrow('has been modified');
    expect(local.get('', 'configmaps', 'default', 'a')?.['data']).toEqual({ k: '2' });
  });

  test('a finalizer keeps a deleted object until the write that removes it, which is its delete', () => {
    const { local, events, follow } = rig();
    const meta = { name: 'a', namespace: 'default', finalizers: ['example.com/wait'] };
    local.create('', 'configmaps', { metadata: meta });
    follow('', 'configmaps');
    local.remove('', 'configmaps', 'default', 'a');
    const waiting = local.get('', 'configmaps', 'default', 'a') as ApiObject;
    expect(waiting.metadata?.deletionTimestamp).toBe('2023-11-14T22:13:20Z');
    local.remove('', 'configmaps', 'default', 'a');
    local.update('', 'configmaps', { ...waiting, metadata: { ...waiting.metadata, finalizers: [] } });
    expect(events).toEqual(['MODIFIED a', 'DELETED a']);
    expect(local.get('', 'configmaps', 'default', 'a')).toBeUndefined();
  });

  test('a pod on a node gets its grace period, one without a node does not', () => {
    const { local, events, follow } = rig();
    const pod = (name: string, nodeName?: string) =>
      inDefault(name, {
        spec: { containers: [{ name: 'c', image: 'i' }], ...(nodeName === undefined ? {} : { nodeName }) },
      });
    local.create('', 'pods', pod('placed', 'node-1'));
    local.create('', 'pods', pod('waiting'));
    follow('', 'pods');
    local.remove('', 'pods', 'default', 'placed');
    local.remove('', 'pods', 'default', 'waiting');
    expect(events).toEqual(['MODIFIED placed', 'MODIFIED waiting', 'DELETED waiting']);
    expect(local.get('', 'pods', 'default', 'placed')?.metadata?.deletionGracePeriodSeconds).toBe(30);
    local.remove('', 'pods', 'default', 'placed', { gracePeriodSeconds: 0 });
    expect(local.get('', 'pods', 'default', 'placed')).toBeUndefined();
  });

  test('a stored object does not change with the object that the caller passed', () => {
    const { local } = rig();
    const object = inDefault('a', { data: { k: '1' } });
    local.create('', 'configmaps', object);
    (object['data'] as Record<string, string>)['k'] = 'changed';
    expect(local.get('', 'configmaps', 'default', 'a')?.['data']).toEqual({ k: '1' });
  });

  test('an Event written as events.k8s.io is a core Event too', () => {
    const { server, local } = rig();
    const event = {
      regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
      eventTime: '2023-11-14T22:13:20.000000Z',
      reportingController: 'example.com/tester',
      reportingInstance: 'tester-1',
      action: 'Testing',
      reason: 'Tested',
      type: 'Normal',
      note: 'all is well',
    };
    local.create('events.k8s.io', 'events', inDefault('e', event));
    expect(local.get('', 'events', 'default', 'e')).toMatchObject({
      apiVersion: 'v1',
      message: 'all is well',
      involvedObject: { name: 'p' },
    });
    expect(server.store.collection({ id: 'events', layout: 'struct' }).size).toBe(1);
  });
});

describe('custom resource definitions', () => {
  test('are served from the write that creates them, in every version, and have conditions', () => {
    const { local, events, follow } = rig();
    follow(...APIEXTENSIONS);
    local.create(...APIEXTENSIONS, gadgets);
    expect(events).toEqual([
      'ADDED gadgets.example.com',
      'MODIFIED gadgets.example.com',
      'MODIFIED gadgets.example.com',
    ]);
    local.create('example.com', 'gadgets', {
      ...inDefault('g', { spec: {} }),
      apiVersion: 'example.com/v1',
      kind: 'Gadget',
    });
    expect(local.get('example.com', 'gadgets', 'default', 'g')).toMatchObject({ kind: 'Gadget' });
    const versions = local.resources().filter(({ resource }) => resource === 'gadgets');
    expect(versions.map(({ version }) => version)).toEqual(['v1', 'v2']);
  });

  test('are deleted with their objects, and wait for those with finalizers', () => {
    const { local, events, follow } = rig();
    local.create(...APIEXTENSIONS, gadgets);
    const gadget = (name: string, finalizers: string[]) => ({
      ...inDefault(name),
      metadata: { name, namespace: 'default', finalizers },
    });
    local.create('example.com', 'gadgets', gadget('free', []));
    local.create('example.com', 'gadgets', gadget('held', ['example.com/wait']));
    follow('example.com', 'gadgets');
    local.remove(...APIEXTENSIONS, '', 'gadgets.example.com');
    expect(events).toEqual(['DELETED free', 'MODIFIED held']);
    expect(() => local.create('example.com', 'gadgets', inDefault('late'))).toThrow('is terminating');
    const held = local.get('example.com', 'gadgets', 'default', 'held') as ApiObject;
    local.update('example.com', 'gadgets', { ...held, metadata: { ...held.metadata, finalizers: [] } });
    expect(events.at(-1)).toBe('DELETED held');
    expect(local.get(...APIEXTENSIONS, '', 'gadgets.example.com')).toBeUndefined();
    expect(() => local.list('example.com', 'gadgets')).toThrow('could not find the requested resource');
  });
});

describe('controllers', () => {
  test('in the demo profile a deleted namespace is removed with its content; in envtest it stays', async () => {
    for (const profile of ['demo', 'envtest'] as const) {
      const { env, server, local } = rig({ profile });
      await server.start();
      local.create('', 'namespaces', { metadata: { name: 'team' } });
      local.create('', 'configmaps', { metadata: { name: 'a', namespace: 'team' } });
      local.remove('', 'namespaces', '', 'team');
      await env.clock.advance(60_000);
      const isGone = local.get('', 'namespaces', '', 'team') === undefined;
      expect([profile, isGone, local.list('', 'configmaps', 'team').length]).toEqual(
        profile === 'demo' ? ['demo', true, 0] : ['envtest', false, 1],
      );
      await server.close();
    }
  });
});
