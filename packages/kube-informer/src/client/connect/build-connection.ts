import type { Env } from '../../core/env.ts';
import { KubeError, requireOption } from '../../core/errors.ts';
import { isLoopbackAddress, isPublicAddress, parseAddress } from '../transport/addresses.ts';
import { concealInPrint } from '../secrets/conceal.ts';
import { defined } from '../../core/defined.ts';
import type { ConnectOptions } from './connect-options.ts';
import { type ConnectionPlan, filesOfConnectionPlan } from '../config/connection-plan.ts';
import type { TlsSettings, TlsSource } from '../transport/tls-settings.ts';
import { credentialTls } from '../auth/credential-tls.ts';
import type { CredentialSource } from '../auth/credentials.ts';
import { checkedImpersonationHeader } from '../auth/authorization-header.ts';
import { isNodeOnly, requireNodeOnly } from './node-only.ts';
import { KnownSecrets } from '../../core/known-secrets.ts';
import { type Connection, plainHttpConnectionRefusal } from './connection.ts';
import { rememberedCredentials } from '../auth/remembered-credentials.ts';
import { decodeProxyCredential, environmentProxy, proxyUrl, type ReadVariable } from '../transport/proxy.ts';
import { redact } from '../../core/redact.ts';
import {
  fixedSourceOfPassword,
  fixedSourceOfCertificate,
  fixedSourceOfNothing,
  fixedSourceOfToken,
} from '../auth/fixed-source.ts';
import { tokenFile } from '../auth/token-file.ts';

/** Builds a Connection from a checked plan: reads files, creates the credential source. Rejects INVALID_CONFIG. */
export async function buildConnection(
  plan: ConnectionPlan,
  options: ConnectOptions,
  read: ReadVariable,
  env: Env,
): Promise<Connection> {
  const server = buildConnectionUrl(plan);
  const { impersonate, origin } = plan;
  if (impersonate !== undefined) checkedImpersonationHeader(impersonate, `${origin}: impersonation`);
  const proxy = buildConnectionProxy(plan, server, options, read);
  const credentialsOverHttp = checkBuiltConnection(plan, server, proxy, options, env);
  const secrets = new KnownSecrets();
  secrets.remember(proxy && decodeProxyCredential(proxy.password));
  const ownTls = await buildConnectionTls(plan, env);
  secrets.remember(ownTls.current().certificate?.key);
  const source = rememberedCredentials(
    await buildConnectionCredentials(plan, ownTls, options, read, secrets, env),
    secrets,
  );
  const { tls, credentials } =
    plan.auth.type === 'exec' ? credentialTls(source, ownTls) : { tls: ownTls, credentials: source };
  const connection: Connection = {
    server,
    tls,
    credentials,
    secrets,
    namespace: plan.namespace ?? 'default',
    origin,
    ...defined({
      impersonate,
      disableCompression: plan.disableCompression || undefined,
      publicAddressesOnly: options.untrusted === true || undefined,
      credentialsOverHttp: credentialsOverHttp || undefined,
    }),
  };
  // A getter, because the URL may contain a password and an inspector that ignores `concealInPrint` calls no getters.
  if (proxy !== undefined) Object.defineProperty(connection, 'proxy', { get: () => proxy, enumerable: true });
  concealInPrint(connection, () => ({
    server: server.href,
    origin,
    namespace: connection.namespace,
    credentials: credentials.kind,
    tls,
    ...defined({ proxy, impersonate: impersonate?.user }),
  }));
  return connection;
}

/** Throws INVALID_CONFIG when an untrusted plan names programs, files, proxies or private addresses. */
export function refuseToBuildUntrustedConnection(plan: ConnectionPlan): void {
  const refuse = (where: string, what: string): never => {
    throw new KubeError('INVALID_CONFIG', `${where}: an untrusted kubeconfig may not ${what}`);
  };
  const { auth } = plan;
  if (auth.type === 'exec') refuse(auth.where, 'run a program');
  if (auth.type === 'oidc') refuse(auth.where, 'name an identity provider');
  for (const file of filesOfConnectionPlan(plan)) refuse(file.where, 'name a file');
  if (plan.proxyUrl !== undefined) refuse(`${plan.where}.proxy-url`, 'name a proxy');
  const { protocol, hostname } = buildConnectionUrl(plan);
  if (protocol !== 'https:') refuse(`${plan.where}.server`, 'use anything but https');
  const isPrivate = parseAddress(hostname) === undefined ? isLoopbackAddress(hostname) : !isPublicAddress(hostname);
  if (isPrivate) refuse(`${plan.where}.server`, 'name a private address');
}

function buildConnectionUrl(plan: ConnectionPlan): URL {
  const { ca, cert, insecureSkipVerify } = plan.tls;
  // A host without a scheme means https if there are TLS settings, as for kubectl.
  const scheme = ca !== undefined || cert !== undefined || insecureSkipVerify === true ? 'https://' : 'http://';
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(plan.server) ? plan.server : `${scheme}${plan.server}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const field = plan.where === 'option' ? 'option url' : `${plan.where}.server`;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new KubeError('INVALID_CONFIG', `${field}: expected a URL that starts with https:// or http://`);
  if (url.username !== '' || url.password !== '')
    throw new KubeError(
      'INVALID_CONFIG',
      `${field}: must not contain a user name or password: set them as credentials`,
    );
  url.search = '';
  url.hash = '';
  return url;
}

