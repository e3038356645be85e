import type { Impersonation } from '../config/connection-plan.ts';
import type { CredentialSource } from '../auth/credentials.ts';
import type { KnownSecrets } from '../../core/known-secrets.ts';
import { isLoopbackAddress } from '../transport/addresses.ts';
import { KubeError } from '../../core/errors.ts';
import type { TlsSource } from '../transport/tls-settings.ts';

/**
 * Everything needed to connect to one cluster, resolved from a kubeconfig, the pod's service account, or options.
 *
 * Printing it (`util.inspect`, JSON) shows the server, the context and the kinds of credentials, nothing secret.
 */
export interface Connection {
  /** May have a path prefix, which is kept in every request; query and fragment are dropped. */
  readonly server: URL;
  readonly tls: TlsSource;
  readonly credentials: CredentialSource;
  /** Hidden in every error and log line until the client is closed. @default the client's own */
  readonly secrets?: KnownSecrets;
  /** Credentials may be sent over plain http, to a loopback address. @default false */
  readonly credentialsOverHttp?: boolean;
  /** The namespace of the context, or `default`. */
  readonly namespace: string;
  /** http, https or socks5. Undefined for no proxy; NO_PROXY is already taken into account. */
  readonly proxy?: URL;
  readonly impersonate?: Impersonation;
  readonly disableCompression?: boolean;
  /**
   * Set for an untrusted configuration: connect only to addresses that `isPublicAddress` accepts, checked after the
   * name is resolved, at each connect.
   */
  readonly publicAddressesOnly?: boolean;
  /** The source of this configuration, for messages: "kubeconfig /home/me/.kube/config, context dev". */
  readonly origin: string;
}

/** Throws INVALID_CONFIG when a header with credentials would be sent where anyone can read it. Asked for each request. */
export function requireSecureConnection({ server, proxy, origin, credentialsOverHttp = false }: Connection): void {
  if (server.protocol === 'https:') return;
  const isLocal = isLoopbackAddress(server.hostname) && proxy === undefined;
  if (!(isLocal && credentialsOverHttp)) throw plainHttpConnectionRefusal(origin, isLocal);
}

export function plainHttpConnectionRefusal(origin: string, isLocal: boolean): KubeError {
  const advice = isLocal ? 'use https, or option allowCredentialsOverHttp in tests' : 'use https';
  return new KubeError('INVALID_CONFIG', `${origin}: credentials are not sent over plain http: ${advice}`);
}
