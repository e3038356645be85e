import { errorMessageOf, hasCode, KubeError } from '../errors.ts';
import { guardedAnswer, trustGuarded, type UserCode } from '../guarded.ts';
import { type KubeObject, type ObjectAccess, plainAccess } from './object.ts';

/** `namespace/name`, or `name` when the object has no namespace. */
export type Key = string;

/** Computes an object's key for a store or queue. */
export type KeyFn<T> = (object: T) => Key;

/**
 * The key of an object. Throws INVALID_KEY when it has no name.
 *
 * The UID is not part of it: an object deleted and created again under the same
 * name is the same entry, and the change of UID is announced instead.
 */
export function keyOf(object: KubeObject): Key {
  return keyByAccess(plainAccess, object);
}

/** A key function for any representation of objects. */
export function keyFn<T>(access: ObjectAccess<T>): KeyFn<T> {
  return trustGuarded((object) => keyByAccess(access, object));
}

/** A user's key function; the default is `keyFn(access)`. Throws INVALID_KEY when it fails or returns no key. */
export function guardedKey<T>(key: UserCode<KeyFn<T>> | undefined, access: ObjectAccess<T> = plainAccess): KeyFn<T> {
  if (key === undefined) return keyFn(access);
  const ask = guardedAnswer('the key function', key);
  if (ask === key) return ask;
  return trustGuarded((object) => {
    let found: unknown;
    try {
      found = ask(object);
    } catch (cause) {
      if (hasCode(cause, 'INVALID_KEY')) throw cause;
      throw new KubeError('INVALID_KEY', `the key function failed: ${errorMessageOf(cause)}`, { cause });
    }
    if (typeof found === 'string' && found !== '') return found;
    throw new KubeError('INVALID_KEY', 'the key function must return a string that is not empty');
  });
}

function keyByAccess<T>(access: ObjectAccess<T>, object: T): Key {
  let name: unknown;
  let namespace: unknown;
  try {
    name = access.name(object);
    namespace = access.namespace(object);
  } catch (cause) {
    throw new KubeError('INVALID_KEY', 'object has no metadata: every object needs metadata.name', { cause });
  }
  if (typeof name !== 'string' || name === '') {
    throw new KubeError('INVALID_KEY', 'object has no metadata.name: every object needs one');
  }
  // A slash would let two objects share a key; no server accepts such a name.
  if (name.includes('/')) throw new KubeError('INVALID_KEY', `metadata.name ${JSON.stringify(name)} contains a slash`);
  if (namespace === undefined || namespace === '' || namespace === null) return name;
  if (typeof namespace !== 'string' || namespace.includes('/')) {
    throw new KubeError('INVALID_KEY', 'metadata.namespace: expected a string without slashes');
  }
  return `${namespace}/${name}`;
}

export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** The two parts of a key. Throws INVALID_KEY for more than one slash. */
export function splitKey(key: Key): ObjectName {
  const slash = key.indexOf('/');
  if (slash === -1) return { namespace: '', name: key };
  if (key.indexOf('/', slash + 1) !== -1) {
    throw new KubeError('INVALID_KEY', `invalid key ${JSON.stringify(key)}: expected "namespace/name" or "name"`);
  }
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

export function joinKey({ namespace, name }: ObjectName): Key {
  return namespace === '' ? name : `${namespace}/${name}`;
}
