import type { KnownOptions } from '../../core/known-options.ts';
import type { Impersonation } from '../config/connection-plan.ts';
import type { HttpExchange, OidcTokens } from '../auth/oidc.ts';

/** A place to look for a cluster when nothing was said. */
export type ConfigSource = 'KUBECONFIG' | 'in-cluster' | 'home';

/**
 * How to find and enter a cluster. With no options at all the first of these that is there is used:
 *
 * 1. the files named by `KUBECONFIG`, merged;
 * 2. the pod's service account;
 * 3. `~/.kube/config`, unless `KUBECONFIG` is set.
 *
 * `order` changes this list (kubectl asks for the service account last). Anything said in code comes before it:
 * `url`, then `kubeconfig`, then `kubeconfigFile`. With `context`, `cluster` or `user` the service account is not asked.
 *
 * The remaining options are laid over what was found.
 */
export interface ConnectOptions {
  /** The server: alone, with the other options here, or in place of the one in a kubeconfig that is named too. */
  readonly url?: string | URL;

  /** YAML or JSON text, or the object itself. Relative paths in it are refused: it has no directory. */
  readonly kubeconfig?: string | object;
  /** One file, used alone. It must exist. */
  readonly kubeconfigFile?: string;
  /** @default ['KUBECONFIG', 'in-cluster', 'home'] */
  readonly order?: readonly ConfigSource[];
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  /** @default the context's, the pod's, or `default` */
  readonly namespace?: string;

  /** A bearer token. Replaces all credentials that were found. */
  readonly token?: string;
  /** A file with a token that somebody rotates. Replaces all credentials that were found. */
  readonly tokenFile?: string;
  /** Together with `password`. Replaces all credentials that were found. */
  readonly username?: string;
  readonly password?: string;
  /** PEM. Replaces, like `caFile` and `insecureSkipTlsVerify`, everything that was found about trust. */
  readonly ca?: string;
  readonly caFile?: string;
  /** The client certificate, PEM. Replaces all credentials that were found. */
  readonly cert?: string;
  readonly certFile?: string;
  readonly key?: string;
  readonly keyFile?: string;
  /** The name the server's certificate must carry. @default the host of the server's URL */
  readonly serverName?: string;
  /** Trust whoever answers. Said aloud in the log. @default false */
  readonly insecureSkipTlsVerify?: boolean;
  readonly impersonate?: Impersonation;
  /**
   * On the way to the cluster. `false`: none at all, whatever the environment says.
   * @default the kubeconfig's, then HTTPS_PROXY and NO_PROXY
   */
  readonly proxy?: string | URL | false;

  /** Refuse a configuration that switches off the check of the server's certificate. @default false */
  readonly strictTls?: boolean;
  /**
   * Send credentials over plain http. To loopback only, for tests; elsewhere they are never sent unencrypted.
   * @default false
   */
  readonly allowCredentialsOverHttp?: boolean;
  /**
   * The kubeconfig was written by somebody who is not trusted: no programs, no files, no identity provider, no proxy,
   * https to a public address only. Needs `kubeconfig` or `kubeconfigFile`. @default false
   */
  readonly untrusted?: boolean;

  /**
   * Which credential plugins may run: names found on PATH, or absolute paths. With a list, variables in the kubeconfig's
   * `exec.env` that make a program load other code (PATH, LD_PRELOAD, BASH_ENV, NODE_OPTIONS …) are refused. What a
   * listed program does with its arguments and its own variables is its own business: list no shells or interpreters.
   * @default 'allow'
   */
  readonly execPolicy?: 'allow' | 'deny' | { readonly allow: readonly string[] };
  /** Longest run of a credential plugin that asks nobody. @default 60_000 */
  readonly execTimeoutMs?: number;
  /** Stdin belongs to the program itself: a plugin may not ask there. @default false */
  readonly isStdinReserved?: boolean;
  /** How an OIDC identity provider is asked. @default Node's https, through the proxy of HTTPS_PROXY and NO_PROXY */
  readonly oidcExchange?: HttpExchange;
  /** Told about each renewed pair, so that it can be kept for the next start. */
  readonly onOidcRenewed?: (tokens: OidcTokens) => void;

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
