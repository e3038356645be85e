import type { Impersonation } from '../config/connection-plan.ts';
import type { CredentialSource } from '../auth/credentials.ts';
import type { TlsSource } from '../transport/tls-settings.ts';

/**
 * Everything needed to talk to one cluster, resolved from a kubeconfig, the pod's service account, or options.
 *
 * Printing it (`util.inspect`, JSON) shows the server, the context and the kinds of credentials, nothing secret.
 */
export interface Connection {
  /** May carry a path prefix, which every request keeps; query and fragment are dropped. */
  readonly server: URL;
  readonly tls: TlsSource;
  readonly credentials: CredentialSource;
  /** Of the context, or `default`. */
  readonly namespace: string;
  /** http, https or socks5; undefined: none. Already decided against NO_PROXY. */
  readonly proxy?: URL;
  readonly impersonate?: Impersonation;
  readonly disableCompression?: boolean;
  /**
   * Somebody else's configuration: connect to addresses only that `isPublicAddress` accepts, after the name was
   * resolved, at each connect.
   */
  readonly publicAddressesOnly?: boolean;
  /** Where this came from, for messages: "kubeconfig /home/me/.kube/config, context dev". */
  readonly origin: string;
}
