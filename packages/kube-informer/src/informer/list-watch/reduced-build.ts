import { KubeError } from '../../core/errors.ts';
import type { BuildObject, ObjectCodec } from '../../core/object/object-codec.ts';
import type { ObjectAccess } from '../../core/object/object.ts';
import { isKeptWholeByReduction, type ReducedObjects, type Reduction } from '../../core/object/reduction.ts';

const LABELS = ['metadata', 'labels'];

/** Builds from the part of each object that is kept: the rest is never decoded and never stored. */
export function reducedBuild<R>(build: BuildObject<R>, reduction: Reduction | undefined): BuildObject<R> {
  if (reduction === undefined) return build;
  // A list and a watch have a codec each.
  const known = new WeakMap<ObjectCodec, ReducedObjects>();
  return (codec, bytes, at, end) => {
    let reduced = known.get(codec);
    if (reduced === undefined) known.set(codec, (reduced = codec.reduced(reduction)));
    const kept = reduced.cut(bytes, at, end);
    return build(reduced.codec, kept, 0, kept.length);
  };
}

/**
 * Refuses to read labels that are not kept: the object would count as one without labels, and a list by
 * labels would silently miss it.
 */
export function reducedBuildAccess<T>(access: ObjectAccess<T>, reduction: Reduction | undefined): ObjectAccess<T> {
  if (reduction === undefined || isKeptWholeByReduction(reduction, LABELS)) return access;
  return {
    name: (object) => access.name(object),
    namespace: (object) => access.namespace(object),
    uid: (object) => access.uid(object),
    resourceVersion: (object) => access.resourceVersion(object),
    annotations: (object) => access.annotations(object),
    type: (object) => access.type(object),
    hasSameContent: (one, other) => access.hasSameContent?.(one, other) === true,
    labels: () => {
      throw new KubeError('INVALID_OPTION', 'labels are needed, but this cache does not keep them: add "metadata.labels" to select');
    },
  }; // prettier-ignore
}
