import { isIPv4, isIPv6 } from 'node:net';
import { globalFunction, type Library, memberFunction, type Overload } from '../../../cel/check/environment.ts';
import { type CallCost, UNIT_ESTIMATE } from '../../../cel/cost/call-cost.ts';
import { costArgument, costOfFirst, sizeForCost, traversalCost, traversalCostRange } from '../../../cel/cost/costs.ts';
import { addRanges, fixedRange, sumOfRanges, ZERO_RANGE } from '../../../cel/cost/cost-range.ts';
import { BOOL, INT, opaqueType, STRING, type Type } from '../../../cel/types/type.ts';
import { Failure, OpaqueValue, type Value } from '../../../cel/values/cel-value.ts';
import { ipAddressBytes } from '../../../core/ip-address.ts';

export const IP: Type = opaqueType('net.IP');
export const CIDR: Type = opaqueType('net.CIDR');

/** An address of IPv4 or IPv6. */
class IpValue extends OpaqueValue {
  readonly type = IP;
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    super();
    this.bytes = bytes;
  }

  get size(): number {
    return this.bytes.length;
  }

  equals(other: Value): boolean {
    return other instanceof IpValue && other.bytes.equals(this.bytes);
  }
}

/** A network: an address and the length of its prefix. */
class CidrValue extends OpaqueValue {
  readonly type = CIDR;
  readonly bytes: Buffer;
  readonly length: number;

  constructor(bytes: Buffer, length: number) {
    super();
    this.bytes = bytes;
    this.length = length;
  }

  get size(): number {
    return Math.ceil(this.length / 8);
  }

  equals(other: Value): boolean {
    return other instanceof CidrValue && other.length === this.length && other.bytes.equals(this.bytes);
  }
}

const isMappedIp = (bytes: Buffer): boolean =>
  bytes.length === 16 && bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;

/** The reason Go cannot parse an address. */
function ruleIpFault(text: string): string {
  if (!text.includes(':') && !text.includes('.')) return `ParseAddr(${JSON.stringify(text)}): unable to parse IP`;
  if (!text.includes(':')) {
    if (/(?:^|\.)(?:25[6-9]|2[6-9]\d|[3-9]\d\d|\d{4,})(?:\.|$)/.test(text))
      return `ParseAddr(${JSON.stringify(text)}): IPv4 field has value >255`;
    if (/^[\d.]*$/.test(text) && text.split('.').length < 4)
      return `ParseAddr(${JSON.stringify(text)}): IPv4 address too short`;
    return `ParseAddr(${JSON.stringify(text)}): unexpected character (at ${JSON.stringify(text.replace(/^[\d.]*/, ''))})`;
  }
  return `ParseAddr(${JSON.stringify(text)}): unable to parse IP`;
}

/** Throws a failure for a text that is not an address, or one that rules do not accept. */
function parseIp(text: string): IpValue {
  const bytes = isIPv4(text) || isIPv6(text) ? ipAddressBytes(text) : undefined;
  if (bytes === undefined)
    throw new Failure(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: ${ruleIpFault(text)}`,
    );
  if (text.includes('%')) throw new Failure(`IP address ${JSON.stringify(text)} with zone value is not allowed`);
  if (isMappedIp(bytes)) throw new Failure(`IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return new IpValue(bytes);
}

const CIDR_FAULT = 'network address parse error during conversion from string: ';

function parseIpCidr(text: string): CidrValue {
  const [address = '', length = '', ...rest] = text.split('/');
  const quoted = JSON.stringify(text);
  const refuse = (why: string): Failure =>
    new Failure(`${CIDR_FAULT}${CIDR_FAULT}netip.ParsePrefix(${quoted}): ${why}`);
  if (!text.includes('/')) throw refuse("no '/'");
  const bytes = isIPv4(address) || isIPv6(address) ? ipAddressBytes(address) : undefined;
  if (bytes === undefined || rest.length > 0) throw refuse(ruleIpFault(address));
  if (isMappedIp(bytes)) throw new Failure(`${CIDR_FAULT}IPv4-mapped IPv6 address ${quoted} is not allowed`);
  if (address.includes('%')) throw refuse('IPv6 zones cannot be present in a prefix');
  if (!/^(?:0|[1-9]\d*)$/.test(length)) throw refuse(`bad bits after slash: ${JSON.stringify(length)}`);
  if (Number(length) > bytes.length * 8) throw refuse('prefix length out of range');
  return new CidrValue(bytes, Number(length));
}

function canParseIp(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

/** The canonical text of an address. */
function ipText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  // The longest run of zero groups, the first of several, is left out.
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start += 1) {
    let length = 0;
    while (groups[start + length] === '0') length += 1;
    if (length > best.length) best = { start, length };
  }
  if (best.start === -1) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}

