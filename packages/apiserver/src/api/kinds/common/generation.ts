import type { ApiObject } from '../../../core/kube-object.ts';

/** Increments the generation if the desired state has changed. Changes the new object. */
export function countGeneration({ metadata = {} }: ApiObject, old: ApiObject): void {
  metadata.generation = (old.metadata?.generation ?? 0) + 1;
}
