/** A client certificate and its key, PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

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
