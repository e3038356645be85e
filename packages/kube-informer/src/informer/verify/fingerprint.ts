import type { ObjectAccess } from '../../core/object/object.ts';

/** The fingerprint of an object without a resourceVersion, for example after a transform removed it. */
export const UNKNOWN_STATE = '';

/** Identifies one state of one object by UID and version, so that a lost event is found without comparing bodies. */
export function fingerprint<T>(access: ObjectAccess<T>, object: T): string {
  const version = access.resourceVersion(object);
  return version === undefined || version === '' ? UNKNOWN_STATE : `${access.uid(object) ?? ''}@${version}`;
}
