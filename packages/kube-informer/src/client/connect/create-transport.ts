import type { UserCode } from '../../core/guarded.ts';
import { type Env, systemEnv } from '../../core/env.ts';
import { KubeError } from '../../core/errors.ts';
import { defined } from '../../core/defined.ts';
import type { Connection } from './connection.ts';
import type { FetchLike } from '../transport/fetch/fetch-transport.ts';
import type { NodeTransportLimits } from '../transport/node-transport-limits.ts';
import { platformFetch, platformOfFetch } from '../transport/fetch/platform-fetch.ts';
import type { Transport } from '../transport/transport.ts';

export interface TransportOptions {
  readonly env?: UserCode<Env>;
  /** False for HTTP/1.1 only. Ignored with fetch. @default true */
  readonly http2?: boolean;
  /** Time and size limits of the Node transport. */
  readonly limits?: Partial<NodeTransportLimits>;
  /** Used instead of sockets. @default sockets on Node, the platform's fetch elsewhere */
  readonly fetch?: UserCode<FetchLike>;
}

/** Creates the transport of this platform for one connection. Opens no socket yet. */
export async function createTransport(connection: Connection, options: TransportOptions = {}): Promise<Transport> {
  const { server, tls, proxy, disableCompression, publicAddressesOnly, origin } = connection;
  const { env = systemEnv, http2, limits, fetch } = options;
  if (fetch === undefined && platformOfFetch() === 'node') {
    const { createNodeTransport } = await import('#node');
    const given = defined({ proxy, disableCompression, publicAddressesOnly, http2, limits });
    return createNodeTransport({ server, tls, env, ...given });
  }
  // With fetch the resolved address of a name is unknown.
  if (publicAddressesOnly === true)
    throw new KubeError('INVALID_CONFIG', `${origin}: an untrusted kubeconfig needs Node, and no option fetch`);
  const { createFetchTransport } = await import('../transport/fetch/fetch-transport.ts');
  return createFetchTransport({ server, env, fetch: fetch ?? platformFetch(connection) });
}
