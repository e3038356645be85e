import { defined } from '../core/defined.ts';
import { guardedEnv, systemEnv } from '../core/env.ts';
import { errorMessageOf } from '../core/errors.ts';
import { guardedKey } from '../core/object/key.ts';
import { type KubeObject, plainAccess } from '../core/object/object.ts';
import { Indexer } from '../store/indexer.ts';
import { readonlyStore } from '../store/readonly-store.ts';
import type { Indexers, ReadonlyStore } from '../store/store.ts';
import { Controller } from './apply/delta-controller.ts';
import { guardedCallback, type UserCode } from '../core/guarded.ts';
import { plainEventMaker } from './handlers/event-maker.ts';
import { filteredForRegistration } from './handlers/filtered.ts';
import { type Handler, type InformerEvent, deliverToHandlers } from './handlers/handlers.ts';
import type { ListWatch } from './list-watch/list-watch.ts';
import { OrderedFifo } from './queue/ordered-fifo.ts';
import { Process } from './apply/process.ts';
import type { ReflectorOptions } from './reflector/reflector-options.ts';
import type { TransformFn } from './queue/transform.ts';

export interface SimpleInformerOptions<T extends object> extends ReflectorOptions<T> {
  readonly indexers?: Indexers<T>;
  readonly transform?: UserCode<TransformFn<T>>;
}

/**
 * A cache with one handler and no handler queue: the handler is called inside the turn
 * that changes the cache, so it must be quick. Promises it returns are not awaited.
 *
 * When the handler throws or rejects, the error is logged and the next event follows.
 * For everything else use SharedInformer.
 */
export function simpleInformer<T extends object = KubeObject>(
  source: ListWatch<T>,
  given: Handler<T>,
  options: SimpleInformerOptions<T> = {},
): { readonly store: ReadonlyStore<T>; readonly controller: Controller<T> } {
  const {
    env: givenEnv = systemEnv,
    access = plainAccess,
    key: givenKey,
    indexers = {},
    transform,
    ...reflector
  } = options;
  const env = guardedEnv(givenEnv);
  const key = guardedKey(givenKey, access);
  const handler = filteredForRegistration(given);
  const store = new Indexer<T>({ access, indexers, key });
  const callHandler = guardedCallback(
    env,
    'handler',
    (event: InformerEvent<T>) => deliverToHandlers(handler, event),
    (error, { type, key }) =>
      env.log('error', 'a handler failed; the event is skipped', { event: type, key, error: errorMessageOf(error) }),
  );
  const process: Process<T> = new Process<T>({
    store,
    access,
    events: plainEventMaker<T>(),
    env,
    versionsAreOrdered: () => controller.reflector.versionsAreOrdered,
    audience: {
      event: callHandler,
      bulk(bulk) {
        for (let i = 0; i < bulk.size; i += 1) callHandler(bulk.at(i));
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
