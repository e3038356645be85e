import type { Env } from '../../core/env.ts';
import { KubeError, requireOption } from '../../core/errors.ts';
import { isLoopback, isPublicAddress, parseAddress } from '../transport/addresses.ts';
import { printAs } from '../secrets/conceal.ts';
import { defined } from '../../core/defined.ts';
import type { ConnectOptions } from './connect-options.ts';
import { type ConnectionPlan, filesOfPlan } from '../config/connection-plan.ts';
import type { Connection } from './connection.ts';
import type { TlsSettings, TlsSource } from '../transport/tls-settings.ts';
import { credentialTls } from '../auth/credential-tls.ts';
import type { CredentialSource } from '../auth/credentials.ts';
import { checkedImpersonation } from '../auth/authorization-header.ts';
import { hasNode, needNode } from './node-only.ts';
import { environmentProxy, proxyUrl, type ReadVariable } from '../transport/proxy.ts';
import { redact } from '../secrets/redact.ts';
import { basicCredentials, certificateCredentials, noCredentials, staticToken } from '../auth/fixed-source.ts';
import { tokenFile } from '../auth/token-file.ts';

/** Turns a checked plan into something that can be connected with. Rejects INVALID_CONFIG. */
export async function buildConnection(
  plan: ConnectionPlan,
  options: ConnectOptions,
  read: ReadVariable,
  env: Env,
): Promise<Connection> {
  const server = serverUrl(plan);
  const { impersonate, origin } = plan;
  if (impersonate !== undefined) checkedImpersonation(impersonate, `${origin}: impersonation`);
  const proxy = proxyOf(plan, server, options, read);
  checkTransportSecurity(plan, server, proxy, options, env);
  const ownTls = await tlsOf(plan, env);
  const source = await credentialsOf(plan, ownTls, options, read, env);
  const { tls, credentials } =
    plan.auth.type === 'exec' ? credentialTls(source, ownTls) : { tls: ownTls, credentials: source };
  const connection: Connection = {
    server,
    tls,
    credentials,
    namespace: plan.namespace ?? 'default',
    origin,
    ...defined({
      impersonate,
      disableCompression: plan.disableCompression || undefined,
      publicAddressesOnly: options.untrusted === true || undefined,
    }),
  };
  // A getter: the URL may carry a password, and an inspector that ignores its own ways of printing calls no getters.
  if (proxy !== undefined) Object.defineProperty(connection, 'proxy', { get: () => proxy, enumerable: true });
  printAs(connection, () => ({
    server: server.href,
    origin,
    namespace: connection.namespace,
    credentials: credentials.kind,
    tls,
    ...defined({ proxy, impersonate: impersonate?.user }),
  }));
  return connection;
}

/** Throws INVALID_CONFIG when a configuration from elsewhere asks for more than a server to talk to. */
export function refuseUntrusted(plan: ConnectionPlan): void {
  const refuse = (where: string, what: string): never => {
    throw new KubeError('INVALID_CONFIG', `${where}: an untrusted kubeconfig may not ${what}`);
  };
  const { auth } = plan;
  if (auth.type === 'exec') refuse(auth.where, 'run a program');
  if (auth.type === 'oidc') refuse(auth.where, 'name an identity provider');
  for (const file of filesOfPlan(plan)) refuse(file.where, 'name a file');
  if (plan.proxyUrl !== undefined) refuse(`${plan.where}.proxy-url`, 'name a proxy');
  const { protocol, hostname } = serverUrl(plan);
  if (protocol !== 'https:') refuse(`${plan.where}.server`, 'use anything but https');
  const isPrivate = parseAddress(hostname) === undefined ? isLoopback(hostname) : !isPublicAddress(hostname);
  if (isPrivate) refuse(`${plan.where}.server`, 'name a private address');
}

function serverUrl(plan: ConnectionPlan): URL {
  const { ca, cert, insecureSkipVerify } = plan.tls;
  // A host alone: with anything said about certificates it means https, as it does for kubectl.
  const scheme = ca !== undefined || cert !== undefined || insecureSkipVerify === true ? 'https://' : 'http://';
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(plan.server) ? plan.server : `${scheme}${plan.server}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const field = plan.where === 'option' ? 'option url' : `${plan.where}.server`;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '')
    throw new KubeError('INVALID_CONFIG', `${field}: expected a URL that starts with https:// or http://`);
  if (url.username !== '' || url.password !== '')
    throw new KubeError('INVALID_CONFIG', `${field}: must not carry a user name or password: give them as credentials`);
  url.search = '';
  url.hash = '';
  return url;
}