function maskedRuleIp(bytes: Buffer, length: number): Buffer {
  return Buffer.from(bytes.map((byte, index) => byte & (0xff << Math.max(0, 8 - Math.max(0, length - index * 8)))));
}

const ruleCidrContainsIp = (cidr: CidrValue, bytes: Buffer): boolean =>
  cidr.bytes.length === bytes.length && maskedRuleIp(bytes, cidr.length).equals(maskedRuleIp(cidr.bytes, cidr.length));

const isUnspecifiedIp = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);
const isLoopbackIp = (bytes: Buffer): boolean =>
  bytes.length === 4 ? bytes[0] === 127 : bytes.subarray(0, 15).every((byte) => byte === 0) && bytes[15] === 1;
const isMulticastIp = (bytes: Buffer): boolean =>
  bytes.length === 4 ? ((bytes[0] as number) & 0xf0) === 0xe0 : bytes[0] === 0xff;
const isLinkLocalMulticastRuleIp = (bytes: Buffer): boolean =>
  bytes.length === 4
    ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
    : bytes[0] === 0xff && ((bytes[1] as number) & 0x0f) === 2;
const isLinkLocalUnicastRuleIp = (bytes: Buffer): boolean =>
  bytes.length === 4
    ? bytes[0] === 169 && bytes[1] === 254
    : bytes[0] === 0xfe && ((bytes[1] as number) & 0xc0) === 0x80;
const isGlobalUnicastIp = (bytes: Buffer): boolean =>
  !isUnspecifiedIp(bytes) &&
  !isLoopbackIp(bytes) &&
  !isMulticastIp(bytes) &&
  !isLinkLocalUnicastRuleIp(bytes) &&
  !(bytes.length === 4 && bytes.every((byte) => byte === 255));

const ipBytes = (value: Value | undefined): Buffer => (value as IpValue | CidrValue).bytes;
const ipCidr = (value: Value | undefined): CidrValue => value as CidrValue;
const ipArgumentText = (value: Value | undefined): string => value as string;

const ipTest = (id: string, test: (bytes: Buffer) => boolean): readonly Overload[] => [
  memberFunction(id, [IP], BOOL, ([a]) => test(ipBytes(a))),
];

/** The cost of comparing two networks, which reads the prefix twice; a text must be parsed first. */
const ruleIpContainsCost = (isNetwork: boolean): CallCost => ({
  actual: ([cidr = '', other = '']) =>
    traversalCost(sizeForCost(cidr) * 2) +
    (isNetwork ? traversalCost(sizeForCost(cidr)) + 1 : 0) +
    (typeof other === 'string' ? traversalCost(sizeForCost(other)) : 0),
  estimate: () => ({
    cost: sumOfRanges([
      traversalCostRange(addRanges(ADDRESS, ADDRESS)),
      isNetwork ? addRanges(traversalCostRange(ADDRESS), fixedRange(1)) : ZERO_RANGE,
    ]),
  }),
});

/** The same cost for a network or an address that is a text. */
const ruleIpContainsTextCost = (isNetwork: boolean): CallCost => {
  const { actual, estimate } = ruleIpContainsCost(isNetwork);
  return {
    actual,
    estimate: (args) => ({ cost: addRanges(estimate(args).cost, traversalCostRange(costArgument(args, 1).size)) }),
  };
};

/** Bytes of an address. */
const ADDRESS = { min: 4n, max: 16n };

