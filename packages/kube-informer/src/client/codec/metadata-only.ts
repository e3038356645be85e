import type { KubeObject, TypeRef } from '../../core/object/object.ts';

/** The type of an object that is metadata only. */
export const METADATA_TYPE: Required<TypeRef> = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };

/**
 * Deletes all fields of an object except apiVersion, kind and metadata, in place.
 *
 * A server may ignore the request for metadata only and send whole objects; a caller that wants names and labels must
 * not get the content of a Secret. If the object is of the type `whole`, it becomes a PartialObjectMetadata, as the caller
 * expects; any other type stays what it is.
 */
export function keepMetadataOnly(object: object, whole?: TypeRef): void {
  const { apiVersion, kind } = object as KubeObject;
  if (kind === METADATA_TYPE.kind) return;
  for (const field of Object.keys(object)) {
    if (field !== 'apiVersion' && field !== 'kind' && field !== 'metadata')
      delete (object as Record<string, unknown>)[field];
  }
  const isWhole = whole?.apiVersion === apiVersion && (whole?.kind === undefined || whole.kind === kind);
  if (whole !== undefined && isWhole) Object.assign(object, METADATA_TYPE);
}
