import type { Pod as BuiltInPod } from '@kube-informer/kubernetes';
import { describe, expectTypeOf, test } from 'vitest';
import {
  type AddEvent,
  type Cluster,
  type ClusterInformer,
  type DeleteEvent,
  filtered,
  type Handler,
  type InformerEvent,
  type KubeList,
  type KubeObject,
  type ListWatch,
  type Live,
  type ReadonlyStore,
  type Registration,
  type Selected,
  SharedInformer,
  type UserCode,
  type SharedInformerOptions,
  type UpdateEvent,
} from '../src/index.ts';
import type { Controller } from '../src/informer/apply/delta-controller.ts';
import { type ListFn, type WatchFn, withOptions } from '../src/informer/list-watch/list-watch.ts';
import { simpleInformer } from '../src/informer/simple-informer.ts';
import type { InformerState } from '../src/informer/informer-state.ts';
import { FakeSource } from '../src/testing/fake-source.ts';
import { HandlerRecorder } from '../src/testing/handler-recorder.ts';

interface Pod extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
}

declare const pods: ListWatch<Pod>;

describe('SharedInformer', () => {
  test('EVH-09: callbacks may return anything', () => {
    const seen: string[] = [];
    expectTypeOf({ add: ({ key }: { key: string }) => seen.push(key) }).toExtend<Handler<Pod>>();
    expectTypeOf({ update: async () => Promise.resolve(1) }).toExtend<Handler<Pod>>();
  });

  test('INF-21: the type of the objects comes from the source', () => {
    const informer = new SharedInformer(pods);
    expectTypeOf(informer).toEqualTypeOf<SharedInformer<Pod>>();
    expectTypeOf(informer.get('web/a')).toEqualTypeOf<Pod | undefined>();
    expectTypeOf(informer.list()).toEqualTypeOf<Pod[]>();
    expectTypeOf(informer.store.get('web/a')).toEqualTypeOf<Pod | undefined>();
  });

  test('INF-21: a FakeSource is a source, plain or typed', () => {
    expectTypeOf(new SharedInformer(new FakeSource<Pod>()).list()).toEqualTypeOf<Pod[]>();
    expectTypeOf(new SharedInformer(new FakeSource()).list()).toEqualTypeOf<KubeObject[]>();
  });

  test('INF-21, IDX-04: index names are known, and no others', () => {
    const informer = new SharedInformer(pods, { indexers: { node: (pod: Pod) => [pod.spec?.nodeName ?? ''] } });
    expectTypeOf<Parameters<(typeof informer)['byIndex']>[0]>().toEqualTypeOf<'node' | 'namespace'>();
    expectTypeOf(informer.byIndex('node', 'n1')).toEqualTypeOf<Pod[]>();
    expectTypeOf<Parameters<(typeof informer.store)['byIndex']>[0]>().toEqualTypeOf<'node' | 'namespace'>();
    // @ts-expect-error there is no such index
    informer.byIndex('owner', 'x');
    // @ts-expect-error there is no such index
    informer.store.indexKeys('owner', 'x');
    // @ts-expect-error an informer without indexers has the namespace only
    new SharedInformer(pods).byIndex('node', 'n1');
    new SharedInformer(pods).byIndex('namespace', 'web');
  });

  test('INF-21, IDX-04: an index function gets the object and returns strings', () => {
    // @ts-expect-error numbers are not index values
    new SharedInformer(pods, { indexers: { node: () => [1] } });
    // @ts-expect-error index functions are synchronous
    new SharedInformer(pods, { indexers: { node: async () => ['n1'] } });
    type Options = SharedInformerOptions<Pod, 'node'>;
    expectTypeOf<NonNullable<Options['indexers']>['node']>().parameter(0).toEqualTypeOf<Pod>();
  });

  test('INF-21, IDX-05: indexes that are added become known', () => {
    const informer = new SharedInformer(pods, { indexers: { node: (pod: Pod) => [pod.spec?.nodeName ?? ''] } });
    const wider = informer.addIndexers({ owner: () => ['me'] });
    expectTypeOf(wider).toEqualTypeOf<SharedInformer<Pod, 'node' | 'owner'>>();
    expectTypeOf(wider.byIndex('owner', 'me')).toEqualTypeOf<Pod[]>();
    // @ts-expect-error the old name knows the old indexes
    informer.byIndex('owner', 'me');
  });

  test('INF-19, G10: the store cannot be written to', () => {
    const { store } = new SharedInformer(pods);
    expectTypeOf(store).toEqualTypeOf<ReadonlyStore<Pod, never>>();
    // @ts-expect-error read-only
    void store.add;
    // @ts-expect-error read-only
    void store.replace;
    // @ts-expect-error read-only
    store.resourceVersion = '1';
    // @ts-expect-error the store itself is not to be exchanged
    new SharedInformer(pods).store = store;
    // @ts-expect-error metadata is read-only
    store.list()[0]!.metadata!.name = 'other';
  });

  test('TRF-01: a transform takes and returns the object, synchronously', () => {
    expectTypeOf<Parameters<SharedInformer<Pod>['setTransform']>>().toEqualTypeOf<[UserCode<(object: Pod) => Pod>]>();
    // @ts-expect-error a transform is synchronous
    new SharedInformer(pods, { transform: async (pod: Pod) => pod });
    // @ts-expect-error a transform returns an object
    new SharedInformer(pods, { transform: () => undefined });
  });

  test('INF-24: unknown and impossible options do not compile', () => {
    // @ts-expect-error no such option
    new SharedInformer(pods, { resyncPeriod: 5 });
    // @ts-expect-error no such queue
    new SharedInformer(pods, { queue: 'lifo' });
    // @ts-expect-error an explicit undefined is not a default
    new SharedInformer(pods, { resyncMs: undefined });
    // @ts-expect-error the informer asks its handlers itself
    new SharedInformer(pods, { shouldResync: () => true });
  });

  test('G16, G15: states are told apart by kind; waiting gives nothing', () => {
    const informer = new SharedInformer(pods);
    expectTypeOf(informer.state).toEqualTypeOf<InformerState>();
    const { state } = informer;
    if (state.kind === 'stale') expectTypeOf(state.since).toBeNumber();
    if (state.kind === 'stopped') expectTypeOf(state.cause).toBeUnknown();
    if (state.kind === 'starting') expectTypeOf(state.problem?.reason).toExtend<string | undefined>();
    // @ts-expect-error nothing is wrong with a synced cache
    if (state.kind === 'synced') void state.reason;
    expectTypeOf(informer.synced()).toEqualTypeOf<Promise<void>>();
    expectTypeOf(informer.start()).toEqualTypeOf<SharedInformer<Pod>>();
    expectTypeOf(informer).toExtend<AsyncDisposable>();
  });
});