function proxyOf(plan: ConnectionPlan, server: URL, options: ConnectOptions, read: ReadVariable): URL | undefined {
  const { proxy: asked, untrusted = false } = options;
  requireOption(!untrusted || asked === undefined || asked === false, 'proxy', 'none with untrusted', typeof asked);
  // Through a proxy nobody could check the address that is connected to.
  if (asked === false || untrusted) return undefined;
  let found;
  if (asked !== undefined) found = proxyUrl(String(asked), 'option proxy');
  else if (plan.proxyUrl !== undefined) found = proxyUrl(plan.proxyUrl, `${plan.where}.proxy-url`);
  else found = environmentProxy(server, read);
  if (found !== undefined) {
    const shown = redact(found.href);
    printAs(found, () => shown);
  }
  return found;
}

function checkTransportSecurity(
  plan: ConnectionPlan,
  server: URL,
  proxy: URL | undefined,
  options: ConnectOptions,
  env: Env,
): void {
  const { origin, tls } = plan;
  const { strictTls = false, allowCredentialsOverHttp = false } = options;
  const fields = { origin, server: server.host };
  if (tls.insecureSkipVerify === true) {
    if (strictTls)
      throw new KubeError(
        'INVALID_CONFIG',
        `${origin}: the check of the server's certificate is switched off, and option strictTls forbids that`,
      );
    env.log(
      'warn',
      "the server's certificate is not checked: anybody on the way can read and change everything",
      fields,
    );
  }
  if (server.protocol === 'https:') return;
  const isLocal = isLoopback(server.hostname) && proxy === undefined;
  const hasCredentials = plan.auth.type !== 'none' || tls.cert !== undefined;
  if (hasCredentials && !(allowCredentialsOverHttp && isLocal)) {
    const advice = isLocal ? 'use https, or option allowCredentialsOverHttp in tests' : 'use https';
    throw new KubeError('INVALID_CONFIG', `${origin}: credentials are not sent over plain http: ${advice}`);
  }
  if (!isLocal) env.log('warn', 'plain http: anybody on the way can read and change everything', fields);
}

async function tlsOf(plan: ConnectionPlan, env: Env): Promise<TlsSource> {
  const { ca, cert, key, serverName, insecureSkipVerify } = plan.tls;
  const isFixed = ca === undefined && cert === undefined && key === undefined;
  const pems = [ca, cert, key].map((each) => (each !== undefined && 'pem' in each ? each.pem : undefined));
  // In a browser certificates are the browser's business; what was given as text does no harm there.
  if (isFixed || (!hasNode() && filesOfPlan(plan).length === 0))
    return fixedTls(defined({ serverName, insecureSkipVerify, ca: pems[0] }));
  needNode(`${plan.origin}: certificate files`);
  const { TlsFiles } = await import('#node');
  return TlsFiles.open(plan.tls, env);
}

function fixedTls(settings: TlsSettings): TlsSource {
  const source: TlsSource = { current: () => settings, refresh: () => Promise.resolve(false) };
  const ca = settings.ca === undefined ? 'of the platform' : 'own';
  printAs(source, () => ({ ca, insecureSkipVerify: settings.insecureSkipVerify === true, clientCertificate: false }));
  return source;
}

async function credentialsOf(
  plan: ConnectionPlan,
  tls: TlsSource,
  options: ConnectOptions,
  read: ReadVariable,
  env: Env,
): Promise<CredentialSource> {
  const { auth } = plan;
  switch (auth.type) {
    case 'none':
      return plan.tls.cert === undefined ? noCredentials() : certificateCredentials();
    case 'basic':
      return basicCredentials(auth.username, auth.password, auth.where);
    case 'token': {
      if (auth.file === undefined) return staticToken(auth.token ?? '', auth.where);
      needNode(auth.file.where);
      const { absolutePath, readTextFile } = await import('#node');
      const { where } = auth.file;
      const path = absolutePath(auth.file);
      const source = tokenFile({
        path,
        read: () => readTextFile(path, where, MOST_TOKEN),
        env,
        ...defined({ fallback: auth.token }),
      });
      // A file that is missing or no token from the start is a mistake in the configuration: say so now.
      await source.current(new AbortController().signal);
      return source;
    }
    case 'exec': {
      needNode(auth.where);
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
      const { oidcFromPlan } = await import('./oidc-plan.ts');
      return oidcFromPlan(auth, options, read, env);
    }
  }
}

/** No header is larger; a private key or a log file by mistake may be. */
const MOST_TOKEN = 64 << 10;
