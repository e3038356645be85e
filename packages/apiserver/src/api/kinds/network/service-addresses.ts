import { AllocationError, type StrategyContext } from '../common/kind-rule.ts';

/** The addresses and ports that stored services hold. */
export interface TakenAddresses {
  hasClusterIp(address: string): boolean;
  hasNodePort(port: number): boolean;
}

/** The range of cluster addresses. */
export const CLUSTER_IPS = '10.96.0.0/12';

export interface ServiceRange {
  /** IPv4 only. @default '10.96.0.0/12' */
  readonly clusterIps?: string;
  /** @default [30000, 32767] */
  readonly nodePorts?: readonly [first: number, last: number];
}

/** Number of random tries before the range is searched from its start. */
const TRIES = 32;

/**
 * Allocates free addresses and ports at random, as clusters do, so that no test relies on a certain one.
 *
 * It remembers nothing: the taken ones are read from the store, so a failed or dry create leaks nothing and a
 * restored store needs no repair.
 */
export function serviceAddresses(
  taken: TakenAddresses,
  random: () => number,
  { clusterIps = CLUSTER_IPS, nodePorts: [firstPort, lastPort] = [30000, 32767] }: ServiceRange = {},
): Pick<StrategyContext, 'allocateClusterIp' | 'allocateNodePort'> {
  const [base = '', bits = '32'] = clusterIps.split('/');
  const size = 2 ** (32 - Number(bits));
  const first = serviceAddressToNumber(base);
  return {
    allocateClusterIp(wanted, isDryRun = false) {
      if (wanted === undefined) {
        // As on a real server: a dry run does not look for a free address.
        if (isDryRun) return base;
        // The first and the last address of a network are reserved.
        const address = pickServiceAddress(1, size - 2, random, (offset) =>
          taken.hasClusterIp(numberToServiceAddress(first + offset)),
        );
        if (address === undefined) throw new AllocationError('range is full');
        return numberToServiceAddress(first + address);
      }
      const offset = serviceAddressToNumber(wanted) - first;
      if (!(offset >= 1 && offset <= size - 2))
        throw new AllocationError(
          isDryRun
            ? `the provided IP (${wanted}) is not in the valid range. The range of valid IPs is ${clusterIps}`
            : 'the provided network does not match the current range',
        );
      if (!isDryRun && taken.hasClusterIp(wanted)) throw new AllocationError('provided IP is already allocated');
      return wanted;
    },
    allocateNodePort({ wanted, except, isDryRun = false } = {}) {
      if (wanted === undefined) {
        const port = pickServiceAddress(
          firstPort,
          lastPort,
          random,
          (candidate) => taken.hasNodePort(candidate) || except?.has(candidate) === true,
        );
        if (port === undefined) throw new AllocationError('range is full');
        return port;
      }
      if (!isDryRun && (wanted < firstPort || wanted > lastPort))
        throw new AllocationError(
          `provided port is not in the valid range. The range of valid ports is ${firstPort}-${lastPort}`,
        );
      if (taken.hasNodePort(wanted)) throw new AllocationError('provided port is already allocated');
      return wanted;
    },
  };
}

function pickServiceAddress(
  first: number,
  last: number,
  random: () => number,
  isTaken: (n: number) => boolean,
): number | undefined {
  const count = last - first + 1;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const candidate = first + Math.floor(random() * count);
    if (!isTaken(candidate)) return candidate;
  }
  for (let candidate = first; candidate <= last; candidate += 1) if (!isTaken(candidate)) return candidate;
  return undefined;
}

const serviceAddressToNumber = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

const numberToServiceAddress = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