describe('handlers', () => {
  test('EVH-01, EVH-04: callbacks are optional, typed by the informer, and may be async', () => {
    const informer = new SharedInformer(pods);
    const handle = informer.on({
      add: ({ object, initial, key }) => {
        expectTypeOf(object).toEqualTypeOf<Pod>();
        expectTypeOf(initial).toBeBoolean();
        expectTypeOf(key).toBeString();
      },
      update: async ({ object, old, replaced, resync }) => {
        expectTypeOf(old).toEqualTypeOf<Pod>();
        expectTypeOf(object).toEqualTypeOf<Pod>();
        expectTypeOf([replaced, resync]).toEqualTypeOf<boolean[]>();
      },
    });
    expectTypeOf(handle).toEqualTypeOf<Registration>();
    expectTypeOf(handle).toExtend<AsyncDisposable>();
    informer.on({});
    informer.on(new HandlerRecorder<Pod>(), { policy: 'block', limit: 10, resyncMs: 0 });
    // @ts-expect-error no such callback
    informer.on({ added: () => {} });
    // @ts-expect-error no such policy
    informer.on({}, { policy: 'drop' });
    // @ts-expect-error an event has no such field
    informer.on({ delete: ({ old }) => void old });
  });

  test('EVH-02, EVH-03: events are told apart by type', () => {
    expectTypeOf<InformerEvent<Pod>>().toEqualTypeOf<AddEvent<Pod> | UpdateEvent<Pod> | DeleteEvent<Pod>>();
    expectTypeOf<Extract<InformerEvent<Pod>, { type: 'delete' }>>().toHaveProperty('finalStateUnknown');
    expectTypeOf<AddEvent<Pod>>().not.toHaveProperty('old');
    const change = (event: AddEvent<Pod>): void => {
      // @ts-expect-error events are read-only
      event.object = {};
    };
    expectTypeOf(change).toBeFunction();
  });

  test('EVH-05: a filter keeps the type of what it filters', () => {
    const handler = filtered((pod: Pod) => pod.spec?.nodeName === 'n1', { add: ({ object }) => void object.spec });
    expectTypeOf(handler).toEqualTypeOf<Handler<Pod>>();
    // @ts-expect-error a filter answers at once, not with a promise
    filtered(async (pod: Pod) => pod.spec === undefined, {});
  });

  test('G15: the condition of waitFor answers at once', () => {
    expectTypeOf<ClusterInformer<Pod>['waitFor']>().parameter(1).returns.toEqualTypeOf<boolean>();
  });
});

describe('sources', () => {
  test('LW-01: ListWatch is inferred from its parts, and two functions are enough', () => {
    const list: ListFn<Pod> = async () => ({ items: [] });
    const watch: WatchFn<Pod> = async function* () {};
    expectTypeOf(new SharedInformer({ list, watch })).toEqualTypeOf<SharedInformer<Pod>>();
    expectTypeOf(withOptions({ list, watch }, (options) => options)).toEqualTypeOf<ListWatch<Pod>>();
    expectTypeOf<Awaited<ReturnType<ListFn<Pod>>>>().toEqualTypeOf<KubeList<Pod>>();
    // @ts-expect-error a source needs a watch
    new SharedInformer({ list });
    const words = async (): Promise<KubeList<string>> => ({ items: [] });
    // @ts-expect-error objects are objects
    new SharedInformer<string>({ list: words, watch });
  });

  test('CTL-01, CTL-11: the parts below are generic in the same way', () => {
    const { store, controller } = simpleInformer(pods, {
      add: ({ object }) => void expectTypeOf(object).toEqualTypeOf<Pod>(),
    });
    expectTypeOf(store.list()).toEqualTypeOf<Pod[]>();
    expectTypeOf(controller).toEqualTypeOf<Controller<Pod>>();
  });
});

