/** A client certificate and its key, PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** TLS options of a connection. */
export interface TlsSettings {
  /** PEM, one or more certificates. @default the platform's roots */
  readonly ca?: string;
  /** The name the certificate must be valid for. @default the host of the server */
  readonly serverName?: string;
  /** Accepts any certificate. A warning is logged. */
  readonly insecureSkipVerify?: boolean;
  readonly certificate?: ClientCertificate;
}

/** TLS settings that may come from files and change, so that rotation needs no restart. */
export interface TlsSource {
  current(): TlsSettings;
  /** Reads the files again. Resolves true when something changed and new connections are needed. */
  refresh(): Promise<boolean>;
}
