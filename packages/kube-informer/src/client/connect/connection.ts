import type { Impersonation } from '../config/connection-plan.ts';
import type { CredentialSource } from '../auth/credentials.ts';
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
