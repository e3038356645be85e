import { describe, expect, test } from 'vitest';
import { startDefaultServiceAccount } from '../../src/controllers/default-service-account.ts';
import { startEventExpiry } from '../../src/controllers/event-expiry.ts';
import { startNamespaceLifecycle } from '../../src/controllers/namespace-lifecycle.ts';
import { startPodGrace } from '../../src/controllers/pod-grace.ts';
import { workLoop } from '../../src/controllers/common/work-loop.ts';
import type { ApiObject } from '../../src/core/kube-object.ts';
import { FakeHost } from '../rig/controller-host.ts';

function rig() {
  const host = new FakeHost();
  const inNamespace = (name: string, fields: Record<string, unknown> = {}, finalizers?: string[]): ApiObject => ({
    metadata: { name, namespace: 'ns', ...(finalizers === undefined ? {} : { finalizers }) },
    ...fields,
  });
  const conditions = (): Record<string, string> => {
    const { conditions: list = [] } = (host.get('', 'namespaces', '', 'ns')?.['status'] ?? {}) as {
      conditions?: { type: string; status: string; reason: string; message: string }[];
    };
    return Object.fromEntries(
      list.map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]),
    );
  };
  return {
    host,
    inNamespace,
    conditions,
    namespace: (name = 'ns') =>
      host.create('', 'namespaces', {
        metadata: { name },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      }),
  };
}

describe('namespaces', () => {
  test('that are deleted are emptied, report it in conditions, and are removed', async () => {
    const { host, namespace, inNamespace } = rig();
    startNamespaceLifecycle(host);
    namespace();
    host.create('', 'configmaps', inNamespace('c'));
    host.create('', 'pods', inNamespace('p'));
    host.create('apps', 'deployments', inNamespace('d'));
    host.remove('', 'namespaces', '', 'ns');
    await host.settle();
    expect(host.changes.slice(4)).toEqual([
      'MODIFIED namespaces/ns',
      'DELETED pods/p',
      'DELETED configmaps/c',
      'DELETED deployments/d',
      'MODIFIED namespaces/ns',
      'DELETED namespaces/ns',
    ]);
  });

  test('wait for their pods before anything else is touched', async () => {
    const { host, namespace, inNamespace, conditions } = rig();
    startNamespaceLifecycle(host);
    namespace();
    host.create('', 'configmaps', inNamespace('c'));
    host.create('', 'pods', inNamespace('p', { spec: { nodeName: 'n', terminationGracePeriodSeconds: 10 } }));
    host.remove('', 'namespaces', '', 'ns');
    await host.settle();
    expect(host.list('', 'configmaps')).toHaveLength(1);
    expect(conditions()['NamespaceContentRemaining']).toBe('False ContentRemoved: All content successfully removed');
    host.remove('', 'pods', 'ns', 'p', { gracePeriodSeconds: 0 });
    await host.env.clock.advance(5_999);
    expect(host.list('', 'configmaps')).toHaveLength(1);
    await host.env.clock.advance(1);
    expect(host.get('', 'namespaces', '', 'ns')).toBeUndefined();
  });

  test('report the finalizers that hold their content, and check again', async () => {
    const { host, namespace, inNamespace, conditions } = rig();
    startNamespaceLifecycle(host);
    namespace();
    host.create('', 'configmaps', inNamespace('c', {}, ['example.com/a']));
    host.create('apps', 'deployments', inNamespace('d', {}, ['example.com/a', 'example.com/b']));
    host.remove('', 'namespaces', '', 'ns');
    await host.settle();
    expect(conditions()).toEqual({
      NamespaceDeletionDiscoveryFailure: 'False ResourcesDiscovered: All resources successfully discovered',
      NamespaceDeletionGroupVersionParsingFailure:
        'False ParsedGroupVersions: All legacy kube types successfully parsed',
      NamespaceDeletionContentFailure:
        'False ContentDeleted: All content successfully deleted, may be waiting on finalization',
      NamespaceContentRemaining:
        'True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances, deployments.apps has 1 resource instances',
      NamespaceFinalizersRemaining:
        'True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/a in 2 resource instances, example.com/b in 1 resource instances',
    });
    for (const [group, resource] of [
      ['', 'configmaps'],
      ['apps', 'deployments'],
    ] as const)
      for (const object of host.list(group, resource)) {
        const { finalizers: _done, ...metadata } = object.metadata ?? {};
        host.update(group, resource, { ...object, metadata });
      }
    await host.env.clock.advance(8_000);
    expect(host.get('', 'namespaces', '', 'ns')).toBeUndefined();
  });

  test('keep finalizers of others', async () => {
    const { host } = rig();
    startNamespaceLifecycle(host);
    host.create('', 'namespaces', {
      metadata: { name: 'ns' },
      spec: { finalizers: ['example.com/x', 'kubernetes'] },
      status: { phase: 'Active' },
    });
    host.remove('', 'namespaces', '', 'ns');
    await host.settle();
    expect(host.get('', 'namespaces', '', 'ns')?.['spec']).toEqual({ finalizers: ['example.com/x'] });
  });
});

