import { defined } from '../core/defined.ts';
import { safeEnv, systemEnv } from '../core/env.ts';
import { keyFn } from '../core/object/key.ts';
import { type KubeObject, type ObjectAccess, plainAccess } from '../core/object/object.ts';
import { Indexer } from '../store/indexer.ts';
import { readonlyStore } from '../store/readonly-store.ts';
import type { Indexers, ReadonlyStore } from '../store/store.ts';
import { Controller } from './apply/controller.ts';
import { guardedCallback } from '../core/async/guarded-callback.ts';
import { deliver, type Handler, type InformerEvent } from './handlers/handlers.ts';
import type { ListWatch } from './list-watch/list-watch.ts';
import { OrderedFifo } from './queue/ordered-fifo.ts';
import { Process } from './apply/process.ts';
import { Reflector, type ReflectorOptions } from './reflector/reflector.ts';
import type { TransformFn } from './queue/transform.ts';

export interface SimpleInformerOptions<T extends object> extends ReflectorOptions<T> {
  readonly indexers?: Indexers<T>;
  readonly transform?: TransformFn<T>;
}

/**
 * A cache with one handler and nothing between: the handler is called inside the
 * turn that changes the cache, so it must be quick, and what it returns is not awaited.
 *
 * A handler that throws or rejects loses that event and no other; it is logged.
 * For everything else use SharedInformer.
 */
export function simpleInformer<T extends object = KubeObject>(
  source: ListWatch<T>,
  handler: Handler<T>,
  options: SimpleInformerOptions<T> = {},
): { readonly store: ReadonlyStore<T>; readonly controller: Controller<T> } {
  const {
    env: given = systemEnv,
    access = plainAccess as unknown as ObjectAccess<T>,
    key = keyFn(access),
    indexers = {},
    transform,
    ...reflector
  } = options;
  const env = safeEnv(given);
  const store = new Indexer<T>({ access, indexers, key });
  const tell = (event: InformerEvent<T>): void =>
    guardedCallback(env, `${event.type} ${event.key}`, () => deliver(handler, event))();
  const process: Process<T> = new Process<T>({
    store,
    access,
    env,
    versionsAreOrdered: () => controller.reflector.versionsAreOrdered,
    audience: {
      event: tell,
      bulk(bulk) {
        for (let i = 0; i < bulk.size; i += 1) tell(bulk.at(i));
      },
    },
  });
  const queue = new OrderedFifo<T>({
    key,
    env,
    resourceVersion: (object) => access.resourceVersion(object),
    ...defined({ transform }),
  });
  const controller: Controller<T> = new Controller<T>({
    ...reflector,
    access,
    key,
    env,
    queue,
    source,
    process: process.process,
  });
  return { store: readonlyStore(store), controller };
}

/** A namespace-indexed store and a reflector that writes straight into it: no queue, no handlers. */
export function namespaceKeyedIndexerAndReflector<T extends object = KubeObject>(
  source: ListWatch<T>,
  options: ReflectorOptions<T> = {},
): { readonly indexer: Indexer<T>; readonly reflector: Reflector<T> } {
  const { access = plainAccess as unknown as ObjectAccess<T> } = options;
  const { key } = options;
  const indexer = new Indexer<T>({ access, ...defined({ key }) });
  return { indexer, reflector: new Reflector(source, indexer, options) };
}
