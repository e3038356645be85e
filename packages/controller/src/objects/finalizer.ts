import {
  isConflict,
  isInvalid,
  isNotFound,
  KubeError,
  keyOf,
  type KubeObject,
  parseTimestamp,
  statusOf,
} from 'kube-informer/core';
import type { ObjectCall, ObjectClient } from './object-client.ts';

/**
 * The next step for an object with a finalizer.
 *
 * | has it | being deleted | step |
 * |---|---|---|
 * | no | no | `add`, then reconcile with the response |
 * | yes | no | `reconcile` |
 * | yes | yes | `cleanup`; remove only after it has succeeded |
 * | no | yes | `none` |
 */
export type FinalizerStep = 'add' | 'reconcile' | 'cleanup' | 'none';

export function finalizerStep({ metadata = {} }: KubeObject, finalizer: string): FinalizerStep {
  const isPresent = metadata.finalizers?.includes(finalizer) ?? false;
  if (metadata.deletionTimestamp === undefined) return isPresent ? 'reconcile' : 'add';
  return isPresent ? 'cleanup' : 'none';
}

/** The result of a change of finalizers. */
export type FinalizerOutcome<T> =
  | { readonly outcome: 'done'; readonly object: T }
  /** The object no longer exists, or another one has its name. */
  | { readonly outcome: 'gone' }
  /** The object is being deleted, so no finalizer can be added: there is nothing to reconcile. */
  | { readonly outcome: 'deleting'; readonly object: T }
  /** Others changed the list at the same time, in every attempt: try again later. */
  | { readonly outcome: 'contended' };

/** Maximum attempts at one change of the list. Each begins with a new read. */
const MAX_ATTEMPTS = 5;

/**
 * Adds a finalizer to an object that is not being deleted.
 *
 * The patch tests the uid and the whole list: the server does not remove duplicates, and an object of the same name that was
 * created meanwhile must not be changed.
 */
export function addFinalizer<T extends KubeObject>(
  client: ObjectClient<T>,
  object: T,
  finalizer: string,
  call: ObjectCall = {},
): Promise<FinalizerOutcome<T>> {
  checkFinalizer(finalizer);
  return changeFinalizers(client, object, call, ({ finalizers, deletionTimestamp }) => {
    if (finalizers?.includes(finalizer) === true) return 'done';
    if (deletionTimestamp !== undefined) return 'deleting';
    // The server compares a missing list with null.
    const test = { op: 'test', path: LIST, value: finalizers ?? null };
    return finalizers === undefined
      ? [test, { op: 'add', path: LIST, value: [finalizer] }]
      : [test, { op: 'add', path: `${LIST}/-`, value: finalizer }];
  });
}

/**
 * Removes finalizers. Call it only after the cleanup of *this* object has succeeded: the patch tests its uid, so it never
 * frees a successor of the same name.
 */
export function removeFinalizers<T extends KubeObject>(
  client: ObjectClient<T>,
  object: T,
  finalizers: readonly string[],
  call: ObjectCall = {},
): Promise<FinalizerOutcome<T>> {
  return changeFinalizers(client, object, call, ({ finalizers: list = [] }) => {
    // From the end: a removal moves the items after it.
    const places = list.map((name, at) => ({ name, at })).toReversed();
    const ours = places.filter(({ name }) => finalizers.includes(name));
    if (ours.length === 0) return 'done';
    return ours.flatMap(({ name, at }) => [
      { op: 'test', path: `${LIST}/${at}`, value: name },
      { op: 'remove', path: `${LIST}/${at}` },
    ]);
  });
}

/** Time that the deletion of an object has been waiting; undefined if it is not being deleted. */
export function finalizerWaitMs({ metadata = {} }: KubeObject, wallNow: number): number | undefined {
  const since = metadata.deletionTimestamp === undefined ? undefined : parseTimestamp(metadata.deletionTimestamp);
  return since === undefined ? undefined : Math.max(0, wallNow - since);
}

const LIST = '/metadata/finalizers';

/** Throws INVALID_OPTION unless the server accepts the name without a warning: `example.com/cleanup`. */
export function checkFinalizer(finalizer: string): void {
  if (/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[A-Za-z0-9]([-\w.]*[A-Za-z0-9])?$/.test(finalizer)) return;
  throw new KubeError(
    'INVALID_OPTION',
    `finalizer: expected a domain and a name, such as example.com/cleanup, got ${JSON.stringify(finalizer)}`,
  );
}

type Operation = { readonly op: string; readonly path: string; readonly value?: unknown };

/**
 * Changes the list of finalizers. `operations` returns the patch for the newest metadata, or that nothing
 * needs to be sent.
 */
async function changeFinalizers<T extends KubeObject>(
  client: ObjectClient<T>,
  object: T,
  call: ObjectCall,
  operations: (metadata: NonNullable<KubeObject['metadata']>) => readonly Operation[] | 'done' | 'deleting',
): Promise<FinalizerOutcome<T>> {
  const key = keyOf(object);
  const uid = object.metadata?.uid;
  if (uid === undefined) throw new KubeError('INVALID_OPTION', `finalizers of ${key}: the object has no metadata.uid`);
  let current = object;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const wanted = operations(current.metadata ?? {});
    if (typeof wanted === 'string') return { outcome: wanted, object: current };
    const patch = [{ op: 'test', path: '/metadata/uid', value: uid }, ...wanted];
    try {
      return { outcome: 'done', object: await client.patch(key, patch, { ...call, type: 'json' }) };
    } catch (error) {
      if (isNotFound(error)) return { outcome: 'gone' };
      if (!isLostFinalizerRace(error)) throw error;
      const newest = await readForFinalizer(client, key, call);
      if (newest?.metadata?.uid !== uid) return { outcome: 'gone' };
      // The list is as the last patch expected, so the failure has another cause.
      if (attempt === MAX_ATTEMPTS && hasSameFinalizers(newest, current)) throw error;
      current = newest;
    }
  }
  return { outcome: 'contended' };
}

/**
 * Whether a patch may succeed with a newer state: its tests failed, or the object is being deleted now. The
 * error of a failed test has no causes; that of an object that is invalid for another reason names its
 * fields.
 */
function isLostFinalizerRace(error: unknown): boolean {
  if (isConflict(error)) return true;
  const causes = statusOf(error)?.details?.causes ?? [];
  return isInvalid(error) && causes.every(({ field = '' }) => field === '' || field.startsWith('metadata.'));
}

async function readForFinalizer<T extends KubeObject>(
  client: ObjectClient<T>,
  key: string,
  call: ObjectCall,
): Promise<T | undefined> {
  try {
    return await client.get(key, call);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function hasSameFinalizers(one: KubeObject, other: KubeObject): boolean {
  const text = ({ metadata = {} }: KubeObject): string =>
    JSON.stringify([metadata.finalizers ?? [], metadata.deletionTimestamp ?? '']);
  return text(one) === text(other);
}