describe('live objects', () => {
  test('G10, INF-21: objects of a cache have a name, a uid and a version; handlers, conditions and indexes see the same', () => {
    const read = (cluster: Cluster): void => {
      const informer = cluster.informer('v1/pods', {
        indexers: { uid: ({ metadata }) => [metadata.uid] },
        transform: (object: BuiltInPod): BuiltInPod => object,
      });
      for (const { metadata } of informer.list()) expectTypeOf(metadata.name).toEqualTypeOf<string>();
      for (const { metadata } of informer.list()) expectTypeOf(metadata.creationTimestamp).toEqualTypeOf<string>();
      expectTypeOf(informer.get('a')).toEqualTypeOf<Live<BuiltInPod> | undefined>();
      informer.on({ update: ({ object, old }) => object.metadata.resourceVersion === old.metadata.resourceVersion });
      void informer.waitFor('a', (object) => object?.metadata.name === 'a');
      expectTypeOf(informer).toExtend<ClusterInformer<BuiltInPod, 'uid'>>();
      informer.on({} as Handler<BuiltInPod>);
    };
    expectTypeOf(read).toBeFunction();
    expectTypeOf<Live<BuiltInPod>>().toExtend<BuiltInPod>();
  });

  test('INF-21: a mistake is reported where it is: at the option, or at the name', () => {
    const wrong = (cluster: Cluster): unknown[] => [
      cluster.informer(
        'v1/pods',
        // @ts-expect-error an explicit undefined is not a default
        { namespace: undefined },
      ),
      cluster.informer(
        // @ts-expect-error a letter is wrong
        'v1/podz',
        { namespace: 'web' },
      ),
    ];
    expectTypeOf(wrong).toBeFunction();
  });

  test('metadataOnly may be a variable where the type is the same either way', () => {
    const open = (cluster: Cluster, metadataOnly: boolean): unknown[] => [
      cluster.informer<KubeObject>('example.com/v1/widgets', { metadataOnly }),
      // @ts-expect-error an informer of metadata has no spec, which this type requires
      cluster.informer<KubeObject & { spec: object }>('example.com/v1/widgets', { metadataOnly }),
    ];
    expectTypeOf(open).toBeFunction();
  });
});

describe('select', () => {
  const open = (cluster: Cluster) =>
    cluster.informer('v1/pods', { select: ['spec.nodeName', 'status.conditions.type'] });

  test('PKD-19: objects have what was selected, and what names them', () => {
    type Seen = NonNullable<ReturnType<ReturnType<typeof open>['get']>>;
    expectTypeOf<NonNullable<Seen['spec']>['nodeName']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Seen['metadata']['uid']>().toEqualTypeOf<string>();
    expectTypeOf<keyof NonNullable<Seen['spec']>>().toEqualTypeOf<'nodeName'>();
    expectTypeOf<keyof NonNullable<Seen['metadata']>>().toEqualTypeOf<
      'name' | 'namespace' | 'uid' | 'resourceVersion'
    >();
    type Condition = NonNullable<NonNullable<Seen['status']>['conditions']>[number];
    expectTypeOf<keyof Condition>().toEqualTypeOf<'type'>();
    // @ts-expect-error not selected
    expectTypeOf<NonNullable<Seen['spec']>['containers']>();
  });

  test('PKD-19: paths that do not exist, and what was not selected, do not compile', () => {
    const wrong = (cluster: Cluster): unknown[] => [
      // @ts-expect-error there is no such field
      cluster.informer('v1/pods', { select: ['spec.nodName'] }),
      // @ts-expect-error there is no such field
      cluster.informer('v1/pods', { omit: ['spec.nodName'] }),
      // @ts-expect-error the keys of a map are not in its type
      cluster.informer('v1/pods', { select: ['metadata.labels.app'] }),
      cluster.informer('v1/pods', {
        select: ['status.phase'],
        // @ts-expect-error the index reads what was not selected
        indexers: { node: ({ spec }) => [spec?.nodeName ?? ''] },
      }),
    ];
    expectTypeOf(wrong).toBeFunction();
    const right = (cluster: Cluster): unknown[] => [
      cluster.informer('v1/pods', { select: ['status'], indexers: { phase: ({ status }) => [status?.phase ?? ''] } }),
      cluster.informer('v1/pods', { omit: ['metadata.managedFields'] }),
      cluster.informer<Pod, 'spec.nodeName'>('example.com/v1/pods', { select: ['spec.nodeName'] }),
    ];
    expectTypeOf(right).toBeFunction();
    type Mine = Selected<Pod, 'spec'>;
    expectTypeOf<Mine['spec']>().toEqualTypeOf<Pod['spec']>();
  });
});
