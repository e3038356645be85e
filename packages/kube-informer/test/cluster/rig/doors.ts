import { onTestFinished } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { Cluster } from '../../../src/cluster/cluster.ts';
import type { ClusterInformer } from '../../../src/cluster/cluster-informer.ts';
import { InformerSet } from '../../../src/cluster/informer-set.ts';
import { CallbackInformer } from '../../../src/compat/callback-informer.ts';
import { type Key, keyOf, splitKey } from '../../../src/core/object/key.ts';
import type { KubeObject } from '../../../src/core/object/object.ts';
import { filtered } from '../../../src/informer/handlers/filtered.ts';
import type { Handler, InformerEvent } from '../../../src/informer/handlers/handlers.ts';
import type { SharedInformerOptions } from '../../../src/informer/informer-options.ts';
import type { ListWatch } from '../../../src/informer/list-watch/list-watch.ts';
import type { Registration } from '../../../src/informer/registration.ts';
import { SharedInformer } from '../../../src/informer/shared-informer.ts';
import { simpleInformer } from '../../../src/informer/simple-informer.ts';
import { type FakeEnv, fakeEnv, settle } from '../../../src/testing/fake-clock.ts';
import { FakeSource } from '../../../src/testing/fake-source.ts';

export interface Pod extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** A change as an entry point delivers it. Entry points without `old` leave it out. */
export interface Received {
  readonly type: 'add' | 'update' | 'delete';
  readonly key: Key;
  readonly object: Pod;
  readonly old?: Pod | undefined;
}

/** A way to a cache, opened. */
export interface Door {
  /** Starts telling changes; the function returned ends it. */
  on(tell: (received: Received) => void | Promise<void>): () => void;
  get(key: Key): Pod | undefined;
  /** Throws STALE_CACHE when nothing has shown for so long that the cache is current. */
  getFresh?(key: Key, maxStalenessMs: number): Pod | undefined;
  /** Settles when the cache has reached a version of the server of this key. */
  reached?(key: Key, resourceVersion: string): Promise<void>;
  list(): readonly Pod[];
  /** Settles when the cache is complete. */
  synced(): Promise<unknown>;
  close(): Promise<void>;
}

/** The servers behind a door: one for all namespaces, or one for each. */
export class World {
  readonly env: FakeEnv = fakeEnv();
  readonly #sources: ReadonlyMap<string, FakeSource<Pod>>;

  constructor(namespaces: readonly string[]) {
    this.#sources = new Map(namespaces.map((namespace) => [namespace, new FakeSource<Pod>()]));
  }

