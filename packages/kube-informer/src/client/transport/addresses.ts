/** An IP address as its bytes: 4 or 16. An IPv4 address written as IPv6 counts as IPv4. */
export type Address = readonly number[];

/** Parses an IP address; undefined for a host name. Brackets and a zone are allowed. */
export function parseAddress(text: string): Address | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '');
  return bare.includes(':') ? parseIPv6Address(bare) : parseIPv4Address(bare);
}

/** Whether `address` is in `network`, such as 10.0.0.0/8 or fd00::/8. False when `network` is not a network. */
export function isAddressInNetwork(address: Address, network: string): boolean {
  const [base = '', bits = ''] = network.split('/');
  const start = parseAddress(base);
  const length = /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (start === undefined || start.length !== address.length || !(length <= start.length * 8)) return false;
  return start.every((byte, at) => {
    const kept = Math.min(Math.max(length - at * 8, 0), 8);
    const mask = (0xff << (8 - kept)) & 0xff;
    return (byte & mask) === ((address[at] ?? 0) & mask);
  });
}

export function isLoopbackAddress(host: string): boolean {
  const address = parseAddress(host);
  if (address === undefined) return /^(?:.+\.)?localhost\.?$/i.test(host);
  return LOOPBACK.some((network) => isAddressInNetwork(address, network));
}

/**
 * False for loopback, private networks, a cloud's metadata service and other addresses of a platform, and host names. Restricts the connections that an
 * untrusted configuration can open.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  // IPv6 has a single public block; for IPv4 only the exceptions can be listed.
  if (address.length === 16 && !isAddressInNetwork(address, '2000::/3')) return false;
  return !NOT_PUBLIC.some((network) => isAddressInNetwork(address, network));
}

/** The host of a URL as sockets take it: without the brackets around an IPv6 address. */
export function addressWithoutBrackets({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const NOT_PUBLIC = [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24',
  '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4',
  '192.31.196.0/24', '192.52.193.0/24', '192.175.48.0/24', '2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20',
  // Public addresses that the platform serves inside its networks: Azure's host, Google's and IBM's private services.
  '168.63.129.16/32', '199.36.153.4/30', '199.36.153.8/30', '35.199.192.0/19', '161.26.0.0/16', '166.8.0.0/14', '2600:2d00:2:1000::/64',
  '2600:2d00:2:2000::/64',
]; // prettier-ignore

function parseIPv4Address(text: string): Address | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255))
    return undefined;
  return parts.map(Number);
}

function parseIPv6Address(text: string): Address | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => parseIPv6AddressGroups(half));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const missing = 16 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
  const bytes = [...head, ...Array.from({ length: missing }, () => 0), ...(tail ?? [])];
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return isMapped ? bytes.slice(12) : bytes;
}

/** Parses `1:2:3` or `1:2:10.0.0.1`, the part before or after `::`. */
function parseIPv6AddressGroups(text: string): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const parts = text.split(':');
  for (const [at, part] of parts.entries()) {
    const v4 = at === parts.length - 1 && part.includes('.') ? parseIPv4Address(part) : undefined;
    if (v4 !== undefined) bytes.push(...v4);
    else if (/^[0-9a-f]{1,4}$/i.test(part))
      bytes.push(Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 0xff);
    else return undefined;
  }
  return bytes;
}
