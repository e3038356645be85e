import type { ApiObject } from '../../../core/object.ts';
import { readIsPresent, readItems, readText, readTexts } from './read-fields.ts';
import { firstFewCellTexts, NONE, UNSET } from './texts.ts';

const SHOWN = 3;

/** Addresses of an Endpoints object, each with each of its ports. */
export function endpointsText(endpoints: ApiObject): string {
  const subsets = readItems(endpoints, 'subsets');
  if (subsets.length === 0) return NONE;
  const all = subsets.flatMap((subset) => {
    const addresses = readItems(subset, 'addresses').map((address) => readText(address, 'ip'));
    const ports = readItems(subset, 'ports').map((port) => readText(port, 'port'));
    return ports.length === 0
      ? addresses
      : ports.flatMap((port) => addresses.map((ip) => endpointHostPortText(ip, port)));
  });
  return firstFewCellTexts(all, all.length, SHOWN);
}

export function endpointSlicePortsText(slice: ApiObject): string {
  const ports = readItems(slice, 'ports').map((port) =>
    readIsPresent(port, 'port') ? readText(port, 'port') : readText(port, 'name', '*'),
  );
  return firstFewCellTexts(ports, ports.length, SHOWN) || UNSET;
}

export function endpointSliceAddressesText(slice: ApiObject): string {
  const addresses = readItems(slice, 'endpoints').flatMap((endpoint) => readTexts(endpoint, 'addresses'));
  return firstFewCellTexts(addresses, addresses.length, SHOWN) || UNSET;
}

const endpointHostPortText = (ip: string, port: string): string =>
  ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
