import type { ApiObject } from '../core/kube-object.ts';
import { StatusError } from '../core/status-error.ts';
import type { ControllerHost, Stop } from './common/controller-host.ts';
import { workLoop } from './common/work-loop.ts';

export interface EventExpiryOptions {
  /** Seconds that an event lives after it was last written. @default 3600 */
  readonly ttlSeconds?: number;
}

/** Deletes old events, which would otherwise be most of what a busy cluster stores. */
export function startEventExpiry(host: ControllerHost, { ttlSeconds = 3600 }: EventExpiryOptions = {}): Stop {
  const { env } = host;
  const deadlines = new Map<string, number>();
  const loop = workLoop(env, 'event expiry', (key) => {
    const deadline = deadlines.get(key);
    if (deadline === undefined) return undefined;
    if (deadline > env.now()) return deadline - env.now();
    deadlines.delete(key);
    const [namespace = '', name = ''] = key.split('/');
    try {
      host.remove('', 'events', namespace, name);
    } catch (error) {
      if (!(error instanceof StatusError && error.status.code === 404)) throw error;
    }
    return undefined;
  });
  const keep = ({ metadata = {} }: ApiObject): void => {
    const key = `${metadata.namespace}/${metadata.name}`;
    const isNew = !deadlines.has(key);
    deadlines.set(key, env.now() + ttlSeconds * 1000);
    // If there was a deadline, a check is already scheduled; it will find the new one.
    if (isNew) loop.add(key);
  };
  const stopWatch = host.watch('', 'events', (type, event) => {
    if (type === 'DELETED') deadlines.delete(`${event.metadata?.namespace}/${event.metadata?.name}`);
    else keep(event);
  });
  for (const event of host.list('', 'events')) keep(event);
  return () => {
    loop.stop();
    stopWatch();
  };
}
