import type { ApiObject } from '../../../core/object.ts';
import { isPresent, itemsAt, textAt, textsAt } from './read.ts';
import { firstFew, NONE, UNSET } from './texts.ts';

const SHOWN = 3;

/** Addresses of an Endpoints object, each with each of its ports. */
export function endpointsText(endpoints: ApiObject): string {
  const subsets = itemsAt(endpoints, 'subsets');
  if (subsets.length === 0) return NONE;
  const all = subsets.flatMap((subset) => {
    const addresses = itemsAt(subset, 'addresses').map((address) => textAt(address, 'ip'));
    const ports = itemsAt(subset, 'ports').map((port) => textAt(port, 'port'));
    return ports.length === 0 ? addresses : ports.flatMap((port) => addresses.map((ip) => hostPort(ip, port)));
  });
  return firstFew(all, all.length, SHOWN);
}

export function slicePortsText(slice: ApiObject): string {
  const ports = itemsAt(slice, 'ports').map((port) =>
    isPresent(port, 'port') ? textAt(port, 'port') : textAt(port, 'name', '*'),
  );
  return firstFew(ports, ports.length, SHOWN) || UNSET;
}

export function sliceAddressesText(slice: ApiObject): string {
  const addresses = itemsAt(slice, 'endpoints').flatMap((endpoint) => textsAt(endpoint, 'addresses'));
  return firstFew(addresses, addresses.length, SHOWN) || UNSET;
}

const hostPort = (ip: string, port: string): string => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`);