const ruleIpRangeContains = (a: CidrValue, b: CidrValue): boolean =>
  a.length <= b.length && ruleCidrContainsIp(a, b.bytes);

/** Functions of addresses and networks: `ip('10.0.0.1')`, `cidr('10.0.0.0/8').containsIP('10.1.2.3')` */
export const ip: Library = {
  types: [IP, CIDR],
  equality: new Map([IP, CIDR].map(({ name }) => [name, () => UNIT_ESTIMATE])),
  functions: {
    ip: [
      globalFunction('string_to_ip', [STRING], IP, ([a]) => parseIp(ipArgumentText(a)), costOfFirst()),
      memberFunction('cidr_ip', [CIDR], IP, ([a]) => new IpValue(ipBytes(a))),
    ],
    family: [memberFunction('ip_family', [IP], INT, ([a]) => (ipBytes(a).length === 4 ? 4n : 6n))],
    'ip.isCanonical': [
      globalFunction(
        'ip_is_canonical',
        [STRING],
        BOOL,
        ([a]) => ipText(parseIp(ipArgumentText(a)).bytes) === ipArgumentText(a),
        costOfFirst(2),
      ),
    ],
    isUnspecified: ipTest('ip_is_unspecified', isUnspecifiedIp),
    isLoopback: ipTest('ip_is_loopback', isLoopbackIp),
    isLinkLocalMulticast: ipTest('ip_is_link_local_multicast', isLinkLocalMulticastRuleIp),
    isLinkLocalUnicast: ipTest('ip_is_link_local_unicast', isLinkLocalUnicastRuleIp),
    isGlobalUnicast: ipTest('ip_is_global_unicast', isGlobalUnicastIp),
    isIP: [
      globalFunction('is_ip', [STRING], BOOL, ([a]) => canParseIp(() => parseIp(ipArgumentText(a))), costOfFirst()),
    ],
    cidr: [globalFunction('string_to_cidr', [STRING], CIDR, ([a]) => parseIpCidr(ipArgumentText(a)), costOfFirst())],
    isCIDR: [
      globalFunction(
        'is_cidr',
        [STRING],
        BOOL,
        ([a]) => canParseIp(() => parseIpCidr(ipArgumentText(a))),
        costOfFirst(),
      ),
    ],
    containsIP: [
      memberFunction(
        'cidr_contains_ip_string',
        [CIDR, STRING],
        BOOL,
        ([a, b]) => ruleCidrContainsIp(ipCidr(a), parseIp(ipArgumentText(b)).bytes),
        ruleIpContainsTextCost(false),
      ),
      memberFunction(
        'cidr_contains_ip_ip',
        [CIDR, IP],
        BOOL,
        ([a, b]) => ruleCidrContainsIp(ipCidr(a), ipBytes(b)),
        ruleIpContainsCost(false),
      ),
    ],
    containsCIDR: [
      memberFunction(
        'cidr_contains_cidr_string',
        [CIDR, STRING],
        BOOL,
        ([a, b]) => ruleIpRangeContains(ipCidr(a), parseIpCidr(ipArgumentText(b))),
        ruleIpContainsTextCost(true),
      ),
      memberFunction(
        'cidr_contains_cidr',
        [CIDR, CIDR],
        BOOL,
        ([a, b]) => ruleIpRangeContains(ipCidr(a), ipCidr(b)),
        ruleIpContainsCost(true),
      ),
    ],
    prefixLength: [memberFunction('cidr_prefix_length', [CIDR], INT, ([a]) => BigInt(ipCidr(a).length))],
    masked: [
      memberFunction(
        'cidr_masked',
        [CIDR],
        CIDR,
        ([a]) => new CidrValue(maskedRuleIp(ipBytes(a), ipCidr(a).length), ipCidr(a).length),
      ),
    ],
    string: [
      globalFunction('ip_to_string', [IP], STRING, ([a]) => ipText(ipBytes(a))),
      globalFunction('cidr_to_string', [CIDR], STRING, ([a]) => `${ipText(ipBytes(a))}/${ipCidr(a).length}`),
    ],
  },
};
