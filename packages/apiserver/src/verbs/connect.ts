import { badRequest, notFound } from '../core/status.ts';
import type { Target } from './api.ts';

/** Subresources of pods that are connections to their containers. */
const CONNECTIONS: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

export const isPodConnection = ({ served, subresource }: Target): boolean =>
  served.resource.group === '' && served.resource.resource === 'pods' && CONNECTIONS.has(subresource);

/** Refuses a connection as a real server does for a pod that runs nowhere. */
export function refusePodConnection({ served, namespace, name, subresource }: Target): never {
  // A proxy may name a port, or a scheme and a port: `pod:80`, `https:pod:443`.
  const parts = subresource === 'proxy' ? name.split(':') : [name];
  const pod = parts.length === 3 ? (parts[1] as string) : (parts[0] as string);
  const record = served.collection.get(namespace, pod);
  if (record === undefined) throw notFound(served.resource, pod);
  const { spec = {}, status = {} } = served.object(record) as {
    spec?: { nodeName?: string };
    status?: { podIP?: string };
  };
  if (subresource === 'proxy' && (status.podIP ?? '') === '') throw badRequest('address not allowed');
  if (subresource !== 'proxy' && (spec.nodeName ?? '') === '')
    throw badRequest(`pod ${pod} does not have a host assigned`);
  throw badRequest(`${subresource} is not available: the containers of the embedded API server are not real`);
}
