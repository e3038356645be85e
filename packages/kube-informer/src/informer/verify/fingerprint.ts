import type { ObjectAccess } from '../../core/object/object.ts';

/** The fingerprint of an object without a resourceVersion, for example after a transform removed it, or of an unreadable one. */
export const UNKNOWN_STATE = '';

/** Identifies one state of one object by UID and version. */
export function fingerprint<T>(access: ObjectAccess<T>, object: T): string {
  const version = access.resourceVersion(object);
  return version === undefined || version === '' ? UNKNOWN_STATE : `${access.uid(object) ?? ''}@${version}`;
}

/** Like `fingerprint`, of an object that may be unreadable. */
export function fingerprintIfReadable<T>(access: ObjectAccess<T>, object: T): string {
  try {
    return fingerprint(access, object);
  } catch {
    return UNKNOWN_STATE;
  }
}
