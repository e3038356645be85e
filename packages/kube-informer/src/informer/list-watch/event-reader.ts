import { defined } from '../../core/defined.ts';
import { hasCode, KubeError, errorMessageOf } from '../../core/errors.ts';
import {
  describeObjectType,
  isTableObject,
  type ObjectAccess,
  type TypeRef,
  plainAccess,
} from '../../core/object/object.ts';
import { statusError } from '../../core/status.ts';
import { INITIAL_EVENTS_END, type WatchEvent } from '../../core/object/watch-event.ts';

/** A watch event that may be applied. `marker` is the bookmark that ends the initial events. */
export interface ReadEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
  readonly resourceVersion: string;
  readonly marker: boolean;
}

/** The type an informer accepts. A field that is not set is not checked. */
export type ExpectedType = TypeRef;

/** Whether `type` matches `expected`. Items of built-in lists carry no type and always match. */
export function isEventReaderType(expected: ExpectedType | undefined, type: TypeRef): boolean {
  if (expected === undefined) return true;
  if (expected.kind && type.kind && expected.kind !== type.kind) return false;
  return !(expected.apiVersion && type.apiVersion && expected.apiVersion !== type.apiVersion);
}

/**
 * Checks one watch event. Returns undefined for an event to skip: an object of
 * another type changes nothing, not even the version. Throws when the stream must
 * end: for an ERROR event, an unknown event type, an object without metadata.
 *
 * Room rule: pure. No store, no version bookkeeping, no retry.
 */
export function readEvent<T>(
  event: WatchEvent<T>,
  access: ObjectAccess<T>,
  expected: ExpectedType | undefined,
  report: (message: string, fields: Record<string, unknown>) => void,
): ReadEvent<T> | undefined {
  if (typeof event !== 'object' || event === null) throw undecodableToEventReader('an event is not an object');
  const { type, object } = event as { type: string; object: unknown };
  if (type === 'ERROR') throw statusError(object, 'the watch failed');
  const isBookmark = type === 'BOOKMARK';
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED' && !isBookmark) {
    throw undecodableToEventReader(`unknown event type ${JSON.stringify(type)}`);
  }
  if (typeof object !== 'object' || object === null || Array.isArray(object))
    throw undecodableToEventReader(`a ${type} event carries no object`);
  // A bookmark is always a plain object, whatever `access` reads.
  const reader = isBookmark ? plainAccess : access;
  try {
    const found = reader.type(object as T);
    if (isTableObject(found)) {
      report('the watch sent a Table instead of an object; it is skipped', { event: type });
      return undefined;
    }
    if (!isEventReaderType(expected, found)) {
      report('the watch sent an object of another type; it is skipped', {
        event: type,
        expected: describeObjectType(expected),
        got: describeObjectType(found),
      });
      return undefined;
    }
    const resourceVersion = reader.resourceVersion(object as T);
    if (typeof resourceVersion !== 'string' || resourceVersion === '') {
      throw undecodableToEventReader(
        `metadata.resourceVersion of a ${type} event is ${eventReaderVersion(resourceVersion)}`,
      );
    }
    const marker = isBookmark && reader.annotations(object as T)[INITIAL_EVENTS_END] === 'true';
    return { type, object: object as T, resourceVersion, marker };
  } catch (cause) {
    throw isUndecodableToEventReader(cause)
      ? cause
      : undecodableToEventReader(`metadata is unreadable (${errorMessageOf(cause)})`, cause);
  }
}

/** Describes a value in the place of a version, for a message: its type, not its value. */
export function eventReaderVersion(version: unknown): string {
  if (version === undefined || version === '') return 'missing';
  if (version === null) return 'null, expected a string';
  return `${Array.isArray(version) ? 'an array' : `of the type ${typeof version}`}, expected a string`;
}

/** Whether an error means that the stream delivered something other than a valid event. */
export function isUndecodableToEventReader(error: unknown): boolean {
  return hasCode(error, 'WATCH_DECODE') || hasCode(error, 'INVALID_KEY');
}

function undecodableToEventReader(what: string, cause?: unknown): KubeError {
  return new KubeError('WATCH_DECODE', `the watch sent an invalid event: ${what}`, defined({ cause }));
}
