import { defined } from '../../core/defined.ts';
import { KubeError } from '../../core/errors.ts';
import { describeObjectType, type KubeObject, type ObjectAccess } from '../../core/object/object.ts';
import { unreadableCause, unreadableObject } from '../../core/object/unreadable.ts';
import { eventReaderVersion, type ExpectedType, isEventReaderType } from './event-reader.ts';

/**
 * Checks one item of a list. Returns undefined for an item to skip, because it is of another type, and a marked object
 * for one whose version cannot be used. Throws when it is not an object at all: then this is not a list of objects.
 *
 * Room rule: pure. No store, no version bookkeeping, no retry.
 */
export function readItem<T>(
  item: T,
  access: ObjectAccess<T>,
  expected: ExpectedType | undefined,
  report: (message: string, fields: Record<string, unknown>) => void,
): T | undefined {
  if (typeof item !== 'object' || item === null)
    throw new KubeError('LIST_INVALID', 'the list contains an item that is not an object');
  const type = access.type(item);
  if (!isEventReaderType(expected, type)) {
    report('the list contains an object of another type; it is skipped', {
      expected: describeObjectType(expected),
      got: describeObjectType(type),
    });
    return undefined;
  }
  const version: unknown = access.resourceVersion(item);
  if (version === undefined || typeof version === 'string' || unreadableCause(item) !== undefined) return item;
  const { name, namespace, uid } = (item as KubeObject).metadata ?? {};
  const known: KubeObject = { ...itemReaderType(type), metadata: defined({ name, namespace, uid }) };
  const what = `metadata.resourceVersion is ${eventReaderVersion(version)}`;
  return unreadableObject(known, new KubeError('LIST_INVALID', `the object cannot be used: ${what}`)) as T;
}

const itemReaderType = ({ apiVersion, kind }: KubeObject): KubeObject => defined({ apiVersion, kind });
