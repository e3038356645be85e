import type { Env } from '../../core/env.ts';
import { KubeError } from '../../core/errors.ts';
import { defined } from '../../core/defined.ts';
import type { ConnectOptions } from './connect-options.ts';
import type { AuthPlan, FileRef } from '../config/connection-plan.ts';
import type { CredentialSource } from '../auth/credentials.ts';
import { decodePem } from '../config/pem.ts';
import { needNode } from './node-only.ts';
import { type HttpExchange, oidcSource } from '../auth/oidc.ts';
import { environmentProxy, type ReadVariable } from '../transport/proxy.ts';

/** An OIDC source from what a kubeconfig says: finds the provider's certificate authority and a way to ask it. */
export async function oidcFromPlan(
  auth: AuthPlan & { readonly type: 'oidc' },
  options: Pick<ConnectOptions, 'oidcExchange' | 'onOidcRenewed' | 'proxy'>,
  read: ReadVariable,
  env: Env,
): Promise<CredentialSource> {
  const { config, where } = auth;
  const exchange = options.oidcExchange ?? (await ownExchange(where, options.proxy === false ? undefined : read));
  const ca = await authorityOf(auth);
  return oidcSource({ config, where, exchange, env, ...defined({ ca, onRenewed: options.onOidcRenewed }) });
}

/** `read` undefined: no proxy, whatever the environment says. One that is for the cluster alone leads nowhere else. */
async function ownExchange(where: string, read: ReadVariable | undefined): Promise<HttpExchange> {
  needNode(`${where}: asking an identity provider without option oidcExchange`);
  const { nodeOidcExchange } = await import('#node');
  return nodeOidcExchange((provider) => (read === undefined ? undefined : environmentProxy(provider, read)));
}

async function authorityOf(auth: AuthPlan & { readonly type: 'oidc' }): Promise<string | undefined> {
  const { config, where, beside } = auth;
  const data = config.get('idp-certificate-authority-data') ?? '';
  const path = config.get('idp-certificate-authority') ?? '';
  if (data !== '') {
    const pem = decodePem(data);
    if (pem !== undefined) return pem;
    throw new KubeError(
      'INVALID_CONFIG',
      `${where}.config.idp-certificate-authority-data: expected PEM text in base64`,
    );
  }
  if (path === '') return undefined;
  needNode(where);
  const { absolutePath, readTextFile } = await import('#node');
  const file: FileRef = { path, where: `${where}.config.idp-certificate-authority`, ...defined({ beside }) };
  return readTextFile(absolutePath(file), file.where);
}
