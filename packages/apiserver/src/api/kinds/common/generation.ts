import type { ApiObject } from '../../../core/kube-object.ts';

/** Counts a change of what the user wants. Changes the new object. */
export function countGeneration({ metadata = {} }: ApiObject, old: ApiObject): void {
  metadata.generation = (old.metadata?.generation ?? 0) + 1;
}
