import type { ApiObject } from '../../../core/kube-object.ts';
import { readFieldIsPresent, readFieldItems, readFieldText, readFieldTexts } from './read-fields.ts';
import { firstFewCellTexts, NONE, UNSET } from './cell-texts.ts';

const SHOWN = 3;

/** Addresses of an Endpoints object, each with all of its ports. */
export function endpointsCellText(endpoints: ApiObject): string {
  const subsets = readFieldItems(endpoints, 'subsets');
  if (subsets.length === 0) return NONE;
  const all = subsets.flatMap((subset) => {
    const addresses = readFieldItems(subset, 'addresses').map((address) => readFieldText(address, 'ip'));
    const ports = readFieldItems(subset, 'ports').map((port) => readFieldText(port, 'port'));
    return ports.length === 0
      ? addresses
      : ports.flatMap((port) => addresses.map((ip) => endpointHostPortCellText(ip, port)));
  });
  return firstFewCellTexts(all, all.length, SHOWN);
}

export function endpointSlicePortsCellText(slice: ApiObject): string {
  const ports = readFieldItems(slice, 'ports').map((port) =>
    readFieldIsPresent(port, 'port') ? readFieldText(port, 'port') : readFieldText(port, 'name', '*'),
  );
  return firstFewCellTexts(ports, ports.length, SHOWN) || UNSET;
}

export function endpointSliceAddressesCellText(slice: ApiObject): string {
  const addresses = readFieldItems(slice, 'endpoints').flatMap((endpoint) => readFieldTexts(endpoint, 'addresses'));
  return firstFewCellTexts(addresses, addresses.length, SHOWN) || UNSET;
}

const endpointHostPortCellText = (ip: string, port: string): string =>
  ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
