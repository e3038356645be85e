import { defined } from '../core/defined.ts';
import { resolve } from 'node:path';
import type { Credentials, CredentialSource } from '../client/auth/credentials.ts';
import { KubeError } from '../core/errors.ts';

type Text = string | null | undefined;

/** A cluster in client-node's KubeConfig. */
export interface KubeConfigCluster {
  readonly server: string;
  readonly caData?: Text;
  readonly caFile?: Text;
  readonly tlsServerName?: Text;
  readonly skipTLSVerify?: boolean | null;
  readonly proxyUrl?: Text;
}

/** A user in client-node's KubeConfig. */
export interface KubeConfigUser {
  readonly certData?: Text;
  readonly certFile?: Text;
  readonly keyData?: Text;
  readonly keyFile?: Text;
  readonly token?: Text;
  readonly username?: Text;
  readonly password?: Text;
  readonly impersonateUser?: Text;
  readonly exec?: unknown;
  readonly authProvider?: unknown;
}

/** The part of client-node's KubeConfig that is used. */
export interface KubeConfigLike {
  getCurrentCluster(): KubeConfigCluster | null;
  getCurrentUser(): KubeConfigUser | null;
  /** Adds credentials to options of Node's https. Called only for credentials this package does not support. */
  applyToHTTPSOptions(options: object): Promise<void>;
}

interface AuthProvider {
  readonly name?: string;
  readonly config?: Readonly<Record<string, string>> | null;
}

/**
 * Converts a KubeConfig to a kubeconfig for `resolveConnection`, so that token files, plugins and identity providers
 * are handled as everywhere else in this package.
 *
 * Where client-node accepts more (both a file and data, an unused certificate authority, an exec plugin without
 * `interactiveMode`), its interpretation is kept, because the program worked before.
 */
export function plainKubeConfig(config: KubeConfigLike): object {
  const cluster = config.getCurrentCluster();
  if (cluster === null || cluster === undefined)
    throw new KubeError(
      'INVALID_CONFIG',
      'the KubeConfig has no current cluster: load it before the informer is started',
    );
  const user = config.getCurrentUser() ?? {};
  const skip = cluster.skipTLSVerify === true;
  return {
    clusters: [
      {
        name: 'current',
        cluster: {
          server: cluster.server,
          ...(skip ? {} : kubeConfigFileOrData('certificate-authority', cluster.caFile, cluster.caData)),
          'insecure-skip-tls-verify': skip,
          'tls-server-name': cluster.tlsServerName,
          'proxy-url': cluster.proxyUrl,
        },
      },
    ],
    users: [
      {
        name: 'current',
        user: hasKubeConfigCredentials(config) ? kubeConfigImpersonation(user) : kubeConfigUser(user),
      },
    ],
    contexts: [{ name: 'current', context: { cluster: 'current', user: 'current' } }],
    'current-context': 'current',
  };
}

function kubeConfigUser(user: KubeConfigUser): object {
  const provider = (user.authProvider ?? undefined) as AuthProvider | undefined;
  return {
    ...kubeConfigImpersonation(user),
    ...kubeConfigFileOrData('client-certificate', user.certFile, user.certData),
    ...kubeConfigFileOrData('client-key', user.keyFile, user.keyData),
    token: user.token,
    username: user.username,
    password: user.password,
    ...(user.exec ? { exec: { interactiveMode: 'IfAvailable', ...(user.exec as object) } } : {}),
    // client-node's loadFromCluster() sets this for the pod's service account.
    ...(provider?.config?.['tokenFile'] === undefined
      ? { 'auth-provider': provider }
      : { tokenFile: resolve(provider.config['tokenFile']) }),
  };
}

function kubeConfigImpersonation({ impersonateUser }: KubeConfigUser): object {
  return { as: impersonateUser };
}

/** The file or the data of a field. A relative path starts in the working directory, as in client-node. */
function kubeConfigFileOrData(field: string, file: Text, data: Text): object {
  return file ? { [field]: resolve(file) } : { [`${field}-data`]: data };
}

/** Whether only client-node can get the credentials: custom authenticators and the providers of clouds. */
export function hasKubeConfigCredentials(config: KubeConfigLike): boolean {
  const { custom_authenticators: added = [] } = config as { custom_authenticators?: readonly unknown[] };
  const provider = config.getCurrentUser()?.authProvider as AuthProvider | null | undefined;
  const isForeign = provider && provider.name !== 'oidc' && provider.config?.['tokenFile'] === undefined;
  return added.length > 0 || Boolean(isForeign);
}

/** Gets the credentials from the KubeConfig for each request. */
export function kubeConfigCredentials(config: KubeConfigLike): CredentialSource {
  return {
    kind: 'KubeConfig of client-node',
    async current(): Promise<Credentials> {
      const options: {
        headers?: Readonly<Record<string, string>>;
        auth?: string;
        cert?: string | Uint8Array;
        key?: string | Uint8Array;
      } = {};
      await config.applyToHTTPSOptions(options);
      const { headers = {}, auth, cert, key } = options;
      const basic = auth === undefined ? undefined : `Basic ${btoa(auth)}`;
      const authorization = headers['Authorization'] ?? headers['authorization'] ?? basic;
      return {
        ...defined({ authorization }),
        ...(cert && key ? { certificate: { cert: kubeConfigData(cert), key: kubeConfigData(key) } } : {}),
      };
    },
    // The KubeConfig may have other credentials now. The request is sent once more at most.
    rejected: () => true,
  };
}

function kubeConfigData(value: string | Uint8Array): string {
  return typeof value === 'string' ? value : new TextDecoder().decode(value);
}