function buildConnectionProxy(
  plan: ConnectionPlan,
  server: URL,
  options: ConnectOptions,
  read: ReadVariable,
): URL | undefined {
  const { proxy: option, untrusted = false } = options;
  requireOption(
    !untrusted || option === undefined || option === false,
    'proxy',
    'no proxy together with untrusted',
    typeof option,
  );
  // With a proxy the address of the server could not be checked.
  if (option === false || untrusted) return undefined;
  let found;
  if (option !== undefined) found = proxyUrl(String(option), 'option proxy');
  else if (plan.proxyUrl !== undefined) found = proxyUrl(plan.proxyUrl, `${plan.where}.proxy-url`);
  else found = environmentProxy(server, read);
  if (found !== undefined) {
    const shown = redact(found.href);
    concealInPrint(found, () => shown);
  }
  return found;
}

/** Checks the TLS settings and the server's address. Returns whether credentials may be sent over plain http. */
function checkBuiltConnection(
  plan: ConnectionPlan,
  server: URL,
  proxy: URL | undefined,
  options: ConnectOptions,
  env: Env,
): boolean {
  const { origin, tls } = plan;
  const { strictTls = false, allowCredentialsOverHttp = false } = options;
  const fields = { origin, server: server.host };
  if (tls.insecureSkipVerify === true) {
    if (strictTls)
      throw new KubeError(
        'INVALID_CONFIG',
        `${origin}: verification of the server's certificate is disabled, and option strictTls forbids that`,
      );
    env.log(
      'warn',
      "the server's certificate is not verified: anyone on the network path can read and change the traffic",
      fields,
    );
  }
  if (server.protocol === 'https:') return false;
  const isLocal = isLoopbackAddress(server.hostname) && proxy === undefined;
  const hasCredentials = plan.auth.type !== 'none' || tls.cert !== undefined;
  if (hasCredentials && !(allowCredentialsOverHttp && isLocal)) throw plainHttpConnectionRefusal(origin, isLocal);
  if (!isLocal) env.log('warn', 'plain http: anyone on the network path can read and change the traffic', fields);
  return allowCredentialsOverHttp && isLocal;
}

async function buildConnectionTls(plan: ConnectionPlan, env: Env): Promise<TlsSource> {
  const { ca, cert, key, serverName, insecureSkipVerify } = plan.tls;
  const isFixed = ca === undefined && cert === undefined && key === undefined;
  const pems = [ca, cert, key].map((each) => (each !== undefined && 'pem' in each ? each.pem : undefined));
  // A browser verifies certificates itself; those given as text are ignored there.
  if (isFixed || (!isNodeOnly() && filesOfConnectionPlan(plan).length === 0))
    return buildFixedConnectionTls(defined({ serverName, insecureSkipVerify, ca: pems[0] }));
  requireNodeOnly(`${plan.origin}: certificate files`);
  const { TlsFiles } = await import('#node');
  return TlsFiles.open(plan.tls, env);
}

function buildFixedConnectionTls(settings: TlsSettings): TlsSource {
  const source: TlsSource = { current: () => settings, refresh: () => Promise.resolve(false) };
  const ca = settings.ca === undefined ? 'platform' : 'custom';
  concealInPrint(source, () => ({
    ca,
    insecureSkipVerify: settings.insecureSkipVerify === true,
    clientCertificate: false,
  }));
  return source;
}

async function buildConnectionCredentials(
  plan: ConnectionPlan,
  tls: TlsSource,
  options: ConnectOptions,
  read: ReadVariable,
  secrets: KnownSecrets,
  env: Env,
): Promise<CredentialSource> {
  const { auth } = plan;
  switch (auth.type) {
    case 'none':
      return plan.tls.cert === undefined ? fixedSourceOfNothing() : fixedSourceOfCertificate();
    case 'basic':
      return fixedSourceOfPassword(auth.username, auth.password, auth.where);
    case 'token': {
      if (auth.file === undefined) return fixedSourceOfToken(auth.token ?? '', auth.where);
      requireNodeOnly(auth.file.where);
      const { absoluteFilePath, readTextFile } = await import('#node');
      const { where } = auth.file;
      const path = absoluteFilePath(auth.file);
      const source = tokenFile({
        path,
        read: () => readTextFile(path, where, MAX_TOKEN),
        env,
        ...defined({ fallback: auth.token }),
      });
      // Read once now: a missing file or invalid token at the start is a mistake in the configuration.
      await source.current(new AbortController().signal);
      return source;
    }
    case 'exec': {
      requireNodeOnly(auth.where);
      const { execSource } = await import('#node');
      const { execPolicy, execTimeoutMs, isStdinReserved, environment } = options;
      if (execPolicy === 'deny')
        throw new KubeError('INVALID_CONFIG', `${auth.where}: option execPolicy denies all credential plugins`);
      const { serverName, insecureSkipVerify } = plan.tls;
      const cluster = {
        server: plan.server,
        ca: () => tls.current().ca,
        ...defined({
          tlsServerName: serverName,
          insecureSkipTlsVerify: insecureSkipVerify,
          proxyUrl: plan.proxyUrl,
          disableCompression: plan.disableCompression,
        }),
      };
      const rest = defined({ policy: execPolicy, timeoutMs: execTimeoutMs, isStdinReserved, environment });
      return execSource({ exec: auth.exec, where: auth.where, cluster, env, ...rest });
    }
    case 'oidc': {
      const { oidcSourceOfPlan } = await import('./oidc-plan.ts');
      return oidcSourceOfPlan(auth, options, read, secrets, env);
    }
  }
}

/** Maximum size of a token file: no header is larger. */
const MAX_TOKEN = 64 << 10;
