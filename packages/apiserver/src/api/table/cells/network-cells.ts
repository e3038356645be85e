import type { ApiObject } from '../../../core/kube-object.ts';
import { ageCell, type Cells, defaultNameCell, nameCell } from './cells.ts';
import { endpointSliceAddressesCellText, endpointSlicePortsCellText } from './endpoint-texts.ts';
import {
  readFilledFieldText,
  readFieldIsPresent,
  readFieldItems,
  readFieldMap,
  readFieldNumber,
  readFieldText,
  readFieldTexts,
} from './read-fields.ts';
import { firstFewCellTexts, labelsCellText, NONE, selectorCellText } from './cell-texts.ts';

const HOSTS_SHOWN = 3;

export const networkCells: Readonly<Record<string, Cells>> = {
  '/services': (object, now) => [
    nameCell(object),
    readFieldText(object, 'spec.type'),
    readFieldTexts(object, 'spec.clusterIPs')[0] ?? readFilledFieldText(object, 'spec.clusterIP', NONE),
    networkExternalCell(object),
    networkServicePortsCell(object),
    ageCell(object, now),
    labelsCellText(readFieldMap(object, 'spec.selector')),
  ],
  'networking.k8s.io/ingresses': (object, now) => [
    nameCell(object),
    readFieldText(object, 'spec.ingressClassName', NONE),
    networkHostsCell(object),
    networkBalancerCell(object),
    readFieldItems(object, 'spec.tls').length > 0 ? '80, 443' : '80',
    ageCell(object, now),
  ],
  'networking.k8s.io/ingressclasses': (object, now) => [
    defaultNameCell(object, 'ingressclass.kubernetes.io/is-default-class'),
    readFieldText(object, 'spec.controller'),
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
    readFieldTexts(object, 'spec.cidrs').join(','),
    ageCell(object, now),
  ],
  // One more cell than there are columns, as on a real server.
  'networking.k8s.io/ipaddresses': (object, now) => [nameCell(object), networkParentCell(object), ageCell(object, now)],
  'discovery.k8s.io/endpointslices': (object, now) => [
    nameCell(object),
    readFieldText(object, 'addressType'),
    endpointSlicePortsCellText(object),
    endpointSliceAddressesCellText(object),
    ageCell(object, now),
  ],
};

function networkExternalCell(service: ApiObject): string {
  const external = readFieldTexts(service, 'spec.externalIPs');
  switch (readFieldText(service, 'spec.type')) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || NONE;
    case 'LoadBalancer':
      return [networkBalancerCell(service), ...external].filter((text) => text !== '').join(',') || '<pending>';
    case 'ExternalName':
      return readFieldText(service, 'spec.externalName');
    default:
      return '<unknown>';
  }
}

function networkServicePortsCell(service: ApiObject): string {
  const ports = readFieldItems(service, 'spec.ports').map((port) => {
    const nodePort = readFieldNumber(port, 'nodePort');
    const number = readFieldText(port, 'port');
    return `${nodePort > 0 ? `${number}:${nodePort}` : number}/${readFieldText(port, 'protocol')}`;
  });
  return ports.join(',') || NONE;
}

function networkBalancerCell(object: ApiObject): string {
  const addresses = readFieldItems(object, 'status.loadBalancer.ingress')
    .map((ingress) => readFilledFieldText(ingress, 'ip', readFieldText(ingress, 'hostname')))
    .filter((address) => address !== '');
  return [...new Set(addresses)].sort().join(',');
}

function networkHostsCell(ingress: ApiObject): string {
  const rules = readFieldItems(ingress, 'spec.rules');
  const hosts = rules.map((rule) => readFieldText(rule, 'host')).filter((host) => host !== '');
  if (hosts.length === 0) return '*';
  // Rules are counted, not hosts: a rule after the last shown host makes it "more".
  const lastShown = rules.findIndex((rule) => readFieldText(rule, 'host') === hosts[HOSTS_SHOWN - 1]);
  const isCut = lastShown >= 0 && lastShown < rules.length - 1;
  return firstFewCellTexts(hosts, isCut ? rules.length : 0, HOSTS_SHOWN);
}

function networkParametersCell(ingressClass: ApiObject): string {
  if (!readFieldIsPresent(ingressClass, 'spec.parameters')) return NONE;
  const group = readFieldText(ingressClass, 'spec.parameters.apiGroup');
  const kind = readFieldText(ingressClass, 'spec.parameters.kind');
  return `${group === '' ? kind : `${kind}.${group}`}/${readFieldText(ingressClass, 'spec.parameters.name')}`;
}

function networkParentCell(address: ApiObject): string {
  if (!readFieldIsPresent(address, 'spec.parentRef')) return NONE;
  const part = (field: string): string => readFieldText(address, `spec.parentRef.${field}`);
  const resource = part('group') === '' ? part('resource') : `${part('resource')}.${part('group')}`;
  return [resource.toLowerCase(), ...(part('namespace') === '' ? [] : [part('namespace')]), part('name')].join('/');
}
