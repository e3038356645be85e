import type { ObjectAccess } from '../../core/object/object.ts';

/** The fingerprint of an object whose version is gone. */
export const UNKNOWN_STATE = '';

/** What identifies one state of one object: enough to find a lost event without comparing bodies. */
export function fingerprint<T>(access: ObjectAccess<T>, object: T): string {
  const version = access.resourceVersion(object);
  return version === undefined || version === '' ? UNKNOWN_STATE : `${access.uid(object) ?? ''}@${version}`;
}
