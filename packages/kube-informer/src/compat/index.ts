/**
 * `makeInformer` and `ListWatch` of @kubernetes/client-node, implemented on SharedInformer: change one import, keep the program.
 *
 * Takes the KubeConfig of that package (1.x and 2.x) by its shape; does not depend on it.
 */
export type { CallbackInformer } from './callback-informer.ts';
export type { KubeConfigLike, KubeConfigCluster, KubeConfigUser } from './kube-config.ts';
export { ListWatch, makeInformer, type WatchLike } from './make-informer.ts';
export {
  ADD,
  CHANGE,
  CONNECT,
  DELETE,
  ERROR,
  type ErrorCallback,
  type Informer,
  type InformerError,
  type ListPromise,
  type ObjectCache,
  type ObjectCallback,
  UPDATE,
} from './shapes.ts';
