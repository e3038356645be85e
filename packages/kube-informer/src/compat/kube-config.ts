import { defined } from '../core/defined.ts';
import { resolve } from 'node:path';
import type { Credentials, CredentialSource } from '../client/auth/credentials.ts';
import { KubeError } from '../core/errors.ts';

type Text = string | null | undefined;

/** A cluster as client-node keeps it. */
export interface KubeConfigCluster {
  readonly server: string;
  readonly caData?: Text;
  readonly caFile?: Text;
  readonly tlsServerName?: Text;
  readonly skipTLSVerify?: boolean | null;
  readonly proxyUrl?: Text;
}

/** A user as client-node keeps it. */
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
  /** Puts credentials into options of Node's https; asked only where ours cannot do it. */
  applyToHTTPSOptions(options: object): Promise<void>;
}

interface AuthProvider {
  readonly name?: string;
  readonly config?: Readonly<Record<string, string>> | null;
}

/**
 * What a KubeConfig says now, as a kubeconfig for our own loader: so tokens are read again, programs run once at a time
 * and identity providers are asked as everywhere else in this package.
 *
 * Where that package is more lenient than ours (a file and data for the same thing, an authority that is not used, an
 * exec plugin that does not say whether it may ask), its reading is kept: the program worked before.
 */
export function kubeconfigOf(config: KubeConfigLike): object {
  const cluster = config.getCurrentCluster();
  if (cluster === null || cluster === undefined)
    throw new KubeError('INVALID_CONFIG', 'the KubeConfig has no current cluster: load it before the informer starts');
  const user = config.getCurrentUser() ?? {};
  const skip = cluster.skipTLSVerify === true;
  return {
    clusters: [
      {
        name: 'current',
        cluster: {
          server: cluster.server,
          ...(skip ? {} : fileOrData('certificate-authority', cluster.caFile, cluster.caData)),
          'insecure-skip-tls-verify': skip,
          'tls-server-name': cluster.tlsServerName,
          'proxy-url': cluster.proxyUrl,
        },
      },
    ],
    users: [{ name: 'current', user: usesOwnCredentials(config) ? impersonated(user) : ours(user) }],
    contexts: [{ name: 'current', context: { cluster: 'current', user: 'current' } }],
    'current-context': 'current',
  };
}

function ours(user: KubeConfigUser): object {
  const provider = (user.authProvider ?? undefined) as AuthProvider | undefined;
  return {
    ...impersonated(user),
    ...fileOrData('client-certificate', user.certFile, user.certData),
    ...fileOrData('client-key', user.keyFile, user.keyData),
    token: user.token,
    username: user.username,
    password: user.password,
    ...(user.exec ? { exec: { interactiveMode: 'IfAvailable', ...(user.exec as object) } } : {}),
    // How its loadFromCluster() says "the service account of the pod".
    ...(provider?.config?.['tokenFile'] === undefined
      ? { 'auth-provider': provider }
      : { tokenFile: absolute(provider.config['tokenFile']) }),
  };
}

function impersonated({ impersonateUser }: KubeConfigUser): object {
  return { as: impersonateUser };
}

function fileOrData(field: string, file: Text, data: Text): object {
  return file ? { [field]: absolute(file) } : { [`${field}-data`]: data };
}

/** Of a file loaded by a relative path; client-node means the working directory. */
function absolute(path: string): string {
  return resolve(path);
}

/** Credentials only that package can get: authenticators somebody added, providers of clouds from before exec plugins. */
export function usesOwnCredentials(config: KubeConfigLike): boolean {
  const { custom_authenticators: added = [] } = config as { custom_authenticators?: readonly unknown[] };
  const provider = config.getCurrentUser()?.authProvider as AuthProvider | null | undefined;
  const isForeign = provider && provider.name !== 'oidc' && provider.config?.['tokenFile'] === undefined;
  return added.length > 0 || Boolean(isForeign);
}

/** Asks the KubeConfig itself, for each request. */
export function ownCredentials(config: KubeConfigLike): CredentialSource {
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
        ...(cert && key ? { certificate: { cert: text(cert), key: text(key) } } : {}),
      };
    },
    // It may have others by now; the request is sent once more and no oftener.
    rejected: () => true,
  };
}

function text(value: string | Uint8Array): string {
  return typeof value === 'string' ? value : new TextDecoder().decode(value);
}
