import { serverTimestamp } from '../../core/server-timestamp.ts';
import type { ControllerHost } from './controller-host.ts';
import type { Typed } from './typed-resource.ts';

export type RecordEvent = (about: Typed, type: 'Normal' | 'Warning', reason: string, message: string) => void;

/** Maximum number of events that are remembered, so that repetitions increase their count. */
const REMEMBERED = 500;

/**
 * Writes Events about objects, as `kubectl describe` shows them. A repeated event increases the count of the
 * first one.
 */
export function controllerEvents(host: ControllerHost, component: string): RecordEvent {
  const known = new Map<string, string>();
  const namesBy = (key: string, name: string): string => {
    known.set(key, name);
    const [oldest] = known.keys();
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
    return name;
  };
  return (about, type, reason, message) => {
    const { apiVersion = '', kind = '' } = about;
    const { namespace = '', name = '', uid = '' } = about.metadata ?? {};
    const place = namespace === '' ? 'default' : namespace;
    const now = serverTimestamp(host.env.wallNow());
    const key = `${uid} ${reason} ${message}`;
    const before = host.get('', 'events', place, known.get(key) ?? '');
    try {
      if (before !== undefined) {
        host.update('', 'events', { ...before, count: Number(before['count'] ?? 1) + 1, lastTimestamp: now });
        return;
      }
      host.create('', 'events', {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { namespace: place, name: namesBy(key, newEventName(host, place, name)) },
        involvedObject: { apiVersion, kind, name, uid, ...(namespace === '' ? {} : { namespace }) },
        type,
        reason,
        message,
        source: { component },
        count: 1,
        firstTimestamp: now,
        lastTimestamp: now,
      });
    } catch (error) {
      // The namespace is being deleted. An event is not a reason to fail.
      host.env.log('debug', 'an event was not written', { reason, error });
    }
  };
}

const NANOSECONDS = 1_000_000n;

/** A name that ends with the time, as the real ones do: events of one second are then listed in their order. */
function newEventName(host: ControllerHost, namespace: string, name: string): string {
  let time = BigInt(Math.floor(host.env.wallNow())) * NANOSECONDS;
  while (host.get('', 'events', namespace, `${name}.${time.toString(16)}`) !== undefined) time += 1n;
  return `${name}.${time.toString(16)}`;
}
