import { defined } from '../core/defined.ts';
import { Client } from '../client/client.ts';
import { resolveConnection } from '../client/connect/resolve-connection.ts';
import { createTransport } from '../client/connect/create-transport.ts';
import type { Transport } from '../client/transport/transport.ts';
import { requireOption } from '../core/errors.ts';
import type { KubeObject } from '../core/object/object.ts';
import type { ListWatch as Source } from '../informer/list-watch/list-watch.ts';
import { CallbackInformer, type CallbackInformerOptions, type Opened } from './callback-informer.ts';
import { collectionOf } from './collection.ts';
import { type KubeConfigLike, kubeconfigOf, ownCredentials, usesOwnCredentials } from './kube-config.ts';
import type { ListPromise } from './shapes.ts';

/** The part of client-node's Watch that is used. */
export interface WatchLike {
  readonly config: KubeConfigLike;
}

interface Narrowing {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/**
 * As `makeInformer` of client-node: `path` says what is followed, `labelSelector` narrows it.
 *
 * `listPromiseFn` gives the objects their type and is not called: the collection at `path` is listed in pages by the same
 * code that watches it. So all objects have one shape, the server's JSON with `kind` and `apiVersion`, and what narrows
 * the list has to be in `labelSelector` or in the query of `path`.
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
  return new CallbackInformer<T>(following<T>(kubeconfig, path, { labelSelector }));
}

/** As `ListWatch` of client-node. See `makeInformer` about `listFn`. Starts at once unless `autoStart` is false. */
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
    super({ ...following<T>(watch.config, path, { labelSelector, fieldSelector }), autoStart });
  }
}

function following<T extends object>(
  config: KubeConfigLike,
  path: string,
  { labelSelector, fieldSelector }: Narrowing,
): CallbackInformerOptions<T> {
  const isConfig = typeof config?.getCurrentCluster === 'function' && typeof config.getCurrentUser === 'function';
  requireOption(isConfig, 'kubeconfig', 'a KubeConfig of @kubernetes/client-node', config);
  const { resource, namespace, ...inPath } = collectionOf(path);
  const selection = {
    namespace,
    ...inPath,
    ...defined({ labelSelector, fieldSelector }),
  };
  const open = async (connected: () => void): Promise<Opened<T>> => {
    const client = await connect(config, connected);
    const source = client.resource<KubeObject>(resource).listWatch(selection) as unknown as Source<T>;
    return { source, close: () => client.close() };
  };
  return { name: path, open };
}

async function connect(config: KubeConfigLike, connected: () => void): Promise<Client> {
  const kubeconfig = kubeconfigOf(config);
  // client-node knows the proxy of the kubeconfig and no other.
  const proxy = config.getCurrentCluster()?.proxyUrl ? {} : { proxy: false as const };
  const found = await resolveConnection({ kubeconfig, ...proxy });
  const connection = usesOwnCredentials(config) ? { ...found, credentials: ownCredentials(config) } : found;
  const transport = await createTransport(connection);
  return new Client({ connection, transport: telling(transport, connected) });
}

/** Only the transport knows when a watch is open: a quiet one brings nothing for minutes. */
function telling(transport: Transport, connected: () => void): Transport {
  return {
    async send(request) {
      const answer = await transport.send(request);
      if (request.longLived === true && answer.status === 200) connected();
      return answer;
    },
    close: () => transport.close(),
  };
}
