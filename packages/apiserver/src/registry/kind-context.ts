import type { Env } from 'kube-informer/core';
import type { StrategyContext } from '../api/kinds/common/kind-rule.ts';
import { serviceAddresses } from '../api/kinds/network/service-addresses.ts';
import { serverTimestamp } from '../core/server-timestamp.ts';
import type { Registry } from './registry.ts';

interface ServiceSpec {
  readonly clusterIPs?: readonly string[];
  readonly clusterIP?: string;
  readonly healthCheckNodePort?: number;
  readonly ports?: readonly { readonly nodePort?: number }[];
}

/** Makes the context in which kinds prepare an object. */
export function kindContext(env: Env, registry: Registry): (isDryRun?: boolean) => StrategyContext {
  let known: { readonly version: number; readonly ips: Set<string>; readonly ports: Set<number> } | undefined;
  // Read again only after services have changed.
  const taken = (): NonNullable<typeof known> => {
    const services = registry.find('', 'v1', 'services');
    const version = services?.collection.version ?? 0;
    if (known?.version === version) return known;
    const ips = new Set<string>();
    const ports = new Set<number>();
    for (const record of services?.collection.current() ?? []) {
      const spec = (services?.collection.object(record)['spec'] ?? {}) as ServiceSpec;
      for (const ip of spec.clusterIPs ?? [spec.clusterIP ?? '']) ips.add(ip);
      for (const { nodePort } of spec.ports ?? []) if (nodePort !== undefined) ports.add(nodePort);
      if (spec.healthCheckNodePort !== undefined) ports.add(spec.healthCheckNodePort);
    }
    return (known = { version, ips, ports });
  };
  const addresses = serviceAddresses(
    { hasClusterIp: (address) => taken().ips.has(address), hasNodePort: (port) => taken().ports.has(port) },
    () => env.random(),
  );
  return (isDryRun = false) => ({
    ...addresses,
    env,
    isDryRun,
    now: serverTimestamp(env.wallNow()),
  });
}
