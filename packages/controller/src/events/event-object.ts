import type { Event } from '@kube-informer/kubernetes/events.k8s.io/v1';
import type { ObjectReference } from '@kube-informer/kubernetes';
import { defined, type Env, KubeError, type KubeObject, microTimestamp, safeText } from 'kube-informer/core';

/** Limits of events.k8s.io/v1, in bytes of UTF-8. */
const MAX_WORD = 128;
const MAX_NOTE = 1_024;

/** A message of a controller about an object. */
export interface EventNote {
  /** @default 'Normal' */
  readonly type?: 'Normal' | 'Warning';
  /** Reason, as one word for programs: `Scheduled`. */
  readonly reason: string;
  /** Message, as a sentence for people; cut to 1 kB. */
  readonly note: string;
  /** The action taken. @default the reason */
  readonly action?: string;
  /** Another object that took part. */
  readonly related?: KubeObject;
}

export interface EventReporter {
  readonly controller: string;
  readonly instance: string;
}

/** The reference to an object. Throws INVALID_OPTION for an object without a type or a name. */
export function eventObjectReference({ apiVersion, kind, metadata = {} }: KubeObject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  if (!apiVersion || !kind || !name)
    throw new KubeError('INVALID_OPTION', 'an event needs an object with apiVersion, kind and metadata.name');
  return {
    apiVersion,
    kind,
    name,
    ...defined({ namespace, uid, resourceVersion }),
  };
}

/** The Event as it is created. `serial` makes names unique that are made in one millisecond. */
export function newEventObject(
  env: Env,
  reporter: EventReporter,
  about: KubeObject,
  note: EventNote,
  serial: number,
): Event {
  const regarding = eventObjectReference(about);
  const { type = 'Normal', reason, action = reason, related } = note;
  if (type !== 'Normal' && type !== 'Warning')
    throw new KubeError('INVALID_OPTION', `event type: expected Normal or Warning, got ${JSON.stringify(type)}`);
  if (!reason) throw new KubeError('INVALID_OPTION', 'an event needs a reason: a word such as Scheduled');
  const now = env.wallNow();
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: eventObjectName(regarding.name ?? '', now, serial), namespace: regarding.namespace ?? 'default' },
    eventTime: microTimestamp(now),
    type,
    reason: cutEventObjectText(eventObjectText(reason), MAX_WORD),
    action: cutEventObjectText(eventObjectText(action), MAX_WORD),
    note: cutEventObjectText(eventObjectText(note.note), MAX_NOTE),
    reportingController: reporter.controller,
    reportingInstance: reporter.instance,
    regarding,
    ...(related === undefined ? {} : { related: eventObjectReference(related) }),
  };
}

/**
 * The identity of a series of events. Not the note, which may contain numbers; and not the resourceVersion of the
 * object, with
 * which every change of the object would begin a new series.
 */
export function eventObjectSeriesKey(event: Event): string {
  const { type, action, reason, reportingController, reportingInstance, regarding, related } = event;
  const key = [type, action, reason, reportingController, reportingInstance];
  return JSON.stringify([...key, eventObjectKey(regarding), related === undefined ? '' : eventObjectKey(related)]);
}

/** The identity of the object of a reference, whatever its version. */
export function eventObjectKey({ apiVersion, kind, namespace, name, uid, fieldPath }: ObjectReference = {}): string {
  return JSON.stringify([apiVersion, kind, namespace, name, uid, fieldPath]);
}

const encoder = new TextEncoder();

/** Text without credentials, and printable: all readers of events see it. It often quotes an error. */
const eventObjectText = (text: string): string => safeText(text, MAX_NOTE);

/**
 * The beginning of a text, in whole characters. Servers count bytes and refuse a longer event; otherwise a
 * user whose text is quoted could suppress events with multi-byte letters.
 */
function cutEventObjectText(text: string, max: number): string {
  const { read } = encoder.encodeInto(text, new Uint8Array(max));
  return read === text.length ? text : text.slice(0, read);
}

/** A DNS subdomain. Other names of objects, such as `system:node`, cannot be part of the name of an Event. */
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_NAME = 253;

/** The name of an Event, `<name>.<nanoseconds since 1970 in hex>`, as other clients name them. */
function eventObjectName(name: string, wallNow: number, serial: number): string {
  const nanos = BigInt(Math.floor(wallNow)) * 1_000_000n + BigInt(serial % 1_000_000);
  const suffix = nanos.toString(16);
  const full = `${name}.${suffix}`;
  return SUBDOMAIN.test(name) && full.length <= MAX_NAME ? full : `event.${suffix}`;
}
