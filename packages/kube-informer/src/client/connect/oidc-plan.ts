import type { Env } from '../../core/env.ts';
import { KubeError } from '../../core/errors.ts';
import { defined } from '../../core/defined.ts';
import type { ConnectOptions } from './connect-options.ts';
import type { AuthPlan, FileRef } from '../config/connection-plan.ts';
import type { CredentialSource } from '../auth/credentials.ts';
import { decodePem } from '../config/pem.ts';
import { requireNodeOnly } from './node-only.ts';
import { type HttpExchange, oidcSource } from '../auth/oidc.ts';
import type { KnownSecrets } from '../../core/known-secrets.ts';
import { decodeProxyCredential, environmentProxy, type ReadVariable } from '../transport/proxy.ts';

/** Creates an OIDC source from a plan: reads the provider's certificate authority and chooses the exchange. */
export async function oidcSourceOfPlan(
  auth: AuthPlan & { readonly type: 'oidc' },
  options: Pick<ConnectOptions, 'oidcExchange' | 'onOidcRenewed' | 'proxy'>,
  read: ReadVariable,
  secrets: KnownSecrets,
  env: Env,
): Promise<CredentialSource> {
  const { config, where } = auth;
  const exchange =
    options.oidcExchange ?? (await oidcPlanExchange(where, options.proxy === false ? undefined : read, secrets));
  const ca = await oidcPlanAuthority(auth);
  return oidcSource({ config, where, exchange, secrets, env, ...defined({ ca, onRenewed: options.onOidcRenewed }) });
}

/** Uses the proxy of the environment, if `read` is given. A proxy for the cluster is not used for the provider. */
async function oidcPlanExchange(
  where: string,
  read: ReadVariable | undefined,
  secrets: KnownSecrets,
): Promise<HttpExchange> {
  requireNodeOnly(`${where}: requests to an identity provider without option oidcExchange`);
  const { nodeOidcExchange } = await import('#node');
  return nodeOidcExchange((provider) => {
    const proxy = read === undefined ? undefined : environmentProxy(provider, read);
    secrets.remember(proxy && decodeProxyCredential(proxy.password));
    return proxy;
  });
}

async function oidcPlanAuthority(auth: AuthPlan & { readonly type: 'oidc' }): Promise<string | undefined> {
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
  requireNodeOnly(where);
  const { absoluteFilePath, readTextFile } = await import('#node');
  const file: FileRef = { path, where: `${where}.config.idp-certificate-authority`, ...defined({ beside }) };
  return readTextFile(absoluteFilePath(file), file.where);
}
