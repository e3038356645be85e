import type { Endpoints, Pod, Service } from '@kube-informer/kubernetes/v1';
import type { Endpoint, EndpointSlice } from '@kube-informer/kubernetes/discovery.k8s.io/v1';
import { defined } from 'kube-informer/core';
import { isSameJson } from '../../core/json.ts';
import type { ControllerHost, Stop } from '../common/controller-host.ts';
import { controllerOwnerFields, isOwnedByController } from '../common/controller-owner.ts';
import { reconcileKeyNow } from '../common/reconcile-key.ts';
import { typedResource } from '../common/typed-resource.ts';
import {
  type EndpointPort,
  selectsServicePods,
  podsOfService,
  servicePortsInPod,
  type ServicePod,
} from './service-pods.ts';

const SERVICE_NAME = 'kubernetes.io/service-name';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const CONTROLLER = 'endpointslice-controller.k8s.io';

/** Maximum number of endpoints in one slice. */
const SLICE_SIZE = 100;

/** Writes the addresses of each service's pods: one Endpoints object, and EndpointSlices. */
export function startServiceEndpoints(host: ControllerHost): Stop {
  const services = typedResource<Service>(host, '', 'services');
  const pods = typedResource<Pod>(host, '', 'pods');
  const endpoints = typedResource<Endpoints>(host, '', 'endpoints');
  const slices = typedResource<EndpointSlice>(host, 'discovery.k8s.io', 'endpointslices');

  const sync = (namespace: string, name: string): number | undefined => {
    const service = services.get(namespace, name);
    const own = slices.list(namespace).filter(({ metadata }) => metadata?.labels?.[MANAGED_BY] === CONTROLLER && metadata.labels[SERVICE_NAME] === name); // prettier-ignore
    if (service === undefined || !selectsServicePods(service)) {
      const old = endpoints.get(namespace, name);
      // Those without this mark were written by a user.
      if (service === undefined && old?.metadata?.labels?.[ENDPOINTS_MARK] === ENDPOINTS_CONTROLLER) endpoints.remove(old);
      if (service === undefined) for (const slice of own) slices.remove(slice);
      return undefined;
    }
    const members = podsOfService(service, pods.list(namespace));
    writeEndpoints(service, members);
    writeSlices(service, members, own.filter((slice) => isOwnedByController(slice, service)));
    return undefined;
  }; // prettier-ignore

  const writeEndpoints = (service: Service, members: readonly ServicePod[]): void => {
    const { name = '', namespace = '', labels } = service.metadata ?? {};
    const old = endpoints.get(namespace, name);
    const next: Endpoints = {
      ...(old ?? { apiVersion: 'v1', kind: 'Endpoints' }),
      metadata: { ...(old?.metadata ?? { name, namespace }), labels: { ...labels, [ENDPOINTS_MARK]: ENDPOINTS_CONTROLLER } }, // prettier-ignore
      subsets: serviceEndpointSubsets(service, members),
    };
    if (old === undefined) endpoints.create(next);
    else if (!isSameJson(old, next)) endpoints.update(next);
  };

  const writeSlices = (service: Service, members: readonly ServicePod[], own: readonly EndpointSlice[]): void => {
    const { name = '', namespace = '', labels } = service.metadata ?? {};
    const shards = serviceEndpointsByPorts(service, members).flatMap(({ ports, members: all }) =>
      Array.from({ length: Math.max(1, Math.ceil(all.length / SLICE_SIZE)) }, (_, index) => ({ ports, members: all.slice(index * SLICE_SIZE, (index + 1) * SLICE_SIZE) })),
    );
    const wanted = shards.length === 0 ? [{ ports: [], members: [] }] : shards;
    for (const [index, shard] of wanted.entries()) {
      const old = own[index];
      const headless = service.spec?.clusterIP === 'None' ? { 'service.kubernetes.io/headless': '' } : {};
      const next: EndpointSlice = {
        ...(old ?? { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' }),
        addressType: 'IPv4',
        metadata: {
          ...(old?.metadata ?? { generateName: `${name}-`, namespace, ownerReferences: [controllerOwnerFields(service)] }),
          labels: { ...labels, ...headless, [SERVICE_NAME]: name, [MANAGED_BY]: CONTROLLER },
        },
        ports: shard.ports.map((port) => ({ name: '', ...port })),
        endpoints: shard.members.map((member) => serviceEndpointInSlice(service, member)),
      };
      if (old === undefined) slices.create(next);
      else slices.update(next);
    }
    for (const slice of own.slice(wanted.length)) slices.remove(slice);
  }; // prettier-ignore

  const servicesOf = (pod: { metadata?: { namespace?: string } }): readonly Service[] =>
    services.list(pod.metadata?.namespace).filter(selectsServicePods);
  return reconcileKeyNow(host, { name: 'endpoints', group: '', resource: 'services', follows: [['', 'pods', servicesOf]], sync }); // prettier-ignore
}

const ENDPOINTS_MARK = 'endpoints.kubernetes.io/managed-by';
const ENDPOINTS_CONTROLLER = 'endpoint-controller';

/** Groups pods with the same port numbers. */
function serviceEndpointsByPorts(service: Service, members: readonly ServicePod[]): { ports: readonly EndpointPort[]; members: ServicePod[] }[] {
  const groups = new Map<string, { ports: readonly EndpointPort[]; members: ServicePod[] }>();
  for (const member of members) {
    const ports = servicePortsInPod(service, member.pod);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, members: [] };
    group.members.push(member);
    groups.set(key, group);
  }
  return [...groups.values()];
} // prettier-ignore

const serviceEndpointTargetRef = ({ metadata }: Pod): object => {
  const { name, namespace, uid } = metadata ?? {};
  return { kind: 'Pod', name, namespace, uid };
};

function serviceEndpointSubsets(service: Service, members: readonly ServicePod[]): NonNullable<Endpoints['subsets']> {
  const { publishNotReadyAddresses = false, clusterIP } = service.spec ?? {};
  return serviceEndpointsByPorts(service, members).map(({ ports, members: all }) => {
    const address = ({ pod, ip }: ServicePod): object => ({
      ip,
      nodeName: pod.spec?.nodeName,
      targetRef: serviceEndpointTargetRef(pod),
      ...(clusterIP === 'None' && pod.spec?.hostname !== undefined ? { hostname: pod.spec.hostname } : {}),
    });
    const isShown = ({ isReady }: ServicePod): boolean => isReady || publishNotReadyAddresses;
    return {
      addresses: all.filter(isShown).map(address),
      notReadyAddresses: all.filter((member) => !isShown(member)).map(address),
      ports,
    } as NonNullable<Endpoints['subsets']>[number];
  });
}

function serviceEndpointInSlice({ spec }: Service, { pod, ip, isReady }: ServicePod): Endpoint {
  const terminating = pod.metadata?.deletionTimestamp !== undefined;
  const isServing = isReady || (terminating && pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true); // prettier-ignore
  return {
    addresses: [ip],
    conditions: { ready: isReady || spec?.publishNotReadyAddresses === true, serving: isServing, terminating },
    ...(pod.spec?.hostname !== undefined && pod.spec.subdomain === pod.metadata?.name ? { hostname: pod.spec.hostname } : {}),
    ...defined({ nodeName: pod.spec?.nodeName }),
    targetRef: serviceEndpointTargetRef(pod) as NonNullable<Endpoint['targetRef']>,
  };
} // prettier-ignore
