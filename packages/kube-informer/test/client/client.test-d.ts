import type { ConfigMap, Deployment, Pod, Scale, SelfSubjectAccessReview } from '@kube-informer/kubernetes';
import { describe, expectTypeOf, test } from 'vitest';
import type { Client, CreateOnlyClient } from '../../src/client/client.ts';
import type { MetadataClient, ResourceClient } from '../../src/client/resource-client.ts';
import type { Status } from '../../src/core/errors.ts';
import type { KubeList, KubeObject, Live } from '../../src/core/object/object.ts';
import type { WatchEvent } from '../../src/core/object/watch-event.ts';
import type { ListWatch } from '../../src/informer/list-watch/list-watch.ts';
import { SharedInformer } from '../../src/informer/shared-informer.ts';

interface Widget extends KubeObject {
  readonly spec?: { readonly size: number };
}

declare const client: Client;

describe('names and types', () => {
  test('a built-in name gives its type', () => {
    expectTypeOf(client.resource('v1/pods')).toEqualTypeOf<ResourceClient<Pod>>();
    expectTypeOf(client.resource('v1/pods').get('a')).toEqualTypeOf<Promise<Live<Pod>>>();
    expectTypeOf(client.resource('apps/v1/deployments').get('a')).toEqualTypeOf<Promise<Live<Deployment>>>();
    expectTypeOf(client.resource('v1/configmaps').list()).toEqualTypeOf<Promise<KubeList<Live<ConfigMap>>>>();
    expectTypeOf(client.resource('v1/pods').watch().next()).toEqualTypeOf<
      Promise<IteratorResult<WatchEvent<Live<Pod>>, undefined>>
    >();
    expectTypeOf(client.resource('apps/v1/deployments').scale('a', 3)).toEqualTypeOf<Promise<Scale>>();
  });

  test('a typo in a built-in name does not compile', () => {
    // @ts-expect-error a letter is missing
    client.resource('v1/pod');
    // @ts-expect-error deployments are in another group
    client.resource('v1/deployments');
    // @ts-expect-error a kind is not a name by itself
    client.resource('Pod');
    // @ts-expect-error it needs its own type
    client.resource('example.com/v1/widgets');
  });

  test('a custom resource is named with its own type', () => {
    expectTypeOf(client.resource<Widget>('example.com/v1/widgets')).toEqualTypeOf<ResourceClient<Widget>>();
    expectTypeOf(client.resource<Widget>('Widget').get('a')).toEqualTypeOf<Promise<Live<Widget>>>();
    expectTypeOf(client.resource<KubeObject>('example.com/v1/gadgets').get('a')).toEqualTypeOf<
      Promise<Live<KubeObject>>
    >();
    // @ts-expect-error no object of Kubernetes
    client.resource<number>('example.com/v1/widgets');
  });

  test('what is only made can only be made', () => {
    const reviews = client.resource('authorization.k8s.io/v1/selfsubjectaccessreviews');
    expectTypeOf(reviews).toEqualTypeOf<CreateOnlyClient<SelfSubjectAccessReview>>();
    // A review is answered and not stored: it need not have a name.
    expectTypeOf(reviews.create({ spec: {} })).toEqualTypeOf<Promise<SelfSubjectAccessReview>>();
    // @ts-expect-error there is nothing to list
    void reviews.list();
  });
});

describe('verbs', () => {
  test('objects are checked', () => {
    const pods = client.resource('v1/pods');
    void pods.create({ metadata: { name: 'a' }, spec: { containers: [{ name: 'c' }] } });
    // @ts-expect-error a container needs a name
    void pods.create({ spec: { containers: [{}] } });
    // @ts-expect-error there is no such field
    void pods.create({ spec: { container: [] } });
  });

  test('applied objects are parts, of the right fields', () => {
    const deployments = client.resource('apps/v1/deployments');
    void deployments.apply(
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec: { replicas: 3 } },
      { fieldManager: 'me' },
    );
    // @ts-expect-error there is no such field
    void deployments.apply({ spec: { replica: 3 } }, { fieldManager: 'me' });
    // @ts-expect-error it needs a field manager
    void deployments.apply({ spec: { replicas: 3 } }, {});
  });

  test('a patch may be a part of the object, remove fields, or list changes', () => {
    const deployments = client.resource('apps/v1/deployments');
    void deployments.patch('a', { spec: { replicas: 3 } });
    void deployments.patch('a', { metadata: { annotations: { note: null } } });
    void deployments.patch('a', [{ op: 'remove', path: '/spec/paused' }]);
    void client.resource<Widget>('Widget').patch('a', { spec: { size: 1 }, other: true });
    // @ts-expect-error no patch at all
    void deployments.patch('a', 'text');
  });

  test('a deletion gives the object or a Status', () => {
    expectTypeOf(client.resource('v1/pods').delete('a')).toEqualTypeOf<Promise<Live<Pod> | Status>>();
  });

  test('metadata only reads, and does what needs no body', () => {
    const bare = client.resource('v1/pods').metadataOnly();
    expectTypeOf(bare).toEqualTypeOf<MetadataClient>();
    expectTypeOf(bare.get('a')).toEqualTypeOf<Promise<Live<KubeObject>>>();
    // @ts-expect-error an object without its body must not replace one
    void bare.replace({});
  });
});

describe('the engine', () => {
  test('LW-01: listWatch() fits it, and carries the type', () => {
    const source = client.resource('v1/pods').listWatch({ namespace: 'web', labelSelector: { app: 'shop' } });
    expectTypeOf(source).toExtend<ListWatch<Pod>>();
    expectTypeOf(new SharedInformer(source).list()).toEqualTypeOf<Live<Pod>[]>();
    expectTypeOf(new SharedInformer(client.resource<Widget>('Widget').listWatch()).list()).toEqualTypeOf<
      Live<Widget>[]
    >();
    expectTypeOf(new SharedInformer(client.resource('v1/pods').metadataOnly().listWatch()).list()).toEqualTypeOf<
      Live<KubeObject>[]
    >();
  });
});
