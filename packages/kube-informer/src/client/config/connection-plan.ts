import type { KubeconfigExec } from './kubeconfig.ts';

/** The user, groups and extra fields a request is sent as. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A file named in a configuration. `absoluteFilePath` finds its directory. */
export interface FileRef {
  readonly path: string;
  /** The kubeconfig that names it: a relative path starts in its directory. */
  readonly beside?: string;
  /** Whether it is named in code: then a relative path starts in the working directory. */
  readonly inCode?: boolean;
  /** For messages: `kubeconfig /home/me/.kube/config: users["dev"].user.tokenFile`. */
  readonly where: string;
}

/** PEM text, or the file it is reread from. */
export type PemPlan = { readonly pem: string; readonly where: string } | { readonly file: FileRef };

export interface TlsPlan {
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
  readonly ca?: PemPlan;
  readonly cert?: PemPlan;
  readonly key?: PemPlan;
}

/** How requests are authenticated, apart from a client certificate. */
export type AuthPlan =
  | { readonly type: 'none' }
  /** The file's last good value wins over the token. */
  | { readonly type: 'token'; readonly token?: string; readonly file?: FileRef; readonly where: string }
  | { readonly type: 'basic'; readonly username: string; readonly password: string; readonly where: string }
  | { readonly type: 'exec'; readonly exec: ExecPlan; readonly where: string }
  | {
      readonly type: 'oidc';
      readonly config: ReadonlyMap<string, string>;
      readonly where: string;
      readonly beside?: string;
    };

/** A validated program that prints credentials. */
export interface ExecPlan extends KubeconfigExec {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  readonly command: string;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
  /** The kubeconfig that names the command. */
  readonly beside?: string;
  /** The cluster's extension for plugins, passed on uninterpreted. */
  readonly clusterConfig?: unknown;
}

/**
 * A checked configuration of one cluster, before the files it names are read and programs are run. A kubeconfig, a
 * service account and options each become a plan; options given in addition change it.
 */
export interface ConnectionPlan {
  readonly origin: string;
  /** For messages about the cluster's fields. */
  readonly where: string;
  readonly server: string;
  readonly namespace?: string;
  readonly tls: TlsPlan;
  readonly auth: AuthPlan;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
  readonly impersonate?: Impersonation;
}

/** Every file a plan names. */
export function filesOfConnectionPlan(plan: ConnectionPlan): readonly FileRef[] {
  const { tls, auth } = plan;
  const files = [tls.ca, tls.cert, tls.key].flatMap((pem) => (pem !== undefined && 'file' in pem ? [pem.file] : []));
  return auth.type === 'token' && auth.file !== undefined ? [...files, auth.file] : files;
}
