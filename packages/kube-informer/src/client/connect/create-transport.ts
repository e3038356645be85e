import { type Env, systemEnv } from '../../core/env.ts';
import { KubeError } from '../../core/errors.ts';
import { defined } from '../../core/defined.ts';
import type { Connection } from './connection.ts';
import { createFetchTransport, type FetchLike } from '../transport/fetch/fetch-transport.ts';
import type { NodeTransportLimits } from '../transport/node-transport-limits.ts';
import { platformFetch, platformName } from '../transport/fetch/platform-fetch.ts';
import type { Transport } from '../transport/transport.ts';

export interface TransportOptions {
  readonly env?: Env;
  /** False: HTTP/1.1 only. Node decides; elsewhere the platform does. @default true */
  readonly http2?: boolean;
  /** Time and size limits of the Node transport. */
  readonly limits?: Partial<NodeTransportLimits>;
  /** Send through this instead of sockets. @default sockets on Node, the platform's fetch elsewhere */
  readonly fetch?: FetchLike;
}

/** The transport that fits the platform, for one connection. Opens nothing yet. */
export async function createTransport(connection: Connection, options: TransportOptions = {}): Promise<Transport> {
  const { server, tls, proxy, disableCompression, publicAddressesOnly, origin } = connection;
  const { env = systemEnv, http2, limits, fetch } = options;
  if (fetch === undefined && platformName() === 'node') {
    const { createNodeTransport } = await import('#node');
    const given = defined({ proxy, disableCompression, publicAddressesOnly, http2, limits });
    return createNodeTransport({ server, tls, env, ...given });
  }
  // Nobody here can see which address a name was resolved to.
  if (publicAddressesOnly === true)
    throw new KubeError('INVALID_CONFIG', `${origin}: an untrusted kubeconfig can be used on Node only, without fetch`);
  return createFetchTransport({ server, env, fetch: fetch ?? platformFetch(connection) });
}
