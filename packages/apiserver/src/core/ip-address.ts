import { isIPv4, isIPv6 } from 'node:net';

/** The 4 or 16 bytes of an address; undefined if the text is not an address. */
export function ipAddressBytes(text: string): Buffer | undefined {
  if (isIPv4(text)) return Buffer.from(text.split('.').map(Number));
  return isIPv6(text) ? Buffer.from(ipAddressBytesOfV6(text)) : undefined;
}

/** The bytes of an address that `isIPv6` has accepted. */
function ipAddressBytesOfV6(text: string): number[] {
  const [head = '', tail] = (text.split('%', 1)[0] as string).split('::');
  const front = ipAddressGroupBytes(head);
  if (tail === undefined) return front;
  const back = ipAddressGroupBytes(tail);
  return [...front, ...Array.from({ length: 16 - front.length - back.length }, () => 0), ...back];
}

function ipAddressGroupBytes(groups: string): number[] {
  if (groups === '') return [];
  return groups.split(':').flatMap((group) => {
    // The last 32 bits may be written as IPv4: `::ffff:127.0.0.1`.
    if (group.includes('.')) return group.split('.').map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