  get servers(): FakeSource<Pod>[] {
    return [...this.#sources.values()];
  }

  server(key: Key): FakeSource<Pod> {
    const found = this.#sources.get(splitKey(key).namespace) ?? this.#sources.get('');
    if (found === undefined) throw new Error(`no server for ${key}`);
    return found;
  }

  source(namespace = ''): ListWatch<Pod> {
    const whole = this.#sources.get(namespace) as FakeSource<Pod>;
    const { list, watch } = whole;
    return { list, watch, expected: { apiVersion: 'v1', kind: 'Pod' } };
  }

  pod(key: Key, spec: Record<string, unknown> = {}, more: object = {}): Pod {
    return { apiVersion: 'v1', kind: 'Pod', metadata: { ...splitKey(key), ...more }, spec };
  }

  create(key: Key, spec?: Record<string, unknown>): Pod {
    return this.server(key).create(this.pod(key, spec));
  }

  update(key: Key, spec?: Record<string, unknown>): Pod {
    return this.server(key).update(this.pod(key, spec));
  }

  /** Makes the informer of this key list again. */
  async relist(key: Key): Promise<void> {
    this.server(key).expireHistory();
    this.server(key).cut();
    await this.pass(120_000);
  }

  pass(ms = 0): Promise<void> {
    return this.env.clock.advance(ms);
  }
}

export const NAMESPACES = ['web', 'shop'];

interface DoorKind {
  readonly name: string;
  /** @default one for all */
  readonly namespaces?: readonly string[];
  readonly open: (world: World) => Door;
}

const removal =
  (registration: Registration): (() => void) =>
  () =>
    registration.remove();

const tellAll = (tell: (received: Received) => void | Promise<void>): Handler<Pod> => {
  const each = (event: InformerEvent<Pod>): void | Promise<void> => tell(event);
  return { add: each, update: each, delete: each };
};

function shared(
  name: string,
  options: SharedInformerOptions<Pod>,
  wrap = (handler: Handler<Pod>) => handler,
): DoorKind {
  return {
    name,
    open(world) {
      const informer = new SharedInformer<Pod>(world.source(), { env: world.env, ...options }).start();
      return {
        on: (tell) => removal(informer.on(wrap(tellAll(tell)))),
        get: (key) => informer.get(key),
        getFresh: (key, maxStalenessMs) => informer.get(key, { maxStalenessMs }),
        reached: (_key, resourceVersion) => informer.waitForVersion(resourceVersion),
        list: () => informer.list(),
        synced: () => informer.synced(),
        close: () => informer.stop(),
      };
    },
  };
}

const informerSet: DoorKind = {
  name: 'InformerSet and Lister',
  open(world) {
    const informers = new InformerSet({ source: () => world.source() as ListWatch<object>, env: world.env });
    const informer = informers.informer<Pod>('v1/pods');
    const lister = informers.lister<Pod>('v1/pods');
    informers.start();
    return {
      on: (tell) => removal(informer.on(tellAll(tell))),
      get: (key) => lister.find(key),
      getFresh: (key, maxStalenessMs) => informer.get(key, { maxStalenessMs }),
      reached: (_key, resourceVersion) => informer.waitForVersion(resourceVersion),
      list: () => lister.list(),
      synced: () => informers.synced(),
      close: () => informers.shutdown(),
    };
  },
};

function clusterDoor(
  name: string,
  namespaces: readonly string[],
  listen: (pods: ClusterInformer<Pod>, tell: (received: Received) => void | Promise<void>) => () => void,
): DoorKind {
  return {
    name,
    namespaces,
    open(world) {
      const listWatch = ({ namespace = '' }: { namespace?: string }): ListWatch<Pod> => world.source(namespace);
      const client = {
        resource: () => ({ listWatch, metadataOnly: () => ({ listWatch }) }),
        close: () => Promise.resolve(),
      } as unknown as Client;
      const cluster = new Cluster({ client, env: world.env });
      const pods = cluster.informer<Pod>('v1/pods', { namespace: namespaces });
      return {
        on: (tell) => listen(pods, tell),
        get: (key) => pods.get(key),
        getFresh: (key, maxStalenessMs) => pods.get(key, { maxStalenessMs }),
        reached: (key, resourceVersion) =>
          pods.waitForVersion(resourceVersion, namespaces.length === 1 ? {} : { namespace: splitKey(key).namespace }),
        list: () => pods.list(),
        synced: () => pods.synced(),
        close: () => cluster.close(),
      };
    },
  };
}

const byHandler = (pods: ClusterInformer<Pod>, tell: (received: Received) => void | Promise<void>): (() => void) =>
  removal(pods.on(tellAll(tell)));

/** A reader that survives the failures of its user, as a handler does. */
const byChanges = (pods: ClusterInformer<Pod>, tell: (received: Received) => void | Promise<void>): (() => void) => {
  const changes = pods.changes();
  const read = async (): Promise<void> => {
    for await (const change of changes) {
      try {
        await tell(change);
      } catch {
        // the next one follows
      }
    }
  };
  void read();
  return () => void changes.return?.();
};

const simple: DoorKind = {
  name: 'simpleInformer',
  open(world) {
    const listeners = new Set<(received: Received) => void | Promise<void>>();
    const tellEach = (event: InformerEvent<Pod>): void | Promise<void> => {
      let returned: void | Promise<void> = undefined;
      for (const tell of listeners) returned = tell(event);
      return returned;
    };
    const handler = { add: tellEach, update: tellEach, delete: tellEach };
    const { store, controller } = simpleInformer<Pod>(world.source(), handler, { env: world.env });
    const stop = new AbortController();
    let running: Promise<void> | undefined;
    const run = (): Promise<void> => (running ??= controller.run(stop.signal));
    return {
      // It has one handler, which must be there from the start.
      on: (tell) => {
        listeners.add(tell);
        void run();
        return () => void listeners.delete(tell);
      },
      get: (key) => store.get(key),
      list: () => store.list(),
      async synced() {
        void run();
        while (!controller.hasSynced && !stop.signal.aborted) await settle();
      },
      async close() {
        stop.abort();
        await running;
      },
    };
  },
};

const compat: DoorKind = {
  name: 'compat',
  open(world) {
    const open = () => Promise.resolve({ source: world.source(), close: () => Promise.resolve() });
    const informer = new CallbackInformer<Pod>({ name: 'pods', env: world.env, open });
    return {
      on(tell) {
        const callbacks = (['add', 'update', 'delete'] as const).map((type) => {
          const callback = (object: Pod): void => void tell({ type, key: keyOf(object), object });
          informer.on(type, callback);
          return () => informer.off(type, callback);
        });
        void informer.start();
        return () => {
          for (const off of callbacks) off();
        };
      },
      get(key) {
        const { namespace, name } = splitKey(key);
        return informer.get(name, namespace);
      },
      list: () => informer.list(),
      synced: () => informer.start(),
      close: () => informer.stop(),
    };
  },
};

/** Every way to a cache. A new one is added here and has to keep every promise of `doors.test.ts`, or say why not. */
export const DOORS: readonly DoorKind[] = [
  shared('SharedInformer', {}),
  shared('SharedInformer, queue delta', { queue: 'delta' }),
  shared('SharedInformer, batch', { batch: true }),
  shared('SharedInformer, filtered handler', {}, (handler) => filtered(() => true, handler)),
  informerSet,
  clusterDoor('ClusterInformer', [''], byHandler),
  clusterDoor('ClusterInformer, several namespaces', NAMESPACES, byHandler),
  clusterDoor('changes()', [''], byChanges),
  clusterDoor('changes(), several namespaces', NAMESPACES, byChanges),
  simple,
  compat,
];

export function openDoor(
  { namespaces = [''], open }: DoorKind,
  prepare: (world: World) => void = () => {},
): { world: World; door: Door } {
  const world = new World(namespaces);
  prepare(world);
  const door = open(world);
  onTestFinished(async () => {
    const closing = door.close();
    await world.pass(60_000); // a test may leave a callback hung
    await closing;
  });
  return { world, door };
}
