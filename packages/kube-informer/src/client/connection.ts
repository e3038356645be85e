import type { ClientCertificate, CredentialSource } from './credentials.ts';

/** How the server is trusted and reached. */
export interface TlsSettings {
  /** PEM, one or more certificates. Undefined: the platform's roots. */
  readonly ca?: string;
  readonly serverName?: string;
  /** Honoured, but said aloud. */
  readonly insecureSkipVerify?: boolean;
  readonly certificate?: ClientCertificate;
}

/** Files behind the settings: read again when asked, so that rotation needs no restart. */
export interface TlsSource {
  /** The settings as they are now. */
  current(): TlsSettings;
  /** Reads the files again. Resolves true when something changed and connections must be made anew. */
  refresh(): Promise<boolean>;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

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