describe('pods that are being deleted', () => {
  test('are removed when their grace period is over', async () => {
    const { host, inNamespace } = rig();
    startPodGrace(host);
    host.create('', 'pods', inNamespace('p', { spec: { nodeName: 'n' } }));
    host.remove('', 'pods', 'ns', 'p');
    await host.env.clock.advance(29_000);
    expect(host.list('', 'pods')).toHaveLength(1);
    await host.env.clock.advance(1_000);
    expect(host.list('', 'pods')).toEqual([]);
    expect(host.env.clock.sleeping).toBe(0);
  });

  test('are not touched after their removal, also when another pod has their name', async () => {
    const { host, inNamespace } = rig();
    startPodGrace(host);
    host.create('', 'pods', inNamespace('p', { spec: { nodeName: 'n' } }));
    host.remove('', 'pods', 'ns', 'p');
    await host.settle();
    host.remove('', 'pods', 'ns', 'p', { gracePeriodSeconds: 0 });
    host.create('', 'pods', inNamespace('p', { spec: { nodeName: 'n' } }));
    await host.env.clock.advance(60_000);
    expect(host.list('', 'pods')).toHaveLength(1);
  });
});

describe('the default service account', () => {
  test('is in every namespace, and is created again when it is deleted', async () => {
    const { host, namespace } = rig();
    namespace('before');
    startDefaultServiceAccount(host);
    namespace('after');
    await host.settle();
    expect(host.list('', 'serviceaccounts').map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`)).toEqual([
      'before/default',
      'after/default',
    ]);
    host.remove('', 'serviceaccounts', 'after', 'default');
    await host.settle();
    expect(host.get('', 'serviceaccounts', 'after', 'default')).toBeDefined();
  });

  test('is not created in a terminating namespace', async () => {
    const { host, namespace } = rig();
    namespace();
    host.remove('', 'namespaces', '', 'ns');
    startDefaultServiceAccount(host);
    await host.settle();
    expect(host.list('', 'serviceaccounts')).toEqual([]);
  });
});

describe('events', () => {
  test('are deleted an hour after their last write', async () => {
    const { host, inNamespace } = rig();
    startEventExpiry(host);
    host.create('', 'events', inNamespace('once'));
    const repeated = host.create('', 'events', inNamespace('repeated'));
    await host.env.clock.advance(1_800_000);
    host.update('', 'events', { ...repeated, count: 2 });
    await host.env.clock.advance(1_800_000);
    expect(host.list('', 'events').map(({ metadata }) => metadata?.name)).toEqual(['repeated']);
    await host.env.clock.advance(1_800_000);
    expect(host.list('', 'events')).toEqual([]);
  });
});

describe('a work loop', () => {
  test('runs after the write that triggered it, once for many calls', async () => {
    const { host } = rig();
    const seen: string[] = [];
    const loop = workLoop(host.env, 'test', (key) => void seen.push(key));
    loop.add('a');
    loop.add('b');
    loop.add('a');
    expect(seen).toEqual([]);
    await host.settle();
    expect(seen).toEqual(['a', 'b']);
  });

  test('retries failed work with growing delays, and does other work meanwhile', async () => {
    const { host } = rig();
    const tries: number[] = [];
    let isOther = false;
    const loop = workLoop(host.env, 'test', (key) => {
      if (key === 'other') isOther = true;
      if (key === 'other') return undefined;
      tries.push(host.env.now());
      if (tries.length < 4) throw new Error('not yet');
      return undefined;
    });
    loop.add('a');
    loop.add('other');
    await host.settle();
    expect(isOther).toBe(true);
    await host.env.clock.advance(60_000);
    expect(tries).toEqual([0, 100, 300, 700]);
    expect(host.env.lines.map(({ level }) => level)).toEqual(['warn', 'warn', 'warn']);
  });

  test('does nothing after a stop', async () => {
    const { host } = rig();
    const seen: string[] = [];
    const loop = workLoop(host.env, 'test', (key) => {
      seen.push(key);
      return 1000;
    });
    loop.add('a');
    await host.settle();
    loop.add('b');
    loop.stop();
    loop.add('c');
    await host.env.clock.advance(5_000);
    expect(seen).toEqual(['a']);
    expect(host.env.clock.sleeping).toBe(0);
  });
});
