import type { ApiObject } from '../../../core/object.ts';
import { ageCell, type Cells, defaultNameCell, nameCell } from './cells.ts';
import { endpointSliceAddressesText, endpointSlicePortsText } from './endpoint-texts.ts';
import { readFilledText, readIsPresent, readItems, readMap, readNumber, readText, readTexts } from './read-fields.ts';
import { firstFewCellTexts, labelsCellText, NONE, selectorCellText } from './texts.ts';

const HOSTS_SHOWN = 3;

export const networkCells: Readonly<Record<string, Cells>> = {
  '/services': (object, now) => [
    nameCell(object),
    readText(object, 'spec.type'),
    readTexts(object, 'spec.clusterIPs')[0] ?? readFilledText(object, 'spec.clusterIP', NONE),
    networkExternalCell(object),
    networkServicePortsCell(object),
    ageCell(object, now),
    labelsCellText(readMap(object, 'spec.selector')),
  ],
  'networking.k8s.io/ingresses': (object, now) => [
    nameCell(object),
    readText(object, 'spec.ingressClassName', NONE),
    networkHostsCell(object),
    networkBalancerCell(object),
    readItems(object, 'spec.tls').length > 0 ? '80, 443' : '80',
    ageCell(object, now),
  ],
  'networking.k8s.io/ingressclasses': (object, now) => [
    defaultNameCell(object, 'ingressclass.kubernetes.io/is-default-class'),
    readText(object, 'spec.controller'),
    networkParametersCell(object),
    ageCell(object, now),
  ],
  'networking.k8s.io/networkpolicies': (object, now) => [
    nameCell(object),
    selectorCellText(object, 'spec.podSelector') || NONE,
    ageCell(object, now),
  ],
  'networking.k8s.io/servicecidrs': (object, now) => [
    nameCell(object),
    readTexts(object, 'spec.cidrs').join(','),
    ageCell(object, now),
  ],
  // One cell more than there are columns: so does the server.
  'networking.k8s.io/ipaddresses': (object, now) => [nameCell(object), networkParentCell(object), ageCell(object, now)],
  'discovery.k8s.io/endpointslices': (object, now) => [
    nameCell(object),
    readText(object, 'addressType'),
    endpointSlicePortsText(object),
    endpointSliceAddressesText(object),
    ageCell(object, now),
  ],
};

function networkExternalCell(service: ApiObject): string {
  const external = readTexts(service, 'spec.externalIPs');
  switch (readText(service, 'spec.type')) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || NONE;
    case 'LoadBalancer':
      return [networkBalancerCell(service), ...external].filter((text) => text !== '').join(',') || '<pending>';
    case 'ExternalName':
      return readText(service, 'spec.externalName');
    default:
      return '<unknown>';
  }
}

function networkServicePortsCell(service: ApiObject): string {
  const ports = readItems(service, 'spec.ports').map((port) => {
    const nodePort = readNumber(port, 'nodePort');
    const number = readText(port, 'port');
    return `${nodePort > 0 ? `${number}:${nodePort}` : number}/${readText(port, 'protocol')}`;
  });
  return ports.join(',') || NONE;
}

function networkBalancerCell(object: ApiObject): string {
  const addresses = readItems(object, 'status.loadBalancer.ingress')
    .map((ingress) => readFilledText(ingress, 'ip', readText(ingress, 'hostname')))
    .filter((address) => address !== '');
  return [...new Set(addresses)].sort().join(',');
}

function networkHostsCell(ingress: ApiObject): string {
  const rules = readItems(ingress, 'spec.rules');
  const hosts = rules.map((rule) => readText(rule, 'host')).filter((host) => host !== '');
  if (hosts.length === 0) return '*';
  // Rules are counted, not hosts; and it is a rule behind the last shown host that makes it "more".
  const lastShown = rules.findIndex((rule) => readText(rule, 'host') === hosts[HOSTS_SHOWN - 1]);
  const isCut = lastShown >= 0 && lastShown < rules.length - 1;
  return firstFewCellTexts(hosts, isCut ? rules.length : 0, HOSTS_SHOWN);
}

function networkParametersCell(ingressClass: ApiObject): string {
  if (!readIsPresent(ingressClass, 'spec.parameters')) return NONE;
  const group = readText(ingressClass, 'spec.parameters.apiGroup');
  const kind = readText(ingressClass, 'spec.parameters.kind');
  return `${group === '' ? kind : `${kind}.${group}`}/${readText(ingressClass, 'spec.parameters.name')}`;
}

function networkParentCell(address: ApiObject): string {
  if (!readIsPresent(address, 'spec.parentRef')) return NONE;
  const part = (field: string): string => readText(address, `spec.parentRef.${field}`);
  const resource = part('group') === '' ? part('resource') : `${part('resource')}.${part('group')}`;
  return [resource.toLowerCase(), ...(part('namespace') === '' ? [] : [part('namespace')]), part('name')].join('/');
}
