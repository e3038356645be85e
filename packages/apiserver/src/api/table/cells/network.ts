import type { ApiObject } from '../../../core/object.ts';
import { age, type Cells, defaultName, name } from './cells.ts';
import { sliceAddressesText, slicePortsText } from './endpoint-texts.ts';
import { filledAt, isPresent, itemsAt, mapAt, numberAt, textAt, textsAt } from './read.ts';
import { firstFew, labelsText, NONE, selectorText } from './texts.ts';

const HOSTS_SHOWN = 3;

export const networkCells: Readonly<Record<string, Cells>> = {
  '/services': (object, now) => [
    name(object),
    textAt(object, 'spec.type'),
    textsAt(object, 'spec.clusterIPs')[0] ?? filledAt(object, 'spec.clusterIP', NONE),
    externalText(object),
    servicePortsText(object),
    age(object, now),
    labelsText(mapAt(object, 'spec.selector')),
  ],
  'networking.k8s.io/ingresses': (object, now) => [
    name(object),
    textAt(object, 'spec.ingressClassName', NONE),
    hostsText(object),
    balancerText(object),
    itemsAt(object, 'spec.tls').length > 0 ? '80, 443' : '80',
    age(object, now),
  ],
  'networking.k8s.io/ingressclasses': (object, now) => [
    defaultName(object, 'ingressclass.kubernetes.io/is-default-class'),
    textAt(object, 'spec.controller'),
    parametersText(object),
    age(object, now),
  ],
  'networking.k8s.io/networkpolicies': (object, now) => [
    name(object),
    selectorText(object, 'spec.podSelector') || NONE,
    age(object, now),
  ],
  'networking.k8s.io/servicecidrs': (object, now) => [
    name(object),
    textsAt(object, 'spec.cidrs').join(','),
    age(object, now),
  ],
  // One cell more than there are columns: so does the server.
  'networking.k8s.io/ipaddresses': (object, now) => [name(object), parentText(object), age(object, now)],
  'discovery.k8s.io/endpointslices': (object, now) => [
    name(object),
    textAt(object, 'addressType'),
    slicePortsText(object),
    sliceAddressesText(object),
    age(object, now),
  ],
};

function externalText(service: ApiObject): string {
  const external = textsAt(service, 'spec.externalIPs');
  switch (textAt(service, 'spec.type')) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || NONE;
    case 'LoadBalancer':
      return [balancerText(service), ...external].filter((text) => text !== '').join(',') || '<pending>';
    case 'ExternalName':
      return textAt(service, 'spec.externalName');
    default:
      return '<unknown>';
  }
}

function servicePortsText(service: ApiObject): string {
  const ports = itemsAt(service, 'spec.ports').map((port) => {
    const nodePort = numberAt(port, 'nodePort');
    const number = textAt(port, 'port');
    return `${nodePort > 0 ? `${number}:${nodePort}` : number}/${textAt(port, 'protocol')}`;
  });
  return ports.join(',') || NONE;
}

function balancerText(object: ApiObject): string {
  const addresses = itemsAt(object, 'status.loadBalancer.ingress')
    .map((ingress) => filledAt(ingress, 'ip', textAt(ingress, 'hostname')))
    .filter((address) => address !== '');
  return [...new Set(addresses)].sort().join(',');
}

function hostsText(ingress: ApiObject): string {
  const rules = itemsAt(ingress, 'spec.rules');
  const hosts = rules.map((rule) => textAt(rule, 'host')).filter((host) => host !== '');
  if (hosts.length === 0) return '*';
  // Rules are counted, not hosts; and it is a rule behind the last shown host that makes it "more".
  const lastShown = rules.findIndex((rule) => textAt(rule, 'host') === hosts[HOSTS_SHOWN - 1]);
  const isCut = lastShown >= 0 && lastShown < rules.length - 1;
  return firstFew(hosts, isCut ? rules.length : 0, HOSTS_SHOWN);
}

function parametersText(ingressClass: ApiObject): string {
  if (!isPresent(ingressClass, 'spec.parameters')) return NONE;
  const group = textAt(ingressClass, 'spec.parameters.apiGroup');
  const kind = textAt(ingressClass, 'spec.parameters.kind');
  return `${group === '' ? kind : `${kind}.${group}`}/${textAt(ingressClass, 'spec.parameters.name')}`;
}

function parentText(address: ApiObject): string {
  if (!isPresent(address, 'spec.parentRef')) return NONE;
  const part = (field: string): string => textAt(address, `spec.parentRef.${field}`);
  const resource = part('group') === '' ? part('resource') : `${part('resource')}.${part('group')}`;
  return [resource.toLowerCase(), ...(part('namespace') === '' ? [] : [part('namespace')]), part('name')].join('/');
}
