import { defined } from '../core/defined.ts';
import { Client } from '../client/client.ts';
import { resolveConnection } from '../client/connect/resolve-connection.ts';
import { createTransport } from '../client/connect/create-transport.ts';
import type { Transport } from '../client/transport/transport.ts';
import { requireOption } from '../core/errors.ts';
import type { KubeObject } from '../core/object/object.ts';
import type { ListWatch as Source } from '../informer/list-watch/list-watch.ts';
import { CallbackInformer, type CallbackInformerOptions, type OpenedSource } from './callback-informer.ts';
import { collectionOf } from './collection.ts';
import { loadDates } from './dates.ts';
import {
  type KubeConfigLike,
  plainKubeConfig,
  kubeConfigCredentials,
  hasKubeConfigCredentials,
} from './kube-config.ts';
import type { ListPromise } from './shapes.ts';

/** The part of client-node's Watch that is used. */
export interface WatchLike {
  readonly config: KubeConfigLike;
}

interface Selectors {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/**
 * Like `makeInformer` of client-node: follows the collection at `path`, narrowed by `labelSelector`.
 *
 * `listPromiseFn` gives the objects their type and is not called: the collection at `path` is listed by the same code
 * that watches it. So all objects are plain, with `kind` and `apiVersion`, and with a `Date` wherever client-node's types have
 * one; selectors must be in `labelSelector` or in the query of `path`.
 *
 * @example
 * import { KubeConfig } from '@kubernetes/client-node';
 * import { makeInformer } from 'kube-informer/compat';
 */
export function makeInformer<T extends object>(
  kubeconfig: KubeConfigLike,
  path: string,
  _listPromiseFn?: ListPromise<T>,
  labelSelector?: string,
): CallbackInformer<T> {
  return new CallbackInformer<T>(makeInformerOptions<T>(kubeconfig, path, { labelSelector }));
}

/** Like `ListWatch` of client-node. `listFn` is not called, as in `makeInformer`. Starts at once unless `autoStart` is false. */
export class ListWatch<T extends object> extends CallbackInformer<T> {
  constructor(
    path: string,
    watch: WatchLike,
    _listFn?: ListPromise<T>,
    autoStart = true,
    labelSelector?: string,
    fieldSelector?: string,
  ) {
    requireOption(typeof watch?.config === 'object', 'watch', 'a Watch of client-node', watch);
    super({ ...makeInformerOptions<T>(watch.config, path, { labelSelector, fieldSelector }), autoStart });
  }
}

function makeInformerOptions<T extends object>(
  config: KubeConfigLike,
  path: string,
  { labelSelector, fieldSelector }: Selectors,
): CallbackInformerOptions<T> {
  const isConfig = typeof config?.getCurrentCluster === 'function' && typeof config.getCurrentUser === 'function';
  requireOption(isConfig, 'kubeconfig', 'a KubeConfig of @kubernetes/client-node', config);
  const { resource, namespace, ...inPath } = collectionOf(path);
  const selection = {
    namespace,
    ...inPath,
    ...defined({ labelSelector, fieldSelector }),
  };
  const open = async (connected: () => void): Promise<OpenedSource<T>> => {
    const client = await connectMadeInformer(config, connected);
    const source = client.resource<KubeObject>(resource).listWatch(selection) as unknown as Source<T>;
    return { source, transform: await loadDates(), close: () => client.close() };
  };
  return { name: path, open };
}

async function connectMadeInformer(config: KubeConfigLike, connected: () => void): Promise<Client> {
  const kubeconfig = plainKubeConfig(config);
  // client-node uses the proxy of the kubeconfig only.
  const proxy = config.getCurrentCluster()?.proxyUrl ? {} : { proxy: false as const };
  const found = await resolveConnection({ kubeconfig, ...proxy });
  const connection = hasKubeConfigCredentials(config)
    ? { ...found, credentials: kubeConfigCredentials(config) }
    : found;
  const transport = await createTransport(connection);
  return new Client({ connection, transport: makeReportingTransport(transport, connected) });
}

/** Calls `connected` when a watch is open. Only the transport can tell: a watch may be silent for minutes. */
function makeReportingTransport(transport: Transport, connected: () => void): Transport {
  return {
    async send(request) {
      const response = await transport.send(request);
      if (request.longLived === true && response.status === 200) connected();
      return response;
    },
    close: () => transport.close(),
  };
}
