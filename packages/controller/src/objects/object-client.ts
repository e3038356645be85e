import type { ApplyOptions, CallOptions, DeleteOptions, Partially, PatchOptions } from 'kube-informer/client';
import type { KubeObject, Status } from 'kube-informer/core';

/**
 * The calls that the functions of this room make. A `ResourceClient` fits, and so does a client that refuses and remembers
 * writes on behalf of a run.
 */
export interface ObjectClient<T extends KubeObject> {
  get(key: string, options?: CallOptions): Promise<T>;
  patch(key: string, patch: object, options?: PatchOptions): Promise<T>;
  apply(object: Partially<T>, options: ApplyOptions): Promise<T>;
  delete(key: string, options?: DeleteOptions): Promise<T | Status>;
}

/** Options of one call. */
export type ObjectCall = Pick<CallOptions, 'signal' | 'timeoutMs'>;
