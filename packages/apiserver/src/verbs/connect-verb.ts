import type { ApiObject } from '../core/kube-object.ts';
import { badRequestStatusError, notFoundStatusError } from '../core/status-error.ts';
import type { Target } from './api-context.ts';

/** Subresources of pods that are connections to their containers. */
const CONNECTIONS: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

export const isConnectVerbOfPod = ({ served, subresource }: Target): boolean =>
  served.resource.group === '' && served.resource.resource === 'pods' && CONNECTIONS.has(subresource);

/** The pod to connect to. */
export function podOfConnectVerb({ served, namespace, name, subresource }: Target): ApiObject {
  // A proxy may name a port, or a scheme and a port: `pod:80`, `https:pod:443`.
  const parts = subresource === 'proxy' ? name.split(':') : [name];
  const pod = parts.length === 3 ? (parts[1] as string) : (parts[0] as string);
  const record = served.collection.get(namespace, pod);
  if (record === undefined) throw notFoundStatusError(served.resource, pod);
  return served.object(record);
}

/** Refuses a connection to a pod that runs nowhere, as a real server does. */
export function requireHostForConnectVerb({ subresource }: Target, pod: ApiObject): void {
  const { spec = {}, status = {} } = pod as { spec?: { nodeName?: string }; status?: { podIP?: string } };
  if (subresource === 'proxy' && (status.podIP ?? '') === '') throw badRequestStatusError('address not allowed');
  if (subresource !== 'proxy' && (spec.nodeName ?? '') === '')
    throw badRequestStatusError(`pod ${pod.metadata?.name ?? ''} does not have a host assigned`);
}

/** Refuses a connection for which there is no function. */
export function refuseConnectVerb({ subresource }: Target): never {
  const option = subresource === 'portforward' ? 'portForward' : 'exec';
  const advice = subresource === 'proxy' ? '' : `; to answer it, start the server with { nodes: { ${option} } }`;
  throw badRequestStatusError(
    `${subresource} is not available: the containers of the embedded API server are not real${advice}`,
  );
}
