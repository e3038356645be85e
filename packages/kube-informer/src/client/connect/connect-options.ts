import type { UserCode } from '../../core/guarded.ts';
import type { KnownOptions } from '../../core/known-options.ts';
import type { Impersonation } from '../config/connection-plan.ts';
import type { HttpExchange, OidcTokens } from '../auth/oidc.ts';

/** A place where a cluster's configuration is looked for. */
export type ConfigSource = 'KUBECONFIG' | 'in-cluster' | 'home';

/**
 * How to find and authenticate to a cluster. Without options the first of these that exists is used:
 *
 * 1. the files named by `KUBECONFIG`, merged;
 * 2. the pod's service account;
 * 3. `~/.kube/config`, unless `KUBECONFIG` is set.
 *
 * `order` changes this list (kubectl tries the service account last). Options come before it: `url`, then
 * `kubeconfig`, then `kubeconfigFile`. With `context`, `cluster` or `user` the service account is skipped.
 *
 * The remaining options replace parts of the configuration that was found.
 */
export interface ConnectOptions {
  /** URL of the server. Together with a kubeconfig it replaces the server in there. */
  readonly url?: string | URL;

  /** YAML or JSON text, or the parsed object. Relative paths in it are refused: it has no directory. */
  readonly kubeconfig?: string | object;
  /** Path of a kubeconfig, which must exist. No other is used. */
  readonly kubeconfigFile?: string;
  /** @default ['KUBECONFIG', 'in-cluster', 'home'] */
  readonly order?: readonly ConfigSource[];
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  /** @default the context's, the pod's, or `default` */
  readonly namespace?: string;

  /** A bearer token. Replaces all credentials of the configuration. */
  readonly token?: string;
  /** A file with a token; it is reread. Replaces all credentials of the configuration. */
  readonly tokenFile?: string;
  /** Needs `password`. Replaces all credentials of the configuration. */
  readonly username?: string;
  readonly password?: string;
  /** The certificate authority, PEM. Any of `ca`, `caFile` and `insecureSkipTlsVerify` replaces all three of the configuration. */
  readonly ca?: string;
  readonly caFile?: string;
  /** The client certificate, PEM. Replaces all credentials of the configuration. */
  readonly cert?: string;
  readonly certFile?: string;
  readonly key?: string;
  readonly keyFile?: string;
  /** The name that the server's certificate must have. @default the host of the server's URL */
  readonly serverName?: string;
  /** Do not verify the server's certificate. Logs a warning. @default false */
  readonly insecureSkipTlsVerify?: boolean;
  readonly impersonate?: Impersonation;
  /**
   * Proxy for connections to the cluster. `false` disables proxies, also those of the environment.
   * @default the kubeconfig's, then HTTPS_PROXY and NO_PROXY
   */
  readonly proxy?: string | URL | false;

  /** Refuse a configuration that disables verification of the server's certificate. @default false */
  readonly strictTls?: boolean;
  /**
   * Send credentials over plain http to a loopback address, for tests. To other addresses they are never sent unencrypted.
   * @default false
   */
  readonly allowCredentialsOverHttp?: boolean;
  /**
   * The kubeconfig is not trusted: it may not name programs, files, identity providers or
   * proxies, and only https to a public address is allowed. Needs `kubeconfig` or `kubeconfigFile`. @default false
   */
  readonly untrusted?: boolean;

  /**
   * Which credential plugins may run: names looked up on PATH, or absolute paths. With a list, the kubeconfig's `exec.env`
   * may set only variables that are harmless for every program (AWS_PROFILE, AZURE_TENANT_ID …) and those named in `env`:
   * others make a program load other code (PATH, HOME, LD_PRELOAD, NODE_OPTIONS …). Arguments are passed to a listed
   * program unchecked: list no shells or interpreters. @default 'allow'
   */
  readonly execPolicy?: 'allow' | 'deny' | { readonly allow: readonly string[]; readonly env?: readonly string[] };
  /** Timeout of a credential plugin that is not interactive. @default 60_000 */
  readonly execTimeoutMs?: number;
  /** Stdin is used by the program itself: plugins may not read from it. @default false */
  readonly isStdinReserved?: boolean;
  /** Sends requests to an OIDC identity provider. @default Node's https, through the proxy of HTTPS_PROXY and NO_PROXY */
  readonly oidcExchange?: UserCode<HttpExchange>;
  /** Called with each renewed pair of tokens, so that it can be saved for the next start. */
  readonly onOidcRenewed?: UserCode<(tokens: OidcTokens) => void>;

  /** Variables of the process. @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** @default /var/run/secrets/kubernetes.io/serviceaccount */
  readonly serviceAccountDirectory?: string;
}

export const CONNECT_OPTIONS: KnownOptions<ConnectOptions> = {
  url: true,
  kubeconfig: true,
  kubeconfigFile: true,
  order: true,
  context: true,
  cluster: true,
  user: true,
  namespace: true,
  token: true,
  tokenFile: true,
  username: true,
  password: true,
  ca: true,
  caFile: true,
  cert: true,
  certFile: true,
  key: true,
  keyFile: true,
  serverName: true,
  insecureSkipTlsVerify: true,
  impersonate: true,
  proxy: true,
  strictTls: true,
  allowCredentialsOverHttp: true,
  untrusted: true,
  execPolicy: true,
  execTimeoutMs: true,
  isStdinReserved: true,
  oidcExchange: true,
  onOidcRenewed: true,
  environment: true,
  serviceAccountDirectory: true,
};
